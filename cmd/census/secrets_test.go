package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/webhook"
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

// TestSealedAtStart checks that a start encrypts the secrets of webhooks that earlier releases stored.
func TestSealedAtStart(t *testing.T) {
	db, err := postgres.Open(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Pool().Exec(`
		WITH a AS (INSERT INTO accounts (email, email_key, created_at) VALUES ('a@b.example', 'a@b.example', now())
			RETURNING id)
		INSERT INTO webhook_endpoints (account, url, description, search, secret, old_secret, created_at, updated_at)
			SELECT id, 'https://b.example', '', '', 'whsec_old', 'whsec_older', now(), now() FROM a`); err != nil {
		t.Fatal(err)
	}
	a := &app{}
	a.config.DataDir = t.TempDir()
	for range 2 { // another start changes nothing
		key, err := a.secretKey(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		until := time.Now().Add(time.Hour)
		e := webhook.Endpoint{OldUntil: &until}
		err = db.Pool().QueryRow(`SELECT secret, old_secret FROM webhook_endpoints`).Scan(&e.Secret, &e.OldSecret)
		if err != nil || strings.Contains(e.Secret+e.OldSecret, "whsec") {
			t.Errorf("stored: %s %s, %v", e.Secret, e.OldSecret, err)
		}
		got := e.Secrets(key.derive("webhooks"), time.Now())
		if strings.Join(got, " ") != "whsec_old whsec_older" {
			t.Errorf("they sign with %q", got)
		}
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
