package api

import (
	"fmt"
	"strings"
	"testing"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

func TestChooseWarning(t *testing.T) {
	for n, want := range map[int]string{2: "", 6: "", 7: " and 1 more", 13: " and 7 more"} {
		cat := catalog.New()
		var servers []registry.Server
		for i := range n {
			servers = append(servers, registry.Server{ID: int64(i + 1), Slug: fmt.Sprintf("b-%d", i), Subfolder: fmt.Sprintf("src/%d", i),
				Repo: registry.Repository{Host: registry.GitHub, ID: 1, Owner: "octo", Name: "mono"}})
		}
		if err := cat.Apply(servers, nil, int64(n)); err != nil {
			t.Fatal(err)
		}
		_, warnings := choose(cat.View().InRepo("github:octo/mono"), registry.RepoRef{})
		if len(warnings) != 1 || !strings.Contains(warnings[0], fmt.Sprintf("has %d servers", n)) ||
			!strings.HasSuffix(warnings[0], want) || want == "" && strings.Contains(warnings[0], "more") {
			t.Errorf("of %d servers: %q", n, warnings)
		}
	}
}
