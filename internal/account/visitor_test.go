package account

import "testing"

func TestProgram(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0": "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/142.0.0.0 Safari/537.36": "Chrome on Windows",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"HeadlessChrome/142.0.0.0 Safari/537.36": "Headless Chrome on Linux",
		"Verify at http://evil.example/": "an unknown program",
		"":                               "an unknown program",
		"curl/8.0":                       "an unknown program",
	} {
		if got := (Visitor{Agent: agent}).Program(); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}
