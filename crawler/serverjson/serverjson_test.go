package serverjson

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"io.github.octo/weather": true, "dev.octo/w": true, "a/b": true,
		"": false, "weather": false, "a/b/c": false, "a b/c": false, "<owner>/<name>": false,
		strings.Repeat("a", 200) + "/b": false,
	} {
		if got := IsName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want registry.Listing
	}{
		"first generation": {`{"name":"io.github.octo/weather","description":"d","repository":{"url":"https://github.com/octo/weather","source":"GitHub","id":812345678901},"version_detail":{"version":"1.4.0","release_date":"2025-05-16T18:56:54Z","is_latest":true}}`,
			registry.Listing{Name: "io.github.octo/weather", Description: "d", Version: "1.4.0", RepoURL: "https://github.com/octo/weather", RepoSource: "github", RepoID: "812345678901"}},
		"2025-07-09": {`{"name":"io.github.octo/weather","status":"deprecated","version":"1.1","website_url":"https://w.dev"}`,
			registry.Listing{Name: "io.github.octo/weather", Status: "deprecated", Version: "1.1", WebsiteURL: "https://w.dev"}},
		"2025-12-11": {`{"$schema":"https://octo.dev/server.schema.json","name":"dev.octo/w","title":"W","version":"2","icons":[{"src":"http://w.dev/i.png"},{"src":"https://w.dev/i.png"}],"repository":{"url":"u","source":"github","subfolder":"/src/w/"}}`,
			registry.Listing{Name: "dev.octo/w", Title: "W", Version: "2", SchemaURL: "https://octo.dev/server.schema.json", IconURL: "https://w.dev/i.png", RepoURL: "u", RepoSource: "github", Subfolder: "src/w"}},
		"API response":   {`{"server":{"name":"dev.octo/w","version":"${VERSION}"}}`, registry.Listing{Name: "dev.octo/w"}},
		"comments":       {"{\n // a comment\n \"name\": \"dev.octo/w\", }", registry.Listing{Name: "dev.octo/w"}},
		"folder outside": {`{"name":"dev.octo/w","repository":{"subfolder":"../.."}}`, registry.Listing{Name: "dev.octo/w"}},
		"unknown status": {`{"name":"dev.octo/w","status":"fine"}`, registry.Listing{Name: "dev.octo/w"}},
		"version latest": {`{"name":"dev.octo/w","version":"latest"}`, registry.Listing{Name: "dev.octo/w"}},
		"wrong types":    {`{"name":"dev.octo/w","repository":"u","packages":{},"remotes":[1],"icons":[null]}`, registry.Listing{Name: "dev.octo/w"}},
		"template of a name": {`{"name":"<owner>/<name>","remotes":[{"url":"https://w.dev/mcp"}]}`,
			registry.Listing{Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://w.dev/mcp"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, *got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, text := range []string{`[]`, `{}`, `{"name":"<owner>/<name>"}`, `{"name":"no slash"}`, `null`, ``} {
		if l, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: %+v, want an error", text, l)
		}
	}
}

