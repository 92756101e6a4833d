package jobs

import (
	"bufio"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// TestInstallCorpus compares commands and variables with the configurations in
// the READMEs of recorded repositories. The judge reads those by itself: fenced
// blocks, decoded by encoding/json.
func TestInstallCorpus(t *testing.T) {
	corpus := os.Getenv("CENSUS_CORPUS")
	if corpus == "" {
		t.Skip("SKIPPED: no corpus; CENSUS_CORPUS is not set to a folder with repos/")
	}
	if _, err := os.Stat(filepath.Join(corpus, "repos")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", corpus)
	}
	listings := seedListings(t, corpus)
	var j installJudge
	paths, _ := filepath.Glob(filepath.Join(corpus, "repos", "*.json"))
	if len(paths) == 0 {
		t.Fatalf("%s has no records", corpus)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var r installRecord
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		j.repository(&r, listings)
	}
	for _, f := range []struct {
		fact  string
		tally *installTally
		least float64
	}{
		{"install: executable as README", &j.executable, 0.9},
		{"install: arguments as README", &j.arguments, 0.9},
		{"install: at least its variables", &j.variables, 0.9},
		{"install: all three", &j.whole, 0.9},
		{"install: named by repository", &j.named, 1},
		{"install: required, precision", &j.precision, 0.9},
		{"install: required, recall", &j.recall, 0.9},
		{"install: defaults, no examples", &j.defaults, 0.95},
	} {
		f.tally.report(t, f.fact, f.least)
	}
}

// An installRecord is what was recorded of one repository.
type installRecord struct {
	Owner, Name string
	Files       [][]any
	Readme      *struct{ Path, Text string }
	Texts       map[string]string
	NestedTexts map[string]string `json:"nested_texts"`
}

func (r *installRecord) snapshot() *registry.Snapshot {
	s := &registry.Snapshot{
		Repo: registry.Repository{Host: registry.GitHub, Owner: r.Owner, Name: r.Name,
			ObservedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		Texts: map[string]string{},
	}
	for _, texts := range []map[string]string{r.Texts, r.NestedTexts} {
		for p, text := range texts {
			s.Texts[p] = text
		}
	}
	if r.Readme != nil {
		s.Texts[r.Readme.Path] = r.Readme.Text
	}
	seen := map[string]bool{}
	for _, f := range r.Files {
		p, _ := f[0].(string)
		size, _ := f[1].(float64)
		seen[p] = true
		s.Files = append(s.Files, registry.File{Path: p, Size: int64(size)})
	}
	for p, text := range s.Texts {
		if !seen[p] { // a listing that was cut
			s.Files = append(s.Files, registry.File{Path: p, Size: int64(len(text))})
		}
	}
	slices.SortFunc(s.Files, func(a, b registry.File) int { return strings.Compare(a.Path, b.Path) })
	return s
}

// seedListings returns the recorded entries of the official registry by
// repository.
func seedListings(t *testing.T, corpus string) map[string][]registry.Listing {
	t.Helper()
	out := map[string][]registry.Listing{}
	b, err := os.ReadFile(filepath.Join(corpus, "official_seed.json"))
	if err != nil {
		return out
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(b, &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		entry, err := serverjson.ParseEntry(e)
		if err != nil {
			continue
		}
		if ref, err := registry.ParseRepoRef(entry.Listing.RepoURL); err == nil {
			out[ref.Key()] = append(out[ref.Key()], entry.Listing)
		}
	}
	return out
}

// An installTally counts how often something was right, in all and by halves of
// the repositories. Rules tuned to one half would not hold in the other.
type installTally struct {
	right, all int
	halves     [2]struct{ right, all int } // names from A to M, from N to Z
	wrong      []string
}

// is counts a fact of the repository that the first of wrong begins with.
func (c *installTally) is(ok bool, wrong ...string) bool {
	half := &c.halves[0]
	if strings.ToLower(wrong[0])[0] > 'm' {
		half = &c.halves[1]
	}
	c.all++
	half.all++
	if ok {
		c.right++
		half.right++
	} else {
		c.wrong = append(c.wrong, strings.Join(wrong, " "))
	}
	return ok
}

func (c *installTally) report(t *testing.T, fact string, least float64) {
	t.Helper()
	if c.all == 0 {
		t.Logf("%-34s nothing is known", fact)
		return
	}
	share := float64(c.right) / float64(c.all)
	t.Logf("%-34s %5.1f %%  (%d of %d; A-M %d of %d, N-Z %d of %d)", fact, 100*share, c.right, c.all,
		c.halves[0].right, c.halves[0].all, c.halves[1].right, c.halves[1].all)
	for _, w := range c.wrong {
		t.Logf("    %s", w)
	}
	if share < least {
		t.Errorf("%s: %.1f %%, want at least %.0f %%", fact, 100*share, 100*least)
	}
}

type installJudge struct {
	executable, arguments, variables, whole, named, precision, recall, defaults installTally
}

func (j *installJudge) repository(r *installRecord, listings map[string][]registry.Listing) {
	snap := r.snapshot()
	all := listings[snap.Repo.Ref().Key()]
	for _, found := range detect.Servers(snap, all).Servers {
		f := registry.Facts{Repo: snap.Repo, Detection: found.Detection, Readme: found.Readme}
		f.Listing = listingOf(all, &f.Repo, f.Detection)
		s := Score(f, snap.Repo.ObservedAt).Server
		name := path.Join(r.Owner, r.Name, s.Subfolder)
		var configs []readConfig
		if f.Readme != nil {
			configs = readConfigs(snap.Texts[f.Readme.Path])
		}
		p, ok := install.First(s.Packages)
		if ok {
			j.named.is(namedIn(snap.Texts, p.RegistryType, p.Identifier), name, p.RegistryType, p.Identifier)
			j.command(name, p, configs)
		}
		j.required(name, p, &s, configs)
		j.exampleDefaults(name, &s)
	}
}

// namedIn reports whether a text of the repository names a package by its whole
// name.
func namedIn(texts map[string]string, registryType, id string) bool {
	same := func(word string) bool { return strings.EqualFold(word, id) }
	if registryType == "pypi" {
		same = func(word string) bool {
			dashed := strings.NewReplacer("_", "-", ".", "-")
			return strings.EqualFold(dashed.Replace(word), dashed.Replace(id))
		}
	}
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
			return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("@/._-", r))
		}) {
			word = strings.TrimRight(word, "./-")
			if before, version, ok := strings.Cut(word[min(len(word), 1):], "@"); ok && version != "" {
				word = word[:1] + before
			}
			if same(word) || strings.HasSuffix(word, "/package/"+id) || strings.HasSuffix(word, "/project/"+id) {
				return true
			}
		}
	}
	return false
}

