package crawler

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/git"
	"mcpcensus/internal/registry"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func daysAgo(days float64) time.Time {
	return noon.Add(-time.Duration(days * 24 * float64(time.Hour)))
}

// commitsOf returns commits of one author.
func commitsOf(name string, days ...float64) (list []git.Commit) {
	for _, d := range days {
		who := git.Signature{Name: name, Email: strings.ToLower(name) + "@example.com", At: daysAgo(d)}
		id := strings.Repeat("0", 40-len(name)) + strings.ToLower(name)
		list = append(list, git.Commit{ID: id, Author: who, Committer: who})
	}
	return list
}

// history joins commits.
func history(cut string, lists ...[]git.Commit) (h git.History) {
	for _, l := range lists {
		h.Commits = append(h.Commits, l...)
	}
	h.Cut = cut
	return h
}

func TestActivity(t *testing.T) {
	d := newDraft(noon, noon.Add(-humanWindow))
	d.add(history("", commitsOf("Traveller", -3650), commitsOf("dependabot[bot]", 1), commitsOf("Ann", 2, 2.1, 300),
		commitsOf("Bob", 2.9), commitsOf("Cy", 264), commitsOf("renovate[bot]", 323)), git.Commit{})
	a := d.activity(nil)
	if diff := cmp.Diff([]string{"2026-11-17", "2026-11-18"}, a.ActiveDays); diff != "" {
		t.Error(diff)
	}
	if *a.Humans != 3 || a.BotCommits != 1 || !strings.HasSuffix(a.LastCommit, "ann") || a.Truncated ||
		d.authors.count() != 2 {
		t.Errorf("%d authors, %+v", d.authors.count(), a)
	}
	raw, _ := json.Marshal(a)
	for _, name := range []string{"Ann", "Bob", "Cy", "@example.com"} {
		if strings.Contains(string(raw), name) {
			t.Errorf("%s is stored", name)
		}
	}
}

// TestActivityContinues adds commits since the last visit to a stored activity.
func TestActivityContinues(t *testing.T) {
	humans, counted := 5, daysAgo(20)
	stored := registry.Activity{ActiveDays: []string{"2026-04-01", "2026-06-01", "2026-11-10"},
		Humans: &humans, BotCommits: 40, ObservedAt: daysAgo(2), CountedAt: &counted}
	newest := history("", commitsOf("Ann", 0.1, 10))
	type want struct {
		Extends bool
		Days    string
		Humans  int // -1: unknown
		Bots    int
		Counted time.Time
		Cut     bool
	}
	long := daysAgo(30)
	for _, c := range []struct {
		name    string
		history git.History
		counted *time.Time
		since   time.Time
		want    want
	}{
		{"since the last visit", newest, &counted, daysAgo(16),
			want{true, "2026-06-01 2026-11-10 2026-11-20", 5, 40, counted, false}},
		{"a month after the last count", history("", commitsOf("Ann", 0.1, 10), commitsOf("Bob", 172)), &long,
			noon.Add(-humanWindow), want{false, "2026-06-01 2026-11-10 2026-11-20", 2, 0, noon, false}},
		{"never counted", newest, nil, daysAgo(16),
			want{false, "2026-06-01 2026-11-10 2026-11-20", 5, 40, time.Time{}, false}},
		{"with a gap", newest, &counted, daysAgo(1), want{true, "2026-11-10 2026-11-20", -1, 0, noon, true}},
		{"cut", history("it has too many", commitsOf("Ann", 0.1)), &counted, daysAgo(16),
			want{true, "2026-11-20", -1, 0, noon, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := stored
			s.CountedAt = c.counted
			d := newDraft(noon, c.since)
			d.add(c.history, git.Commit{})
			a := d.activity(&s)
			got := want{d.extends(&s), strings.Join(a.ActiveDays, " "), -1, a.BotCommits, time.Time{}, a.Truncated}
			if a.Humans != nil {
				got.Humans = *a.Humans
			}
			if a.CountedAt != nil {
				got.Counted = *a.CountedAt
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPeople(t *testing.T) {
	for _, c := range []struct {
		name  string
		given []git.Signature
		want  int
	}{
		{"nobody", nil, 0},
		{"the same name and address", []git.Signature{{Name: "Ann", Email: "a@x"}, {Name: "ann", Email: "A@x"}}, 1},
		{"two addresses", []git.Signature{{Name: "Ann", Email: "a@x"}, {Name: "Ann", Email: "a@y"}}, 1},
		{"two names", []git.Signature{{Name: "Ann", Email: "a@x"}, {Name: "ann-dev", Email: "a@x"}}, 1},
		{"two of them become one", []git.Signature{{Name: "Ann", Email: "a@x"}, {Name: "Dev", Email: "d@x"},
			{Name: "Ann", Email: "d@x"}}, 1},
		{"without an address", []git.Signature{{Name: "Ann"}, {Name: "Bob"}, {Email: "c@x"}, {}}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := people{}
			for _, s := range c.given {
				p.add(s)
			}
			if got := p.count(); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

func TestOwnCommits(t *testing.T) {
	three := 3
	stored := &registry.Activity{OwnCommits: &three, ObservedAt: daysAgo(10)}
	year := daysAgo(365)
	for _, c := range []struct {
		name          string
		forked, since time.Time
		history       git.History
		stored        *registry.Activity
		want          int // -1: unknown
	}{
		{"no fork", time.Time{}, year, history("", commitsOf("Ann", 1, 2)), nil, -1},
		{"two since it was forked", daysAgo(30), year, history("", commitsOf("Ann", 1, 29, 31, 300)), nil, 2},
		{"none since", daysAgo(30), year, history("", commitsOf("Ann", 31, 40)), nil, 0},
		{"programs do not count", daysAgo(30), year, history("", commitsOf("dependabot[bot]", 1, 2)), nil, 0},
		{"some of them were not read", daysAgo(30), year, history("cut", commitsOf("Ann", 1, 2)), nil, -1},
		{"forked before the year that is read", daysAgo(400), year, history("", commitsOf("Ann", 1, 2)), nil, -1},
		{"those since the last visit are added", daysAgo(400), daysAgo(24), history("", commitsOf("Ann", 1, 9, 11)),
			stored, 5},
		{"a gap since the last visit", daysAgo(400), daysAgo(9), history("", commitsOf("Ann", 1)), stored, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDraft(noon, c.since)
			d.forked = c.forked
			d.add(c.history, git.Commit{})
			got := -1
			if n := d.activity(c.stored).OwnCommits; n != nil {
				got = *n
			}
			if got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}
