package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/internal/registry"
)

// toolsAnswer is the response of a package to tools/list.
type toolsAnswer struct {
	Package    string `json:"package"`
	Version    string `json:"version"`              // of the package; "" if unknown
	Type       string `json:"type"`                 // npm or pypi; "" for npm
	Repository string `json:"repository,omitempty"` // its URL; "" if unknown
	// Command has the names of the environment variables that were set.
	Command struct {
		Names []string `json:"env_names,omitempty"`
	} `json:"command"`
	Tools []toolAnswer `json:"tools"`
}

type toolAnswer struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// toolTallies compare lists of tools with responses. All of these count, whether a list
// was found or not.
type toolTallies struct {
	found, right tally // names
	descriptions tally
	parameters   tally // of input schemas
	claimed      tally // parameters that lists have
}

func (c *toolTallies) compare(said toolsAnswer, tools []registry.Tool) {
	listed := map[string]registry.Tool{}
	for _, t := range tools {
		if t.IsDefault() {
			listed[t.Name] = t
		}
	}
	names := map[string]bool{}
	for _, t := range said.Tools {
		names[t.Name] = true
		got, ok := listed[t.Name]
		c.found.is(ok, "")
		description, ours := strings.TrimSpace(t.Description), strings.TrimSpace(got.Description)
		c.descriptions.is(ok && (ours == description || said.Type == "pypi" && ours == unindented(description)), "")
		known, wanted := parametersOf(got.InputSchema), parametersOf(t.InputSchema)
		for p := range wanted {
			c.parameters.is(known[p], "")
		}
		for p := range known {
			c.claimed.is(wanted[p], "")
		}
	}
	for name := range listed {
		c.right.is(names[name], "")
	}
}

// unindented returns a text without the indentation that all lines but the first have:
// versions of Python before 3.13 keep it in docstrings.
func unindented(s string) string {
	first, rest, _ := strings.Cut(s, "\n")
	indent := -1
	for line := range strings.Lines(rest) {
		if text := strings.TrimLeft(line, " "); strings.TrimSpace(text) != "" &&
			(indent < 0 || len(line)-len(text) < indent) {
			indent = len(line) - len(text)
		}
	}
	for line := range strings.Lines(rest) {
		first += "\n" + strings.TrimRight(line[min(max(indent, 0), len(line)-len(strings.TrimLeft(line, " "))):], "\n")
	}
	return first
}

// report prints the shares with a suffix to the facts. None has a lower limit.
func (c *toolTallies) report(a *acceptance, suffix string) {
	a.t.Helper()
	// F1 is the harmonic mean of the shares of names found and right.
	f1 := tally{right: 2 * c.found.right, all: c.found.all + c.right.all}
	parameters := tally{right: 2 * c.parameters.right, all: c.parameters.all + c.claimed.all}
	for _, x := range []struct {
		fact string
		tally
	}{
		{"names of tools found", c.found}, {"names of tools right", c.right}, {"names of tools, F1", f1},
		{"descriptions of tools equal", c.descriptions},
		{"parameters of tools found", c.parameters}, {"parameters of tools right", c.claimed},
		{"parameters of tools, F1", parameters},
	} {
		x.wrong = nil // thousands; the test of the detector lists them
		x.report(a.t, x.fact+suffix, 0)
	}
}

// tools compares the tools of listed servers with the responses of their packages to
// tools/list, and the tools in the READMEs alone. The crawl reads source code only with
// CENSUS_MIRROR. The packages are newer than the recorded repositories, so no list can be
// complete.
func (a *acceptance) tools(corpus string, records, negatives []*repoRecord) {
	a.t.Helper()
	byName := map[string]*repoRecord{}
	for _, r := range records {
		byName[strings.ToLower(r.full())] = r
	}
	var all, same, fromReadme toolTallies
	files, _ := filepath.Glob(filepath.Join(corpus, "evidence", "*.json"))
	for _, f := range files {
		var e struct{ Repo string }
		var said toolsAnswer
		readJSON(f, &e)
		for _, sub := range []string{"tools", "tools_go"} {
			readJSON(filepath.Join(corpus, sub, filepath.Base(f)), &said)
		}
		servers, r := a.servers(e.Repo), byName[strings.ToLower(e.Repo)]
		if len(said.Tools) == 0 || len(servers) == 0 || r == nil {
			continue
		}
		i := slices.IndexFunc(servers, func(s registry.Server) bool {
			return slices.ContainsFunc(s.Packages, func(p registry.Package) bool {
				return p.Identifier == said.Package
			})
		})
		s, before := servers[max(i, 0)], all.found.right
		all.compare(said, s.Tools)
		if said.Version != "" && said.Version == s.ToolsVersion {
			same.compare(said, s.Tools)
		}
		a.t.Logf("    %-45s %3d of %3d tools found, %3d listed from %s %s", s.Slug,
			all.found.right-before, len(said.Tools), len(s.Tools), s.ToolsFrom, s.ToolsVersion)
		var listed []registry.Tool
		if r.Readme != nil {
			var err error
			if listed, err = readme.ParseTools([]byte(r.Readme.Text)); err != nil {
				a.t.Errorf("README of %s: %v", e.Repo, err)
			}
		}
		fromReadme.compare(said, listed)
	}
	fromReadme.report(a, " (README alone)")
	all.report(a, "")
	same.report(a, " (same version)")
	var none tally
	for _, r := range negatives {
		tools := 0
		for _, s := range a.servers(r.full()) {
			tools += len(s.Tools)
		}
		none.is(tools == 0, "%s has %d tools", r.full(), tools)
	}
	none.report(a.t, "not servers, no tools", 1)
}

// readJSON decodes a file if it exists.
func readJSON(file string, into any) {
	if b, err := os.ReadFile(file); err == nil {
		_ = json.Unmarshal(b, into)
	}
}

func parametersOf(schema []byte) map[string]bool {
	var s struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(schema, &s)
	out := map[string]bool{}
	for p := range s.Properties {
		out[p] = true
	}
	return out
}
