package detect

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// A record is one recorded repository of the corpus.
type record struct {
	Owner, Name   string
	DefaultBranch string `json:"default_branch"`
	Head          struct{ Sha string }
	Files         [][]any
	FilesCut      bool `json:"files_cut"`
	Readme        *struct{ Path, Text string }
	License       *struct {
		Path string
		SPDX string `json:"spdx_guess"`
	}
	Texts       map[string]string
	NestedTexts map[string]string `json:"nested_texts"`
}

func (r *record) full() string { return r.Owner + "/" + r.Name }

// all returns every recorded text by path.
func (r *record) all() map[string]string {
	out := map[string]string{}
	for p, t := range r.Texts {
		out[p] = t
	}
	for p, t := range r.NestedTexts {
		out[p] = t
	}
	return out
}

func (r *record) snapshot() *registry.Snapshot {
	s := &registry.Snapshot{Repo: registry.Repository{Host: registry.GitHub, Owner: r.Owner, Name: r.Name,
		DefaultBranch: r.DefaultBranch, Commit: r.Head.Sha,
		ObservedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}, Texts: r.all()}
	if r.Readme != nil {
		s.Texts[r.Readme.Path] = r.Readme.Text
	}
	for _, f := range r.Files {
		p, _ := f[0].(string)
		n, _ := f[1].(float64)
		s.Files = append(s.Files, registry.File{Path: p, Size: int64(n)})
	}
	for p := range s.Texts { // a truncated listing lacks some
		s.Files = append(s.Files, registry.File{Path: p, Size: int64(len(s.Texts[p]))})
	}
	sort.Slice(s.Files, func(i, j int) bool { return s.Files[i].Path < s.Files[j].Path })
	out := s.Files[:0]
	for i, f := range s.Files {
		if i == 0 || f.Path != s.Files[i-1].Path {
			out = append(out, f)
		}
	}
	s.Files = out
	return s
}

// corpusDir finds the recorded corpus: CENSUS_CORPUS, or the shared folder.
func corpusDir(t testing.TB) string {
	t.Helper()
	dirs := []string{os.Getenv("CENSUS_CORPUS")}
	if s := os.Getenv("CENSUS_SHARED"); s != "" {
		dirs = append(dirs, filepath.Join(s, "corpus"))
	}
	dirs = append(dirs, filepath.Join("..", "..", "..", "shared", "corpus"))
	for _, d := range dirs {
		if d == "" {
			continue
		}
		if !filepath.IsAbs(d) && d == os.Getenv("CENSUS_CORPUS") {
			if _, err := os.Stat(filepath.Join(d, "repos")); err != nil {
				d = filepath.Join("..", "..", d) // as make calls it, from the root
			}
		}
		if st, err := os.Stat(filepath.Join(d, "repos")); err == nil && st.IsDir() {
			return d
		}
	}
	t.Skip("SKIPPED: no corpus of recorded repositories; set CENSUS_CORPUS to a folder with repos/ and " +
		"lists/, or CENSUS_SHARED to the folder that has corpus/")
	return ""
}

// recordsBy caches the records that readRecords has read, by folder.
var recordsBy = map[string][]*record{}

// readRecords returns the records of a folder, which tests must not modify.
func readRecords(t testing.TB, dir string) []*record {
	t.Helper()
	if out, ok := recordsBy[dir]; ok {
		return out
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	var out []*record
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		r := &record{}
		if err := json.Unmarshal(b, r); err != nil {
			t.Fatalf("%s: %v", filepath.Base(p), err)
		}
		out = append(out, r)
	}
	recordsBy[dir] = out
	return out
}

func readLines[T any](t testing.TB, p string) []T {
	t.Helper()
	b, err := os.ReadFile(p)
	if err != nil {
		return nil
	}
	var out []T
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 4<<20)
	for sc.Scan() {
		var v T
		if json.Unmarshal(sc.Bytes(), &v) == nil {
			out = append(out, v)
		}
	}
	return out
}

// A tally counts correct results for a fact.
type tally struct {
	right, all int
	missed     []string
}

func (c *tally) is(ok bool, miss string) {
	c.all++
	if ok {
		c.right++
	} else {
		c.missed = append(c.missed, miss)
	}
}

