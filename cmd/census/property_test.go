package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler/read"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/settings"
	"mcpcensus/internal/config"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// The property: each option, argument, header, mount, variable and transport of the source that
// was chosen is in the result, in a refusal with its reason or in a note beside it; all outputs
// carry the same; and no output has a secret, a private host, a home folder or a person's name.

const authoredConfigurations = 200

// TestOwnersWords checks the property for generated configurations.
func TestOwnersWords(t *testing.T) {
	w := newEnvironment(t)
	var visited visits
	all := map[string]*authored{}
	for n := range authoredConfigurations {
		a := newAuthored(n)
		all[a.owner+"/"+a.name] = a
		visited.add(a.owner, a.name, a.files)
		if a.listing != nil {
			visited.listings[len(visited.repos)-1] = *a.listing
		}
		if a.kind == "npm" || a.kind == "pypi" {
			visited.packages = append(visited.packages, publishedFacts(a))
		}
	}
	w.ingest(&visited)
	o := w.outputs()
	var lost losses
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		if len(o.servers[name]) != 1 {
			t.Errorf("%s (%s): %d servers are listed", name, a.form, len(o.servers[name]))
			continue
		}
		said := o.of(o.servers[name][0])
		lost.outputs(name, said)
		lost.source(a, said)
	}
	lost.report(t, nil)
}

// source compares a configuration with what all outputs say.
func (l *losses) source(a *authored, said *answer) {
	example := func(p part) string {
		return fmt.Sprintf("%s/%s, %s, %s: %s; the record has %s", a.owner, a.name, a.form, a.kind, p, said.result())
	}
	refused := said.launch == nil && said.remote == nil
	if refused && !said.givesReason() {
		l.add("no reason: "+a.source(), example(part{}))
	}
	for _, p := range a.parts {
		if where := said.copies(p.private); len(where) > 0 {
			l.add("copied: "+a.source()+", "+p.kind, example(p)+", and copies are in "+strings.Join(where, ", "))
		}
		if !refused && !said.carries(p) {
			l.add("lost: "+a.source()+", "+p.kind, example(p))
		}
	}
}

// outputs compares the outputs with each other.
func (l *losses) outputs(name string, said *answer) {
	for _, d := range said.differences() {
		l.add("output: "+d.output, name+": "+d.text)
	}
}

// TestOwnersWordsOfRecords checks the property for recorded repositories: outputs agree, and have
// nothing private; and of the configurations in the README for the package of the command, at
// least one has nothing that is lost.
func TestOwnersWordsOfRecords(t *testing.T) {
	shared := os.Getenv("CENSUS_SHARED")
	corpus := os.Getenv("CENSUS_CORPUS")
	if corpus == "" && shared == "" {
		t.Skip("SKIPPED: neither CENSUS_CORPUS nor CENSUS_SHARED is set to a folder with recorded repositories")
	}
	if _, err := os.Stat(filepath.Join(corpus, "repos")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", "..", corpus)
	}
	if shared == "" {
		shared = filepath.Dir(corpus)
	}
	w := newEnvironment(t)
	var visited visits
	cases, _ := filepath.Glob(filepath.Join(shared, "cases", "*", "repos"))
	for _, dir := range append(cases, filepath.Join(corpus, "repos")) {
		for _, r := range readRecords(t, dir) {
			if !visited.has(r.full()) {
				visited.add(r.Owner, r.Name, r.texts())
			}
		}
	}
	visited.entries(t, filepath.Join(corpus, "official_seed.json"))
	if len(visited.repos) == 0 {
		t.Fatalf("no recorded repositories in %s and %s", corpus, shared)
	}
	w.ingest(&visited)
	o := w.outputs()
	var lost losses
	servers, compared := 0, 0
	for _, s := range visited.repos {
		name := s.Repo.Owner + "/" + s.Repo.Name
		for _, server := range o.servers[name] {
			servers++
			said := o.of(server)
			lost.outputs(name, said)
			for _, secret := range privateTexts.FindAllString(strings.Join(slices.Collect(maps.Values(s.Texts)), "\n"), -1) {
				if nobody.MatchString(secret) {
					continue
				}
				if where := said.copies(secret); len(where) > 0 {
					lost.add("copied", name+": "+secret+" in "+strings.Join(where, ", "))
				}
			}
			if configs := configurationsFor(said, s.Texts); len(configs) > 0 {
				compared++
				lost.readme(name, said, configs)
			}
		}
	}
	t.Logf("%d servers, %d of them with configurations to compare", servers, compared)
	lost.report(t, recordGaps)
}

