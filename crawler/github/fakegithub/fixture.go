package fakegithub

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"golang.org/x/tools/txtar"
)

//go:embed fixtures/*.txtar
var fixtures embed.FS

// age is a duration before the current time: a number followed by h, d or y.
type age time.Duration

func (a *age) UnmarshalYAML(raw []byte) error {
	s := strings.Trim(strings.TrimSpace(string(raw)), `"'`)
	if s == "" {
		return errors.New("age is empty; it must be a number followed by h, d or y")
	}
	n, err := strconv.ParseFloat(s[:len(s)-1], 64)
	if err != nil {
		return fmt.Errorf("age %q must be a number followed by h, d or y", s)
	}
	unit, ok := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'y': 365 * 24 * time.Hour}[s[len(s)-1]]
	if !ok {
		return fmt.Errorf("age %q must be a number followed by h, d or y", s)
	}
	*a = age(n * float64(unit))
	return nil
}

// A fixture is one repository: facts in YAML in the comment of a txtar
// archive whose files are the repository's.
type fixture struct {
	file  string
	files map[string]string

	Repo        string         `yaml:"repo"`
	Owner       string         `yaml:"owner"`    // User (default) or Organization
	Verified    bool           `yaml:"verified"` // the domain of the owner
	Description string         `yaml:"description"`
	Homepage    string         `yaml:"homepage"`
	Topics      []string       `yaml:"topics"`
	License     string         `yaml:"license"` // adds a LICENSE file
	Branch      string         `yaml:"branch"`  // main by default
	Stars       int            `yaml:"stars"`
	Forks       int            `yaml:"forks"`
	Watchers    int            `yaml:"watchers"`
	Created     age            `yaml:"created"`
	Archived    *age           `yaml:"archived"`
	Template    bool           `yaml:"template"`
	Fork        string         `yaml:"fork"`
	Unnamed     bool           `yaml:"unnamed"` // reachable by URL, but no source lists it
	Checks      string         `yaml:"checks"`
	Servers     int            `yaml:"servers"`
	Languages   map[string]int `yaml:"languages"`
	Scorecard   float64        `yaml:"scorecard"`
	Commits     struct {
		Count  int `yaml:"count"`
		First  age `yaml:"first"`
		Last   age `yaml:"last"`
		People int `yaml:"people"`
		Bots   int `yaml:"bots"`
	} `yaml:"commits"`
	Releases []struct {
		Tag        string `yaml:"tag"`
		Age        age    `yaml:"age"`
		Prerelease bool   `yaml:"prerelease"`
		Notes      string `yaml:"notes"`
		TagOnly    bool   `yaml:"tagOnly"`
	} `yaml:"releases"`
	Issues struct {
		Open     int     `yaml:"open"`
		Closed   int     `yaml:"closed"`
		Answered float64 `yaml:"answered"` // share, 0 to 1
	} `yaml:"issues"`
	Pulls struct {
		Open   int `yaml:"open"`
		Merged int `yaml:"merged"`
		Closed int `yaml:"closed"`
	} `yaml:"pulls"`
	Packages []pkg `yaml:"packages"`
	Listings []struct {
		File    string `yaml:"file"` // path of the server.json that was published
		Version string `yaml:"version"`
		Age     age    `yaml:"age"`
		Status  string `yaml:"status"`
		Message string `yaml:"message"`
	} `yaml:"listings"`
	Vulns []vuln `yaml:"vulns"`
}

