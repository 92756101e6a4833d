package version

import (
	"slices"
	"testing"
)

func TestResolve(t *testing.T) {
	npm := []string{"0.9.0", "1.0.0", "1.5.0", "1.20.0", "1.26.0", "2.0.0-alpha.1", "2.0.0-alpha.2"}
	pypi := []string{"0.9", "1.0", "1.2.5", "1.9.0", "1.26.0", "1.27.0rc1", "2.0.0a1"}
	cargo := []string{"0.1.0", "0.1.5", "0.2.0", "0.2.1", "1.0.0"}
	for _, c := range []struct {
		ecosystem, constraint string
		versions              []string
		fallback, want        string
	}{
		{"npm", "^1.0.0", npm, "1.26.0", "1.26.0"},
		{"npm", "^1.0.0", npm, "1.20.0", "1.20.0"}, // "latest" where it satisfies the range
		{"npm", "~1.5.0", npm, "1.26.0", "1.5.0"},
		{"npm", "1.5.0", npm, "1.26.0", "1.5.0"},
		{"npm", "1.x", npm, "1.26.0", "1.26.0"},
		{"npm", "1", npm, "1.26.0", "1.26.0"},
		{"npm", ">=1.0.0 <1.6.0", npm, "1.26.0", "1.5.0"},
		{"npm", "1.0.0 - 1.5.0", npm, "1.26.0", "1.5.0"},
		{"npm", "0.9.0 || ~1.20.0", npm, "1.26.0", "1.20.0"},
		{"npm", "latest", npm, "1.26.0", "1.26.0"},
		{"npm", "*", npm, "1.26.0", "1.26.0"},
		{"npm", "", npm, "1.26.0", "1.26.0"},
		{"npm", "2.0.0-alpha.1", npm, "1.26.0", "2.0.0-alpha.1"},
		{"npm", "^2.0.0-alpha.1", npm, "1.26.0", "2.0.0-alpha.2"},
		{"npm", "npm:@other/sdk@^1.0.0", npm, "1.26.0", "1.26.0"},
		{"npm", "workspace:*", npm, "1.26.0", ""},
		{"npm", "catalog:", npm, "1.26.0", ""},
		{"npm", "github:octo/sdk#main", npm, "1.26.0", ""},
		{"npm", "file:../sdk", npm, "1.26.0", ""},
		{"npm", "^9.0.0", npm, "1.26.0", ""},
		{"pypi", ">=1.2.0", pypi, "1.26.0", "1.26.0"},
		{"pypi", ">=1.2,<1.10", pypi, "1.26.0", "1.9.0"},
		{"pypi", "~=1.2", pypi, "1.26.0", "1.26.0"},
		{"pypi", "~=1.2.0", pypi, "1.26.0", "1.2.5"},
		{"pypi", "==1.2.*", pypi, "1.26.0", "1.2.5"},
		{"pypi", "==1.9", pypi, "1.26.0", "1.9.0"},
		{"pypi", "!=1.26.0,>=1", pypi, "1.26.0", "1.9.0"},
		{"pypi", "^1.2", pypi, "1.26.0", "1.26.0"},
		{"pypi", "~1.2", pypi, "1.26.0", "1.2.5"},
		{"pypi", "~1", pypi, "1.26.0", "1.26.0"},
		{"pypi", "^0.9", pypi, "1.26.0", "0.9"},
		{"pypi", "1.9", pypi, "1.26.0", "1.9.0"},
		{"pypi", "=1.9", pypi, "1.26.0", "1.9.0"},
		{"pypi", "===1.9", pypi, "1.26.0", "1.9.0"},
		{"pypi", "== 1.2.*", pypi, "1.26.0", "1.2.5"},
		{"pypi", "^1.2 || ^2.0", pypi, "1.26.0", "1.26.0"},
		{"pypi", ">1.0,!=1.26.*", pypi, "1.26.0", "1.9.0"},
		{"pypi", "*", pypi, "1.26.0", "1.26.0"},
		{"pypi", "(>=1.0,<1.3) ; python_version >= '3.10'", pypi, "1.26.0", "1.2.5"},
		{"pypi", ">=1.27.0rc1", pypi, "1.26.0", "2.0.0a1"},
		{"pypi", "@ git+https://github.com/o/r", pypi, "1.26.0", ""},
		{"cargo", "0.1", cargo, "1.0.0", "0.1.5"},
		{"cargo", "0.2.0", cargo, "1.0.0", "0.2.1"},
		{"cargo", "=0.2.0", cargo, "1.0.0", "0.2.0"},
		{"cargo", ">=0.1, <0.2", cargo, "1.0.0", "0.1.5"},
		{"nuget", "0.1.0", cargo, "1.0.0", "0.1.0"},
		{"nuget", "0.1.1", cargo, "1.0.0", "0.1.5"},
		{"nuget", "[0.1.1,0.2.0)", cargo, "1.0.0", "0.1.5"},
		{"nuget", "0.1.1", []string{"0.1.2-beta", "0.1.3"}, "", "0.1.3"},
		{"nuget", "0.1.1-beta", []string{"0.1.2-beta", "0.1.3"}, "", "0.1.2-beta"},
		{"nuget", "0.2.*", cargo, "1.0.0", "0.2.1"},
		{"nuget", "[0.2.0]", cargo, "1.0.0", "0.2.0"},
		{"maven", "0.2.0", cargo, "1.0.0", "0.2.0"},
		{"maven", "[0.1,0.2]", cargo, "1.0.0", "0.2.0"},
		{"maven", "${mcp.version}", cargo, "1.0.0", ""},
		{"go", "v0.8.0", []string{"v0.7.0", "v0.8.0", "v0.9.0"}, "v0.9.0", "v0.8.0"},
		{"hex", "~> 1.0", npm, "1.26.0", ""},
	} {
		t.Run(c.ecosystem+" "+c.constraint, func(t *testing.T) {
			for range 2 { // the order of the versions does not matter
				got, err := Resolve(c.ecosystem, c.constraint, c.versions, c.fallback)
				if got != c.want || (err != nil) != (c.want == "") {
					t.Errorf("got %q %v, want %q", got, err, c.want)
				}
				c.versions = slices.Clone(c.versions)
				slices.Reverse(c.versions)
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	for _, c := range []string{"^1.0", ">=1,<2", "~=1.2", "[1,2)", "1.*", "==1!2.0rc1.dev3", "npm:a@^1"} {
		f.Add(c, "1.2.3", "2.0.0-rc.1")
	}
	f.Fuzz(func(t *testing.T, c, a, b string) {
		for _, e := range []string{"npm", "pypi", "cargo", "nuget", "maven", "go"} {
			got, err := Resolve(e, c, []string{a, b}, a)
			if err == nil && got != a && got != b {
				t.Errorf("%s %q of %q, %q gave %q", e, c, a, b, got)
			}
			if Compare(e, a, b) != -Compare(e, b, a) {
				t.Errorf("%s: %q and %q are not ordered", e, a, b)
			}
		}
	})
}
