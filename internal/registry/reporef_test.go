package registry

import (
	"errors"
	"strings"
	"testing"
)

func TestParseRepoRef(t *testing.T) {
	accepted := []struct{ in, want string }{
		{"owner/name", "owner/name"},
		{"Owner/Name", "Owner/Name"},
		{"  owner/name\n", "owner/name"},
		{"<https://github.com/o/r>", "o/r"},
		{`"https://github.com/o/r"`, "o/r"},
		{"'o/r'", "o/r"},
		{"https://github.com/o/r", "o/r"},
		{"http://github.com/o/r", "o/r"},
		{"HTTPS://GitHub.COM/o/r", "o/r"},
		{"https://www.github.com/o/r", "o/r"},
		{"https://github.com./o/r", "o/r"},
		{"https://github.com:443/o/r", "o/r"},
		{"http://github.com:80/o/r", "o/r"},
		{"https://github.com/o/r/", "o/r"},
		{"https://github.com//o//r//", "o/r"},
		{"https://github.com/o/r.git", "o/r"},
		{"https://github.com/o/r.GIT", "o/r"},
		{"https://github.com/o/r.git/", "o/r"},
		{"https://github.com/o/r?tab=readme-ov-file", "o/r"},
		{"https://github.com/o/r#readme", "o/r"},
		{"https://github.com/o/r/issues/12", "o/r"},
		{"https://github.com/o/r/blob/main/README.md", "o/r main/README.md"},
		{"https://github.com/o/r/tree/main/src/git", "o/r main/src/git"},
		{"https://github.com/o/r/tree/feature/x/src", "o/r feature/x/src"},
		{"https://github.com/o/r/tree", "o/r"},
		{"o/r/tree/main/sub", "o/r main/sub"},
		{"github.com/o/r", "o/r"},
		{"www.github.com/o/r", "o/r"},
		{"github.com:443/o/r", "o/r"},
		{"https://user:secret@github.com/o/r", "o/r"},
		{"https://token@github.com/o/r.git", "o/r"},
		{"git@github.com:o/r.git", "o/r"},
		{"git@github.com:o/r", "o/r"},
		{"github.com:o/r", "o/r"},
		{"ssh://git@github.com/o/r.git", "o/r"},
		{"ssh://git@github.com:22/o/r.git", "o/r"},
		{"ssh://git@ssh.github.com:443/o/r.git", "o/r"},
		{"ssh://git@github.com:o/r.git", "o/r"},
		{"git://github.com/o/r.git", "o/r"},
		{"git+https://github.com/o/r.git", "o/r"},
		{"git+ssh://git@github.com/o/r.git", "o/r"},
		{"git+https://github.com/o/r.git#v1.0", "o/r"},
		{"git https://github.com/o/r", "o/r"}, // a query string makes a space of the plus
		{"git ssh://git@github.com/o/r.git", "o/r"},
		{"github:o/r", "o/r"},
		{"GitHub:o/r", "o/r"},
		{"github:o/r#semver:1", "o/r"},
		{"https://raw.githubusercontent.com/o/r/main/README.md", "o/r"},
		{"https://codeload.github.com/o/r/tar.gz/main", "o/r"},
		{"https://api.github.com/repos/o/r", "o/r"},
		{"https://api.github.com/repos/o/r/contents/x", "o/r"},
		{"https://github.com/o/r.wiki.git", "o/r"},
		{"o/r.wiki", "o/r"},
		{"o/.github", "o/.github"},
		{"o/...", "o/..."},
		{"o/a.git.b", "o/a.git.b"},
		{"a-b/c_d.e", "a-b/c_d.e"},
		{"user_emu/r", "user_emu/r"},
		{strings.Repeat("a", 39) + "/" + strings.Repeat("b", 100), strings.Repeat("a", 39) + "/" + strings.Repeat("b", 100)},
		{"/o/r", "o/r"},
		{"https://github.com/o/r.", "o/r"},
		{"https://github.com/o/r,", "o/r"},
		{"https://github.com/o/r)", "o/r"},
		{"(https://github.com/o/r).", "o/r"},
		{"https://github.com/o/r!?", "o/r"},
		{"https://github.com/o/r.git.", "o/r"},
		{"https://github.com/o/r/tree/main/sub.", "o/r main/sub"},
		{"**https://github.com/o/r**", "o/r"},
		{"o/r,", "o/r"},
		{"https://github.com/o/r./issues", "o/r"},
		{"[x](https://github.com/o/r)", "o/r"},
		{"[o/r](https://github.com/o/r \"Title\").", "o/r"},
		{"- [Größe](<https://github.com/o/r>) - a server", "o/r"},
		{"[https://github.com/o/r](https://github.com/o/r/tree/main/x)", "o/r main/x"},
		{"[![build](https://badges.example/o/r.svg)](https://github.com/o/r)", "o/r"},
		{"see <https://github.com/o/r> for more", "o/r"},
		{"x <git@github.com:o/r.git>", "o/r"},
		{"git clone https://github.com/o/r.git", "o/r"},
		{"$ git clone --depth 1 -b feature/x https://github.com/o/r folder && cd folder", "o/r"},
		{"git clone git@github.com:o/r.git", "o/r"},
		{"`git clone https://github.com/o/r`", "o/r"},
		{"gh repo clone o/r", "o/r"},
		{"gh repo clone https://github.com/o/r -- --depth=1", "o/r"},
		{"gh repo view o/r --web", "o/r"},
		{"io.github.o/r", "o/r"},
		{"io.github.Octo-Labs/r.x", "Octo-Labs/r.x"},
		{"https://github.dev/o/r", "o/r"},
		{"pkg:github/o/r", "o/r"},
		{"pkg:GitHub/o/r@v1.2?arch=x", "o/r"},
		{"pkg:github/o/r@244fd47e#src/git", "o/r 244fd47e/src/git"},
		{"pkg:github/o/r#src/git", "o/r HEAD/src/git"},
		{"https://github.dev/o/r/tree/main/src", "o/r main/src"},
		{"https://deepwiki.com/o/r/1-overview", "o/r"},
		{"deepwiki.com/o/r", "o/r"},
		{"https://gitmcp.io/o/r", "o/r"},
	}
	for _, c := range accepted {
		got, err := ParseRepoRef(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if s := strings.TrimSpace(got.String() + " " + got.Path); s != c.want || got.Host != GitHub {
			t.Errorf("%q: got %q on %s, want %q", c.in, s, got.Host, c.want)
		}
	}

	rejected := []struct {
		in   string
		kind error
	}{
		{"pkg:npm/@o/r", ErrInvalid}, {"pkg:github/o", ErrInvalid}, {"pkg:", ErrInvalid},
		{"", ErrInvalid}, {"   ", ErrInvalid}, {"owner", ErrInvalid}, {"owner/", ErrInvalid}, {"/name", ErrInvalid},
		{"https://github.com", ErrInvalid}, {"https://github.com/", ErrInvalid}, {"https://github.com/owner", ErrInvalid},
		{"https://github.com?o/r", ErrInvalid}, {"https:///o/r", ErrInvalid}, {"http://", ErrInvalid},
		{"o/..", ErrInvalid}, {"../r", ErrUnsupported}, {"o/.", ErrInvalid}, {"a@b/c", ErrInvalid}, {"o/.git", ErrInvalid},
		{"-o/r", ErrInvalid}, {"o o/r", ErrInvalid}, {"o/r\x00", ErrInvalid}, {"o/r\u0456", ErrInvalid},
		{"https://g\u0456thub.com/o/r", ErrInvalid}, {`o\r`, ErrInvalid}, {`https://github.com\o\r`, ErrInvalid},
		{"o/%2e%2e", ErrInvalid}, {"https://github.com/o%2Fr/x", ErrInvalid}, {"https://github.com/o/r/%2e%2e/x", ErrInvalid},
		{"https://github.com/o/r/tree/main/../../x", ErrInvalid},
		{"https://github.com:8080/o/r", ErrInvalid}, {"github.com:8080/o/r", ErrInvalid},
		{"ftp://github.com/o/r", ErrInvalid}, {"file:///etc/passwd", ErrInvalid}, {"javascript://github.com/o/r", ErrInvalid},
		{"https://github.com/topics/mcp", ErrInvalid}, {"https://github.com/orgs/acme", ErrInvalid}, {"settings/profile", ErrInvalid},
		{"https://github.com/sponsors/x", ErrInvalid}, {"marketplace/actions", ErrInvalid}, {"Search/advanced", ErrInvalid},
		{"https://api.github.com/users/o", ErrInvalid}, {"mailto:a@b/c", ErrInvalid},
		{strings.Repeat("a", 40) + "/r", ErrInvalid}, {"o/" + strings.Repeat("b", 101), ErrInvalid}, {strings.Repeat("o/r", 200), ErrInvalid},
		{"https://gist.github.com/o/1234", ErrUnsupported}, {"gist.github.com/o/1234", ErrUnsupported},
		{"https://gitlab.com/o/r", ErrUnsupported}, {"gitlab.com/o/r", ErrUnsupported}, {"git@gitlab.com:o/r.git", ErrUnsupported},
		{"https://codeberg.org/o/r", ErrUnsupported}, {"https://bitbucket.org/o/r", ErrUnsupported},
		{"https://github.com.evil.com/o/r", ErrUnsupported}, {"https://github.com@evil.com/o/r", ErrUnsupported},
		{"https://evil.com/github.com/o/r", ErrUnsupported}, {"https://github.example.com/o/r", ErrUnsupported},
		{"[a](https://github.com/o/a) [b](https://github.com/o/b)", ErrInvalid}, {"see o/r or p/q", ErrInvalid},
		{"[x](https://gitlab.com/o/r)", ErrUnsupported}, {"git clone https://gitlab.com/o/r.git", ErrUnsupported},
		{"git clone", ErrInvalid}, {"gh repo clone r", ErrInvalid}, {"https://gitmcp.io/docs", ErrInvalid},
		{"com.example/x", ErrUnsupported}, {"io.github./r", ErrInvalid},
		{"https://evil.com/?u=<https://github.com/o", ErrUnsupported},
		{"https://127.0.0.1/o/r", ErrUnsupported}, {"http://localhost/o/r", ErrUnsupported}, {"https://[::1]/o/r", ErrInvalid},
	}
	for _, c := range rejected {
		got, err := ParseRepoRef(c.in)
		if err == nil {
			t.Errorf("%q: accepted as %v", c.in, got)
			continue
		}
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) {
			t.Errorf("%q: %v, want kind %v", c.in, err, c.kind)
			continue
		}
		if !strings.Contains(e.Msg, "owner/name") {
			t.Errorf("%q: the message does not say what is accepted: %s", c.in, e.Msg)
		}
		if errors.Is(err, ErrUnsupported) && e.Code != "unsupported_host" {
			t.Errorf("%q: code %q", c.in, e.Code)
		}
	}
}