func readFixtures() ([]fixture, error) {
	files, err := fixtures.ReadDir("fixtures")
	if err != nil {
		return nil, err
	}
	var all []fixture
	for _, file := range files {
		raw, err := fixtures.ReadFile("fixtures/" + file.Name())
		if err != nil {
			return nil, err
		}
		f, err := parseFixture(file.Name(), raw)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

func parseFixture(file string, raw []byte) (fixture, error) {
	a := txtar.Parse(raw)
	f := fixture{file: file, files: map[string]string{}}
	if err := yaml.NewDecoder(bytes.NewReader(a.Comment), yaml.Strict()).Decode(&f); err != nil {
		return f, fmt.Errorf("fakegithub: %s: %w", file, err)
	}
	if !strings.Contains(f.Repo, "/") {
		return f, fmt.Errorf("fakegithub: %s: repo must be owner/name", file)
	}
	for _, m := range a.Files {
		f.files[m.Name] = string(m.Data)
	}
	return f, nil
}

func (w *Server) add(f fixture) error {
	owner, name, _ := strings.Cut(f.Repo, "/")
	if r := w.find(f.Repo); r != nil && !r.gone && strings.EqualFold(r.fullName(), f.Repo) {
		return fmt.Errorf("fakegithub: %s exists", f.Repo)
	}
	kind := cmp.Or(f.Owner, "User")
	id := int64(number("repo", f.Repo)%500_000_000) + 700_000_000
	for w.repos[id] != nil {
		id++
	}
	r := &repo{
		id: id, node: nodeID("R", id), owner: owner, name: name, ownerType: kind, verified: f.Verified,
		description: f.Description, homepage: f.Homepage, topics: f.Topics, license: f.License,
		branch: f.Branch, createdAt: w.ago(f.Created), isTemplate: f.Template, parent: f.Fork,
		stars: f.Stars, forks: f.Forks, watchers: f.Watchers, checks: f.Checks, servers: f.Servers, unnamed: f.Unnamed,
		files: f.files, scorecard: f.Scorecard,
	}
	r.branch = cmp.Or(r.branch, "main")
	r.watchers = cmp.Or(r.watchers, 1+r.stars/60)
	if f.License != "" && f.License != "NOASSERTION" && f.files["LICENSE"] == "" && len(f.files) > 0 {
		r.files["LICENSE"] = fmt.Sprintf("SPDX-License-Identifier: %s\n\nCopyright the %s authors.\n"+
			"This invented project is licensed under %s.\n", f.License, owner, f.License)
	}
	r.languages = languagesBySize(f.Languages)
	w.commitsOf(r, f)
	r.pushedAt, r.updatedAt = r.createdAt, r.createdAt
	if !r.empty() {
		r.setLanguages()
		r.pushedAt, r.updatedAt = r.head().at, r.head().at
	}
	if f.Archived != nil {
		r.archivedAt = w.ago(*f.Archived)
		r.updatedAt = r.archivedAt
	}
	w.releasesOf(r, f)
	w.issuesOf(r, f)
	w.account(owner, kind)
	w.repos[id] = r
	w.names[strings.ToLower(f.Repo)] = id
	w.nodes[r.node] = id

	return w.addServices(r, f)
}

func (w *Server) ago(a age) time.Time { return w.now.Add(-time.Duration(a)) }

// releasesOf adds a fixture's releases and tags, newest first.
func (w *Server) releasesOf(r *repo, f fixture) {
	for _, x := range f.Releases {
		rel := release{tag: x.Tag, at: w.ago(x.Age), prerelease: x.Prerelease, notes: x.Notes}
		r.tags = append(r.tags, rel)
		if !x.TagOnly {
			r.releases = append(r.releases, rel)
		}
	}
	newest := func(a, b release) int { return b.at.Compare(a.at) }
	slices.SortFunc(r.releases, newest)
	slices.SortFunc(r.tags, newest)
}

func (w *Server) addServices(r *repo, f fixture) error {
	for _, p := range f.Packages {
		p.Repo = cmp.Or(p.Repo, r.url())
		w.publish(p)
	}
	for _, x := range f.Listings {
		if err := w.list(r, x.File, x.Version, x.Status, x.Message, w.ago(x.Age)); err != nil {
			return err
		}
	}
	for _, v := range f.Vulns {
		v.at = w.ago(v.Age)
		w.vulns[v.ID] = &v
	}
	return nil
}

// publish adds a package with its versions.
func (w *Server) publish(p pkg) {
	for i := range p.Versions {
		p.Versions[i].at = w.ago(p.Versions[i].Age)
	}
	slices.SortFunc(p.Versions, func(a, b version) int { return a.at.Compare(b.at) })
	w.packages[p.System+":"+p.Name] = &p
}

// commitsOf spreads a fixture's commits between the first and the last. The first changes
// every file, each later one two files that depend on its number.
func (w *Server) commitsOf(r *repo, f fixture) {
	n := f.Commits.Count
	if n == 0 {
		return
	}
	paths := slices.Sorted(maps.Keys(r.files))
	people := max(1, f.Commits.People)
	first, last := w.ago(f.Commits.First), w.ago(f.Commits.Last)
	if f.Commits.First == 0 {
		first = r.createdAt
	}
	span := last.Sub(first)
	for i := range n {
		c := commit{at: last}
		if i < n-1 {
			at := first.Add(time.Duration(float64(span) * float64(i) / float64(n-1)))
			c.at = w.wholeDays(at)
		}
		c.login = r.owner
		if r.ownerType == "Organization" {
			c.login = fmt.Sprintf("%s-dev", r.owner)
		}
		choices := uint64(people*(people+1)/2 + people)
		k := int(number(f.Repo, "author", strconv.Itoa(i)) % choices)
		if k >= people && people > 1 {
			c.login = fmt.Sprintf("contributor-%d", 1+k%(people-1))
		}
		if i > 0 && i < people {
			c.login = fmt.Sprintf("contributor-%d", i)
		}
		if f.Commits.Bots > 0 && i > 0 && i < n-1 && i%max(2, n/f.Commits.Bots) == 1 {
			c.login = "dependabot[bot]"
		}
		switch {
		case i == 0:
			c.paths = paths
		case len(paths) > 0:
			a := number(f.Repo, "path", strconv.Itoa(i))
			c.paths = []string{paths[a%uint64(len(paths))], paths[(a>>20)%uint64(len(paths))]}
		}
		r.commits = append(r.commits, c)
	}
	slices.Reverse(r.commits)
}

// wholeDays rounds a time to a whole number of days ago, so that the age in days does not
// depend on the hour. Times within the last day lose only their fractions of seconds.
func (w *Server) wholeDays(at time.Time) time.Time {
	if ago := w.now.Sub(at); ago > 24*time.Hour {
		return w.now.Add(-ago.Round(24 * time.Hour))
	}
	return at.Truncate(time.Second)
}

// issuesOf spreads issues and pull requests over the repository's lifetime.
func (w *Server) issuesOf(r *repo, f fixture) {
	type kind struct {
		pull           bool
		n              int
		closed, merged bool
	}
	kinds := []kind{
		{false, f.Issues.Open, false, false}, {false, f.Issues.Closed, true, false},
		{true, f.Pulls.Open, false, false}, {true, f.Pulls.Merged, true, true}, {true, f.Pulls.Closed, true, false},
	}
	life := w.now.Sub(r.createdAt)
	if !r.archivedAt.IsZero() {
		life = r.archivedAt.Sub(r.createdAt)
	}
	var all []issue
	for k, kd := range kinds {
		for i := range kd.n {
			seed := number(f.Repo, "issue", strconv.Itoa(k), strconv.Itoa(i))
			at := r.createdAt.Add(time.Duration(float64(life) * (float64(i) + 0.5) / float64(kd.n))).Truncate(time.Second)
			is := issue{
				pull: kd.pull, merged: kd.merged, createdAt: at,
				login: fmt.Sprintf("visitor-%d", seed%97), member: seed%7 == 0,
			}
			quick := at.Add(time.Duration(1+seed%9) * 24 * time.Hour)
			if quick.After(w.now) {
				quick = at.Add(w.now.Sub(at) / 2)
			}
			if kd.closed {
				is.closedAt = quick.Truncate(time.Second)
			}
			if float64(seed%100)/100 < f.Issues.Answered {
				is.respondedAt = at.Add(quick.Sub(at) / 2).Truncate(time.Second)
			}
			all = append(all, is)
		}
	}
	slices.SortStableFunc(all, func(a, b issue) int { return a.createdAt.Compare(b.createdAt) })
	for i := range all {
		all[i].number = i + 1
	}
	slices.Reverse(all)
	r.issues = all
}
