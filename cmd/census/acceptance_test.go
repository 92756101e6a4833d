package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/config"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
	"mcpcensus/scorer"
)

// TestAcceptance crawls a recorded internet with the program itself and compares the listing
// with known facts. CENSUS_CORPUS is the folder of the records; internet-replay is expected
// next to it or in CENSUS_SHARED.
func TestAcceptance(t *testing.T) {
	corpus := recordedCorpus(t)
	records := readRecords(t, filepath.Join(corpus, "repos"))
	negatives := readRecords(t, filepath.Join(corpus, "repos_negative"))
	if len(records) == 0 {
		t.Fatalf("%s holds no records", filepath.Join(corpus, "repos"))
	}
	replay := startReplay(t, corpus)

	w := &environment{t: t, url: replay}
	w.useDatabase(pgtest.URL(t))
	w.environ = slices.DeleteFunc(w.environ,
		func(kv string) bool { return strings.HasPrefix(kv, "CENSUS_LISTS=") })
	var lists []string
	found, _ := filepath.Glob(filepath.Join(corpus, "lists", "*.jsonl"))
	for _, l := range found {
		lists = append(lists, replay+"/awesome/"+strings.TrimSuffix(filepath.Base(l), ".jsonl")+
			".md")
	}
	// The recording has no archives of packages.
	w.environ = append(w.environ, "CENSUS_LISTS="+strings.Join(lists, ","), "CENSUS_ARCHIVES=off")

	start := time.Now()
	w.run("crawl")
	t.Logf("the crawl took %s", time.Since(start).Round(time.Second))
	a := &acceptance{t: t, town: w}
	var named tally
	for _, r := range records {
		named.is(len(a.servers(r.full())) > 0, "")
	}
	named.wrong = nil // others are added by hand below
	named.report(t, "named by the sources", 0)

	// Repositories that no source names are added by hand, including those without servers.
	names := filepath.Join(t.TempDir(), "names.txt")
	var text strings.Builder
	for _, r := range append(slices.Clone(records), negatives...) {
		fmt.Fprintf(&text, "https://github.com/%s\n", r.full())
	}
	if err := os.WriteFile(names, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run("add", "-f", names)
	w.run("crawl", "--source", "official-registry")

	a.listing(records, negatives)
	a.facts(corpus, records)
	a.tools(corpus, records, negatives)
	a.installs(records)
	a.identity(corpus, records)
	a.copies()
	a.scores(corpus, records)
	a.changes(records)
	for _, f := range measured {
		if text := former(f); strings.Contains(text, "FELL") {
			t.Logf("%s: %s,%s", f.Fact, f.Share(), text)
		}
	}
	if *update {
		writeAccuracy(t, records, len(negatives))
	}
}

// recordedCorpus returns the folder of the records. The test is skipped if there is none.
func recordedCorpus(t *testing.T) string {
	t.Helper()
	corpus := os.Getenv("CENSUS_CORPUS")
	if corpus == "" {
		t.Skip("SKIPPED: CENSUS_CORPUS is not set; `make acceptance CORPUS=dir` sets it to a folder with repos/ and repos_negative/")
	}
	if _, err := os.Stat(filepath.Join(corpus, "repos")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", "..", corpus) // as make is given it, from the root
	}
	return corpus
}

// repoRecord is the record of one repository.
type repoRecord struct {
	Owner, Name string
	Head        struct {
		CommitDate time.Time `json:"commit_date"`
	}
	FirstCommit time.Time `json:"first_commit_date"`
	TagCount    int       `json:"tag_count"`
	Tags        []struct {
		Name string
		Date time.Time
	}
	Files   [][]any
	Readme  *struct{ Text string }
	License *struct {
		Path string
		SPDX string `json:"spdx_guess"`
	}
	Texts       map[string]string
	NestedTexts map[string]string `json:"nested_texts"`
}

func (r *repoRecord) full() string { return r.Owner + "/" + r.Name }

func readRecords(t *testing.T, dir string) []*repoRecord {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	var out []*repoRecord
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		r := new(repoRecord)
		if err := json.Unmarshal(text, r); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		out = append(out, r)
	}
	return out
}

