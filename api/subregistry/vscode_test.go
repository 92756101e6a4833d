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
	"mcpcensus/internal/registry"
)

// The parser, the URLs and the mapping from a record to a configuration are those of VS
// Code's gallery service, as the source of October 2026 has them.

// A galleryServer is a record as VS Code reads it.
type galleryServer struct {
	Name, Description, Version string
	Packages                   []registry.Package
	Remotes                    []registry.Remote
}

// parseGallery reads a page. It fails where VS Code rejects the page.
func parseGallery(body []byte) (servers []galleryServer, nextCursor string, err error) {
	var page struct {
		Metadata *struct{ NextCursor string }
		Servers  []struct {
			Server *galleryServer
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

// A configuration is what VS Code writes for a server, with YOUR_NAME for inputs.
type configuration struct {
	Command []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

func inputText(id string) string { return "YOUR_" + strings.TrimPrefix(strings.ToUpper(id), "YOUR_") }

// substituted returns a value with its variables as inputs, each once.
func substituted(text string, variables map[string]registry.Variable) string {
	for id := range variables {
		text = strings.Replace(text, "{"+id+"}", inputText(id), 1)
	}
	return text
}

// keyValues maps environment variables or headers.
func keyValues(list []registry.Variable) map[string]string {
	out := map[string]string{}
	for _, v := range list {
		switch {
		case len(v.Variables) > 0:
			out[v.Name] = substituted(v.Value, v.Variables)
		case v.Value == "" && (v.Description != "" || v.Choices != nil || v.Default != ""):
			out[v.Name] = inputText(v.Name)
		default:
			out[v.Name] = v.Value
		}
	}
	return out
}

func argumentWords(list []registry.Argument) (words []string) {
	for _, a := range list {
		if a.Type == "named" {
			words = append(words, a.Name)
			switch {
			case a.Value != "":
				words = append(words, substituted(a.Value, a.Variables))
			case a.Description != "" || a.Default != "":
				words = append(words, inputText(strings.TrimLeft(a.Name, "-")))
			}
			continue
		}
		switch {
		case a.Value != "":
			words = append(words, substituted(a.Value, a.Variables))
		case a.ValueHint != "" && (a.Description != "" || a.Default != ""):
			words = append(words, inputText(a.ValueHint))
		default:
			words = append(words, a.ValueHint)
		}
	}
	return words
}

// configured maps a record: its first package, else its first remote.
func (s *galleryServer) configured() configuration {
	if len(s.Packages) == 0 {
		r := s.Remotes[0]
		return configuration{URL: r.URL, Headers: keyValues(r.Headers)}
	}
	p := s.Packages[0]
	c := configuration{Env: keyValues(p.EnvironmentVariables)}
	runtime := argumentWords(p.RuntimeArguments)
	named := func(sign string) string {
		if p.Version == "" {
			return p.Identifier
		}
		return p.Identifier + sign + p.Version
	}
	switch p.RegistryType {
	case "npm":
		c.Command = slices.Concat([]string{"npx"}, runtime, []string{named("@")})
	case "pypi":
		c.Command = slices.Concat([]string{"uvx"}, runtime, []string{named("==")})
	case "oci":
		c.Command = slices.Concat([]string{"docker", "run", "-i", "--rm"}, runtime)
		for _, v := range p.EnvironmentVariables {
			c.Command = append(c.Command, "-e", v.Name)
		}
		c.Command = append(c.Command, named(":"))
	case "nuget":
		c.Command = slices.Concat([]string{"dnx"}, runtime, []string{named("@"), "--yes"})
		if len(p.PackageArguments) > 0 {
			c.Command = append(c.Command, "--")
		}
	default:
		c.Command = []string{p.RegistryType}
	}
	c.Command = append(c.Command, argumentWords(p.PackageArguments)...)
	return c
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
			got, p, ok := s.configured(), registry.Package{}, false
			if p, ok = install.First(record.Packages); ok {
				l, _ := install.Of(p)
				want := configuration{Command: append([]string{l.Command}, l.Args...), Env: l.Env}
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
				if got.Command[0] != "cargo" && got.Command[0] != "mcpb" {
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
