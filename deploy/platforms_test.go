package deploy

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestPlatforms checks the types of both programs on each platform of "make release", which takes a
// twentieth of the time of a build.
func TestPlatforms(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^PLATFORMS := (.*)$`).FindSubmatch(makefile)
	if m == nil {
		t.Fatal("the Makefile has no PLATFORMS")
	}
	for platform := range strings.FieldsSeq(string(m[1])) {
		system, processor, _ := strings.Cut(platform, "/")
		all, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
				packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes,
			Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		}, "mcpcensus/cmd/census", "mcpcensus/cmd/mcpcensus")
		if err != nil {
			t.Fatal(err)
		}
		packages.Visit(all, nil, func(p *packages.Package) {
			for _, e := range p.Errors {
				t.Errorf("%s: %v", platform, e)
			}
		})
	}
}
