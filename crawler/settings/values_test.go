package settings

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestIsValue(t *testing.T) {
	for text, want := range map[string]bool{
		"8080": true, "info": true, "https://api.tides.dev": true, "./data": true,
		"north,south":  true,
		"north, south": true, "/Library/Tide Data": true, `{"a": 1}`: true, "*/5 * * * *": true,
		"":                          false,
		"the profile's region":      false,
		"Server working directory":  false,
		"None (all zones)":          false,
		"30 seconds":                false,
		"https://api.tides.dev';":   false,
		"Profile zone, then north":  false,
		"same as the harbour's one": false,
	} {
		if got := IsValue(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestIsOwn(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"TIDE_URL", "http://192.168.4.7:80", true},
		{"TIDE_URL", "http://10.0.0.3", true},
		{"TIDE_URL", "https://nas.local/tides", true},
		{"TIDE_URL", "https://nas.tail1.ts.net/tides", true},
		{"TIDE_URL", "http://localhost:80", false},
		{"TIDE_URL", "http://0.0.0.0:80", false},
		{"TIDE_RANGE", "10.5", false},
		{"TIDE_MAIL", "ann@harbour.dev", true},
		{"TIDE_DIR", "/Users/ann/tides", true},
		{"TIDE_DIR", "/var/lib/tides", false},
		{"TIDE_USER", "ann.smith", true},
		{"TIDE_USER", "root", false},
		{"AWS_PROFILE", "prod-readonly", true},
		{"AWS_PROFILE", "default", false},
		{"--org", "harbour", true},
		{"TIDE_WORKSPACE_NAME", "harbour-north", true},
		{"--workspace", "/workspace", false},
		{"X-Team", "harbour", true},
		{"AWS_PROFILES", "default prod-readonly", true},
		{"TIDE_ZONE", "ann", false},
		{"TIDE_USER", "", false},
		{"TIDE_USER", "ann:hunter2", true},
		{"BASIC", "ann:hunter2", true},
		{"TIDE_MODEL", "tide2:70b", false},
		{"TIDE_USER", "1000:1000", false},
		{"P", "hunter2pw", true},
		{"P", "8080", false},
		{"P", "chrome-profile2", false},
		{"TIDE_AUTHOR_NAME", "Ann Smith", true},
		{"X-User", "Ann Smith", true},
		{"SERVER_NAME", "North Sea", false},
		{"TIDE_WALLET", "legal winner thank year wave sausage worth useful legal winner thank yellow", true},
		{"TIDE_DB", "ann/hunter2@//db:1521/x", true},
		{"TIDE_DB", "sqlite:////home/ann/x.db", false},
	} {
		if got := IsOwn(c.name, c.value); got != c.want {
			t.Errorf("%s=%s: got %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

// TestPreset checks which of several defaults is that of a setting.
func TestPreset(t *testing.T) {
	of := func(name string, source Source, value string) Claim {
		return Claim{Variable: registry.Variable{Name: name, Default: value}, Source: source}
	}
	zone := func(source Source, value string) Claim { return of("TIDE_ZONE", source, value) }
	verify := func(source Source, value string) Claim { return of("TIDE_VERIFY_SSL", source, value) }
	for name, c := range map[string]struct {
		claims []Claim
		want   string
	}{
		"words about a default":      {[]Claim{zone(Text, "the zone of the account")}, ""},
		"words, then a value":        {[]Claim{zone(Text, "zone of the account"), zone(Code, "north")}, "north"},
		"another variable":           {[]Claim{zone(Text, "TIDE_AREA"), of("TIDE_AREA", Text, "")}, ""},
		"a word in a table":          {[]Claim{zone(Text, "north")}, "north"},
		"a word in an example":       {[]Claim{zone(EnvFile, "north")}, ""},
		"a word of the source":       {[]Claim{zone(EnvFile, "north"), zone(Code, "north")}, "north"},
		"a declared word":            {[]Claim{zone(ServerJSON, "north")}, "north"},
		"declared before the source": {[]Claim{zone(ServerJSON, "north"), zone(Code, "south")}, "north"},
		"another in the source":      {[]Claim{zone(EnvFile, "7"), zone(Code, "5")}, "5"},
		"stated, but not read":       {[]Claim{zone(Text, "7"), zone(Code, "5")}, "5"},
		"words about it, and read":   {[]Claim{zone(Text, "auto-detected"), zone(Code, "")}, ""},
		"a number, and read":         {[]Claim{zone(Text, "7"), zone(Code, "")}, "7"},
		"a number in an example":     {[]Claim{of("TIDE_PORT", EnvFile, "8080")}, ""},
		"a switch in an example":     {[]Claim{of("TIDE_CACHE", EnvFile, "true")}, ""},
		"a switch in a table":        {[]Claim{verify(Text, "false")}, ""},
		"a switch by number":         {[]Claim{of("TIDE_REJECT", EnvFile, "0")}, ""},
		"a mode in a table":          {[]Claim{of("TIDE_AUTH", Text, "none")}, ""},
		"a declared switch":          {[]Claim{verify(ServerJSON, "false")}, ""},
		"a switch of the source":     {[]Claim{verify(Text, "false"), verify(Code, "false")}, "false"},
		"another switch in it":       {[]Claim{verify(ServerJSON, "false"), verify(Code, "true")}, "true"},
		"any host":                   {[]Claim{of("TIDE_HOST", ServerJSON, "0.0.0.0")}, ""},
		"any host of the source":     {[]Claim{of("TIDE_HOST", Text, ""), of("TIDE_HOST", Code, "0.0.0.0:80")}, "0.0.0.0:80"},
		"any origin":                 {[]Claim{of("TIDE_ORIGINS", EnvFile, "*")}, ""},
		"a private address":          {[]Claim{of("TIDE_URL", ServerJSON, "http://192.168.1.9")}, ""},
		"an account":                 {[]Claim{of("TIDE_USER", EnvFile, "ann@harbour.dev")}, ""},
	} {
		if got := Decide(c.claims)[0].Default; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
