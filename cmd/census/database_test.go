package main

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpcensus/internal/pgembed"
)

func TestDatabaseURLPassword(t *testing.T) {
	for _, c := range []struct{ url, shown string }{
		{"postgres://ann:se%40cret@db.example:5432/census?sslmode=verify-full",
			"postgres://ann@db.example:5432/census?sslmode=verify-full"},
		{"postgres://ann@db.example/census?password=secret&sslmode=require",
			"postgres://ann@db.example/census?sslmode=require"},
		{"postgres://db.example/census", "postgres://db.example/census"},
	} {
		environ := []string{"HOME=/nowhere", "DATABASE_URL=" + c.url,
			"CENSUS_DATA_DIR=" + t.TempDir()}
		for want, args := range map[string][]string{c.shown: {"database-url"},
			c.url: {"database-url", "--password"}} {
			var out, errs bytes.Buffer
			if err := run(t.Context(), args, environ, &out, &errs); err != nil ||
				out.String() != want+"\n" || strings.Contains(errs.String(), "secret") {
				t.Errorf("%v: %q, %v, want %q\n%s", args, &out, err, want, &errs)
			}
		}
	}
}

func TestDatabaseURLEmbedded(t *testing.T) {
	// Not t.TempDir: a Postgres that runs as another user must get there.
	dir, err := os.MkdirTemp("", "census-url-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) (stdout, stderr string, status int) {
		t.Helper()
		var out, errs bytes.Buffer
		err := run(t.Context(), append([]string{"database-url"}, args...),
			[]string{"HOME=/nowhere", "CENSUS_DATA_DIR=" + dir}, &out, &errs)
		status = exitStatus(err, &errs)
		return out.String(), errs.String(), status
	}
	if out, stderr, status := ask(); status != 1 || out != "" ||
		!strings.Contains(stderr, "census serve") || !strings.Contains(stderr, dir) {
		t.Errorf("with none running it ended with %d: %s%s", status, out, stderr)
	}
	e, err := pgembed.Start(t.Context(),
		pgembed.Options{DataDir: dir, Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop(t.Context()) })
	out, _, status := ask("--password")
	if status != 0 || out != e.URL()+"\n" {
		t.Errorf("ended with %d: %q", status, out)
	}
	u, err := url.Parse(e.URL())
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := u.User.Password()
	out, stderr, status := ask()
	if status != 0 || !strings.HasPrefix(out,
		"postgres://registry@127.0.0.1:"+u.Port()+"/postgres") ||
		strings.Contains(out+stderr, secret) {
		t.Errorf("ended with %d: %q %s", status, out, stderr)
	}
	file := filepath.Join(dir, "postgres.password")
	if text, err := os.ReadFile(file); !strings.Contains(stderr, file) ||
		strings.TrimSpace(string(text)) != secret {
		t.Errorf("it does not say where the password is: %s, %v", stderr, err)
	}
}
