package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
)

// buildah returns the output of a command of buildah.
func buildah(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("buildah", args...).Output()
	if err != nil {
		t.Fatalf("buildah %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// The image of CENSUS_TEST_IMAGE starts as its user, without privileges and with a
// read-only root, and answers.
func TestImage(t *testing.T) {
	image := os.Getenv("CENSUS_TEST_IMAGE")
	if image == "" {
		t.Skip("SKIPPED: run by make image-test")
	}
	var inspected struct {
		Docker struct {
			Config struct {
				User                 string
				Env, Entrypoint, Cmd []string
				Healthcheck          struct{ Test []string }
			} `json:"config"`
		}
	}
	if err := json.Unmarshal([]byte(buildah(t, "inspect", "--type", "image", image)), &inspected); err != nil {
		t.Fatal(err)
	}
	config := inspected.Docker.Config
	user, group, _ := strings.Cut(config.User, ":")
	if user != "65532" || group != "65532" {
		t.Fatalf("the user is %q", config.User)
	}
	container := buildah(t, "from", image)
	t.Cleanup(func() { buildah(t, "rm", container) })
	root := buildah(t, "mount", container)
	for _, dir := range []string{"proc", "dev"} { // as container runtimes do
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	data, database, address := t.TempDir(), pgtest.URL(t), "127.0.0.1:0"
	for dir := data; dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	log := new(syncBuffer)
	start := func(program []string, args ...string) *exec.Cmd {
		sandbox := []string{"--unshare-all", "--share-net", "--cap-drop", "ALL", "--new-session",
			"--die-with-parent", "--uid", user, "--gid", group, "--clearenv",
			"--ro-bind", root, "/", "--bind", data, "/data", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev",
			"--chdir", "/"}
		for _, variable := range append(config.Env, "DATABASE_URL="+database, "CENSUS_ADDR="+address,
			withKey, "CENSUS_METRICS_ADDR=off") {
			name, value, _ := strings.Cut(variable, "=")
			sandbox = append(sandbox, "--setenv", name, value)
		}
		cmd := exec.Command("bwrap", append(append(sandbox, program...), args...)...)
		cmd.Stderr = io.MultiWriter(os.Stderr, log)
		return cmd
	}
	server := start(config.Entrypoint, append(config.Cmd, "--roles", "api,pages")...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	address = strings.TrimPrefix(addressIn(t, log, "listening"), "http://")
	get := func(path string) int {
		resp, err := http.Get("http://" + address + path)
		if err != nil {
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	within(t, time.Minute, "ready", func() bool { return get("/readyz") == http.StatusOK })
	for _, path := range []string{"/healthz", "/", "/api/servers"} {
		if status := get(path); status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
	}
	if test := config.Healthcheck.Test; len(test) < 2 || test[0] != "CMD" {
		t.Errorf("the health check is %q", test)
	} else if err := start(test[1:]).Run(); err != nil {
		t.Errorf("health check: %v", err)
	}
	checkProcess(t, server.Process.Pid)
}

// checkProcess checks the user, the capabilities and the root of the program in a sandbox.
func checkProcess(t *testing.T, sandbox int) {
	t.Helper()
	pid := strconv.Itoa(sandbox)
	for range 2 { // of the sandbox: its first process, and the program
		children, err := os.ReadFile(filepath.Join("/proc", pid, "task", pid, "children"))
		if err != nil || len(children) == 0 {
			t.Fatalf("children of %s: %v", pid, err)
		}
		pid = strings.Fields(string(children))[0]
	}
	status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Name:\tcensus\n", "CapEff:\t0000000000000000\n", "NoNewPrivs:\t1\n"} {
		if !strings.Contains(string(status), line) {
			t.Errorf("no %q in the status of the process:\n%s", line, status)
		}
	}
	mounts, err := os.ReadFile(filepath.Join("/proc", pid, "mounts"))
	if err != nil {
		t.Fatal(err)
	}
	readOnly := false
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); f[1] == "/" {
			readOnly = strings.HasPrefix(f[3], "ro")
		}
	}
	if !readOnly {
		t.Errorf("the root is writable:\n%s", mounts)
	}
}
