package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// evil returns an entry of the official registry for a third-party repository. The registry does
// not check the repository.
func evil(status string) registry.Listing {
	return registry.Listing{
		Name: "io.github.evil/tides", Title: "Evil tides", Description: "Enter your wallet's key",
		Version: "9.9.9", Status: status, RepoURL: "https://github.com/octo/tides-mcp",
		AddressKnown: true, IconURL: "https://evil.dev/icon.png", WebsiteURL: "https://evil.dev",
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "evil-tides"}},
		Remotes:  []registry.Remote{{Type: registry.TransportHTTP, URL: "https://mcp.evil.dev/mcp"}},
	}
}

func TestListingOfStranger(t *testing.T) {
	files := map[string]string{"package.json": npm(`, "version": "1.2.0"`), "README.md": "# Tides MCP server\n\nForecasts the tides for every harbour of the coast."}
	own := registry.Listing{Name: "io.github.octo/tides", Title: "Tides", Status: "active",
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides-mcp"}}}
	snap := func() *registry.Snapshot {
		s := &registry.Snapshot{Repo: registry.Repository{Host: registry.GitHub, Owner: "octo",
			Name: "tides-mcp"}, Texts: files}
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
					t.Errorf("%s, %s, folder %q: the entry changed the record:\n%s", name, status,
						subfolder, d)
				}
			}
		}
	}
	none := repoOf("octo/books", map[string]string{"README.md": "# Books\n\nA web shop for books."})
	if r := Servers(none, []registry.Listing{evil("active")}); r.State != StateNotServer {
		t.Errorf("a stranger's entry makes a shop a server: %s: %s", r.State, r.Reason)
	}
	empty := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "books", Empty: true}}
	if r := Servers(empty, []registry.Listing{evil("active")}); r.State != StateEmpty {
		t.Errorf("a stranger's entry fills an empty repository: %s", r.State)
	}
	unread := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "tides-mcp"}}
	if r := Servers(unread, []registry.Listing{evil("active"), own}); len(r.Servers) != 1 ||
		r.Servers[0].Detection.RegistryName != own.Name {
		t.Errorf("nothing read: %+v, want the owner's entry alone", r.Servers)
	}
}

