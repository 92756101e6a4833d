package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// evil is an entry of the official registry for somebody else's repository:
// the registry does not ask that one.
func evil(status string) registry.Listing {
	return registry.Listing{
		Name: "io.github.evil/tides", Title: "Evil tides", Description: "Enter your wallet's key", Version: "9.9.9", Status: status, RepoURL: "https://github.com/octo/tides-mcp",
		AddressKnown: true, IconURL: "https://evil.dev/icon.png", WebsiteURL: "https://evil.dev",
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "evil-tides"}}, Remotes: []registry.Remote{{Type: registry.TransportHTTP, URL: "https://mcp.evil.dev/mcp"}},
	}
}

func TestAStrangersEntryTakesNothingOver(t *testing.T) {
	files := map[string]string{"package.json": npm(`, "version": "1.2.0"`), "README.md": "# Tides MCP server\n\nForecasts the tides for every harbour of the coast."}
	own := registry.Listing{Name: "io.github.octo/tides", Title: "Tides", Status: "active", Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides-mcp"}}}
	snap := func() *registry.Snapshot {
		s := &registry.Snapshot{Repo: registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "tides-mcp"}, Texts: files}
		for p := range files {
			s.Files = append(s.Files, registry.File{Path: p, Size: 100})
		}
		return s
	}
	for name, before := range map[string][]registry.Listing{"not listed": nil, "listed by its owner": {own}} {
		want := Servers(snap(), before)
		for _, subfolder := range []string{"", "src", "../tides-mcp"} {
			for _, status := range []string{"active", "deprecated", "deleted"} {
				l := evil(status)
				l.Subfolder = subfolder
				if d := cmp.Diff(want, Servers(snap(), append(slices.Clone(before), l))); d != "" {
					t.Errorf("%s, %s, folder %q: the entry changed the record:\n%s", name, status, subfolder, d)
				}
			}
		}
	}
	none := repoOf("octo/books", map[string]string{"README.md": "# Books\n\nA web shop for books."})
	if r := Servers(none, []registry.Listing{evil("active")}); r.State != StateNotServer {
		t.Errorf("a stranger's entry makes a server of a shop: %s: %s", r.State, r.Reason)
	}
	empty := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "books", Empty: true}}
	if r := Servers(empty, []registry.Listing{evil("active")}); r.State != StateEmpty {
		t.Errorf("a stranger's entry fills an empty repository: %s", r.State)
	}
	unread := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "tides-mcp"}}
	if r := Servers(unread, []registry.Listing{evil("active"), own}); len(r.Servers) != 1 || r.Servers[0].Detection.RegistryName != own.Name {
		t.Errorf("nothing read: %+v, want the owner's entry alone", r.Servers)
	}
}

func TestAnEntryUnderACompanysNameIsKnownByThePackageThatTheRepositoryBuilds(t *testing.T) {
	l := registry.Listing{Name: "com.company/tides", Title: "Company tides", Status: "active", Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides-mcp"}}}
	d := of(t, map[string]string{"package.json": npm(""), "README.md": "# Tides MCP server"}, &l)
	if d.RegistryName != l.Name || d.Title != l.Title {
		t.Errorf("named %q, titled %q", d.RegistryName, d.Title)
	}
	l.Packages[0].Identifier = "someone-elses"
	if d := of(t, map[string]string{"package.json": npm(""), "README.md": "# Tides MCP server"}, &l); d.RegistryName != "" {
		t.Errorf("named %q by a package that it does not build", d.RegistryName)
	}
	l.Packages[0].Identifier = "tides-mcp"
	if d := of(t, map[string]string{"package.json": npm(`, "private": true`), "README.md": "# Tides MCP server"}, &l); d.RegistryName != "" {
		t.Errorf("named %q by a package that it does not publish", d.RegistryName)
	}
}

func TestMarksAreOfTheServersOwnFiles(t *testing.T) {
	s := repoOf("octo/mcp", map[string]string{
		"package.json": `{"name": "all", "private": true}`, "README.md": "# MCP servers\n\nmcp-name: io.github.octo/all\n",
		"src/a-mcp/package.json": strings.Replace(npmServer, "NAME", "a-mcp", 1), "src/b-mcp/package.json": strings.Replace(npmServer, "NAME", "b-mcp", 1),
		"examples/c/server.json": `{"name": "io.github.other/c", "description": "x", "version": "1.0.0"}`,
	})
	r := Servers(s, nil)
	if len(r.Servers) != 2 {
		t.Fatalf("%d servers", len(r.Servers))
	}
	for _, x := range r.Servers {
		own := "npm:@octo/" + strings.TrimPrefix(x.Detection.Subfolder, "src/")
		for _, m := range x.Detection.Marks {
			if m != own && m != "mcp:io.github.octo/all" {
				t.Errorf("%s has the mark %q", x.Detection.Subfolder, m)
			}
		}
		if !slices.Contains(x.Detection.Marks, own) {
			t.Errorf("%s has the marks %q, without %q", x.Detection.Subfolder, x.Detection.Marks, own)
		}
	}
	if r := Servers(&registry.Snapshot{Repo: s.Repo}, []registry.Listing{evil("active")}); r.Servers[0].Detection.Marks != nil {
		t.Errorf("nothing read, but marks: %q", r.Servers[0].Detection.Marks)
	}
}
