package jobs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// What the registry of an image says decides whether it is offered, and with
// which tag.
func TestPublishedImages(t *testing.T) {
	yes, no := true, false
	type image struct{ Version, Doubt string }
	for name, c := range map[string]struct {
		p     registry.Package
		facts *registry.PackageFacts
		want  *image
	}{
		"not asked":          {registry.Package{Version: "1.0"}, nil, &image{"1.0", ""}},
		"not there":          {registry.Package{Version: "1.0"}, &registry.PackageFacts{Found: &no}, nil},
		"withheld":           {registry.Package{Version: "1.0"}, &registry.PackageFacts{}, &image{"1.0", ""}},
		"has the tag":        {registry.Package{Version: "1.0"}, &registry.PackageFacts{Found: &yes, Tags: []string{"1.0", "latest"}}, &image{"1.0", ""}},
		"lacks the tag":      {registry.Package{Version: "1.0"}, &registry.PackageFacts{Found: &yes, Tags: []string{"latest"}}, &image{"", ""}},
		"without latest":     {registry.Package{}, &registry.PackageFacts{Found: &yes, Tags: []string{"v2"}, Latest: "v2"}, &image{"v2", ""}},
		"tags not known":     {registry.Package{Version: "1.0"}, &registry.PackageFacts{Found: &yes}, &image{"1.0", ""}},
		"without a registry": {registry.Package{Doubt: registry.DoubtImage}, &registry.PackageFacts{}, &image{"", registry.DoubtImage}},
		"without a registry, and published": {
			registry.Package{Doubt: registry.DoubtImage}, &registry.PackageFacts{Found: &yes}, &image{"", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.RegistryType, c.p.Identifier = "oci", "octo/tides"
			f := registry.Facts{Detection: registry.Detection{Packages: []registry.Package{c.p}}}
			if c.facts != nil {
				c.facts.RegistryType, c.facts.Identifier = "oci", "octo/tides"
				f.Packages = []registry.PackageFacts{*c.facts}
			}
			var got *image
			if out := publishedPackages(f); len(out) > 0 {
				got = &image{out[0].Version, out[0].Doubt}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}
