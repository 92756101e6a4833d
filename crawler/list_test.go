package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// discover runs a source to its end and returns what it named and its state.
func discover(t *testing.T, s *ListSource, state []byte) ([]registry.Candidate, []byte) {
	t.Helper()
	var all []registry.Candidate
	err := s.Discover(t.Context(), state, func(found []registry.Candidate, st []byte) error {
		all, state = append(all, found...), st
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, state
}

func TestLinks(t *testing.T) {
	text := `# Awesome things
## 🗄️ **Databases** <a name="db"></a>
- [Pg](https://github.com/Acme/pg-mcp) - talks to Postgres. See also github.com/acme/PG-MCP.
- [Sub](https://github.com/mono/repo/tree/main/src/git) and (https://github.com/mono/repo/tree/main/src/fetch).
- ![badge](https://img.shields.io/github/stars/x/y) [gist](https://gist.github.com/someone/0123456789) [topic](https://github.com/topics/mcp)
- https://evil-github.com/a/b https://github.com.evil.com/a/b http://www.github.com/www/works, git@github.com:ssh/works2.git
### [Tools](https://example.org) ###
<a href="https://github.com/html/link?tab=readme">x</a> <https://github.com/angle/brackets>
{"repo": "https://github.com/json/line.git", "n": 1}
plain/name
not a/name in prose
`
	var got []string
	for _, c := range Links(text, "list") {
		got = append(got, strings.TrimSpace(c.Ref.String()+" "+c.Ref.Path)+" | "+c.Heading)
		if c.Source != "list" {
			t.Errorf("source %q", c.Source)
		}
	}
	want := []string{
		"Acme/pg-mcp | 🗄️ Databases", "mono/repo main/src/git | 🗄️ Databases", "mono/repo main/src/fetch | 🗄️ Databases",
		"www/works | 🗄️ Databases", "html/link | Tools", "angle/brackets | Tools", "json/line | Tools", "plain/name | Tools",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func FuzzLinks(f *testing.F) {
	f.Add("# A\n[x](https://github.com/a/b/tree/main/c) github.com//\x00 a/b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Links(text, "s") {
			if _, err := registry.ParseRepoRef(c.Ref.String()); err != nil {
				t.Errorf("%q gave %v: %v", text, c.Ref, err)
			}
		}
	})
}

func TestListSourceLocations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list.md")
	if err := os.WriteFile(file, []byte("## A\nhttps://github.com/a/b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := NewListSource(ListOptions{Location: file})
	if err != nil {
		t.Fatal(err)
	}
	found, state := discover(t, s, nil)
	if len(found) != 1 || found[0].Ref.String() != "a/b" || found[0].Heading != "A" || s.Name() != "list:list.md" {
		t.Fatalf("%s: %+v", s.Name(), found)
	}
	if found, _ = discover(t, s, state); len(found) != 0 {
		t.Error("an unchanged list named something")
	}

	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "https://github.com/c/d")
	}))
	defer srv.Close()
	if s, err = NewListSource(ListOptions{Location: srv.URL + "/x.md"}); err != nil {
		t.Fatal(err)
	}
	err = s.Discover(t.Context(), nil, func([]registry.Candidate, []byte) error { return nil })
	if !errors.Is(err, transport.ErrPrivateAddress) {
		t.Errorf("a loopback address was asked: %v", err)
	}
	if s, err = NewListSource(ListOptions{Location: srv.URL + "/x.md", Loopback: true}); err != nil {
		t.Fatal(err)
	}
	found, state = discover(t, s, nil)
	if len(found) != 1 || found[0].Ref.String() != "c/d" {
		t.Fatalf("%+v", found)
	}
	if found, _ = discover(t, s, state); len(found) != 0 {
		t.Error("an unchanged list named something")
	}
}

func TestListSourceErrors(t *testing.T) {
	for _, location := range []string{"", "ftp://example.org/x", "https://", "https://user:secret@example.org/x", "https://github.com/a/b"} {
		_, err := NewListSource(ListOptions{Location: location})
		if !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%q: %v", location, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the message gives the password away: %v", err)
		}
	}
	big := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := []byte(strings.Repeat("x", 1<<16))
		for range maxList/len(line) + 2 {
			w.Write(line)
		}
	}))
	defer big.Close()
	s, err := NewListSource(ListOptions{Location: big.URL + "/big", Loopback: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Discover(t.Context(), nil, func([]registry.Candidate, []byte) error { return nil }); !errors.Is(err, transport.ErrBodyTooLarge) {
		t.Errorf("a list without end: %v", err)
	}
}