func (c *tally) share() float64 {
	if c.all == 0 {
		return 1
	}
	return float64(c.right) / float64(c.all)
}

func (c *tally) report(t *testing.T, fact string, floor float64) {
	t.Helper()
	t.Logf("%-28s %5.1f %%  (%d of %d)", fact, 100*c.share(), c.right, c.all)
	for _, m := range c.missed {
		t.Logf("    missed: %s", m)
	}
	if c.share() < floor {
		t.Errorf("%s: %.1f %% correct, want at least %.0f %%", fact, 100*c.share(), 100*floor)
	}
}

// TestCorpus runs detection on every recorded repository and reports the share of correct results
// per fact. The expected facts are derived from the records by independent rules.
func TestCorpus(t *testing.T) {
	dir := corpusDir(t)
	records := readRecords(t, filepath.Join(dir, "repos"))
	negatives := readRecords(t, filepath.Join(dir, "repos_negative"))
	results := map[string]Result{}
	var servers, none tally
	for _, r := range records {
		res := Servers(r.snapshot(), nil)
		results[strings.ToLower(r.full())] = res
		servers.is(res.State == StateServer, r.full()+": "+res.State+": "+res.Reason)
	}
	for _, r := range negatives {
		res := Servers(r.snapshot(), nil)
		none.is(res.State == StateNotServer, r.full()+": "+res.State+": "+res.Reason)
	}
	servers.report(t, "real servers found", 1)
	none.report(t, "repositories without server", 1)

	var sdk, licence, members tally
	for _, r := range records {
		res := results[strings.ToLower(r.full())]
		truth := sdkTruth(r)
		if truth != "" {
			got := ""
			for _, s := range res.Servers {
				got = cmp.Or(got, s.Detection.SDK)
			}
			sdk.is(got == truth, r.full()+": "+got+", is "+truth)
		}
		if r.License != nil && len(res.Servers) > 0 {
			licence.is(res.Servers[0].Detection.LicenseFile, r.full()+": licence file "+r.License.Path)
			if l := licenceTruth(r); l != "" {
				licence.is(res.Servers[0].Detection.License == l || len(res.Servers) > 1, r.full()+": "+
					res.Servers[0].Detection.License+", is "+l)
			}
		}
		for _, m := range memberTruth(r) {
			found := false
			for _, s := range res.Servers {
				found = found || s.Detection.Subfolder == m
			}
			members.is(found, r.full()+": "+m)
		}
	}
	sdk.report(t, "sdk", 0.9)
	licence.report(t, "licence", 0.9)
	members.report(t, "monorepo members", 0.9)
	for _, r := range records {
		if res := results[strings.ToLower(r.full())]; len(res.Servers) > 1 {
			var extra []string
			truth := map[string]bool{}
			for _, m := range memberTruth(r) {
				truth[m] = true
			}
			for _, s := range res.Servers {
				if !truth[s.Detection.Subfolder] {
					extra = append(extra, s.Detection.Subfolder+" ("+s.Detection.Reason+")")
				}
			}
			t.Logf("    %s: %d servers, not in the truth: %s", r.full(), len(res.Servers),
				strings.Join(extra, ", "))
		}
	}
	packagesReport(t, dir, results)
	readmes := map[string]string{}
	for _, r := range records {
		for p, text := range r.snapshot().Texts {
			if strings.EqualFold(path.Base(p), "README.md") {
				readmes[strings.ToLower(r.full())] += "\n" + text
			}
		}
	}
	toolsReport(t, dir, results, readmes)
}

// TestCorpusUnderOtherNames checks that decisions depend on the contents of repositories: servers
// are found under a meaningless name, and other repositories are not servers under the name of
// one.
func TestCorpusUnderOtherNames(t *testing.T) {
	dir := corpusDir(t)
	var servers, none tally
	for _, r := range readRecords(t, filepath.Join(dir, "repos")) {
		s := r.snapshot()
		s.Repo.Owner, s.Repo.Name = "octo", "project"
		res := Servers(s, nil)
		servers.is(res.State == StateServer, r.full()+": "+res.Reason)
	}
	for _, r := range readRecords(t, filepath.Join(dir, "repos_negative")) {
		for _, name := range []string{"project", "mcp-server-project"} {
			s := r.snapshot()
			s.Repo.Owner, s.Repo.Name = "octo", name
			res := Servers(s, nil)
			none.is(res.State == StateNotServer, r.full()+" as "+name+": "+res.Reason)
		}
	}
	servers.report(t, "servers, under another name", 0.9)
	none.report(t, "no servers, under other names", 0.8)
}

