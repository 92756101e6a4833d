package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcpcensus/crawler/inspect/inspecttest"
	"mcpcensus/internal/registry"
)

// TestRecordAnswers starts packages in the sandbox and writes their responses to tools/list,
// for TestAcceptanceArchives. Existing ones are not repeated.
//
// CENSUS_TEST_RECORD is a file with lines "npm|pypi package[==version] [repository's URL]
// [variables…]". CENSUS_TEST_ANSWERS is the folder for the responses, CENSUS_INSPECT_HOSTS the
// package registries' hosts.
func TestRecordAnswers(t *testing.T) {
	list, dir := os.Getenv("CENSUS_TEST_RECORD"), os.Getenv("CENSUS_TEST_ANSWERS")
	if list == "" || dir == "" {
		t.Skip("SKIPPED: nothing to record: CENSUS_TEST_RECORD or CENSUS_TEST_ANSWERS is not set; run " +
			"make record-answers LIST=file ANSWERS=dir HOSTS=hosts-of-the-package-registries")
	}
	lines, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	inspector := inspecttest.New(t, false)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		said, p := asked(t, line)
		file := filepath.Join(dir, said.Type+"-"+strings.ReplaceAll(said.Package, "/", "__")+".json")
		if _, err := os.Stat(file); err == nil || said.Version == "" {
			continue
		}
		got, err := inspector.Inspect(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-17s %3d tools  %s %s: %s", got.Outcome, len(got.Tools), said.Package,
			said.Version, got.Detail)
		if len(got.Tools) == 0 {
			continue
		}
		for _, tool := range got.Tools {
			said.Tools = append(said.Tools, toolAnswer{tool.Name, tool.Description, tool.InputSchema})
		}
		b, err := json.MarshalIndent(said, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// asked returns a response without tools for a line, and the package with its variables. The
// version is the latest if the line has none, "" if the registry has none.
func asked(t *testing.T, line string) (toolsAnswer, registry.Package) {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "npm" && words[0] != "pypi" {
		t.Fatalf("malformed line: %q", line)
	}
	said := toolsAnswer{Type: words[0]}
	said.Package, said.Version, _ = strings.Cut(words[1], "==")
	p := registry.Package{RegistryType: said.Type, Identifier: said.Package,
		Transport: registry.PackageTransport{Type: "stdio"}}
	for _, word := range words[2:] {
		if strings.HasPrefix(word, "https://") {
			said.Repository = word
			continue
		}
		said.Command.Names = append(said.Command.Names, word)
		p.EnvironmentVariables = append(p.EnvironmentVariables,
			registry.Variable{Name: word, IsRequired: true})
	}
	if said.Version == "" {
		var err error
		if said.Version, err = latestVersion(t, said.Type, said.Package); err != nil {
			t.Logf("%s: %v", said.Package, err)
		}
	}
	p.Version = said.Version
	return said, p
}

// latestVersion queries the client of a package registry. Python is the sandbox's.
func latestVersion(t *testing.T, registryType, name string) (version string, err error) {
	cmd := exec.CommandContext(t.Context(), "npm", "view", name, "version")
	if registryType == "pypi" {
		cmd = exec.CommandContext(t.Context(), "env", "PATH=/usr/local/bin:/usr/bin:/bin",
			"python3", "-m", "pip", "index", "versions", name)
	}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("no version: %w", err)
	}
	if registryType == "npm" {
		return strings.TrimSpace(string(out)), nil
	}
	_, version, _ = strings.Cut(string(out), "(")
	version, _, _ = strings.Cut(version, ")")
	return version, nil
}
