package main

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

// A History is the record of a repository's commits and tags.
type History struct {
	Repo    string // owner/name
	First   time.Time
	Last    time.Time // end of the record
	Known   time.Time // start of the complete part
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

// window is how much of a history is looked at: 26 weeks of activity.
const window = 26 * 7 * day

// ReadHistories returns the histories of the records in a folder, one JSON file for each
// repository, in the order of their names.
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

// Activity returns the activity up to a moment.
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
	a.Humans = new(len(people))
	a.Truncated = h.Known.After(h.First) && t.Sub(oldest) < window
	return a
}
