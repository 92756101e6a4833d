package registry

import "testing"

func TestFacts_TagOf(t *testing.T) {
	tides := Detection{Subfolder: "servers/tides", Members: 3,
		Packages: []Package{{RegistryType: "npm", Identifier: "@octo/tides-mcp"}}}
	root := Detection{Members: 3, Packages: []Package{{RegistryType: "pypi", Identifier: "sea_tools"}}}
	for name, c := range map[string]struct {
		d    Detection
		tag  string
		want TagOf
	}{
		"version":           {tides, "v1.2.3", TagOfRepository},
		"release":           {tides, "release-1.2.3", TagOfRepository},
		"repository":        {tides, "sea-v1.2.3", TagOfRepository},
		"date":              {tides, "2026-11-01", TagOfRepository},
		"no version":        {tides, "nightly", TagOfRepository},
		"package":           {tides, "@octo/tides-mcp@1.2.3", TagOfServer},
		"without its scope": {tides, "tides-mcp-v1.2.3-rc.1", TagOfServer},
		"path":              {tides, "servers/tides/v1.2.3", TagOfServer},
		"folder":            {tides, "tides/v1.2.3", TagOfServer},
		"another package":   {tides, "@octo/winds-mcp@2.0.0", TagOfOther},
		"another folder":    {tides, "servers/winds/v2.0.0", TagOfOther},
		"package of root":   {root, "sea-tools-v1.0.0", TagOfServer},
		"member":            {root, "tides@1.0.0", TagOfOther},
		"only server":       {Detection{}, "winds@2.0.0", TagOfRepository},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Repo: Repository{Owner: "octo", Name: "sea"}, Detection: c.d}
			if got := f.TagOf(c.tag); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