func (j *installJudge) command(name string, p registry.Package, configs []readConfig) {
	launch, _ := install.Of(p)
	got, ok := newReadConfig(launch.Command, launch.Args, launch.Env)
	if !ok {
		j.whole.is(false, name, "not understood:", install.Command(p))
		return
	}
	var same []readConfig
	for _, c := range configs {
		if c.kind == got.kind && strings.EqualFold(c.pkg, got.pkg) {
			same = append(same, c)
		}
	}
	if len(same) == 0 {
		return
	}
	score := func(c readConfig) (n int) {
		for i, ok := range []bool{c.program == got.program, sameWords(c.args, got.args),
			containsAll(got.env, c.env)} {
			if ok {
				n += 1 << (2 - i)
			}
		}
		return n
	}
	best := slices.MaxFunc(same, func(a, b readConfig) int { return score(a) - score(b) })
	n := score(best)
	j.executable.is(n&4 != 0, name, got.program, "want", best.program)
	j.arguments.is(n&2 != 0, name, "got", join(got.args), "want", join(best.args))
	j.variables.is(n&1 != 0, name, "got", join(got.env), "want", join(best.env))
	j.whole.is(n == 7, name)
}

func join(words []string) string { return "[" + strings.Join(words, " ") + "]" }

func containsAll(have, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}