// startReplay installs and starts internet-replay over a corpus, with further
// arguments, and returns its address.
func startReplay(t *testing.T, corpus string, more ...string) string {
	t.Helper()
	var dir string
	for _, beside := range []string{os.Getenv("CENSUS_SHARED"), filepath.Dir(corpus),
		filepath.Join("..", "..", "..", "shared")} {
		if _, err := os.Stat(filepath.Join(beside, "internet-replay",
			"server.mjs")); beside != "" && err == nil {
			dir = filepath.Join(beside, "internet-replay")
			break
		}
	}
	if dir == "" {
		t.Skip("SKIPPED: no internet-replay beside the corpus; set CENSUS_SHARED to the folder that holds it")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: internet-replay needs %s, which is not installed", program)
		}
	}
	copied := t.TempDir()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.IsDir() {
			if d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(copied, rel), 0o755)
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(copied, rel), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	install := exec.Command("npm", "ci", "--silent", "--no-audit", "--no-fund")
	install.Dir = copied
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: internet-replay could not be installed: %v: %s", err, out)
	}
	abs, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"server.mjs", "--corpus", abs, "--port", "0", "--placeholders", "1",
		"--core-limit", "1000000", "--graphql-limit", "1000000", "--search-limit", "1000000"}, more...)
	if mirror := os.Getenv("CENSUS_MIRROR"); mirror != "" {
		args = append(args, "--mirror", mirror) // git directories of the repositories
	}
	server := exec.Command("node", args...)
	server.Dir, server.Stderr = copied, os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("internet-replay did not start: %v", err)
	}
	var ready struct{ URL string }
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatalf("internet-replay said %q", line)
	}
	return ready.URL
}

// An acceptance compares a crawl with the truth.
type acceptance struct {
	t    *testing.T
	town *environment
}

func repoKey(name string) string {
	owner, base, _ := strings.Cut(name, "/")
	return registry.RepoRef{Host: registry.GitHub, Owner: owner, Name: base}.Key()
}

// servers returns the listed servers of a repository.
func (a *acceptance) servers(name string) []registry.Server {
	a.t.Helper()
	return pgtest.ServersOf(a.t, a.town.db, repoKey(name), 0)
}

// A tally counts how often something was right.
type tally struct {
	right, all int
	wrong      []string
}

func (c *tally) is(ok bool, format string, args ...any) {
	c.all++
	if ok {
		c.right++
	} else {
		c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	}
}

// measured are the figures that were reported.
var measured []Figure

// former compares a figure with the last report; "" if only one of them was measured with the
// files of the repositories.
func former(f Figure) string {
	last := Last()
	if last.Sources != (os.Getenv("CENSUS_MIRROR") != "") {
		return ""
	}
	return "  " + last.Compared(f)
}

