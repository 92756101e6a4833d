package deploy

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Images of others are named by digest. Ours are census and those that the
// Dockerfile itself makes.
func TestDigests(t *testing.T) {
	image := regexp.MustCompile(`(?m)^\s*(?:-?\s*image:|FROM(?: --platform=\S+)?|ARG GO_IMAGE=)\s*(\S+)`)
	digest := regexp.MustCompile(`^[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}$`)
	var found int
	for _, path := range []string{"Dockerfile", "../docker-compose.yml", "kubernetes/api.yaml", "kubernetes/worker.yaml"} {
		for _, match := range image.FindAllStringSubmatch(read(t, path), -1) {
			found++
			if name := match[1]; !digest.MatchString(name) &&
				!slices.Contains([]string{"census", "scratch", "${GO_IMAGE}"}, name) {
				t.Errorf("%s: %s has no digest", path, name)
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d images found", found)
	}
}

// The key of census cannot create keys, make dumps or read the others, and an existing one
// is used again.
func TestMeilisearchKey(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED: curl is not installed")
	}
	var created []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Header.Get("Authorization") != "Bearer master":
			w.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodPost && r.URL.Path == "/keys":
			created = append(created, string(body))
		case len(created) == 0:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = io.WriteString(w, `{"uid":"u","key":"0123abcd","actions":["search"]}`)
		}
	}))
	defer server.Close()
	read(t, "meilisearch-key.sh") // so that the test cache tracks it
	file := filepath.Join(t.TempDir(), "key")
	run := func(master string) error {
		cmd := exec.Command("sh", "meilisearch-key.sh")
		cmd.Env = append(os.Environ(), "MEILI_URL="+server.URL, "MEILI_MASTER_KEY="+master, "KEY_FILE="+file)
		return cmd.Run()
	}
	if err := run("wrong"); err == nil {
		t.Error("no failure with a wrong master key")
	}
	for range 2 {
		if err := run("master"); err != nil || strings.TrimSpace(read(t, file)) != "0123abcd" {
			t.Fatalf("%v", err)
		}
	}
	var key struct{ Actions []string }
	if len(created) != 1 || json.Unmarshal([]byte(created[0]), &key) != nil {
		t.Fatalf("created %q", created)
	}
	for _, action := range key.Actions {
		if action == "*" || strings.HasPrefix(action, "keys") || strings.HasPrefix(action, "dumps") || strings.HasPrefix(action, "snapshots") {
			t.Errorf("the key allows %s", action)
		}
	}
}

// The Dockerfile copies all folders that the program is built from.
func TestDockerignore(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{.Dir}}", "./cmd/census")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	context := strings.Split(read(t, "Dockerfile.dockerignore"), "\n")
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, ours := strings.CutPrefix(path, "mcpcensus/")
		if !ours {
			continue
		}
		if _, err := os.ReadDir(dir); err != nil { // so that the test cache tracks its files
			t.Error(err)
		}
		top, _, _ := strings.Cut(name, "/")
		if !slices.Contains(context, "!"+top) {
			t.Errorf("%s is not in the context of the build", name)
		}
	}
}
