package registry

import (
	"testing"
	"time"
)

func TestRelation(t *testing.T) {
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := &Facts{Repo: Repository{Owner: "Octo", Name: "weather.mcp", CreatedAt: created},
		FormerNames: []string{RepoRef{Host: GitHub, Owner: "old", Name: "rain"}.Key()}}
	fork := &Facts{Repo: Repository{Owner: "Octo", Name: "weather.mcp", Fork: true, CreatedAt: created}}
	for address, want := range map[string]Relation{
		"git+https://github.com/octo/weather.mcp.git":            SameRepo,
		"https://GitHub.com/octo/Weather.MCP":                    SameRepo,
		"git@github.com:octo/weather.mcp.git":                    SameRepo,
		"git+ssh://git@github.com/octo/weather.mcp":              SameRepo,
		"github:octo/weather.mcp":                                SameRepo,
		"octo/weather.mcp":                                       SameRepo,
		"https://github.com/octo/weather.mcp/tree/main/packages": SameRepo,
		"https://github.com/octo/weather.mcp#readme":             SameRepo,
		"https://github.com/old/rain":                            SameRepo,
		"https://github.com/octo/seas":                           SiblingRepo,
		"https://github.com/other/weather.mcp":                   MovedRepo,
		"https://github.com/other/seas":                          OtherRepo,
		"https://gitlab.com/octo/weather.mcp":                    OtherRepo,
		"https://github.com/octo":                                OtherRepo,
		"weather":                                                OtherRepo,
		" ":                                                      NoRepo,
	} {
		if got := f.Relation(address); got != want {
			t.Errorf("Relation(%q) = %d, want %d", address, got, want)
		}
	}
	if got := fork.Relation("https://github.com/other/weather.mcp"); got != OtherRepo {
		t.Errorf("a fork: %d", got)
	}
}

func FuzzRelation(f *testing.F) {
	f.Add("git+https://github.com/octo/x.git")
	f.Add("github:octo/x")
	f.Fuzz(func(t *testing.T, s string) {
		(&Facts{Repo: Repository{Owner: "octo", Name: "x"}}).Relation(s)
	})
}

// What a package says about itself decides whether a manifest's name of it is more than a wish.
func TestDoubtOf(t *testing.T) {
	const own, sibling, foreign = "https://github.com/octo/tides", "https://github.com/octo/seas",
		"https://github.com/mole/burrow"
	yes := true
	names := func(address string) *PackageFacts {
		return &PackageFacts{RepoURL: address, RepoURLKnown: true}
	}
	for _, kind := range []string{"npm", "pypi", "oci"} {
		for id, want := range map[string]string{"tides": DoubtManifest, "octo/tides": "", "@octo/tides": ""} {
			for _, fork := range []bool{true, false} {
				f := &Facts{Repo: Repository{Owner: "octo", Name: "tides", Fork: fork}}
				p := Package{RegistryType: kind, Identifier: id}
				if got := f.DoubtOf(p); fork && got != want || !fork && got != "" {
					t.Errorf("%s %s, a fork: %t: %q", kind, id, fork, got)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		kind, doubt string
		facts       *PackageFacts
		want        string
	}{
		"not asked":                   {"npm", DoubtManifest, nil, DoubtManifest},
		"names nothing":               {"npm", DoubtManifest, names(""), DoubtManifest},
		"repository not known":        {"npm", DoubtManifest, &PackageFacts{}, DoubtManifest},
		"names this repository":       {"pypi", DoubtManifest, names(own), ""},
		"names the owner's other one": {"npm", DoubtManifest, names(sibling), ""},
		"has a name of the owner": {"npm", DoubtManifest,
			&PackageFacts{Archive: &ArchiveTools{MCPName: "io.github.octo/x"}}, ""},
		"has a name of another owner": {"npm", DoubtManifest,
			&PackageFacts{Archive: &ArchiveTools{MCPName: "io.github.mole/x"}}, DoubtManifest},
		"of another project":            {"npm", "", names(foreign), DoubtForeign},
		"of another project, in doubt":  {"pypi", DoubtManifest, names(foreign), DoubtForeign},
		"moved, or a fork":              {"npm", "", names("https://github.com/mole/tides"), ""},
		"names a page":                  {"npm", "", names("https://tides.dev/docs"), ""},
		"names this, other doubt":       {"npm", DoubtEcosystem, names(own), DoubtEcosystem},
		"image with labels of its base": {"oci", "", names(foreign), ""},
		"image that exists":             {"oci", DoubtImage, &PackageFacts{Found: &yes}, ""},
	} {
		p := Package{RegistryType: c.kind, Identifier: "tides", Doubt: c.doubt}
		f := &Facts{Repo: Repository{Owner: "octo", Name: "tides"}}
		if c.facts != nil {
			c.facts.RegistryType, c.facts.Identifier = c.kind, "tides"
			f.Packages = []PackageFacts{*c.facts}
		}
		if got := f.DoubtOf(p); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