func TestParseRepoRefNeverRepeatsAPassword(t *testing.T) {
	for _, s := range []string{"https://me:hunter2@gitlab.com/o/r", "https://me:hunter2@github.com:9/o/r", "https://hunter2@evil.com/x"} {
		if _, err := ParseRepoRef(s); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

func FuzzParseRepoRef(f *testing.F) {
	for _, s := range []string{"o/r", "https://github.com/o/r/tree/main/x",
		"git@github.com:o/r.git", "github:o/r", "ssh://git@github.com:o/r",
		"https://u:p@github.com:443//o/r?x#y",
		"[x](https://github.com/o/r).", "git clone -b x https://github.com/o/r.git y",
		"gh repo clone o/r", "io.github.o/r", "https://deepwiki.com/o/r./1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, err := ParseRepoRef(s)
		if err != nil {
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%q: %v has no kind", s, err)
			}
			return
		}
		again, err := ParseRepoRef(ref.String())
		if err != nil || again.Key() != ref.Key() {
			t.Errorf("%q gave %v, which gave %v, %v", s, ref, again, err)
		}
		if strings.ContainsAny(ref.Owner+ref.Name, "/?#%\\ :@") || strings.Contains(ref.Path, "..") && strings.Contains("/"+ref.Path+"/", "/../") {
			t.Errorf("%q gave %+v", s, ref)
		}
	})
}

func TestRegistryName(t *testing.T) {
	for in, want := range map[string]string{
		"io.github.octo/weather": "io.github.octo/weather", " `com.example/weather` ": "com.example/weather",
		"com.example/weather.": "com.example/weather", "github.com/octo": "", "gitlab.com/octo": "", "octo/weather": "",
		"https://example.com/x": "", "com.example/a/b": "", "": "",
	} {
		if got, ok := RegistryName(in); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", in, got, ok, want)
		}
	}
}
