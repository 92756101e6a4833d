package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHidden is the table of characters that people do not see.
func TestHidden(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		unsafe     string // in a command, an argument, a variable, a URL or a key
		hidden     string // in prose
		visible    string // prose as people see it; "" for the text itself
	}{
		{"empty", "", "", "", ""},
		{"letters", "Größe 日本語 ½", "", "", ""},
		{"escape", "a\x1b[31mb", "U+001B", "U+001B", "a<U+001B>[31mb"},
		{"direction", "a\u202eb", "U+202E", "U+202E", "a<U+202E>b"},
		{"zero width space", "/da\u200bta", "U+200B", "U+200B", "/da<U+200B>ta"},
		{"tag", "ta\U000E0041", "U+E0041", "U+E0041", "ta<U+E0041>"},
		{"line separator", "a\u2028b", "U+2028", "U+2028", "a<U+2028>b"},
		{"next line", "a\u0085b", "U+0085", "U+0085", "a<U+0085>b"},

		{"NUL", "a\x00b", "U+0000", "U+0000", "a<U+0000>b"},
		{"delete", "a\x7fb", "U+007F", "U+007F", "a<U+007F>b"},
		{"control sequence introducer", "a\u009bb", "U+009B", "U+009B", "a<U+009B>b"},
		{"soft hyphen", "a\u00adb", "U+00AD", "U+00AD", "a<U+00AD>b"},
		{"paragraph separator", "a\u2029b", "U+2029", "U+2029", "a<U+2029>b"},
		{"byte order mark", "\ufeffa", "U+FEFF", "U+FEFF", "<U+FEFF>a"},
		{"word joiner", "a\u2060b", "U+2060", "U+2060", "a<U+2060>b"},
		{"isolate", "a\u2066b\u2069", "U+2066", "U+2066", "a<U+2066>b<U+2069>"},
		{"direction marks", "a\u200fb\u061c", "U+200F", "U+200F", "a<U+200F>b<U+061C>"},
		{"blank letters", "a\u3164b\u115f\u1160\uffa0", "U+3164", "U+3164",
			"a<U+3164>b<U+115F><U+1160><U+FFA0>"},
		{"grapheme joiner", "a\u034fb", "U+034F", "U+034F", "a<U+034F>b"},
		{"noncharacter", "a\uffffb", "U+FFFF", "U+FFFF", "a<U+FFFF>b"},
		{"interlinear annotation", "a\ufff9b", "U+FFF9", "U+FFF9", "a<U+FFF9>b"},
		{"bytes in variation selectors", "😀\U000E0101\U000E0152", "U+E0101", "U+E0101",
			"😀<U+E0101><U+E0152>"},
		{"object replacement", "a\ufffcb", "U+FFFC", "", ""},
		{"hieroglyph joiner", "a\U00013440b", "U+13440", "", ""},
		{"null notehead", "a\U0001D159b", "U+1D159", "", ""},
		{"filler of Khitan", "a\U00016FE4b", "U+16FE4", "", ""},
		{"private use", "a\ue000b\U000F0000", "U+E000", "", ""},
		{"unassigned", "a\u0378b", "", "", ""},
		{"marks of letters", "e\u0301 ร้อน नमस्ते", "", "", ""},
		{"new emoji", "🫩", "", "", ""},
		{"no-break space", "a\u00a0b", "U+00A0", "", ""},
		{"ideographic space", "a\u3000b", "U+3000", "", ""},
		{"blank pattern", "a\u2800b", "U+2800", "", ""},
		{"spaces of typography", "a\u2003b\u202fc", "U+2003", "", ""},
		{"invalid UTF-8", "a\xffb", "U+FFFD", "", "a\ufffdb"},

		// Prose may have these.
		{"lines", "a\r\n\tb\n", "U+000D", "", "a\n\tb\n"},
		{"a line that overwrites another", "a\rb", "U+000D", "U+000D", "a<U+000D>b"},
		{"Arabic and Hebrew", "خادم الطقس, שרת", "", "", ""},
		{"Arabic number sign", "\u0600١", "", "", ""},
		{"Persian non-joiner", "می\u200cخواهم", "U+200C", "", ""},
		{"Sinhala joiner", "ශ්\u200dරී", "U+200D", "", ""},
		{"Devanagari joiner", "क्\u200dष", "U+200D", "", ""},
		{"emoji joiners", "👩🏽\u200d💻 🏳\ufe0f\u200d🌈", "U+200D", "", ""},
		{"emoji style", "☀\ufe0f 1\ufe0f\u20e3", "U+FE0F", "", ""},
		{"joiner between Latin letters", "a\u200db", "U+200D", "U+200D", "a<U+200D>b"},
		{"two joiners", "می\u200c\u200cخ", "U+200C", "U+200C", "می\u200c<U+200C>خ"},
		{"joiner after an emoji", "👩\u200d", "U+200D", "U+200D", "👩<U+200D>"},
		{"style of a letter", "a\ufe0fb", "U+FE0F", "U+FE0F", "a<U+FE0F>b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.visible == "" {
				tt.visible = tt.text
			}
			if got := Unsafe(tt.text); got != tt.unsafe {
				t.Errorf("unsafe %q, want %q", got, tt.unsafe)
			}
			if got := Hidden(tt.text); got != tt.hidden {
				t.Errorf("hidden %q, want %q", got, tt.hidden)
			}
			if got := Visible(tt.text); got != tt.visible {
				t.Errorf("visible %q, want %q", got, tt.visible)
			}
			line := strings.Join(strings.Fields(tt.visible), " ")
			if got := OneLine(tt.text); got != line {
				t.Errorf("one line %q, want %q", got, line)
			}
			isLine := tt.hidden == "" && utf8.ValidString(tt.text) && !strings.ContainsAny(tt.text, "\t\r\n")
			if got := IsLine(tt.text); got != isLine {
				t.Errorf("is a line: %t, want %t", got, isLine)
			}
			if got := Strip(tt.text); Hidden(got) != "" || tt.hidden == "" && got != tt.visible {
				t.Errorf("stripped to %q", got)
			}
		})
	}
}

func TestValid(t *testing.T) {
	for in, want := range map[string]string{
		"a\x00b\xff": "a\ufffdb\ufffd", "a\u200b\x1b": "a\u200b\x1b", "": "",
	} {
		if got := Valid(in); got != want {
			t.Errorf("Valid(%q) = %q, want %q", in, got, want)
		}
	}
}
