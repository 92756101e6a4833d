package main

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var variableName = regexp.MustCompile(`\bCENSUS_[A-Z][A-Z_]*[A-Z]\b`)

// TestEveryVariableThatIsNamedExists looks for settings that documents and
// deployments name and that the program does not have, or has no longer.
func TestEveryVariableThatIsNamedExists(t *testing.T) {
	ours := append(knownVariables(), otherVariables...)
	seen := map[string]bool{}
	look := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range variableName.FindAllString(string(text), -1) {
			seen[name] = true
			if !slices.Contains(ours, name) && !strings.HasPrefix(name, "CENSUS_TEST_") && !strings.HasPrefix(name, "CENSUS_BENCH_") {
				t.Errorf("%s names %s, which census does not know", path, name)
			}
		}
	}
	for _, file := range []string{"../../README.md", "../../docker-compose.yml", "../../Makefile", "../../api/openapi.yaml"} {
		look(file)
	}
	for _, dir := range []string{"../../docs", "../../deploy"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".png") {
				look(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !seen["CENSUS_MEILI_URL"] || !seen["CENSUS_ADDR"] {
		t.Errorf("the search finds nothing: %v", seen)
	}
}

func TestHealthcheckAsksWhatTheProcessAnswers(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" && r.URL.Path != "/healthz" {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	check := func(environ []string, args ...string) int {
		var errs strings.Builder
		return exitStatus(run(context.Background(), append([]string{"healthcheck"}, args...), append(environ, "HOME=/nowhere"), &errs, &errs), &errs)
	}
	for _, addr := range []string{"127.0.0.1" + port, "0.0.0.0" + port, port} {
		if got := check([]string{"CENSUS_ADDR=" + addr}); got != 0 {
			t.Errorf("ready on %s: %d", addr, got)
		}
		if got := check([]string{"CENSUS_ADDR=127.0.0.1:1", "CENSUS_METRICS_ADDR=" + addr}, "--worker"); got != 0 {
			t.Errorf("a worker on %s: %d", addr, got)
		}
	}
	status = http.StatusServiceUnavailable
	if got := check([]string{"CENSUS_ADDR=127.0.0.1" + port}); got != 1 {
		t.Errorf("not ready: %d", got)
	}
	if got := check([]string{"CENSUS_ADDR=127.0.0.1:1"}); got != 1 {
		t.Errorf("nobody there: %d", got)
	}
	if got := check([]string{"CENSUS_METRICS_ADDR=off"}, "--worker"); got != 1 {
		t.Errorf("without metrics: %d", got)
	}
}
