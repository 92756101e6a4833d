package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"mcpcensus/internal/config"
)

func TestPublicAddressOfLinks(t *testing.T) {
	dir := t.TempDir()
	command := func(environ ...string) *app {
		t.Helper()
		environ = append([]string{"CENSUS_DATA_DIR=" + dir}, environ...)
		c, err := config.Load(environ)
		if err != nil {
			t.Fatal(err)
		}
		return &app{environ: environ, config: c, log: slog.New(slog.DiscardHandler)}
	}
	recalled := func(environ ...string) string {
		a := command(environ...)
		a.recallAddress()
		return a.config.BaseURL
	}
	const usual = "http://127.0.0.1:8080"
	if got := recalled(); got != usual {
		t.Errorf("before anything was served: %s", got)
	}
	command("CENSUS_ADDR=127.0.0.1:18473").noteAddress()
	if got := recalled(); got != "http://127.0.0.1:18473" {
		t.Errorf("links lead to %s", got)
	}
	for environ, want := range map[string]string{"CENSUS_ADDR=127.0.0.1:9": "http://127.0.0.1:9",
		"CENSUS_BASE_URL=https://acme.example": "https://acme.example"} {
		if got := recalled(environ); got != want {
			t.Errorf("with %s, links lead to %s", environ, got)
		}
	}
	for _, bad := range []string{"", "nonsense", "file:///etc/passwd", "http://", "http://a@b/"} {
		if err := os.WriteFile(filepath.Join(dir, addressFile), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := recalled(); got != usual {
			t.Errorf("after %q: %s", bad, got)
		}
	}
}