// TestCorpusWithoutListing covers repositories of which only the README and the manifests of the
// root were read, as without a token.
func TestCorpusWithoutListing(t *testing.T) {
	dir := corpusDir(t)
	var servers, none tally
	run := func(r *record) Result {
		s := r.snapshot()
		s.Files = nil
		for p := range s.Texts {
			if strings.Contains(p, "/") {
				delete(s.Texts, p)
			}
		}
		return Servers(s, nil)
	}
	for _, r := range readRecords(t, filepath.Join(dir, "repos")) {
		res := run(r)
		servers.is(res.State == StateServer, r.full()+": "+res.Reason)
	}
	for _, r := range readRecords(t, filepath.Join(dir, "repos_negative")) {
		res := run(r)
		none.is(res.State != StateServer, r.full()+": "+res.Reason)
	}
	servers.report(t, "real servers, root files only", 0.9)
	none.report(t, "no server, root files only", 1)
}

// sdkTruth derives a repository's SDK from its manifests by plain search, "" if they name none or
// more than one.
func sdkTruth(r *record) string {
	found := map[string]bool{}
	for p, text := range r.all() {
		l := strings.ToLower(p)
		if strings.Contains(l, "example") || strings.Contains(l, "client") ||
			strings.Contains(l, "eval") || strings.Contains(l, "test") || strings.Contains(l, "tools/") {
			continue
		}
		switch base := path.Base(p); {
		case base == "package.json":
			found["typescript"] = found["typescript"] || strings.Contains(text, `"@modelcontextprotocol/sdk"`) || strings.Contains(text, `"fastmcp"`)
		case base == "pyproject.toml" || base == "requirements.txt":
			found["python"] = found["python"] || regexp.MustCompile(`(?m)["'\s]?(?:fast)?mcp(?:\[[a-z,]*\])?\s*[>=~<"^]`).MatchString(text) && regexp.MustCompile(`(?m)^\s*["']?(?:fast)?mcp\b`).MatchString(text)
		case base == "go.mod":
			found["go"] = found["go"] || regexp.MustCompile(`(?m)(modelcontextprotocol/go-sdk|mark3labs/mcp-go|foxy-contexts) v\S+\s*$`).MatchString(text)
		case base == "Cargo.toml":
			found["rust"] = found["rust"] || regexp.MustCompile(`(?m)^\s*(rmcp|rust-mcp-sdk|mcp-core|mcp-server)\s*=`).MatchString(text)
		case base == "pom.xml" || base == "build.gradle" || base == "build.gradle.kts":
			found["java"] = found["java"] || strings.Contains(text, "io.modelcontextprotocol.sdk") ||
				strings.Contains(text, "quarkus-mcp-server") ||
				strings.Contains(text, "spring-ai-starter-mcp-server")
		case strings.HasSuffix(base, ".csproj"):
			found["csharp"] = found["csharp"] || strings.Contains(text, `"ModelContextProtocol`)
		}
	}
	var out []string
	for k, ok := range found {
		if ok {
			out = append(out, k)
		}
	}
	if len(out) != 1 {
		return ""
	}
	return out[0]
}

// licenceTruth returns the licence in the root's manifest, if the licence file is recognised as
// the same.
func licenceTruth(r *record) string {
	for _, p := range []string{"package.json", "pyproject.toml", "Cargo.toml"} {
		if r.License != nil && r.License.SPDX != "other" && regexp.MustCompile(`(?m)^\s*"?license"?\s*[:=]\s*(?:\{\s*text\s*=\s*)?"`+regexp.QuoteMeta(r.License.SPDX)+`"`).MatchString(r.Texts[p]) {
			return r.License.SPDX
		}
	}
	return ""
}

