package registry

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyTheOwnersEntriesCountForARepository(t *testing.T) {
	repo := &Repository{Host: GitHub, Owner: "Victim", Name: "weather-mcp", Homepage: "https://docs.weather.example/start"}
	marks := []string{"mcp:org.tides/tides", "npm:@victim/weather", "pypi:weather-mcp", "nuget:victim.weather", "oci:victim/weather", "host:mcp.rain.example"}
	pkg := func(kind, id string) []Package { return []Package{{RegistryType: kind, Identifier: id}} }
	for name, tt := range map[string]struct {
		l    Listing
		want bool
	}{
		"the files carry the name":                {Listing{Name: "org.Tides/tides"}, true},
		"the owner's namespace":                   {Listing{Name: "io.github.victim/anything"}, true},
		"another's namespace":                     {Listing{Name: "io.github.evil/weather-mcp", RepoURL: "https://github.com/victim/weather-mcp", AddressKnown: true}, false},
		"a namespace that begins like the owner":  {Listing{Name: "io.github.victim-evil/x"}, false},
		"the owner before":                        {Listing{Name: "io.github.former/x", RepoURL: "https://github.com/Former/weather-mcp", AddressKnown: true}, true},
		"an address that was never this one's":    {Listing{Name: "io.github.evil/x", RepoURL: "https://github.com/evil/x", RepoID: "7"}, false},
		"another's, with a package of its own":    {Listing{Name: "io.github.evil/x", Packages: pkg("npm", "evil-weather")}, false},
		"a package that the files build":          {Listing{Name: "com.company/weather", Packages: pkg("npm", "@Victim/weather")}, true},
		"a PyPI package in another spelling":      {Listing{Name: "com.company/weather", Packages: pkg("pypi", "Weather_MCP")}, true},
		"the same identifier of another registry": {Listing{Name: "com.company/weather", Packages: pkg("npm", "weather-mcp")}, false},
		"an image that the files name":            {Listing{Name: "com.company/weather", Packages: pkg("oci", "docker.io/victim/weather:1.0.0")}, true},
		"an image in the owner's namespace":       {Listing{Name: "com.company/weather", Packages: pkg("oci", "ghcr.io/victim/other@sha256:00")}, true},
		"an image in another's namespace":         {Listing{Name: "com.company/weather", Packages: pkg("oci", "ghcr.io/victim-evil/other")}, false},
		"a file of one of the owner's releases":   {Listing{Name: "io.github.evil/x", Packages: pkg("mcpb", "https://github.com/victim/weather-mcp/releases/download/v1/x.mcpb")}, false},
		"the domain of the homepage":              {Listing{Name: "example.weather/api"}, true},
		"the domain of an endpoint":               {Listing{Name: "example.rain/api"}, true},
		"another domain of the same top":          {Listing{Name: "example.evil/api"}, false},
		"a top-level domain":                      {Listing{Name: "example/api"}, false},
		"no name":                                 {Listing{}, false},
		"a namespace without an owner":            {Listing{Name: "io.github./x"}, false},
	} {
		got := OwnListings([]Listing{tt.l}, repo, marks)
		if (len(got) == 1) != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOwnListingsOrder(t *testing.T) {
	repo := &Repository{Owner: "victim", Name: "weather-mcp"}
	all := []Listing{{Name: "io.github.evil/a"}, {Name: "io.github.victim/b"}, {Name: "io.github.victim/weather"}}
	names := func(ls []Listing) (out []string) {
		for _, l := range ls {
			out = append(out, l.Name)
		}
		return out
	}
	if d := cmp.Diff([]string{"io.github.victim/weather", "io.github.victim/b"}, names(OwnListings(all, repo, []string{"mcp:io.github.victim/weather"}))); d != "" {
		t.Errorf("the one that the files name comes first:\n%s", d)
	}
	if d := cmp.Diff([]string{"io.github.victim/b", "io.github.victim/weather"}, names(OwnListings(all, repo, nil))); d != "" {
		t.Errorf("nothing read, the owner's are known by their namespace:\n%s", d)
	}
	if got := OwnListings(all[:1], repo, nil); len(got) != 1 {
		t.Error("nothing read: an entry is all there is to go by")
	}
	if got := OwnListings(all[:1], repo, []string{}); len(got) != 0 {
		t.Errorf("read, and nothing in the files speaks for %q", names(got))
	}
}

func TestNamesThatNoPackageCanHave(t *testing.T) {
	for id, want := range map[string]bool{
		"npm weather": true, "npm @octo/weather": true, "npm octo/weather": false, "npm @octo/weather/cli": false, "npm https://x.dev/y": false,
		"pypi weather.mcp": true, "pypi octo/weather": false, "oci ghcr.io/octo/weather": true, "mcpb https://github.com/octo/weather/releases/download/v1/a.mcpb": true,
	} {
		typ, name, _ := strings.Cut(id, " ")
		if got := CanBePackage(typ, name); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
}
