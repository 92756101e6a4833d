package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
)

func TestServeWithOtherKey(t *testing.T) {
	url := pgtest.URL(t)
	_, stop := serveOn(t, url)
	stop()
	for key, want := range map[string]string{
		"":                              "secret.key is missing or not the key of this database",
		"CENSUS_SECRET_KEY=c2hvcnQ=":    "CENSUS_SECRET_KEY: must be 32 random bytes in base64",
		"CENSUS_SECRET_KEY=" + newKey(): "CENSUS_SECRET_KEY is missing or not the key of this database",
	} {
		err := run(t.Context(), []string{"serve", "--roles", "worker"}, []string{"HOME=/nowhere", key,
			"DATABASE_URL=" + url, "CENSUS_METRICS_ADDR=off", "CENSUS_DATA_DIR=" + t.TempDir()},
			io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", key, err, want)
		}
	}
	a := &app{}
	a.config.DataDir = "/proc/census"
	_, err := a.secretKey(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "CENSUS_SECRET_KEY is not set") {
		t.Errorf("no folder for the key: %v", err)
	}
}

func TestSecretKeyOfFolder(t *testing.T) {
	db, err := postgres.Open(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	a := &app{}
	a.config.DataDir = t.TempDir()
	first, err := a.secretKey(t.Context(), db)
	if err != nil || len(first) != 32 {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	path := filepath.Join(a.config.DataDir, "secret.key")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if err := os.Chmod(path, 0o644); err != nil { // as copies of the folder may have it
		t.Fatal(err)
	}
	if again, err := a.secretKey(t.Context(), db); err != nil || string(again) != string(first) {
		t.Errorf("another key at the second start: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file of the second start: %v, %v", info, err)
	}
	if err := os.WriteFile(path, []byte("c2hvcnQ=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.secretKey(t.Context(), db); err == nil || !strings.Contains(err.Error(), "restore it from a backup") {
		t.Errorf("another length: %v", err)
	}
	os.Remove(path)
	if _, err := a.secretKey(t.Context(), db); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("the file is lost: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a key that nothing fits is left")
	}
}