var notMember = regexp.MustCompile(`(?i)(?:^|[/._-])(?:examples?|samples?|tests?|demo|docs?|evals?|clients?|templates?|mocks|scripts|website|landing|inspector|utils|common|core|shared|sdk)(?:[/._-]|$)`)

// memberTruth returns the folders with their own manifest that depends on an MCP SDK and can be
// started, if there are at least two.
func memberTruth(r *record) []string {
	var out []string
	files := map[string]bool{}
	for _, f := range r.Files {
		p, _ := f[0].(string)
		files[p] = true
	}
	for p, text := range r.NestedTexts {
		dir := path.Dir(p)
		if notMember.MatchString(dir) {
			continue
		}
		ok := false
		switch path.Base(p) {
		case "package.json":
			i := strings.Index(text, `"devDependencies"`)
			runtime := text
			if i >= 0 {
				j := strings.Index(text[i:], "}")
				runtime = text[:i] + text[i+max(j, 0):]
			}
			ok = strings.Contains(runtime, `"@modelcontextprotocol/sdk"`) && (strings.Contains(text, `"bin"`) || files[dir+"/wrangler.jsonc"] || files[dir+"/wrangler.json"] || files[dir+"/wrangler.toml"])
		case "pyproject.toml":
			ok = strings.Contains(text, "[project.scripts]") && regexp.MustCompile(`(?m)^\s*"(?:fast)?mcp\b`).MatchString(text)
		case "server.json":
			ok = strings.Contains(text, `"packages"`) && !strings.Contains(text, "<owner>")
		case "pom.xml":
			ok = strings.Contains(text, "quarkus-maven-plugin") &&
				strings.Contains(r.Texts["pom.xml"], "quarkus-mcp-server")
		}
		if ok {
			out = append(out, dir)
		}
	}
	sort.Strings(out)
	kept := out[:0]
	for i, d := range out {
		if i == 0 || d != out[i-1] {
			kept = append(kept, d)
		}
	}
	if len(kept) < 2 {
		return nil
	}
	return kept
}

func packagesReport(t *testing.T, dir string, results map[string]Result) {
	t.Helper()
	want := map[string]map[string]bool{} // repository to "kind:identifier"
	add := func(repo, kind, id string) {
		repo = strings.ToLower(repo)
		if _, ok := results[repo]; !ok || id == "" {
			return
		}
		if want[repo] == nil {
			want[repo] = map[string]bool{}
		}
		want[repo][truthKey(kind, id)] = true
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "npm", "*.json"))
	for _, p := range paths {
		var v struct {
			Name       string
			Repository any
		}
		b, _ := os.ReadFile(p)
		if json.Unmarshal(b, &v) != nil {
			continue
		}
		u := ""
		switch x := v.Repository.(type) {
		case string:
			u = x
		case map[string]any:
			u, _ = x["url"].(string)
		}
		if o, n := repoParts(u); o != "" {
			add(o+"/"+n, "npm", v.Name)
		}
	}
	type installation struct {
		Command string
		Args    []string
	}
	for _, l := range readLines[struct {
		Repo          string
		Installations map[string]installation
	}](t, filepath.Join(dir, "lists", "mcpm.jsonl")) {
		for _, i := range l.Installations {
			for _, a := range i.Args {
				if i.Command == "npx" && !strings.HasPrefix(a, "-") {
					if at := strings.LastIndexByte(a, '@'); at > 0 {
						a = a[:at]
					}
					if !strings.Contains(a, "://") &&
						(strings.HasPrefix(a, "@") || !strings.Contains(a, "/")) {
						add(l.Repo, "npm", a)
					}
					break
				}
				if i.Command == "uvx" && !strings.HasPrefix(a, "-") && !strings.Contains(a, "/") &&
					!strings.HasSuffix(a, ".py") {
					add(l.Repo, "pypi", strings.SplitN(a, "@", 2)[0])
					break
				}
			}
		}
	}
	b, _ := os.ReadFile(filepath.Join(dir, "official_seed.json"))
	var seed []struct {
		Repository struct{ URL string }
		Packages   []struct {
			RegistryName string `json:"registry_name"`
			Name         string
		}
	}
	_ = json.Unmarshal(b, &seed)
	for _, s := range seed {
		o, n := repoParts(s.Repository.URL)
		for _, p := range s.Packages {
			if (p.RegistryName == "npm" &&
				(strings.HasPrefix(p.Name, "@") || !strings.Contains(p.Name, "/"))) ||
				p.RegistryName == "pypi" && !strings.HasSuffix(p.Name, ".py") {
				add(o+"/"+n, p.RegistryName, p.Name)
			}
		}
	}
	repos := make([]string, 0, len(want))
	for r := range want {
		repos = append(repos, r)
	}
	sort.Strings(repos)
	var any, each tally
	for _, repo := range repos {
		got := map[string]bool{}
		var list []string
		for _, s := range results[repo].Servers {
			for _, p := range s.Detection.Packages {
				got[truthKey(p.RegistryType, p.Identifier)] = true
				list = append(list, p.RegistryType+":"+p.Identifier)
			}
		}
		one := false
		for w := range want[repo] {
			one = one || got[w]
			each.is(got[w], repo+": "+w+"; found "+strings.Join(list, " "))
		}
		any.is(one, repo)
	}
	any.report(t, "packages, one of them", 0.8)
	each.report(t, "packages, each", 0.75)
}