// recordGaps are those of recorded repositories.
var recordGaps = map[string]string{}

// privateTexts matches keys and home folders.
var privateTexts = regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36}|sk-(?:live|proj|ant)-[A-Za-z0-9_-]{20,}|` +
	`xox[bp]-[A-Za-z0-9-]{20,}|AIza[A-Za-z0-9_-]{35})\b|(?:/Users|C:\\\\?Users\\?)[/\\][A-Za-z][A-Za-z0-9._-]+`)

// nobody matches the home folders of examples.
var nobody = regexp.MustCompile(`(?i)[/\\](?:user|users|username|you|your.*|me|name|runner|ubuntu|node|app|vscode)$`)

// readme adds a loss if each of the configurations has a part that the result lacks.
func (l *losses) readme(name string, said *answer, configs [][]part) {
	var missing []string
	for _, parts := range configs {
		i := slices.IndexFunc(parts, func(p part) bool { return !said.carries(p) })
		if i < 0 {
			return
		}
		missing = append(missing, parts[i].String())
	}
	l.add("lost: README", fmt.Sprintf("%s: %s; the record has %s", name, strings.Join(missing, " or "), said.result()))
}

var fencedBlock = regexp.MustCompile("(?ms)^[ \t>]*```[^\n]*\n(.*?)^[ \t>]*```")

// configurationsFor returns the parts of the configurations in a README that start the package of
// the command in the same way: variables, options of docker, and arguments.
func configurationsFor(said *answer, texts map[string]string) (all [][]part) {
	if said.launch == nil {
		return nil
	}
	readme := texts["README.md"]
	if sub := said.server.Subfolder; sub != "" {
		readme = texts[sub+"/README.md"]
	}
	for _, m := range fencedBlock.FindAllStringSubmatch(readme, -1) {
		var v any
		if json.Unmarshal([]byte(m[1]), &v) != nil && json.Unmarshal([]byte("{"+m[1]+"}"), &v) != nil {
			continue
		}
		c := clientEntry(v)
		if c == nil || len(c.Command) == 0 || c.Command[0] != said.launch.Command[0] {
			continue
		}
		at := slices.IndexFunc(c.Command, func(w string) bool {
			return slices.ContainsFunc(said.launch.Command, func(own string) bool { return isSamePackage(w, own) })
		})
		if at <= 0 {
			continue
		}
		var parts []part
		for variable := range c.Env {
			parts = append(parts, part{kind: "variable", name: variable})
		}
		for _, w := range c.Command[at+1:] {
			if strings.HasPrefix(w, "-") {
				name, _, _ := strings.Cut(w, "=")
				parts = append(parts, part{kind: "option", name: name})
			}
		}
		all = append(all, parts)
	}
	return all
}

// isSamePackage reports whether a word names the package of a word of the command, which has a version.
func isSamePackage(word, own string) bool {
	name, _, _ := strings.Cut(own, "==")
	if i := strings.LastIndexAny(name, "@:"); i > 0 {
		name = name[:i]
	}
	word = strings.TrimSuffix(strings.TrimSuffix(word, "@latest"), ":latest")
	return len(name) > 3 && !strings.HasPrefix(word, "-") && (word == name || word == own)
}

// visits are repositories to store, with their entries in the official registry and the facts of
// their packages.
type visits struct {
	repos    []*registry.Snapshot
	listings map[int]registry.Listing // by index
	packages []registry.PackageFacts
}

func (v *visits) has(name string) bool {
	return slices.ContainsFunc(v.repos, func(s *registry.Snapshot) bool { return s.Repo.Owner+"/"+s.Repo.Name == name })
}

// add adds a repository with its files.
func (v *visits) add(owner, name string, files map[string]string) {
	if v.listings == nil {
		v.listings = map[int]registry.Listing{}
	}
	n, at := len(v.repos)+1, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s := &registry.Snapshot{Texts: maps.Clone(files), Repo: registry.Repository{Host: registry.GitHub, ID: int64(1000 + n),
		NodeID: fmt.Sprint("R_", n), Owner: owner, Name: name, DefaultBranch: "main",
		Commit: fmt.Sprintf("%040x", n), CreatedAt: at.AddDate(-1, 0, 0), PushedAt: at, UpdatedAt: at, ObservedAt: at}}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(path, "README.md") { // as the crawler does
			s.Texts[path] = settings.Public(files[path])
		}
		s.Files = append(s.Files, registry.File{Path: path, Size: int64(len(files[path])), OID: fmt.Sprintf("%040x", n)})
	}
	v.repos = append(v.repos, s)
}

// entries adds the recorded entries of the official registry.
func (v *visits) entries(t *testing.T, file string) {
	t.Helper()
	var entries []json.RawMessage
	readJSON(file, &entries)
	for _, e := range entries {
		entry, err := serverjson.ParseEntry(e)
		if err != nil {
			continue
		}
		ref, err := registry.ParseRepoRef(entry.Listing.RepoURL)
		if err != nil {
			continue
		}
		for i, s := range v.repos {
			if s.Repo.Ref().Key() == ref.Key() {
				v.listings[i] = entry.Listing
			}
		}
	}
}

// texts are the recorded texts of the repository.
func (r *repoRecord) texts() map[string]string {
	out := map[string]string{}
	maps.Copy(out, r.Texts)
	maps.Copy(out, r.NestedTexts)
	if r.Readme != nil && r.Readme.Text != "" {
		out["README.md"] = r.Readme.Text
	}
	return out
}

// ingest stores the servers of repositories as visits would.
func (w *environment) ingest(v *visits) {
	w.t.Helper()
	ctx, now := w.t.Context(), time.Now()
	check := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	c, err := config.Load(w.environ)
	check(err)
	log, reader := slog.New(slog.DiscardHandler), newReader(w.t)
	up, err := newUpstreams(c, log, reader, newMetrics().event)
	check(err)
	for _, p := range v.packages {
		key := registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}
		check(w.db.EnqueuePackages(ctx, []registry.PackageKey{key}, now))
		check(w.db.SavePackage(ctx, p, now.AddDate(1, 0, 0), ""))
	}
	snapshots := map[string]*registry.Snapshot{}
	var candidates []registry.Candidate
	for i, s := range v.repos {
		snapshots[s.Repo.Ref().Key()] = s
		candidate := registry.Candidate{Ref: s.Repo.Ref(), HostID: s.Repo.ID, Source: "manual"}
		if l, ok := v.listings[i]; ok {
			settings.Clean(&l) // as the reader of the official registry does
			candidate.Listing = &l
		}
		candidates = append(candidates, candidate)
	}
	_, err = w.db.Enqueue(ctx, candidates, now)
	check(err)
	works, err := w.db.Lease(ctx, len(v.repos), time.Hour, now.Add(time.Minute))
	check(err)
	if len(works) != len(v.repos) {
		w.t.Fatalf("%d of %d repositories were leased", len(works), len(v.repos))
	}
	in := &jobs.Ingester{Facts: w.db, Results: w.db, Hosts: up.checks.hosts(), Reader: reader, Log: log,
		Strikes: &read.Strikes{Store: w.db, Log: log}, Texts: w.db.Texts, Now: time.Now}
	for _, work := range works {
		check(in.Ingest(ctx, registry.Visit{Work: work, Outcome: registry.Fetched, Snapshot: snapshots[work.Ref.Key()]}))
	}
}

// publishedFacts returns what the package service has of the package.
func publishedFacts(a *authored) registry.PackageFacts {
	found, at := true, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	return registry.PackageFacts{RegistryType: a.kind, Identifier: a.id, Found: &found, Latest: "1.2.0", LatestAt: &at,
		RepoURL: "https://github.com/" + a.owner + "/" + a.name, RepoURLKnown: true, ObservedAt: &at}
}

// losses are what was lost or copied, by kind, each with the shortest example.
type losses struct {
	count    map[string]int
	shortest map[string]string
}

func (l *losses) add(kind, example string) {
	if l.count == nil {
		l.count, l.shortest = map[string]int{}, map[string]string{}
	}
	l.count[kind]++
	if old, ok := l.shortest[kind]; !ok || len(example) < len(old) {
		l.shortest[kind] = example
	}
}

// report fails for losses that are not known, and for known ones that do not occur.
func (l *losses) report(t *testing.T, known map[string]string) {
	t.Helper()
	for _, kind := range slices.Sorted(maps.Keys(l.count)) {
		if known[kind] == "" {
			t.Errorf("%s: %d times, the shortest: %s", kind, l.count[kind], l.shortest[kind])
		} else {
			t.Logf("known: %s: %d times: %s", kind, l.count[kind], known[kind])
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(known)) {
		if l.count[kind] == 0 {
			t.Errorf("%s does not occur: remove it from the known losses", kind)
		}
	}
}