// writeAccuracy writes the measured figures into the file behind /docs/accuracy.
func writeAccuracy(t *testing.T, records []*repoRecord, negatives int) {
	t.Helper()
	archives := func(f Figure) bool {
		return strings.HasPrefix(f.Fact, "archives ") || strings.HasSuffix(f.Fact, " (archive)") ||
			strings.Contains(f.Fact, "unseen")
	}
	for _, f := range Last().Figures { // of servers whose responses are not here
		isSame := func(m Figure) bool { return m.Fact == f.Fact }
		if strings.Contains(f.Fact, "unseen") && !slices.ContainsFunc(measured, isSame) {
			measured = append(measured, f)
		}
	}
	last := slices.DeleteFunc(slices.Clone(measured), func(f Figure) bool { return !archives(f) })
	measured = append(slices.DeleteFunc(measured, archives), last...)
	var commits []string
	for _, r := range records {
		commits = append(commits, r.Head.CommitDate.UTC().Format(time.DateOnly))
	}
	slices.Sort(commits)
	text, err := json.MarshalIndent(Report{
		Repositories: len(records), Negatives: negatives, Sources: os.Getenv("CENSUS_MIRROR") != "",
		OldestCommit: commits[0], NewestCommit: commits[len(commits)-1], Figures: measured,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	err = os.WriteFile("testdata/accuracy.json", append(text, '\n'), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("wrote testdata/accuracy.json; go test ./cmd/census -run TestAccuracyPage -update writes the page")
}

// report prints the share right, and fails if it is below least.
func (c *tally) report(t *testing.T, fact string, least float64) {
	t.Helper()
	if c.all == 0 {
		t.Logf("%-30s   nothing known of it here", fact)
		return
	}
	share := float64(c.right) / float64(c.all)
	f := Figure{Fact: fact, Right: c.right, All: c.all,
		Date: time.Now().UTC().Format(time.DateOnly)}
	measured = append(measured, f)
	t.Logf("%-30s %5.1f %%  (%d of %d)%s", fact, 100*share, c.right, c.all, former(f))
	for _, w := range c.wrong {
		t.Logf("    %s", w)
	}
	if share < least {
		t.Errorf("%s: %.1f %% are right, at least %.0f %% are wanted", fact, 100*share, 100*least)
	}
}

func (a *acceptance) listing(records, negatives []*repoRecord) {
	a.t.Helper()
	var listed, unlisted tally
	for _, r := range records {
		listed.is(len(a.servers(r.full())) > 0, "%s is not listed", r.full())
	}
	for _, r := range negatives {
		unlisted.is(len(a.servers(r.full())) == 0, "%s is listed", r.full())
	}
	listed.report(a.t, "servers listed", 1)
	unlisted.report(a.t, "not servers, not listed", 1)
}

func (a *acceptance) facts(corpus string, records []*repoRecord) {
	a.t.Helper()
	var sdk, licence, members, anyPackage, eachPackage, workflows, steps, settings tally
	want := knownPackages(corpus)
	for _, r := range records {
		servers := a.servers(r.full())
		if len(servers) == 0 {
			continue // reported already
		}
		if truth := sdkOf(r); truth != "" {
			has := func(s registry.Server) bool { return s.SDK == truth }
			sdk.is(slices.ContainsFunc(servers, has), "%s: %q, is %s", r.full(), servers[0].SDK,
				truth)
		}
		if r.License != nil && r.License.SPDX != "" && r.License.SPDX != "other" {
			truth := cmp.Or(map[string]string{"BSD": "BSD-3-Clause",
				"LGPL": "LGPL-3.0"}[r.License.SPDX], r.License.SPDX)
			base := func(s string) string {
				return strings.TrimSuffix(strings.TrimSuffix(s,
					"-only"), "-or-later")
			}
			licence.is(base(servers[0].License) == base(truth), "%s: %q, is %s", r.full(),
				servers[0].License, truth)
		}
		for _, m := range membersOf(r) {
			in := func(s registry.Server) bool { return s.Subfolder == m }
			members.is(slices.ContainsFunc(servers, in), "%s: %s is missing", r.full(), m)
		}
		id, err := a.town.db.RepositoryID(a.t.Context(), repoKey(r.full()), 0)
		if err != nil {
			a.t.Fatal(err)
		}
		texts, err := a.town.db.Texts(a.t.Context(), id)
		if err != nil {
			a.t.Fatal(err)
		}
		for _, s := range servers {
			f := pgtest.FactsOf(a.t, a.town.db, s.ID)
			if t := f.Tree; t != nil && t.Workflows > 0 {
				workflows.is(t.CIRead || t.CIStep != nil, "%s: a workflow was not read", s.Slug)
				if step := t.CIStep; step != nil {
					word, _, _ := strings.Cut(step.Command, " ")
					steps.is(strings.Contains(texts[step.Path], word), "%s: %s does not have %q",
						s.Slug, step.Path, step.Command)
				}
			}
			for _, v := range s.Variables {
				settings.is(v.Description != "", "")
			}
		}
		got := map[string]bool{}
		for _, s := range servers {
			for _, p := range s.Packages {
				got[packageName(p.RegistryType, p.Identifier)] = true
			}
		}
		names := want[strings.ToLower(r.full())]
		one := false
		for _, n := range names {
			eachPackage.is(got[n], "%s: %s is missing", r.full(), n)
			one = one || got[n]
		}
		if len(names) > 0 {
			anyPackage.is(one, "%s: none of %s", r.full(), strings.Join(names, ", "))
		}
	}
	sdk.report(a.t, "sdk", 0.9)
	licence.report(a.t, "licence", 0.9)
	members.report(a.t, "members of monorepos", 0.9)
	anyPackage.report(a.t, "packages, one of them", 0.8)
	eachPackage.report(a.t, "packages, each", 0.75)
	// Workflows are read from git directories alone (CENSUS_MIRROR).
	workflows.report(a.t, "workflows read", 0)
	steps.report(a.t, "CI steps that their files have", 0.9)
	settings.wrong = nil // a README without descriptions is not our error
	settings.report(a.t, "settings with a description", 0)
}

// scores judges the pairs and bounds of the model's protocol. They hold for the day each
// repository was recorded and for recorded facts; the recorded world makes up the rest (see
// asRecorded).
func (a *acceptance) scores(corpus string, records []*repoRecord) {
	a.t.Helper()
	scores := map[string]int{}
	var scored tally
	var trial, atHead scorer.Trial // of one server of each repository: its servers are alike
	seed, histories, newest := seedNames(corpus), a.histories(corpus), newestOf(records)
	for _, r := range records {
		servers := a.servers(r.full())
		if len(servers) > 0 {
			scored.is(servers[0].Health.Score != nil, "%s: %s", r.full(), servers[0].Health.Status)
		}
		history := histories[r.full()]
		for i, s := range servers {
			f := pgtest.FactsOf(a.t, a.town.db, s.ID)
			if i == 0 {
				known := asRecorded(f, r, history.Activity(newest), seed)
				known.Repo.ObservedAt = newest
				trial.Add(&known, newest)
			}
			if s.Subfolder != "" && len(servers) > 1 {
				continue
			}
			known := asRecorded(f, r, history.Activity(r.Head.CommitDate), seed)
			if i == 0 {
				atHead.Add(&known, r.Head.CommitDate)
			}
			known.Repo.ObservedAt = r.Head.CommitDate
			if h := jobs.Score(known, r.Head.CommitDate).Server.Health; h.Score != nil {
				scores[r.full()] = withoutCoverageCap(h)
			}
		}
	}
	scored.report(a.t, "scored", 1)
	// Figures that do not fail the run: a corpus of listed and active servers does not
	// represent all servers. The servers are judged on the day of the newest commit of all, as
	// if nothing had followed.
	for _, f := range trial.Findings(validationSeed) {
		a.t.Logf("    %s", f)
	}
	for _, f := range atHead.Findings(validationSeed) {
		if strings.HasPrefix(f.Name, "standard deviation") {
			a.t.Logf("    each on the day of its own newest commit: %s", f)
		}
	}
	var judged tally
	for _, o := range Judge(scores) {
		if o.Judged {
			a.t.Logf("    %s: %s", o.Name, o.Detail)
			judged.is(o.OK, "%s: %s, but %s", o.Name, o.Detail, o.Because)
		}
	}
	// All of them: a pair that does not hold is a fault of the score or of the records, to be
	// examined.
	judged.report(a.t, "pairs and bounds of scores", 1)
}

// histories returns the recorded histories by owner/name.
func (a *acceptance) histories(corpus string) map[string]*History {
	a.t.Helper()
	list, err := ReadHistories(filepath.Join(corpus, "repos"))
	if err != nil {
		a.t.Fatal(err)
	}
	out := map[string]*History{}
	for i := range list {
		out[list[i].Repo] = &list[i]
	}
	return out
}

// newestOf returns the date of the newest commit of all.
func newestOf(records []*repoRecord) time.Time {
	var newest time.Time
	for _, r := range records {
		if r.Head.CommitDate.After(newest) {
			newest = r.Head.CommitDate
		}
	}
	return newest
}

// asRecorded returns facts with the data of the repository's record, as of its head commit,
// the last recorded moment, and with the rest unknown. The recorded world dates every package
// and SDK to the day of the recording, invents checks, issues, releases and accounts, has no
// vulnerability and lists every server.json in the official registry: none of that is about
// the server, and the protocol (8.3) is about recorded repositories. Existing packages count,
// as in the experiment behind the model; missing ones do not, because most of the world was
// not recorded.
func asRecorded(
	f registry.Facts, r *repoRecord, activity *registry.Activity, seed map[string]bool,
) registry.Facts {
	day := r.Head.CommitDate
	f.Activity = activity
	repo := &f.Repo
	repo.CreatedAt, repo.CommittedAt = r.FirstCommit, &day
	repo.LatestReleases, repo.Releases, repo.LatestTag, repo.Tags = nil, nil, nil, &r.TagCount
	for _, tag := range r.Tags {
		if at := tag.Date; !at.After(day) &&
			(repo.LatestTag == nil || at.After(*repo.LatestTag.PublishedAt)) {
			repo.LatestTag = &registry.Release{Tag: tag.Name, PublishedAt: &at}
		}
	}
	repo.CheckState, repo.CheckStateKnown = "", false
	repo.OwnerVerified, repo.OwnerCreatedAt, repo.IssuesEnabled = nil, nil, nil
	f.Issues, f.SDK, f.Endpoints, f.Scorecard = nil, nil, nil, nil
	f.ListingKnown = false
	if f.Listing != nil && !seed[f.Listing.Name] {
		f.Listing = nil
	}
	if f.Listing != nil {
		l := *f.Listing
		l.PublishedAt, l.UpdatedAt, l.Version = nil, nil, ""
		f.Listing = &l
	}
	packages := make([]registry.PackageFacts, 0, len(f.Packages))
	for _, p := range f.Packages {
		if p.Found != nil && *p.Found {
			packages = append(packages, registry.PackageFacts{
				RegistryType: p.RegistryType, Identifier: p.Identifier, Found: p.Found,
				RepoURL: p.RepoURL, RepoURLKnown: p.RepoURLKnown, ObservedAt: p.ObservedAt,
				Archive: &registry.ArchiveTools{MCPName: p.MCPName()},
			})
		}
	}
	f.Packages = packages
	return f
}

// withoutCoverageCap returns a score without the cap on a low coverage, which is about the
// records, not about the server.
func withoutCoverageCap(h registry.Health) int {
	score := int(h.Uncapped)
	for _, c := range h.Caps {
		if c.ID != "low_coverage" {
			score = min(score, c.Max)
		}
	}
	return score
}

// seedNames returns the names of the recorded entries of the official registry.
func seedNames(corpus string) map[string]bool {
	var seed []struct{ Name string }
	text, _ := os.ReadFile(filepath.Join(corpus, "official_seed.json"))
	_ = json.Unmarshal(text, &seed) // a corpus may have none
	names := map[string]bool{}
	for _, s := range seed {
		names[s.Name] = true
	}
	return names
}

// changes archives two repositories and removes two, and checks their states.
func (a *acceptance) changes(records []*repoRecord) {
	t, w := a.t, a.town
	t.Helper()
	var single []*repoRecord
	for _, r := range records {
		if s := a.servers(r.full()); len(s) == 1 && s[0].Status == registry.StatusActive {
			single = append(single, r)
		}
	}
	if len(single) < 4 {
		t.Logf("only %d repositories could be archived or taken away: not tried", len(single))
		return
	}
	archive, remove := single[:2], single[2:4]
	slugs := map[string]string{}
	var names []string
	for _, r := range archive {
		a.change(r.full(), "archived")
		names = append(names, r.full())
	}
	for _, r := range remove {
		slugs[r.full()] = a.servers(r.full())[0].Slug
		a.change(r.full(), "gone")
		names = append(names, r.full())
	}
	w.run(append([]string{"add"}, names...)...)
	w.run("crawl", "--source", "official-registry")
	var archived, unreachable, deleted tally
	for _, r := range archive {
		for _, s := range a.servers(r.full()) {
			archived.is(s.Status == registry.StatusArchived && s.Health.Score != nil &&
				*s.Health.Score <= 29, "%s: %s", r.full(), s.Status)
		}
	}
	for _, r := range remove {
		servers := a.servers(r.full())
		unreachable.is(len(servers) == 1 && servers[0].Status == registry.StatusUnreachable,
			"%s: %d servers", r.full(), len(servers))
	}
	archived.report(t, "archived after a change", 1)
	unreachable.report(t, "unreachable after one miss", 1)

	// Gone requires three misses over 72 hours: the crawl continues later, first with manual
	// candidates.
	c, err := config.Load(w.environ)
	if err != nil {
		t.Fatal(err)
	}
	app := &app{environ: w.environ, stdout: io.Discard, stderr: io.Discard, config: c,
		log: slog.New(slog.DiscardHandler)}
	for _, days := range []time.Duration{2, 4} {
		up, err := newUpstreams(c, app.log, newReader(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		crawler := app.newCrawler(w.db, up, jobs.Observer{})
		crawler.Now = func() time.Time { return time.Now().Add(days * 24 * time.Hour) }
		w.run(append([]string{"add"}, names[len(archive):]...)...)
		if n, err := crawler.Refresh(t.Context(), len(remove)); err != nil || n != len(remove) {
			t.Fatalf("visited %d of %d: %v", n, len(remove), err)
		}
	}
	for _, r := range remove {
		_, err := pgtest.Find(t, w.db, slugs[r.full()])
		deleted.is(errors.Is(err, registry.ErrGone), "%s: %v", r.full(), err)
	}
	deleted.report(t, "deleted after three misses", 1)
}

// change sets a member of a repository of the recorded world to true.
func (a *acceptance) change(name, member string) {
	a.t.Helper()
	body, _ := json.Marshal(map[string]any{"full_name": name, "set": map[string]bool{member: true}})
	resp, err := http.Post(a.town.url+"/_replay/repo", "application/json", bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(resp.Body)
		a.t.Fatalf("internet-replay refused %s: %s", body, said)
	}
}

// sdkOf reads a repository's SDK off its manifests by plain search; "" where
// they name none or several.
func sdkOf(r *repoRecord) string {
	signs := []struct {
		sdk   string
		file  *regexp.Regexp
		holds *regexp.Regexp
	}{
		{"typescript", regexp.MustCompile(`^package\.json$`),
			regexp.MustCompile(`"@modelcontextprotocol/sdk"|"fastmcp"`)},
		{"python", regexp.MustCompile(`^(pyproject\.toml|requirements\.txt)$`),
			regexp.MustCompile(`(?m)^\s*["']?(?:fast)?mcp(?:\[[a-z,]*\])?\s*(?:[>=~<!]|["']|$)`)},
		{"go", regexp.MustCompile(`^go\.mod$`),
			regexp.MustCompile(`(?m)(?:modelcontextprotocol/go-sdk|mark3labs/mcp-go) v\S+\s*$`)},
		{"rust", regexp.MustCompile(`^Cargo\.toml$`),
			regexp.MustCompile(`(?m)^\s*(?:rmcp|rust-mcp-sdk)\s*=`)},
		{"java", regexp.MustCompile(`^(pom\.xml|build\.gradle(\.kts)?)$`),
			regexp.MustCompile(`io\.modelcontextprotocol\.sdk|quarkus-mcp-server|spring-ai-starter-mcp-server`)},
		{"csharp", regexp.MustCompile(`\.csproj$`), regexp.MustCompile(`"ModelContextProtocol`)},
	}
	aside := regexp.MustCompile(`(?i)example|client|eval|test|tools/`)
	found := map[string]bool{}
	for _, texts := range []map[string]string{r.Texts, r.NestedTexts} {
		for p, text := range texts {
			for _, s := range signs {
				if !aside.MatchString(p) && s.file.MatchString(path.Base(p)) &&
					s.holds.MatchString(text) {
					found[s.sdk] = true
				}
			}
		}
	}
	if len(found) != 1 {
		return ""
	}
	for sdk := range found {
		return sdk
	}
	return ""
}

// membersOf returns the folders of a repository with a manifest that depends on an MCP SDK and
// names a program; nil if there are fewer than two.
func membersOf(r *repoRecord) []string {
	aside := regexp.MustCompile(
		`(?i)(?:^|[/._-])(?:examples?|samples?|tests?|demo|docs?|evals?|clients?|templates?|mocks|scripts|website|landing|inspector|utils|common|core|shared|sdk)(?:[/._-]|$)`)
	python := regexp.MustCompile(`(?m)^\s*"(?:fast)?mcp\b`)
	var out []string
	for p, text := range r.NestedTexts {
		dir := path.Dir(p)
		if aside.MatchString(dir) {
			continue
		}
		switch path.Base(p) {
		case "package.json":
			var m struct {
				Dependencies map[string]any
				Bin          any
			}
			if json.Unmarshal([]byte(text), &m) == nil && m.Bin != nil &&
				m.Dependencies["@modelcontextprotocol/sdk"] != nil {
				out = append(out, dir)
			}
		case "pyproject.toml":
			if strings.Contains(text, "[project.scripts]") && python.MatchString(text) {
				out = append(out, dir)
			}
		}
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) < 2 {
		return nil
	}
	return out
}

// knownPackages returns the packages of repositories by owner/name in lower
// case, as package records and entries of the official registry tell.
func knownPackages(corpus string) map[string][]string {
	out := map[string][]string{}
	add := func(url, typ, name string) {
		ref, err := registry.ParseRepoRef(strings.TrimPrefix(url, "git+"))
		if err != nil || name == "" {
			return
		}
		key := strings.ToLower(ref.Owner + "/" + ref.Name)
		if n := packageName(typ, name); !slices.Contains(out[key], n) {
			out[key] = append(out[key], n)
		}
	}
	files, _ := filepath.Glob(filepath.Join(corpus, "npm", "*.json"))
	for _, f := range files {
		var v struct {
			Name       string
			Repository any
		}
		text, _ := os.ReadFile(f)
		if json.Unmarshal(text, &v) != nil {
			continue
		}
		switch r := v.Repository.(type) {
		case string:
			add(r, "npm", v.Name)
		case map[string]any:
			url, _ := r["url"].(string)
			add(url, "npm", v.Name)
		}
	}
	var seed []struct {
		Repository struct{ URL string }
		Packages   []struct {
			RegistryName string `json:"registry_name"`
			Name         string
		}
	}
	text, _ := os.ReadFile(filepath.Join(corpus, "official_seed.json"))
	_ = json.Unmarshal(text, &seed) // a corpus may have none
	for _, s := range seed {
		for _, p := range s.Packages {
			npm := p.RegistryName == "npm" &&
				(strings.HasPrefix(p.Name, "@") || !strings.Contains(p.Name, "/"))
			if npm || p.RegistryName == "pypi" && !strings.HasSuffix(p.Name, ".py") {
				add(s.Repository.URL, p.RegistryName, p.Name)
			}
		}
	}
	return out
}

var pypiSeparators = regexp.MustCompile(`[-_.]+`)

// packageName spells a package as its registry compares it.
func packageName(typ, name string) string {
	if typ == "pypi" {
		name = pypiSeparators.ReplaceAllString(name, "-")
	}
	return strings.ToLower(typ + ":" + name)
}
