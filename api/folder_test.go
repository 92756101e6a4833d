package api

import (
	"strings"
	"testing"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

func TestAFolderWithoutAServerIsSaidToHaveNone(t *testing.T) {
	cat := catalog.New(Encode("org.example", nil))
	server := registry.Server{Slug: "octo-weather", Repo: registry.Repository{Host: registry.GitHub, ID: 1, Owner: "octo", Name: "weather"}}
	if err := cat.Apply([]registry.Server{server}, nil, 1); err != nil {
		t.Fatal(err)
	}
	items := cat.View().InRepo("github:octo/weather")
	for path, warns := range map[string]bool{"": false, "main": false, "main/no/such/folder": true} {
		i, warnings := choose(items, path)
		if i == nil || (len(warnings) == 1) != warns {
			t.Errorf("path %q: warnings %q", path, warnings)
		}
		if warns && !strings.Contains(warnings[0], "no/such/folder") {
			t.Errorf("path %q: the warning does not name the folder: %q", path, warnings)
		}
	}
}
