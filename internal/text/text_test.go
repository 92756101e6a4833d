package text

import "testing"

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		s              string
		n              int
		cut, shortened string
	}{
		{"", 0, "", ""},
		{"tide", 4, "tide", "tide"},
		{"tides", 4, "tide", "tide…"},
		{"aé", 2, "a", "a…"},
		{"aéb", 3, "aé", "aé…"},
		{"日本", 5, "日", "日…"},
		{"日本", 2, "", "…"},
	} {
		if got := Cut(tt.s, tt.n); got != tt.cut {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.cut)
		}
		if got := Shorten(tt.s, tt.n); got != tt.shortened {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.shortened)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -999: "-999", 1234567: "1,234,567",
	} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 day":                    Count(1, "day"),
		"0 days":                   Count(0, "day"),
		"2,800 days":               Count(2800, "day"),
		"2 repositories":           Count(2, "repository"),
		"2 open advisories":        Count(int64(2), "open advisory"),
		"2 issues":                 Count(2, "issue"),
		"2 branches":               Count(2, "branch"),
		"2 issue or pull requests": Count(2, "issue or pull request"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		" weather ": "weather", "a\xffb": "a\uFFFDb", "Wetter für alle": "Wetter f", "": "",
	} {
		if got := Clean(in, 9); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
