package api

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

func TestChooseFolder(t *testing.T) {
	cat := catalog.New()
	server := registry.Server{Slug: "octo-weather", Repo: registry.Repository{Host: registry.GitHub, ID: 1, Owner: "octo", Name: "weather"}}
	if err := cat.Apply([]registry.Server{server}, nil, 1); err != nil {
		t.Fatal(err)
	}
	items := cat.View().InRepo("github:octo/weather")
	for path, warns := range map[string]bool{"": false, "main": false, "main/no/such/folder": true} {
		i, warnings := choose(items, registry.RepoRef{Path: path})
		if i == nil || (len(warnings) == 1) != warns {
			t.Errorf("path %q: warnings %q", path, warnings)
		}
		if warns && !strings.Contains(warnings[0], "no/such/folder") {
			t.Errorf("path %q: the warning does not name the folder: %q", path, warnings)
		}
	}
}

func TestHealthOfFolder(t *testing.T) {
	x := start(t, 0)
	var servers []registry.Server
	for i, folder := range []string{"src/git", "src/time"} {
		s := weather()
		s.ID, s.Seq, s.Slug, s.Repo.Name, s.Repo.ID, s.Subfolder = int64(778001+i), int64(900300+i), "octo-mono-"+folder[4:], "mono", 778001, folder
		s.RegistryName, s.OldSlugs = "", nil
		servers = append(servers, s)
	}
	if err := x.catalog.Apply(servers, nil, 900310); err != nil {
		t.Fatal(err)
	}
	type report struct {
		Server      *string
		Subfolder   *string
		IsMCPServer *bool `json:"isMcpServer"`
		Score       *int
		Reason      string
		Warnings    []string
		Members     []struct {
			Server string
			Score  *int
		}
	}
	get := func(address string) (r report) {
		t.Helper()
		status, b := x.get("/api/health?githubUrl=https://github.com/octo/mono" + address)
		if err := json.Unmarshal(b, &r); err != nil || status != 200 {
			t.Fatalf("%s: %d %v: %s", address, status, err, clip(b))
		}
		return r
	}
	if r := get("/tree/main/src/time"); r.Server == nil || *r.Server != "octo-mono-time" || len(r.Warnings) != 0 {
		t.Errorf("of a folder with a server: %+v", r)
	}
	r := get("/tree/main/src/nonesuch")
	if r.Server != nil || r.IsMCPServer == nil || *r.IsMCPServer || r.Score != nil || r.Subfolder == nil || *r.Subfolder != "src/nonesuch" ||
		!strings.Contains(r.Reason, "src/nonesuch") || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "octo-mono-git, octo-mono-time") {
		t.Errorf("of a folder without one: %+v", r)
	}
	if r := get(""); r.Server == nil || len(r.Warnings) != 1 || len(r.Members) < 2 ||
		r.Members[0].Score == nil || r.Members[0].Server == "" {
		t.Errorf("of the repository: %+v", r)
	}
	if r := get("/tree/main/src/time"); len(r.Members) != 0 {
		t.Errorf("of a folder with a server: %+v", r)
	}
}