func TestParseEntry(t *testing.T) {
	published, updated := time.Date(2025, 5, 16, 18, 56, 54, 0, time.UTC), time.Date(2025, 9, 9, 9, 9, 9, 0, time.UTC)
	for name, c := range map[string]struct {
		text string
		want Entry
	}{
		"first generation": {`{"id":"x","name":"dev.octo/w","version_detail":{"version":"1.4.0","release_date":"2025-05-16T18:56:54Z","is_latest":true}}`,
			Entry{Listing: registry.Listing{Name: "dev.octo/w", Version: "1.4.0", Status: "active", PublishedAt: &published, UpdatedAt: &published}, Official: true, Latest: true}},
		"2025-07-09": {`{"server":{"name":"dev.octo/w","status":"deprecated"},"x-io.modelcontextprotocol.registry":{"is_latest":true,"published_at":"2025-05-16T18:56:54Z","updated_at":"2025-09-09T09:09:09Z"}}`,
			Entry{Listing: registry.Listing{Name: "dev.octo/w", Status: "deprecated", PublishedAt: &published, UpdatedAt: &updated}, Official: true, Latest: true}},
		"2025-09-16": {`{"name":"dev.octo/w","_meta":{"io.modelcontextprotocol.registry/official":{"isLatest":false,"publishedAt":"2025-05-16T20:56:54+02:00"}}}`,
			Entry{Listing: registry.Listing{Name: "dev.octo/w", Status: "active", PublishedAt: &published, UpdatedAt: &published}, Official: true}},
		"2025-12-11": {`{"server":{"name":"dev.octo/w","status":"deprecated"},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"deleted","statusMessage":" spam\u200b ","statusChangedAt":"2025-09-09T09:09:09Z"}}}`,
			Entry{Listing: registry.Listing{
				Name: "dev.octo/w", Status: "deleted", StatusText: "spam\u200b",
				UpdatedAt: &updated,
			}}},
		"no metadata":      {`{"server":{"name":"dev.octo/w"}}`, Entry{Listing: registry.Listing{Name: "dev.octo/w", Status: "active"}}},
		"implausible time": {`{"name":"dev.octo/w","_meta":{"io.modelcontextprotocol.registry/official":{"updatedAt":"0001-01-01T00:00:00Z"}}}`, Entry{Listing: registry.Listing{Name: "dev.octo/w", Status: "active"}}},
		"wrong types":      {`{"server":{"name":"dev.octo/w"},"_meta":[]}`, Entry{Listing: registry.Listing{Name: "dev.octo/w", Status: "active"}}},
		"of another entry": {`{"name":"dev.octo/v","server":{"name":"dev.octo/w"}}`, Entry{Listing: registry.Listing{Name: "dev.octo/w", Status: "active"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseEntry([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			got.Listing.Document = nil // see TestDocument
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, text := range []string{``, `7`, `null`, `{}`, `{"server":{"name":5}}`, `{"name":"no slash"}`, `{"server":{"name":"${NAME}/w"}}`} {
		if e, err := ParseEntry([]byte(text)); err == nil {
			t.Errorf("%s: %+v, want an error", text, e)
		}
	}
}

// TestParseEntrySeed reads the real entries of the shared corpus.
func TestParseEntrySeed(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(os.Getenv("CENSUS_CORPUS"), "official_seed.json"))
	if err != nil {
		t.Skip("SKIPPED: CENSUS_CORPUS is not set to a folder with official_seed.json")
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		t.Fatal(err)
	}
	for _, raw := range entries {
		e, err := ParseEntry(raw)
		if err != nil {
			if !strings.Contains(string(raw), `"name": ""`) {
				t.Errorf("%.80s: %v", raw, err)
			}
			continue
		}
		for _, p := range e.Listing.Packages {
			for _, a := range p.PackageArguments {
				if strings.Contains(a.Name, " ") || p.RegistryType == "oci" && a.Name == "--rm" {
					t.Errorf("%s: argument %+v", e.Listing.Name, a)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"server":{"name":"a.b/c","packages":[{"registryType":"npm","identifier":"x","transport":{"type":"stdio"}}],"remotes":[{"type":"sse","url":"https://{h}.w.dev/"}]},"_meta":{}}`))
	f.Add([]byte(`{"name":"a.b/c","version_detail":{"version":"1\u0000"},"repository":{"url":"x","subfolder":"../.."}}`))
	f.Add([]byte(`{"name":"a.b/c","packages":[{"registry_type":"oci","registry_base_url":"https://ghcr.io","identifier":"o/w:1@sha256:0","package_arguments":[{"type":"named","name":"-e A"}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var all []registry.Listing
		if l, err := Parse(raw); err == nil {
			all = append(all, *l)
		}
		if e, err := ParseEntry(raw); err == nil {
			all = append(all, e.Listing)
			if !IsName(e.Listing.Name) {
				t.Errorf("name %q", e.Listing.Name)
			}
		}
		for _, l := range all {
			out, err := json.Marshal(l)
			if err != nil || strings.Contains(string(out), `\u0000`) {
				t.Errorf("%v: %s", err, out)
			}
			if strings.Contains("/"+l.Subfolder+"/", "/../") {
				t.Errorf("subfolder %q leaves the repository", l.Subfolder)
			}
			for _, p := range l.Packages {
				if p.Identifier == "" || p.RegistryType == "" || p.Transport.Type == "" || IsPlaceholder(p.Version) {
					t.Errorf("package %+v", p)
				}
			}
			for _, r := range l.Remotes {
				if r.URL == "" || r.Type == "" || r.Type == registry.TransportStdio {
					t.Errorf("remote %+v", r)
				}
			}
		}
	})
}

func TestDocument(t *testing.T) {
	for entry, want := range map[string]string{
		`{"server": {"name": "dev.octo/w", "x": [1, "<>"]}, "_meta": {}}`:                              `{"name":"dev.octo/w","x":[1,"<>"]}`,
		`{"server": {"name": "dev.octo/w", "x": "\u0000"}}`:                                            "",
		`{"name": "dev.octo/w"}`:                                                                       "",
		`{"server": [], "name": "dev.octo/w"}`:                                                         "",
		`{"server": {"name": "dev.octo/w"}, "x": 1, }`:                                                 "",
		`{"server": {"name": "dev.octo/w", "x": "` + strings.Repeat("x", registry.MaxDocument) + `"}}`: "",
	} {
		e, err := ParseEntry([]byte(entry))
		if err != nil || string(e.Listing.Document) != want {
			t.Errorf("%.80s: %v, document %.80s, want %s", entry, err, e.Listing.Document, want)
		}
	}
}
