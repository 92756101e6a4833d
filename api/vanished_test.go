package api

import (
	"bytes"
	"io"
	"testing"

	"mcpcensus/internal/registry"
)

func TestHealthOfMissingRepository(t *testing.T) {
	x := start(t, 0)
	s := weather()
	s.ID, s.Seq, s.Slug, s.Repo.Name, s.Repo.ID = 777001, 900200, "octo-vanished", "vanished", 777001
	s.RegistryName, s.OldSlugs = "", nil
	s.Status, s.StatusMessage = registry.StatusUnreachable, "The code host has not known the repository since 2026-10-30."
	s.Health.Flags = []string{"missing"}
	if err := x.catalog.Apply([]registry.Server{s}, nil, 900201); err != nil {
		t.Fatal(err)
	}
	res := x.do("GET", "/api/health?server=octo-vanished")
	b, _ := io.ReadAll(res.Body)
	if !bytes.Contains(b, []byte(`"stale":true`)) || !bytes.Contains(b, []byte("no longer has the repository")) || res.Header.Get("Age") == "" {
		t.Errorf("it says nothing of that: %v %s", res.Header, clip(b))
	}
	if _, b := x.get("/api/health?server=octo-weather-mcp"); !bytes.Contains(b, []byte(`"stale":false`)) {
		t.Errorf("another is stale: %s", clip(b))
	}
}
