package scorer

import (
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestLinked(t *testing.T) {
	const name = "io.github.rail/trains"
	pkg := registry.Package{RegistryType: "npm", Identifier: "trains-mcp"}
	facts := func(repo, mcpName string) []registry.PackageFacts {
		return []registry.PackageFacts{{RegistryType: "npm", Identifier: "trains-mcp",
			Found: ptr(true), Latest: "1.0.0", RepoURL: repo, RepoURLKnown: true, Archive: &registry.ArchiveTools{MCPName: mcpName}}}
	}
	const here = "https://github.com/rail/trains-mcp"
	entry := &registry.Listing{Name: name, Status: "active", RepoURL: here, ObservedAt: testNow}
	ofPackage := *entry
	ofPackage.Packages = []registry.Package{{RegistryType: "npm", Identifier: "trains-mcp"}}
	unnamed := pkg
	unnamed.Doubt = registry.DoubtUnnamed
	for _, tt := range []struct {
		name     string
		listing  *registry.Listing
		packages []registry.Package
		facts    []registry.PackageFacts
		marks    []string
		unread   bool
		want     string
	}{
		{name: "nothing"},
		{name: "entry in the namespace", listing: entry},
		{name: "entry in the namespace with a package", listing: &ofPackage, packages: []registry.Package{pkg},
			want: "The registry entry " + name + " names this repository and is in its owner's namespace."},
		{name: "repository not read", listing: entry, unread: true},
		{name: "entry in another namespace", listing: &registry.Listing{Name: "com.company/trains",
			Status: "active", RepoURL: here, ObservedAt: testNow}},
		{name: "entry that the files name", listing: &registry.Listing{Name: "com.company/trains",
			Status: "active", RepoURL: here, ObservedAt: testNow}, marks: []string{"mcp:com.company/trains"},
			want: "The registry entry com.company/trains names this repository, whose files name the entry."},
		{name: "package and repository", packages: []registry.Package{pkg}, facts: facts(here, ""),
			want: "The package trains-mcp and this repository name each other."},
		{name: "package and entry", listing: entry, packages: []registry.Package{pkg},
			facts: facts(here, name),
			want:  "The package trains-mcp names this repository and the registry entry " + name + "."},
		{name: "package that the repository does not name", packages: []registry.Package{unnamed},
			facts: facts(here, "")},
		{name: "package not read", listing: entry, packages: []registry.Package{pkg}},
		{name: "package that its service does not know", listing: &ofPackage, packages: []registry.Package{pkg},
			marks: []string{"mcp:" + name},
			facts: []registry.PackageFacts{{RegistryType: "npm", Identifier: "trains-mcp", Found: ptr(false)}}},
		{name: "package that its service does not know yet", listing: &ofPackage,
			packages: []registry.Package{pkg}, marks: []string{"mcp:" + name},
			facts: []registry.PackageFacts{{RegistryType: "npm", Identifier: "trains-mcp",
				MissingSince: ptr(testNow)}}},
		{name: "package of another repository", listing: entry, packages: []registry.Package{pkg},
			marks: []string{"mcp:" + name}, facts: facts("https://github.com/tram/other", "")},
		{name: "package of a sibling", listing: entry, packages: []registry.Package{pkg},
			facts: facts("https://github.com/rail/other", "")},
		{name: "package with another name in the registry", listing: entry,
			packages: []registry.Package{pkg}, facts: facts(here, "io.github.tram/other")},
		{name: "package without a repository", listing: entry, packages: []registry.Package{pkg},
			facts: facts("", "")},
		{name: "unnamed package of the entry", listing: entry, packages: []registry.Package{unnamed},
			facts: facts(here, "")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := registry.Facts{
				Repo: registry.Repository{Host: registry.GitHub, Owner: "rail", Name: "trains-mcp",
					ObservedAt: testNow},
				Detection: registry.Detection{IsServer: true, Packages: tt.packages, Marks: tt.marks},
				Listing:   tt.listing, ListingKnown: true, Packages: tt.facts,
			}
			if tt.unread {
				f.Repo.ObservedAt = time.Time{}
			}
			got := Linked(f, testNow)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			check := newInput(&f, testNow).ownershipLink(signal{})
			if got != "" && check.state == StateOK && check.value == 0 {
				t.Errorf("linked (%s), but the check says: %s", got, check.reason)
			}
		})
	}
}
