package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// tools compares the tools of listed servers with what their packages answered to
// tools/list. The crawl reads source code only with CENSUS_MIRROR. The packages are
// newer than the recorded repositories, so that no list can be complete.
func (a *acceptance) tools(corpus string) {
	a.t.Helper()
	var recall, precision, descriptions, schemas, right tally
	files, _ := filepath.Glob(filepath.Join(corpus, "evidence", "*.json"))
	for _, f := range files {
		var e struct{ Repo string }
		var said struct {
			Package string
			Tools   []struct {
				Name, Description string
				InputSchema       json.RawMessage
			}
		}
		readJSON(f, &e)
		for _, sub := range []string{"tools", "tools_go"} {
			readJSON(filepath.Join(corpus, sub, filepath.Base(f)), &said)
		}
		servers := a.servers(e.Repo)
		if len(said.Tools) == 0 || len(servers) == 0 {
			continue
		}
		i := slices.IndexFunc(servers, func(s registry.Server) bool {
			return slices.ContainsFunc(s.Packages, func(p registry.Package) bool {
				return p.Identifier == said.Package
			})
		})
		found := map[string]registry.Tool{}
		for _, t := range servers[max(i, 0)].Tools {
			found[t.Name] = t
		}
		names := map[string]bool{}
		for _, t := range said.Tools {
			names[t.Name] = true
			got, ok := found[t.Name]
			recall.is(ok, "")
			descriptions.is(strings.TrimSpace(got.Description) == strings.TrimSpace(t.Description), "")
			known, wanted := parametersOf(got.InputSchema), parametersOf(t.InputSchema)
			for p := range wanted {
				schemas.is(known[p], "")
			}
			for p := range known {
				right.is(wanted[p], "")
			}
		}
		for name := range found {
			precision.is(names[name], "")
		}
	}
	for _, c := range []*tally{&recall, &precision, &descriptions, &schemas, &right} {
		c.wrong = nil // thousands; the test of the detector lists them
	}
	recall.report(a.t, "names of tools found", 0)
	precision.report(a.t, "names of tools right", 0)
	descriptions.report(a.t, "descriptions of tools equal", 0)
	schemas.report(a.t, "parameters of tools found", 0)
	right.report(a.t, "parameters of tools right", 0)
	if n := recall.all + precision.all; n > 0 {
		a.t.Logf("%-30s F1 %.3f  (2 × %d of %d)", "names of tools", 2*float64(recall.right)/float64(n),
			recall.right, n)
	}
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
