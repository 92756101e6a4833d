package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpcensus/crawler/inspect"
	"mcpcensus/crawler/read"
	"mcpcensus/internal/registry"
)

// TestHelp checks that the README lists every command, and that descriptions of
// flags are shown whole: text in backquotes would be taken for the name of a value.
func TestHelp(t *testing.T) {
	help := func(args ...string) string {
		var out strings.Builder
		if err := run(t.Context(), append(args, "--help"), nil, &out, io.Discard); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out.String()
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(help(), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	flag := regexp.MustCompile(`(?m)^ +(?:-\w, )?--[\w-]+ \S+ \S`)
	commands := 0
	for line := range strings.Lines(list) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "help" || name == "completion" {
			continue
		}
		commands++
		if !strings.Contains(string(readme), "`census "+name) {
			t.Errorf("the README does not list census %s", name)
		}
		if bad := flag.FindString(help(name)); bad != "" {
			t.Errorf("census %s: a flag with more than one word for its value: %q", name, bad)
		}
	}
	if commands < 15 {
		t.Errorf("%d commands in:\n%s", commands, list)
	}
}

// built is the program, once a test has built it.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// program returns the path of the program. It is built once for all tests, and
// without the race detector: tests kill its processes, or count their responses.
func program(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "census-program-"); built.err != nil {
			return
		}
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built.dir, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build, which shares its cache
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "census")
}

func TestMain(m *testing.M) {
	inspect.Init()
	known := registry.Hosts
	registry.Hosts = append(slices.Clone(known), forge) // children know the hosts of all tests
	read.Init()
	registry.Hosts = known
	code := m.Run()
	if err := errors.Join(crawledOnce.Drop(), os.RemoveAll(built.dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// newReader returns a reader whose children are this test.
func newReader(t testing.TB) *read.Pool {
	p := read.NewPool(read.Options{})
	t.Cleanup(p.Close)
	return p
}

func TestUnknownOptions(t *testing.T) {
	for args, want := range map[string]string{
		"inspect --url x":         "inspect: unknown option --url; accepted: --once, --parallel, --registry",
		"crawl -x":                "crawl: unknown option -x; accepted: --",
		"key revoke --x":          "key revoke: unknown option --x; accepted: --",
		"version --x":             "version: unknown option --x; it has no options",
		"--x":                     "unknown option --x; accepted: --version",
		"key create --scopes all": `key has no subcommand "create", only list, make, rotate or revoke`,
	} {
		err := run(t.Context(), strings.Fields(args), nil, io.Discard, io.Discard)
		if _, ok := errors.AsType[usageError](err); !ok || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
}

// TestUserCommands checks that census has the commands of mcpcensus.
func TestUserCommands(t *testing.T) {
	var out, errs strings.Builder
	err := run(t.Context(), []string{"search", "--help"}, nil, &out, &errs)
	if err != nil || !strings.Contains(out.String(), "census search postgres --min-score 80") {
		t.Errorf("got %v, %s", err, out.String())
	}
	args := []string{"install", "a"}
	err = run(t.Context(), args, []string{"CENSUS_URL=http://127.0.0.1:1"}, &out, &errs)
	if status := exitStatus(err, &errs); status != 2 ||
		!strings.Contains(errs.String(), "census: --client is required") {
		t.Errorf("got %v, %s", status, errs.String())
	}
}