// sameWords compares arguments, in which all placeholders are alike.
func sameWords(a, b []string) bool {
	blank := func(words []string) (out []string) {
		for _, w := range words {
			if name, value, found := strings.Cut(w, "="); found && judgedOpen(value) {
				w = name + "=?"
			} else if judgedOpen(w) {
				w = "?"
			}
			out = append(out, w)
		}
		return out
	}
	return slices.Equal(blank(a), blank(b))
}

// required judges which variables are said to be required, by the configurations
// that start the package in the way of the chosen command.
func (j *installJudge) required(name string, p registry.Package, s *registry.Server, configs []readConfig) {
	kind := map[string]string{"npm": "npx", "pypi": "uvx", "oci": "docker", "nuget": "dnx"}[p.RegistryType]
	n, open, seen := 0, map[string]int{}, map[string]bool{}
	for _, c := range configs {
		for _, v := range c.env {
			seen[v] = true
		}
		if c.kind != kind || !strings.EqualFold(c.pkg, p.Identifier) {
			continue
		}
		n++
		for _, v := range c.open {
			open[v]++
		}
	}
	if n == 0 {
		return
	}
	said := map[string]bool{}
	for _, v := range s.Variables {
		said[v.Name] = v.IsRequired
		if v.IsRequired && seen[v.Name] {
			j.precision.is(open[v.Name] == n, name, v.Name, "is not in all configurations")
		}
	}
	for v, times := range open {
		if times == n {
			j.recall.is(said[v], name, v, "is in all configurations")
		}
	}
}

var plainlyExample = regexp.MustCompile(`(?i)your|example|/path/to|^/users/|^/home/|^c:\\|<.*>|xxx|\.\.\.|changeme`)

func (j *installJudge) exampleDefaults(name string, s *registry.Server) {
	for _, v := range s.Variables {
		if v.Default != "" {
			j.defaults.is(!plainlyExample.MatchString(v.Default), name, v.Name, v.Default)
		}
	}
}

// A readConfig is one server of a client's configuration as the judge reads it.
type readConfig struct {
	program   string
	kind, pkg string // "npx", "uvx", "docker" or "dnx", and what it starts
	args      []string
	env, open []string // names of its variables; of those with a placeholder
}

var (
	fence       = regexp.MustCompile("^\\s*(```+|~~~+)\\s*([A-Za-z0-9]*)")
	lineComment = regexp.MustCompile(`(?m)^\s*//.*$|([,{\[])\s+//.*$`)
	lastComma   = regexp.MustCompile(`,(\s*[}\]])`)
)

// readConfigs returns the servers of all fenced blocks of a README that
// encoding/json can decode.
func readConfigs(readme string) (out []readConfig) {
	var block strings.Builder
	mark := ""
	lines := bufio.NewScanner(strings.NewReader(readme))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimLeft(lines.Text(), " \t>")
		m := fence.FindStringSubmatch(line)
		switch {
		case mark == "" && m != nil:
			mark = m[1]
			block.Reset()
		case mark != "" && strings.HasPrefix(line, mark):
			mark = ""
			out = append(out, configsIn(block.String())...)
		case mark != "":
			block.WriteString(line + "\n")
		}
	}
	return out
}

func configsIn(block string) (out []readConfig) {
	block = lastComma.ReplaceAllString(lineComment.ReplaceAllString(block, "$1"), "$1")
	var v map[string]any
	if json.Unmarshal([]byte(block), &v) != nil && json.Unmarshal([]byte("{"+block+"}"), &v) != nil {
		return nil
	}
	var walk func(v map[string]any, depth int)
	walk = func(v map[string]any, depth int) {
		for key, inner := range v {
			o, _ := inner.(map[string]any)
			switch key {
			case "mcpServers", "servers", "context_servers", "mcp.servers":
				for _, server := range o {
					s, _ := server.(map[string]any)
					command, _ := s["command"].(string)
					env := map[string]string{}
					if e, ok := s["env"].(map[string]any); ok {
						for name, value := range e {
							env[name], _ = value.(string)
						}
					}
					list, _ := s["args"].([]any)
					var args []string
					for _, a := range list {
						text, _ := a.(string)
						args = append(args, text)
					}
					if c, ok := newReadConfig(command, args, env); ok {
						out = append(out, c)
					}
				}
			default:
				if depth < 3 {
					walk(o, depth+1)
				}
			}
		}
	}
	walk(v, 0)
	return out
}