func TestListingOfCompany(t *testing.T) {
	l := registry.Listing{Name: "com.company/tides", Title: "Company tides", Status: "active",
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides-mcp"}}}
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

func TestMarksOf(t *testing.T) {
	s := repoOf("octo/mcp", map[string]string{
		"package.json": `{"name": "all", "private": true}`, "README.md": "# MCP servers\n\nmcp-name: io.github.octo/all\n",
		"src/a-mcp/package.json": strings.Replace(npmServer, "NAME", "a-mcp", 1),
		"src/b-mcp/package.json": strings.Replace(npmServer, "NAME", "b-mcp", 1),
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

func TestOwnListings(t *testing.T) {
	repo := &registry.Repository{Host: registry.GitHub, Owner: "Victim", Name: "weather-mcp",
		Homepage: "https://docs.weather.example/start"}
	marks := []string{"mcp:org.tides/tides", "npm:@victim/weather", "pypi:weather-mcp",
		"nuget:victim.weather", "oci:victim/weather", "host:mcp.rain.example"}
	pkg := func(kind, id string) []registry.Package {
		return []registry.Package{{RegistryType: kind, Identifier: id}}
	}
	for name, tt := range map[string]struct {
		l    registry.Listing
		want bool
	}{
		"name in the files": {registry.Listing{Name: "org.Tides/tides"}, true},
		"the owner's namespace": {registry.Listing{Name: "io.github.victim/anything"},
			true},
		"third-party namespace": {registry.Listing{Name: "io.github.evil/weather-mcp",
			RepoURL: "https://github.com/victim/weather-mcp", AddressKnown: true}, false},
		"a namespace that begins like the owner": {registry.Listing{Name: "io.github.victim-evil/x"},
			false},
		"former owner": {registry.Listing{Name: "io.github.former/x",
			RepoURL: "https://github.com/Former/weather-mcp", AddressKnown: true}, true},
		"unrelated URL": {registry.Listing{Name: "io.github.evil/x",
			RepoURL: "https://github.com/evil/x", RepoID: "7"}, false},
		"third-party, with its own package": {registry.Listing{Name: "io.github.evil/x",
			Packages: pkg("npm", "evil-weather")}, false},
		"a package that the files build": {registry.Listing{Name: "com.company/weather",
			Packages: pkg("npm", "@Victim/weather")}, true},
		"a PyPI package in another spelling": {registry.Listing{Name: "com.company/weather",
			Packages: pkg("pypi", "Weather_MCP")}, true},
		"the same identifier of another registry": {registry.Listing{Name: "com.company/weather",
			Packages: pkg("npm", "weather-mcp")}, false},
		"an image that the files name": {registry.Listing{Name: "com.company/weather",
			Packages: pkg("oci", "docker.io/victim/weather:1.0.0")}, true},
		"an image in the owner's namespace": {registry.Listing{Name: "com.company/weather",
			Packages: pkg("oci", "ghcr.io/victim/other@sha256:00")}, true},
		"an image in a third-party namespace": {registry.Listing{Name: "com.company/weather",
			Packages: pkg("oci", "ghcr.io/victim-evil/other")}, false},
		"a file of one of the owner's releases": {registry.Listing{Name: "io.github.evil/x",
			Packages: pkg("mcpb", "https://github.com/victim/weather-mcp/releases/download/v1/x.mcpb")},
			false},
		"the domain of the homepage":     {registry.Listing{Name: "example.weather/api"}, true},
		"the domain of an endpoint":      {registry.Listing{Name: "example.rain/api"}, true},
		"another domain of the same top": {registry.Listing{Name: "example.evil/api"}, false},
		"a top-level domain":             {registry.Listing{Name: "example/api"}, false},
		"no name":                        {registry.Listing{}, false},
		"a namespace without an owner":   {registry.Listing{Name: "io.github./x"}, false},
	} {
		got := OwnListings([]registry.Listing{tt.l}, repo, marks)
		if (len(got) == 1) != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOwnListingsOrder(t *testing.T) {
	repo := &registry.Repository{Owner: "victim", Name: "weather-mcp"}
	all := []registry.Listing{{Name: "io.github.evil/a"}, {Name: "io.github.victim/b"},
		{Name: "io.github.victim/weather"}}
	names := func(ls []registry.Listing) (out []string) {
		for _, l := range ls {
			out = append(out, l.Name)
		}
		return out
	}
	if d := cmp.Diff([]string{"io.github.victim/weather", "io.github.victim/b"}, names(OwnListings(all, repo, []string{"mcp:io.github.victim/weather"}))); d != "" {
		t.Errorf("the entry named in the files is not first:\n%s", d)
	}
	if d := cmp.Diff([]string{"io.github.victim/b", "io.github.victim/weather"}, names(OwnListings(all, repo, nil))); d != "" {
		t.Errorf("nothing read; want the entries in the owner's namespace:\n%s", d)
	}
	if got := OwnListings(all[:1], repo, nil); len(got) != 1 {
		t.Error("nothing read: the entry is not used")
	}
	if got := OwnListings(all[:1], repo, []string{}); len(got) != 0 {
		t.Errorf("%q without evidence in the files", names(got))
	}
}

func TestPackageMark(t *testing.T) {
	for identifier, want := range map[string]string{
		"octo/weather":                        "oci:octo/weather",
		"docker.io/Octo/Weather:1.0.0":        "oci:octo/weather",
		"index.docker.io/octo/weather":        "oci:octo/weather",
		"ghcr.io/octo/weather:1.0.0":          "oci:ghcr.io/octo/weather",
		"r.octo.example:5000/weather":         "oci:r.octo.example:5000/weather",
		" ghcr.io/octo/weather:${VERSION} ":   "oci:ghcr.io/octo/weather:${version}",
		"octo/weather:1@sha256:" + digestText: "oci:octo/weather",
	} {
		if got := PackageMark("oci", identifier); got != want {
			t.Errorf("%s: %s, want %s", identifier, got, want)
		}
	}
}

var digestText = strings.Repeat("ab", 32)
