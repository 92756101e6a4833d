package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

// documentedExample is a command of docs/api.md and the answer that follows it.
var documentedExample = regexp.MustCompile("(?s)```sh\n(curl [^\n]*)\n```\n\n```(json|http)\n(.*?)```")

const docsFile = "../docs/api.md"

// documented is the server that docs/api.md speaks of.
func documented() registry.Server {
	s := weather()
	s.ID, s.Seq, s.Slug, s.OldSlugs, s.RegistryName = 900050, 900050, "octo-labs-weather-mcp", nil, "io.github.octo-labs/weather-mcp"
	s.Repo.Owner = "octo-labs"
	return s
}

// TestDocumentedExamples runs every command of docs/api.md and compares its
// answer's shape with the one shown: the same members of the same kinds. With
// -update it writes the answers into the file.
func TestDocumentedExamples(t *testing.T) {
	x := start(t, 40)
	if err := x.catalog.Apply([]registry.Server{documented()}, nil, 900400); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	found := documentedExample.FindAllSubmatch(text, -1)
	if len(found) < 10 {
		t.Fatalf("found only %d examples", len(found))
	}
	out := documentedExample.ReplaceAllFunc(text, func(block []byte) []byte {
		m := documentedExample.FindSubmatch(block)
		command, kind, shown := string(m[1]), string(m[2]), m[3]
		res, body := curl(x, command)
		if kind == "http" {
			for line := range strings.Lines(string(shown)) {
				name, _, ok := strings.Cut(line, ": ")
				if ok && res.Header.Get(name) == "" {
					t.Errorf("%s\nhas no %s", command, name)
				}
			}
			return block
		}
		if *update {
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				t.Fatalf("%s: %v", command, err)
			}
			return []byte("```sh\n" + command + "\n```\n\n```json\n" + show(t, body) + "\n```")
		}
		var want, got any
		if err := json.Unmarshal(shown, &want); err != nil {
			t.Errorf("%s\nthe answer shown is not JSON: %v", command, err)
			return block
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Errorf("%s\nthe answer is not JSON: %v", command, err)
			return block
		}
		if where := differs("", want, got); where != "" {
			t.Errorf("%s\n%s", command, where)
		}
		return block
	})
	if *update {
		if err := os.WriteFile(docsFile, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// curl does what the command does, as far as the examples go.
func curl(x *tester, command string) (*http.Response, []byte) {
	x.t.Helper()
	if before, rest, ok := strings.Cut(command, "$("); ok { // the cursor of another answer
		inner, after, ok := strings.Cut(rest, " | sed ")
		if !ok {
			x.t.Fatalf("%s: not understood", command)
		}
		_, body := curl(x, inner)
		m := regexp.MustCompile(`"nextCursor":"([^"]*)"`).FindSubmatch(body)
		if m == nil {
			x.t.Fatalf("%s: no cursor in %s", inner, body)
		}
		command = before + string(m[1]) + after[strings.LastIndex(after, ")")+1:]
	}
	m := regexp.MustCompile(`^curl (-sI?) ['"]http://127\.0\.0\.1:8080(/[^'"]*)['"]$`).FindStringSubmatch(command)
	if m == nil {
		x.t.Fatalf("%s: not understood", command)
	}
	method := "GET"
	if m[1] == "-sI" {
		method = "HEAD"
	}
	target := strings.NewReplacer("octo-labs/nothing", "octo/nothing", "lanternapp/lantern-desktop", "lanternapp/website").Replace(m[2])
	res := x.do(method, target)
	body, err := io.ReadAll(res.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	return res, body
}

// differs says where two JSON values have different shapes, "" if nowhere. Null
// goes with everything, and of lists only the first entries are compared.
func differs(at string, want, got any) string {
	if want == nil || got == nil {
		return ""
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %T, shown as an object", at, got)
		}
		a, b := slices.Sorted(maps.Keys(w)), slices.Sorted(maps.Keys(g))
		if !slices.Equal(a, b) {
			return fmt.Sprintf("%s has %v, shown with %v", at, b, a)
		}
		for _, k := range a {
			if d := differs(at+"."+k, w[k], g[k]); d != "" {
				return d
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok {
			return fmt.Sprintf("%s is %T, shown as a list", at, got)
		}
		if len(w) > 0 && len(g) > 0 {
			return differs(at+"[0]", w[0], g[0])
		}
	default:
		if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
			return fmt.Sprintf("%s is %T, shown as %T", at, got, want)
		}
	}
	return ""
}

// show returns an answer as the documentation has it: indented, with lists of
// objects cut to their first entry.
func show(t *testing.T, body []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, cutLists(t, body), "", "  "); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), "https://census.example", "http://127.0.0.1:8080")
}

// cutLists keeps the order of members, which a map would not.
func cutLists(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	var out bytes.Buffer
	switch d := json.NewDecoder(bytes.NewReader(raw)); raw[0] {
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			t.Fatal(err)
		}
		if len(items) == 0 || items[0][0] != '{' {
			return raw
		}
		out.WriteByte('[')
		out.Write(cutLists(t, items[0]))
		out.WriteByte(']')
	case '{':
		if _, err := d.Token(); err != nil {
			t.Fatal(err)
		}
		out.WriteByte('{')
		for first := true; d.More(); first = false {
			k, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			var v json.RawMessage
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			if !first {
				out.WriteByte(',')
			}
			fmt.Fprintf(&out, "%q:", k)
			out.Write(cutLists(t, v))
		}
		out.WriteByte('}')
	default:
		return raw
	}
	return out.Bytes()
}