// valued are options of the runners that the next word belongs to.
var valued = []string{"-e", "--env", "-v", "--volume", "--name", "-p", "--publish", "--network", "--mount",
	"--from", "--with", "--python", "--package", "--platform", "--user", "-u", "--env-file", "--add-host",
	"--pull", "--entrypoint", "-w", "--index-url", "--extra-index-url"}

// newReadConfig takes a command apart. It is false for those that start no
// package.
func newReadConfig(command string, args []string, env map[string]string) (c readConfig, ok bool) {
	words := append(strings.Fields(command), args...)
	if len(words) > 2 && strings.EqualFold(words[0], "cmd") {
		words = words[2:]
	}
	if len(words) < 2 {
		return c, false
	}
	c.program, words = strings.TrimSuffix(path.Base(words[0]), ".cmd"), words[1:]
	switch c.program {
	case "npx", "bunx":
		c.kind = "npx"
	case "uvx", "dnx", "docker":
		c.kind = c.program
	default:
		return c, false
	}
	values := map[string]string{}
	for name, value := range env {
		values[name] = value
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, joined := strings.Cut(w, "=")
		switch {
		case c.pkg != "" && c.kind == "dnx" && (w == "--" || w == "--yes"), w == "run" && i == 0:
		case c.pkg != "":
			c.args = append(c.args, w)
		case strings.HasPrefix(w, "-") && slices.Contains(valued, name):
			if !joined && i+1 < len(words) && (c.kind != "npx" || name == "--package" || name == "-p") {
				i++
				value = words[i]
			}
			switch name {
			case "-e", "--env":
				if v, text, set := strings.Cut(value, "="); set || values[v] == "" {
					values[v] = text
				}
			case "--from", "--package":
				c.pkg = value
			case "-p":
				if c.kind == "npx" {
					c.pkg = value
				}
			case "--name", "--pull", "--platform":
			default:
				c.args = append(c.args, name, value)
			}
		case strings.HasPrefix(w, "-"):
		default:
			c.pkg = w
		}
	}
	c.pkg = bare(c.kind, c.pkg)
	for name, value := range values {
		c.env = append(c.env, name)
		if judgedOpen(value) {
			c.open = append(c.open, name)
		}
	}
	slices.Sort(c.env)
	return c, c.pkg != ""
}

// bare cuts off the version of a package.
func bare(kind, spec string) string {
	if i := strings.LastIndexByte(spec, '@'); i > 0 {
		spec = spec[:i]
	}
	if kind == "docker" {
		if i := strings.LastIndexByte(spec, ':'); i > strings.LastIndexByte(spec, '/') {
			spec = spec[:i]
		}
		return strings.TrimPrefix(spec, "docker.io/")
	}
	name, _, _ := strings.Cut(spec, "==")
	name, _, _ = strings.Cut(name, "[")
	if kind == "uvx" {
		name = strings.ReplaceAll(name, "_", "-")
	}
	return name
}

var openWords = regexp.MustCompile(`(?i)^$|your|_here|<.+>|^\[.+\]$|\$\{.+\}|^\{.+\}$|xxx|\.\.\.|…|\*\*\*|` +
	`/path/|path[/\\]to|` +
	`^/users/|^/home/|^c:\\|token|secret|password|api[_-]?key|^sk-|placeholder|changeme|replace`)

// judgedOpen reports whether a value stands for one that the user fills in.
func judgedOpen(value string) bool { return openWords.MatchString(value) }
