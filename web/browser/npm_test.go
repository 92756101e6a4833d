package browser

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// fromNPM returns a folder with the node_modules of package.json, kept in the
// user's cache: without what only Lighthouse needs, unless all is asked for.
func fromNPM(all bool) (string, error) {
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum, kind := sha256.Sum256(lock), "axe"
	if all {
		kind = "all"
	}
	dir := filepath.Join(cache, "census-browser-checks", kind+"-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "axe-core")); err == nil {
		return dir, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("npm is not installed")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(fresh, name), b, 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	args := []string{"ci", "--ignore-scripts", "--no-audit", "--no-fund"}
	if !all {
		args = append(args, "--omit=dev")
	}
	cmd := exec.Command(npm, args...)
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w: %.500s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, gone := os.Stat(filepath.Join(dir, "node_modules", "axe-core")); gone != nil {
			return "", err // nobody else was quicker either
		}
	}
	return dir, nil
}

var axe = sync.OnceValues(func() (string, error) {
	dir, err := fromNPM(false)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(b), err
})

// axeSource returns axe-core, or says that its checks are not made and returns
// "".
func axeSource(t *testing.T) string {
	t.Helper()
	source, err := axe()
	if err != nil {
		t.Logf("SKIPPED: axe-core cannot be had from npm: %v", err)
		return ""
	}
	return source
}
