package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/pgtest"
)

// TestRestoreAnswersTheSame runs the commands of docs/operations.md: it dumps a database,
// restores it into an empty one, and compares the responses of both, to the same key.
func TestRestoreAnswersTheSame(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Backups and upgrades")
	section, _, _ = strings.Cut(section, "\n## ")
	commands := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(commands) != 3 {
		t.Fatalf("docs/operations.md has %d blocks of commands, not those for backup, restore and identity",
			len(commands))
	}
	for _, name := range []string{"pg_dump", "pg_restore", "psql"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: %s is not installed", name)
		}
	}

	from, dir := newAged(t), t.TempDir()
	key := from.keyOf("ann@example.com")
	if said, err := shell(t, dir, from.environ, commands[0][1]); strings.Contains(said, "server version mismatch") {
		t.Skipf("SKIPPED: pg_dump is older than the server: %s", said)
	} else if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	to, url := newEmptyEnvironment(t), pgtest.Empty(t)
	said, err := shell(t, dir, []string{"HOME=" + dir, "DATABASE_URL=" + url}, commands[1][1])
	if err != nil || !strings.Contains(said, "Listed servers") {
		t.Fatalf("%v: %s", err, said)
	}
	to.useDatabase(url)
	a, b := from.client(key), to.client(key)
	answersTheSame(t, a, b)
	for _, c := range changesOf(t, from) {
		_, bodyA := a("/api/health?server=" + c.Slug)
		if _, bodyB := b("/api/health?server=" + c.Slug); !sameBody(bodyA, bodyB) {
			t.Errorf("%+v: %s\nand %s", c, bodyA, bodyB)
		}
	}

	// An index that claims changes which the dump does not have is filled again.
	before, err := to.db.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if said, err := shell(t, dir, to.environ, commands[2][1]); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if after, err := to.db.Identity(t.Context()); err != nil || after == before {
		t.Errorf("the identity is %s, it was %s, %v", after, before, err)
	}
	answersTheSame(t, a, to.client(key))
}

// shell runs commands in a folder as an operator would, with census in the PATH.
func shell(t *testing.T, dir string, environ []string, commands string) (string, error) {
	t.Helper()
	cmd := exec.Command("sh", "-e", "-c", commands)
	cmd.Dir = dir
	cmd.Env = append(slices.Clone(environ),
		"PATH="+filepath.Dir(program(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
