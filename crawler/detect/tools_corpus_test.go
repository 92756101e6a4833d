package detect

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"mcpcensus/crawler/manifest/readme"
)

// heldOut reports whether a repository belongs to the quarter of the corpus that rules are not
// tuned on, by a hash of its name. One half was used for tuning, another quarter for inspection.
func heldOut(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(name)))
	return h.Sum32()>>7&1 == 1 && h.Sum32()>>9&1 == 1
}

// knownTools returns the names of tools that servers returned, that others listed and that
// evidence was found for, by repository in lower case.
func knownTools(t *testing.T, dir string) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	add := func(repo, name string) {
		repo = strings.ToLower(repo)
		if out[repo] == nil {
			out[repo] = map[string]bool{}
		}
		out[repo][name] = true
	}
	files, _ := filepath.Glob(filepath.Join(dir, "evidence", "*.json"))
	for _, f := range files {
		var e struct {
			Repo     string
			Evidence map[string]any
		}
		b, _ := os.ReadFile(f)
		if json.Unmarshal(b, &e) != nil {
			continue
		}
		for n := range e.Evidence {
			add(e.Repo, n)
		}
		for _, sub := range []string{"tools", "tools_go"} {
			for n := range toolNames(filepath.Join(dir, sub, filepath.Base(f))) {
				add(e.Repo, n)
			}
		}
	}
	type entry struct {
		Repo  string
		Tools []any
	}
	lists, _ := filepath.Glob(filepath.Join(dir, "lists", "*.jsonl"))
	for _, l := range append(lists, filepath.Join(dir, "evidence", "curated.jsonl")) {
		for _, e := range readLines[entry](t, l) {
			for _, v := range e.Tools {
				switch x := v.(type) {
				case string:
					add(e.Repo, x)
				case map[string]any:
					if n, ok := x["name"].(string); ok {
						add(e.Repo, n)
					}
				}
			}
		}
	}
	return out
}

// TestCorpusReadmeTools reports how many of the known tools named in a README are found, and how
// many of the found names are known tools (not a precision, because not all tools are known), for
// the repositories that the rules were tuned on and for those held out.
func TestCorpusReadmeTools(t *testing.T) {
	dir := corpusDir(t)
	known := knownTools(t, dir)
	type sum struct{ repos, named, read, found, right, described int }
	sums := map[bool]*sum{false: {}, true: {}}
	for _, r := range readRecords(t, filepath.Join(dir, "repos")) {
		names := known[strings.ToLower(r.full())]
		if len(names) == 0 {
			continue
		}
		var text strings.Builder
		got := map[string]string{}
		for p, readmeText := range r.snapshot().Texts {
			if !isReadme(strings.ToLower(path.Base(p))) {
				continue
			}
			text.WriteString(readmeText + "\n")
			if m, err := readme.Parse([]byte(readmeText)); err == nil {
				for _, tool := range m.Tools {
					got[tool.Name] = cmp.Or(got[tool.Name], tool.Description)
				}
			}
		}
		named := map[string]bool{}
		for n := range names {
			q := regexp.QuoteMeta(n)
			if !strings.ContainsAny(n, "_-") && n == strings.ToLower(n) {
				q = "`" + q + "[`(]" // ordinary words are names in code only
			} else {
				q = `(?:^|[^\w-])` + q + `(?:$|[^\w-])`
			}
			if regexp.MustCompile(q).MatchString(text.String()) {
				named[n] = true
			}
		}
		if len(named) == 0 {
			continue
		}
		s := sums[heldOut(r.full())]
		s.repos++
		var missed, others, bare []string
		for n := range named {
			s.named++
			if _, ok := got[n]; ok {
				s.read++
			} else {
				missed = append(missed, n)
			}
		}
		for n, d := range got {
			s.found++
			if names[n] {
				s.right++
				if len(strings.Fields(d)) >= 5 {
					s.described++
				} else {
					bare = append(bare, n)
				}
			} else {
				others = append(others, n)
			}
		}
		if testing.Verbose() && !heldOut(r.full()) {
			sort.Strings(missed)
			sort.Strings(others)
			sort.Strings(bare)
			t.Logf("%s: %d named, %d found; missed %v; others %v; without description %v", r.full(),
				len(named), len(got), missed, others, bare)
		}
	}
	for _, held := range []bool{false, true} {
		s := sums[held]
		if s.named == 0 {
			continue
		}
		share := func(a, b int) float64 { return 100 * float64(a) / float64(max(b, 1)) }
		name := map[bool]string{false: "tuned on", true: "held out"}[held]
		t.Logf("tools that READMEs name, %s: recall %.1f %% (%d of %d, %d repositories); known to "+
			"others %.1f %% of %d found; described %.1f %%",
			name, share(s.read, s.named), s.read, s.named, s.repos, share(s.right, s.found), s.found,
			share(s.described, s.right))
		if share(s.read, s.named) < 55 {
			t.Errorf("recall, %s: want at least 55 %%", name)
		}
	}
}
