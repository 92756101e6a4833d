package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestOwnListings(t *testing.T) {
	repo := &registry.Repository{Host: registry.GitHub, Owner: "Victim", Name: "weather-mcp", Homepage: "https://docs.weather.example/start"}
	marks := []string{"mcp:org.tides/tides", "npm:@victim/weather", "pypi:weather-mcp", "nuget:victim.weather", "oci:victim/weather", "host:mcp.rain.example"}
	pkg := func(kind, id string) []registry.Package {
		return []registry.Package{{RegistryType: kind, Identifier: id}}
	}
	for name, tt := range map[string]struct {
		l    registry.Listing
		want bool
	}{
		"the files carry the name":                {registry.Listing{Name: "org.Tides/tides"}, true},
		"the owner's namespace":                   {registry.Listing{Name: "io.github.victim/anything"}, true},
		"another's namespace":                     {registry.Listing{Name: "io.github.evil/weather-mcp", RepoURL: "https://github.com/victim/weather-mcp", AddressKnown: true}, false},
		"a namespace that begins like the owner":  {registry.Listing{Name: "io.github.victim-evil/x"}, false},
		"the owner before":                        {registry.Listing{Name: "io.github.former/x", RepoURL: "https://github.com/Former/weather-mcp", AddressKnown: true}, true},
		"an address that was never this one's":    {registry.Listing{Name: "io.github.evil/x", RepoURL: "https://github.com/evil/x", RepoID: "7"}, false},
		"another's, with a package of its own":    {registry.Listing{Name: "io.github.evil/x", Packages: pkg("npm", "evil-weather")}, false},
		"a package that the files build":          {registry.Listing{Name: "com.company/weather", Packages: pkg("npm", "@Victim/weather")}, true},
		"a PyPI package in another spelling":      {registry.Listing{Name: "com.company/weather", Packages: pkg("pypi", "Weather_MCP")}, true},
		"the same identifier of another registry": {registry.Listing{Name: "com.company/weather", Packages: pkg("npm", "weather-mcp")}, false},
		"an image that the files name":            {registry.Listing{Name: "com.company/weather", Packages: pkg("oci", "docker.io/victim/weather:1.0.0")}, true},
		"an image in the owner's namespace":       {registry.Listing{Name: "com.company/weather", Packages: pkg("oci", "ghcr.io/victim/other@sha256:00")}, true},
		"an image in another's namespace":         {registry.Listing{Name: "com.company/weather", Packages: pkg("oci", "ghcr.io/victim-evil/other")}, false},
		"a file of one of the owner's releases":   {registry.Listing{Name: "io.github.evil/x", Packages: pkg("mcpb", "https://github.com/victim/weather-mcp/releases/download/v1/x.mcpb")}, false},
		"the domain of the homepage":              {registry.Listing{Name: "example.weather/api"}, true},
		"the domain of an endpoint":               {registry.Listing{Name: "example.rain/api"}, true},
		"another domain of the same top":          {registry.Listing{Name: "example.evil/api"}, false},
		"a top-level domain":                      {registry.Listing{Name: "example/api"}, false},
		"no name":                                 {registry.Listing{}, false},
		"a namespace without an owner":            {registry.Listing{Name: "io.github./x"}, false},
	} {
		got := OwnListings([]registry.Listing{tt.l}, repo, marks)
		if (len(got) == 1) != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOwnListingsOrder(t *testing.T) {
	repo := &registry.Repository{Owner: "victim", Name: "weather-mcp"}
	all := []registry.Listing{{Name: "io.github.evil/a"}, {Name: "io.github.victim/b"}, {Name: "io.github.victim/weather"}}
	names := func(ls []registry.Listing) (out []string) {
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
