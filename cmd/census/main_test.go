package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
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