func toolsReport(t *testing.T, dir string, results map[string]Result, readmes map[string]string) {
	t.Helper()
	var truth, found, both, documented, read int
	var lines []string
	for _, sub := range []string{"tools", "tools_go"} {
		paths, _ := filepath.Glob(filepath.Join(dir, sub, "*.json"))
		for _, p := range paths {
			ev := strings.TrimSuffix(filepath.Base(p), ".json")
			var e struct{ Repo string }
			b, err := os.ReadFile(filepath.Join(dir, "evidence", ev+".json"))
			if err != nil || json.Unmarshal(b, &e) != nil {
				continue
			}
			res, ok := results[strings.ToLower(e.Repo)]
			if !ok {
				continue
			}
			names := toolNames(p)
			got := map[string]bool{}
			from := ""
			for _, s := range res.Servers {
				for _, tool := range s.Detection.Tools {
					got[tool.Name] = true
					from = s.Detection.ToolsFrom
				}
			}
			hit := 0
			for n := range names {
				if got[n] {
					hit++
				}
				if regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(n) + `($|[^\w-])`).MatchString(readmes[strings.ToLower(e.Repo)]) {
					documented++
					if got[n] {
						read++
					}
				}
			}
			truth, found, both = truth+len(names), found+len(got), both+hit
			lines = append(lines, strings.TrimSpace(e.Repo)+": "+strconv.Itoa(hit)+" of "+
				strconv.Itoa(len(names))+" found, "+strconv.Itoa(len(got)-hit)+" others, from "+from)
		}
	}
	if truth == 0 {
		return
	}
	t.Logf("%-28s %5.1f %% recall, %5.1f %% precision", "tools", 100*float64(both)/float64(truth),
		100*float64(both)/float64(max(found, 1)))
	t.Logf("%-28s %5.1f %% recall", "tools that a README names",
		100*float64(read)/float64(max(documented, 1)))
	if documented > 0 && float64(read) < 0.45*float64(documented) {
		t.Errorf("tools that a README names: only %d of %d found", read, documented)
	}
	for _, l := range lines {
		t.Logf("    %s", l)
	}
}

func toolNames(p string) map[string]bool {
	b, _ := os.ReadFile(p)
	var v any
	_ = json.Unmarshal(b, &v)
	out := map[string]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		switch x := v.(type) {
		case map[string]any:
			if list, ok := x["tools"].([]any); ok {
				for _, e := range list {
					if m, ok := e.(map[string]any); ok {
						if n, ok := m["name"].(string); ok {
							out[n] = true
						}
					}
				}
				return
			}
			if depth < 3 {
				for _, e := range x {
					walk(e, depth+1)
				}
			}
		}
	}
	walk(v, 0)
	return out
}

func truthKey(kind, id string) string {
	if kind == "pypi" {
		id = regexp.MustCompile(`[-_.]+`).ReplaceAllString(id, "-")
	}
	return strings.ToLower(kind + ":" + id)
}
