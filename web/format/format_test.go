package format

import "testing"

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{7: "7", 1000: "1k", 1240: "1.2k", 53200: "53k", 999_999: "999k", 1_050_000: "1M", 2_340_000_000: "2.3G"} {
		if got := Compact(n); got != want {
			t.Errorf("Compact(%d) = %q", n, got)
		}
	}
	for s, want := range map[string]bool{"https://a.example/x": true, "javascript:alert(1)": false, "//a.example": false, "https://a b": false, `https://a"x`: false, "HTTPS://x": false} {
		if got := SafeURL(s) != ""; got != want {
			t.Errorf("SafeURL(%q) = %v", s, got)
		}
	}
}

func TestCapital(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "no licence": "No licence", "No licence": "No licence", "étoiles": "Étoiles", "\xff": "\xff", "3 servers": "3 servers",
	} {
		if got := Capital(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLinked(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"Moves on Sunday, see https://x.example/a?b=1&c=2.": `Moves on Sunday, see <a href="https://x.example/a?b=1&amp;c=2">https://x.example/a?b=1&amp;c=2</a>.`,
		"(http://x.example) <b>now</b>":                     `(<a href="http://x.example">http://x.example</a>) &lt;b&gt;now&lt;/b&gt;`,
		`javascript:alert(1) https://"><`:                   `javascript:alert(1) https://&#34;&gt;&lt;`,
	} {
		if got := string(Linked(text)); got != want {
			t.Errorf("%q:\n%s, want\n%s", text, got, want)
		}
	}
}
