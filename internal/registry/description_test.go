package registry

import "testing"

func TestIsDescription(t *testing.T) {
	for text, want := range map[string]bool{
		"Lists things": true, "Lists": false, "": false, "TODO": false, "TODO: description": false,
		"Tool description": false, "description of tides": true, "Get the description of a tide": true,
		"TODO describe this tool": false,
	} {
		if got := IsDescription(text); got != want {
			t.Errorf("IsDescription(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestIsDescriptionOf(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"Your API key", "TIDES_TOKEN", false},
		{"Your Tides API key", "TIDES_API_KEY", false},
		{"API key from the settings page", "TIDES_API_KEY", true},
		{"Port to listen on", "PORT", true},
		{"TODO", "PORT", false},
		{"description", "PORT", false},
		{"Log level (default: info)", "LOG_LEVEL", true},
		{"Some key", "SOME_KEY", false},
		{"", "PORT", false},
		{"潮汐服务的密钥", "TIDES_API_KEY", true},
	} {
		if got := IsDescriptionOf(c.text, c.name); got != c.want {
			t.Errorf("IsDescriptionOf(%q, %q) = %v, want %v", c.text, c.name, got, c.want)
		}
	}
}
