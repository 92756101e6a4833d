package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

func TestChooseWarning(t *testing.T) {
	for n, want := range map[int]string{2: "", 6: "", 7: " and 1 more", 13: " and 7 more"} {
		cat := catalog.New()
		var servers []registry.Server
		for i := range n {
			servers = append(servers, registry.Server{ID: int64(i + 1),
				Slug: fmt.Sprintf("b-%d", i), Subfolder: fmt.Sprintf("src/%d", i),
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

func TestChooseFolder(t *testing.T) {
	cat := catalog.New()
	server := registry.Server{Slug: "octo-weather",
		Repo: registry.Repository{Host: registry.GitHub, ID: 1, Owner: "octo", Name: "weather"}}
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
		s.ID, s.Seq, s.Slug, s.Repo.Name, s.Repo.ID, s.Subfolder = int64(778001+i), int64(900300+i),
			"octo-mono-"+folder[4:], "mono", 778001, folder
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
	if r.Server != nil || r.IsMCPServer == nil || *r.IsMCPServer || r.Score != nil ||
		r.Subfolder == nil || *r.Subfolder != "src/nonesuch" ||
		!strings.Contains(r.Reason, "src/nonesuch") || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "octo-mono-git, octo-mono-time") {
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

func TestHealthTag(t *testing.T) {
	x := start(t, 0)
	was := x.do("GET", "/api/health?server=octo-weather-mcp").Header.Get("ETag")
	tags := map[string]bool{was: true}
	for _, identity := range []string{"one database v1", "one database v2", "another v2"} {
		c := catalog.New()
		c.Identify(identity)
		if err := c.Apply([]registry.Server{weather()}, nil, 900100); err != nil {
			t.Fatal(err)
		}
		c.SetReady()
		y := start(t, 0, func(o *Options) { o.Catalog = c })
		for _, target := range []string{"/api/health?server=octo-weather-mcp", "/api/health?githubUrl=octo/weather-mcp"} {
			if res := y.do("GET", target, "If-None-Match", was); res.StatusCode != 200 {
				t.Errorf("%s of %q: %d for the tag of another catalog", target, identity, res.StatusCode)
			}
		}
		tag := y.do("GET", "/api/health?server=octo-weather-mcp").Header.Get("ETag")
		if tags[tag] {
			t.Errorf("%q has the tag %s too", identity, tag)
		}
		tags[tag] = true
		if res := y.do("GET", "/api/health?server=octo-weather-mcp", "If-None-Match", tag); res.StatusCode != 304 {
			t.Errorf("%q: its own tag is answered %d", identity, res.StatusCode)
		}
	}
}

func TestHealthOfMissingRepository(t *testing.T) {
	x := start(t, 0)
	s := weather()
	s.ID, s.Seq, s.Slug, s.Repo.Name, s.Repo.ID = 777001, 900200, "octo-vanished", "vanished", 777001
	s.RegistryName, s.OldSlugs = "", nil
	s.Status, s.StatusMessage = registry.StatusUnreachable, "The code host has not found the repository since 30 Oct 2026."
	s.Health.Flags = []string{"missing"}
	if err := x.catalog.Apply([]registry.Server{s}, nil, 900201); err != nil {
		t.Fatal(err)
	}
	res := x.do("GET", "/api/health?server=octo-vanished")
	b, _ := io.ReadAll(res.Body)
	if !bytes.Contains(b, []byte(`"stale":true`)) ||
		!bytes.Contains(b, []byte("no longer has the repository")) || res.Header.Get("Age") == "" {
		t.Errorf("it says nothing of that: %v %s", res.Header, clip(b))
	}
	if _, b := x.get("/api/health?server=octo-weather-mcp"); !bytes.Contains(b, []byte(`"stale":false`)) {
		t.Errorf("another is stale: %s", clip(b))
	}
}

func TestHealthOfGoneServers(t *testing.T) {
	a := start(t, 10)
	for slug, want := range map[string]string{
		"octo-old":      "The repository of octo-old was deleted from its code host.",
		"octo-withheld": "The repository of octo-withheld is blocked by its code host.",
		"octo-left":     "The repository of octo-left no longer contains it.",
	} {
		code, body := a.get("/api/health?server=" + slug)
		var p struct{ Code, Detail string }
		if err := json.Unmarshal(body, &p); err != nil || code != http.StatusGone ||
			p.Code != "server_deleted" || p.Detail != want {
			t.Errorf("%s: %d %s %q, %v", slug, code, p.Code, p.Detail, err)
		}
	}
}

func TestHealthOfUnlistedRepositories(t *testing.T) {
	a := start(t, 10)
	type report struct {
		Status      string
		IsMCPServer *bool `json:"isMcpServer"`
		Kind        *string
		Score       *int
		Reason      string
	}
	for name, want := range map[string]report{
		"octo/chat":     {Status: "insufficient_data", IsMCPServer: new(false), Kind: new("client")},
		"octo/website":  {Status: "insufficient_data", IsMCPServer: new(false)},
		"octo/withheld": {Status: "blocked"},
		"octo/bare":     {Status: "empty", IsMCPServer: new(false)},
	} {
		code, body := a.get("/api/health?githubUrl=" + name)
		var got report
		if err := json.Unmarshal(body, &got); err != nil || code != http.StatusOK || got.Reason == "" {
			t.Errorf("%s: %d %s", name, code, body)
		}
		got.Reason = ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestHealth(t *testing.T) {
	x := start(t, 10)
	for target, want := range map[string]string{
		"server=octo-weather-mcp":                                                     "octo-weather-mcp",
		"server=OCTO-Weather-MCP":                                                     "octo-weather-mcp",
		"server=octo-forecast-mcp":                                                    "octo-weather-mcp",
		"server=io.github.octo%2Fweather-mcp":                                         "octo-weather-mcp",
		"githubUrl=https://github.com/Octo/Weather-MCP.git":                           "octo-weather-mcp",
		"githubUrl=git%40github.com:octo/weather-mcp":                                 "octo-weather-mcp",
		"githubUrl=https://github.com/octo/mono/tree/main/src/git":                    "octo-mono-git",
		"githubUrl=https://github.com/octo/mono/tree/feature/x/src/filesystem/README": "octo-mono-filesystem",
	} {
		status, b := x.get("/api/health?" + target)
		var h struct {
			Server   string
			Indexed  bool
			Warnings []string
		}
		if err := json.Unmarshal(b, &h); err != nil || status != 200 || h.Server != want ||
			!h.Indexed || len(h.Warnings) > 0 {
			t.Errorf("%s: %d %s %v, want %s", target, status, h.Server, h.Warnings, want)
		}
	}
	for target, warning := range map[string]string{
		"server=octo-weather-mcp&githubUrl=https://gitlab.com/x/y": "githubUrl is ignored",
		"githubUrl=octo/mono":  "has 2 servers",
		"githubUrl=octo/stale": "GitHub cannot be asked",
	} {
		status, b := x.get("/api/health?" + target)
		if status != 200 || !strings.Contains(string(b), warning) {
			t.Errorf("%s: %d, no warning %q: %s", target, status, warning, clip(b))
		}
	}
	late := start(t, 0, func(o *Options) { o.Now = func() time.Time { return epoch.Add(20 * 24 * time.Hour) } })
	res := late.do("GET", "/api/health?server=octo-weather-mcp")
	b, _ := io.ReadAll(res.Body)
	if !bytes.Contains(b, []byte(`"stale":true`)) || res.Header.Get("Age") == "" ||
		!bytes.Contains(b, []byte("2026-11-01")) {
		t.Errorf("an old report does not say so: %v %s", res.Header, clip(b))
	}
	res = x.do("GET", "/api/health?githubUrl=octo/slow")
	if res.StatusCode != 202 || res.Header.Get("Retry-After") != "2" ||
		res.Header.Get("Location") != "/api/checks/ck_slow" {
		t.Errorf("pending: %d %v", res.StatusCode, res.Header)
	}
	if res := x.do("GET", "/api/checks/ck_slow"); res.StatusCode != 202 {
		t.Errorf("still pending: %d", res.StatusCode)
	}
	if res := x.do("GET", "/api/checks/ck_ended"); res.StatusCode != 502 ||
		res.Header.Get("X-Should-Retry") != "false" || res.Header.Get("Retry-After") != "" {
		t.Errorf("failed: %d %v", res.StatusCode, res.Header)
	}
	if res := x.do("GET", "/api/checks/ck_fresh"); res.StatusCode != 200 {
		t.Errorf("done: %d", res.StatusCode)
	}
}
