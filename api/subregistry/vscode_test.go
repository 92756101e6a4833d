package subregistry

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/install"
	"mcpcensus/internal/install/installtest"
	"mcpcensus/internal/registry"
)

// The parser and the URLs are those of VS Code's gallery service, as the source of October 2026
// has them.

// parseGallery reads a page. It fails where VS Code rejects the page.
func parseGallery(body []byte) (servers []installtest.GalleryServer, nextCursor string, err error) {
	var page struct {
		Metadata *struct{ NextCursor string }
		Servers  []struct {
			Server *installtest.GalleryServer
			Meta   map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal(body, &page); err != nil || page.Metadata == nil || page.Servers == nil {
		return nil, "", fmt.Errorf("no metadata or servers: %w", err)
	}
	for n, item := range page.Servers {
		if item.Meta == nil {
			return nil, "", fmt.Errorf("item %d has no _meta", n)
		}
		s := item.Server
		if s == nil || s.Name == "" || s.Description == "" || s.Version == "" {
			return nil, "", fmt.Errorf("item %d is dropped", n) // the first one: the whole page
		}
		servers = append(servers, *s)
	}
	return servers, page.Metadata.NextCursor, nil
}

// galleryURL returns the URL of a page: the cursor is not escaped, and search is left out
// on later pages.
func galleryURL(search, cursor string) string {
	u := "/v0.1/servers?limit=50&version=latest"
	if cursor != "" {
		return u + "&cursor=" + cursor
	}
	if search != "" {
		u += "&search=" + url.QueryEscape(search)
	}
	return u
}

// TestVSCode reads all pages as VS Code does, and compares what it would start with what
// package install prints.
func TestVSCode(t *testing.T) {
	x := startWith(t, generate.Entries(240, 1))
	compared := map[string]int{}
	for cursor, first := "", true; first || cursor != ""; first = false {
		_, body := x.get(galleryURL("", cursor))
		servers, next, err := parseGallery(body)
		if err != nil {
			t.Fatal(err)
		}
		cursor = next
		for _, s := range servers {
			item := x.catalog.View().FindEntry(s.Name)
			record, err := item.Record()
			if err != nil {
				t.Fatal(err)
			}
			got, p, ok := s.Configured(), registry.Package{}, false
			if p, ok = install.First(record.Packages); ok {
				l, _ := install.Of(p)
				want := installtest.Configuration{Command: append([]string{l.Command}, l.Args...), Env: l.Env}
				if record.Published != nil { // it may have more variables, which are optional
					maps.DeleteFunc(got.Env, func(name, _ string) bool { return l.Env[name] == "" })
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s", s.Name, diff)
				}
				compared[p.RegistryType]++
				continue
			}
			if len(record.Remotes) == 0 { // only to download: nothing that VS Code can start
				if len(got.Command) == 0 || got.Command[0] != "cargo" && got.Command[0] != "mcpb" {
					t.Errorf("%s: %v, and we print %s", s.Name, got.Command, record.InstallCommand)
				}
				compared["download"]++
				continue
			}
			if got.URL != record.Remotes[0].URL {
				t.Errorf("%s: %+v", s.Name, got)
			}
			compared["remote"]++
		}
	}
	for _, kind := range []string{"npm", "pypi", "oci", "nuget", "remote", "download"} {
		if compared[kind] < 15 {
			t.Errorf("compared %v", compared)
		}
	}
	_, body := x.get(galleryURL("octo", ""))
	var names []string
	for {
		servers, next, err := parseGallery(body)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range servers {
			names = append(names, s.Name)
		}
		if next == "" {
			break
		}
		_, body = x.get(strings.Replace(galleryURL("", next), "limit=50", "limit=3", 1))
	}
	if len(names) < 10 || slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(strings.ToLower(n), "octo") }) {
		t.Errorf("search: %v", names)
	}
}
