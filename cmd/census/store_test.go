package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpcensus/internal/pgtest"
)

func TestCommandsWithoutDatabase(t *testing.T) {
	for _, args := range [][]string{
		{"plan", "set", "ada@example.com", "enterprise"}, {"plan", "show", "ada@example.com"},
		{"key", "list", "ada@example.com"}, {"key", "make", "ada@example.com"}, {"key", "revoke",
			"ada@example.com", "1"},
		{"account", "list"}, {"account", "show", "ada@example.com"}, {"account", "confirm",
			"ada@example.com"},
		{"hide", "octo", "--reason", "spam"}, {"unhide", "octo"}, {"reports"}, {"reports", "show",
			"1"}, {"reports", "close", "1", "--note", "done"}, {"status"}, {"rescore"},
	} {
		for _, demo := range []bool{false, true} {
			dir, want := t.TempDir(), "no registry in "
			if demo {
				args, want = append(args, "--demo"), "census serve --demo"
			}
			var out, errs bytes.Buffer
			err := run(t.Context(), args, []string{"HOME=/nowhere", "CENSUS_DATA_DIR=" + dir}, &out,
				&errs)
			if status := exitStatus(err, &errs); status != 1 ||
				!strings.Contains(errs.String(), want) || !strings.Contains(errs.String(), dir) {
				t.Errorf("%v ended with %d: %s", args, status, &errs)
			}
			if made, _ := filepath.Glob(filepath.Join(dir, "*")); len(made) > 0 {
				t.Errorf("%v made %v", args, made)
			}
		}
	}
}

func TestCommandsWithEmptyDatabase(t *testing.T) {
	url := pgtest.Empty(t)
	for range 2 { // the first one makes nothing
		var out, errs bytes.Buffer
		err := run(t.Context(), []string{"status"}, []string{"HOME=/nowhere", "DATABASE_URL=" + url}, &out, &errs)
		if status := exitStatus(err, &errs); status != 1 ||
			!strings.Contains(errs.String(), "no registry in DATABASE_URL: `census serve` creates one") {
			t.Errorf("it ended with %d: %s%s", status, &out, &errs)
		}
	}
}

func TestDemoCommandsAreSeparate(t *testing.T) {
	for _, args := range [][]string{{"status"}, {"plan", "set", "ada@example.com", "enterprise"},
		{"key", "list", "ada@example.com"}, {"account", "list"}, {"rescore"}} {
		var out, errs bytes.Buffer
		err := run(t.Context(), append(args, "--demo"),
			[]string{"HOME=/nowhere", "DATABASE_URL=postgres://nobody@127.0.0.1:1/nothing",
				"CENSUS_DATA_DIR=" + os.TempDir()}, &out, &errs)
		if status := exitStatus(err, &errs); status != 2 ||
			!strings.Contains(errs.String(), "DATABASE_URL") {
			t.Errorf("%v ended with %d: %s", args, status, &errs)
		}
	}
}
