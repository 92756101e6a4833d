package validate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// A History is what a record of a repository tells of its commits and tags.
type History struct {
	Repo    string // owner/name
	First   time.Time
	Last    time.Time // the end of what is known
	Known   time.Time // since when all commits are known
	Commits []Commit
	Tags    []registry.Release
}

// A Commit is one on the default branch.
type Commit struct {
	At     time.Time
	Author string
	Bot    bool
}

const day = 24 * time.Hour

// Horizon is how far ahead a moment looks, and Step how far moments of one
// repository are apart.
const (
	Horizon = 90 * day
	Step    = 14 * day
)

// window is how much of a history is looked at: 26 weeks of activity.
const window = 26 * 7 * day

// ReadHistories returns the histories of the records in a folder, one JSON file
// for each repository, in the order of their names.
func ReadHistories(dir string) ([]History, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var out []History
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		h, err := parseHistory(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		out = append(out, h)
	}
	return out, nil
}

func parseHistory(text []byte) (History, error) {
	var r struct {
		Owner, Name string
		Head        struct {
			CommitDate time.Time `json:"commit_date"`
		}
		First   time.Time  `json:"first_commit_date"`
		Count   int        `json:"commit_count"`
		Commits [][]string // date, author, flags ("b": a bot); newest first, not always all
		Tags    []struct {
			Name string
			Date time.Time
		}
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return History{}, err
	}
	h := History{Repo: r.Owner + "/" + r.Name, First: r.First, Last: r.Head.CommitDate, Known: r.First}
	for _, c := range r.Commits {
		if len(c) < 3 {
			return h, fmt.Errorf("commit %q has %d fields, 3 are needed", c, len(c))
		}
		at, err := time.Parse(time.RFC3339, c[0])
		if err != nil {
			return h, err
		}
		h.Commits = append(h.Commits, Commit{at, c[1], strings.Contains(c[2], "b")})
	}
	if n := len(h.Commits); r.Count > n && n > 0 {
		h.Known = h.Commits[n-1].At.Add(window)
	}
	for _, t := range r.Tags {
		h.Tags = append(h.Tags, registry.Release{Tag: t.Name, PublishedAt: &t.Date})
	}
	return h, nil
}

// Moments returns the moments of a history that can be judged: all commits
// before are known, and those of the horizon after.
func (h *History) Moments() (out []time.Time) {
	for t := h.First.Add(Step); !t.Add(Horizon).After(h.Last); t = t.Add(Step) {
		if !t.Before(h.Known) {
			out = append(out, t)
		}
	}
	return out
}

// Alive reports whether a person committed within the horizon after a moment.
func (h *History) Alive(t time.Time) bool {
	return slices.ContainsFunc(h.Commits, func(c Commit) bool {
		return !c.Bot && c.At.After(t) && !c.At.After(t.Add(Horizon))
	})
}

// Facts returns what was known of the repository at a moment: commits and tags.
func (h *History) Facts(t time.Time) registry.Facts {
	owner, name, _ := strings.Cut(h.Repo, "/")
	f := registry.Facts{
		Repo: registry.Repository{
			Host: registry.GitHub, Owner: owner, Name: name, CreatedAt: h.First, ObservedAt: t,
			Releases: new(int), Tags: new(int),
		},
		Detection: registry.Detection{IsServer: true},
		Activity:  h.Activity(t),
	}
	for _, tag := range h.Tags {
		if tag.PublishedAt.After(t) {
			continue
		}
		*f.Repo.Tags++
		if l := f.Repo.LatestTag; l == nil || tag.PublishedAt.After(*l.PublishedAt) {
			f.Repo.LatestTag = &tag
		}
	}
	return f
}

// Activity returns what the commits up to a moment say.
func (h *History) Activity(t time.Time) *registry.Activity {
	a := &registry.Activity{FirstCommitAt: &h.First, ObservedAt: t}
	days, people, oldest := map[string]bool{}, map[string]bool{}, t
	for _, c := range h.Commits {
		age := t.Sub(c.At)
		if age < 0 {
			continue
		}
		if c.At.Before(oldest) {
			oldest = c.At
		}
		if c.Bot {
			if age <= 180*day {
				a.BotCommits++
			}
			continue
		}
		if a.LastCommitAt == nil || c.At.After(*a.LastCommitAt) {
			a.LastCommitAt = &c.At
		}
		if age <= window {
			days[c.At.UTC().Format(time.DateOnly)] = true
		}
		if age <= 365*day {
			people[c.Author] = true
		}
	}
	a.ActiveDays = slices.Sorted(maps.Keys(days))
	n := len(people)
	a.Humans = &n
	a.Truncated = h.Known.After(h.First) && t.Sub(oldest) < window
	return a
}
