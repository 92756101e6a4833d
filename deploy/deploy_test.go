package deploy

import (
	"os"
	"os/exec"
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

// The Dockerfile copies all folders that the program is built from.
func TestDockerignore(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./cmd/census")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	context := strings.Split(read(t, "Dockerfile.dockerignore"), "\n")
	for name := range strings.Lines(string(out)) {
		name, ours := strings.CutPrefix(strings.TrimSpace(name), "mcpcensus/")
		dir, _, _ := strings.Cut(name, "/")
		if ours && !slices.Contains(context, "!"+dir) {
			t.Errorf("%s is not in the context of the build", name)
		}
	}
}
