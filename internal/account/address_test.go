package account

import (
	"net/mail"
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	for in, want := range map[string]Address{
		"ada@example.com":             {"ada@example.com", "ada@example.com", "ada@example.com"},
		" Ada.Love+mcp@EXAMPLE.com\n": {"Ada.Love+mcp@EXAMPLE.com", "ada.love+mcp@example.com", "Ada.Love+mcp@example.com"},
		"ada@bücher.example":          {"ada@bücher.example", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"},
		"ada@BU\u0308CHER.example":    {"ada@BÜCHER.example", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"},
		"o'neil_%x@a.b.example":       {"o'neil_%x@a.b.example", "o'neil_%x@a.b.example", "o'neil_%x@a.b.example"},
	} {
		got, err := ParseAddress(in)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", " ", "ada", "@example.com", "ada@", "ada@localhost", "ada@example.com.", "ada@.example.com", "ada@exa mple.com", "Ada <ada@example.com>", "<ada@example.com>",
		`"a b"@example.com`, `"ada"@example.com`, "ada(comment)@example.com", "a@b@example.com", "ada..x@example.com", ".ada@example.com", "ada.@example.com",
		"ada@example.com\r\nBcc: eve@example.com", "ada\r\n@example.com", "ada@example.com, eve@example.com", "ada@example.com;eve@example.com", "ada\x00@example.com", "ada@exam\x00ple.com",
		"ada@[127.0.0.1]", "ada@-example.com", "ada@exa_mple.com", "ädä@example.com", "ada\u200b@example.com", "ada@exa\u202emple.com", "ada\ufffd@example.com",
		strings.Repeat("a", 65) + "@example.com", "ada@" + strings.Repeat("a.", 130) + "example", strings.Repeat("a", 100_000), "ada@xn--a.example", "friends:ada@example.com;", `ada\@example.com`,
		"%00@example.com\x00", "ada@example.com\t",
	} {
		if in == "ada@example.com\t" {
			continue // blanks around are taken off
		}
		if got, err := ParseAddress(in); err == nil {
			t.Errorf("%.60q is taken as %+v", in, got)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"ada@example.com", "Ada <a@b.c>", "a@bücher.example", "\"x\"@y.z", "a@b.c\r\nTo: d@e.f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseAddress(s)
		if err != nil {
			return
		}
		if strings.ContainsAny(a.ASCII+a.Shown+a.Key, "\r\n\x00 <>\"(),;") || len(a.ASCII) > maxAddress || strings.Count(a.ASCII, "@") != 1 {
			t.Errorf("%q: %+v", s, a)
		}
		if _, err := mail.ParseAddress(a.ASCII); err != nil {
			t.Errorf("%q: no mail can be sent to %q", s, a.ASCII)
		}
		again, err := ParseAddress(a.Key)
		if err != nil || again.Key != a.Key {
			t.Errorf("%q: key %q is not stable: %+v %v", s, a.Key, again, err)
		}
		if shown, err := ParseAddress(a.Shown); err != nil || shown != a {
			t.Errorf("%q: %+v is read as %+v, %v", s, a, shown, err)
		}
	})
}
