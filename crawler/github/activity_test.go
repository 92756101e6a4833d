package github

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestActivity(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	d := newDraft(now)
	d.add(page(false,
		[2]string{"2099-01-01T00:00:00Z", "Time Traveller"},
		[2]string{"2026-11-19T00:00:00Z", "dependabot[bot]"},
		[2]string{"2026-11-18T10:00:00Z", "Ann"},
		[2]string{"2026-11-18T09:00:00Z", "Ann"},
		[2]string{"2026-11-17T23:30:00-02:00", "Bob"},
		[2]string{"2026-03-01T00:00:00Z", "Cy"},
		[2]string{"2026-01-01T00:00:00Z", "renovate[bot]"}))
	a := d.activity(nil)
	if got := strings.Join(a.ActiveDays, " "); got != "2026-11-18" || *a.Humans != 3 || a.BotCommits != 1 || a.LastCommit != oid(3) || a.Truncated {
		t.Errorf("days %s humans %d bots %d last %s %v", got, *a.Humans, a.BotCommits, a.LastCommit, a.Truncated)
	}
	raw, _ := json.Marshal(a)
	for _, name := range []string{"Ann", "Bob", "Cy", "dependabot"} {
		if strings.Contains(string(raw), name) {
			t.Errorf("%s is stored", name)
		}
	}
}

func TestActivityContinues(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	humans, counted := 5, now.Add(-20*24*time.Hour)
	stored := &registry.Activity{ActiveDays: []string{"2026-04-01", "2026-06-01", "2026-11-10"}, Humans: &humans, BotCommits: 40, ObservedAt: now.Add(-48 * time.Hour), CountedAt: &counted}
	d := newDraft(now)
	d.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}, [2]string{"2026-11-10T01:00:00Z", "Ann"}))
	if d.needsMore(stored) {
		t.Error("known older pages are re-read")
	}
	a := d.activity(stored)
	if got := strings.Join(a.ActiveDays, " "); got != "2026-06-01 2026-11-10 2026-11-20" || *a.Humans != 5 || a.BotCommits != 40 || a.Truncated || !a.CountedAt.Equal(counted) {
		t.Errorf("days %s, humans %v, %+v", got, a.Humans, a)
	}
	// A month after the last complete count everything is recounted, regardless of visits
	// in between, and numbers may decrease.
	counted = now.Add(-fullAge)
	d = newDraft(now)
	d.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}, [2]string{"2026-11-10T01:00:00Z", "Ann"}))
	if !d.needsMore(stored) {
		t.Error("not recounted after a month")
	}
	d.add(page(false, [2]string{"2026-06-01T01:00:00Z", "Bob"}))
	if a := d.activity(stored); *a.Humans != 2 || a.BotCommits != 0 || !a.CountedAt.Equal(now) || strings.Join(a.ActiveDays, " ") != "2026-06-01 2026-11-10 2026-11-20" {
		t.Errorf("recounted: %d humans, %+v", *a.Humans, a)
	}
	// With more commits than are read, days are added up, people are not.
	d = newDraft(now)
	for d.needsMore(stored) || d.pages == 0 {
		d.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}, [2]string{"2026-11-10T01:00:00Z", "Ann"}))
	}
	if a := d.activity(stored); a.Humans != nil || a.Truncated || !a.CountedAt.Equal(now) || len(a.ActiveDays) != 3 {
		t.Errorf("too many to count: %+v", a)
	} else if again := newDraft(now.Add(time.Hour)); true {
		again.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}, [2]string{"2026-11-10T01:00:00Z", "Ann"}))
		if again.needsMore(&a) {
			t.Error("recounted again an hour later")
		}
	}
	counted = now.Add(-20 * 24 * time.Hour)
	// With a gap nothing may be combined.
	d = newDraft(now)
	d.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}))
	if !d.needsMore(stored) {
		t.Error("the gap is not read")
	}
	if a := d.activity(stored); !a.Truncated || a.Humans != nil || len(a.ActiveDays) != 1 {
		t.Errorf("%+v", a)
	}
}

func TestCommitAuthorIdentity(t *testing.T) {
	for name, want := range map[string]bool{
		"dependabot[bot]": true, "renovate[bot]": true, "github-actions[bot]": true, "semantic-release-bot": true, "Release Bot": true, "pre-commit-ci[bot]": true,
		"mcp-bot": true, "Ann Botha": false, "Robothead": false, "Abbott": false, "Ann": false, "": false,
	} {
		a := &commitAuthor{Name: &name}
		if _, bot := a.identity(); bot != want {
			t.Errorf("%q: %v", name, bot)
		}
	}
}

func TestOwnCommits(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.Add(-time.Duration(days) * 24 * time.Hour) }
	ann, bot := "Ann", "dependabot[bot]"
	page := func(more bool, author *string, days ...int) *historyPage {
		p := &historyPage{}
		p.PageInfo.HasNextPage, p.PageInfo.EndCursor = more, "c"
		for i, d := range days {
			p.Nodes = append(p.Nodes, &commitNode{oid(i), ago(d), &commitAuthor{Name: author}})
		}
		return p
	}
	three := 3
	stored := &registry.Activity{OwnCommits: &three, ObservedAt: ago(10)}
	for _, c := range []struct {
		name   string
		forked time.Time
		page   *historyPage
		stored *registry.Activity
		want   int // -1: unknown
	}{
		{"no fork", time.Time{}, page(false, &ann, 1, 2), nil, -1},
		{"two since it was forked", ago(30), page(false, &ann, 1, 29, 31, 300), nil, 2},
		{"none since", ago(30), page(true, &ann, 31, 40), nil, 0},
		{"programs do not count", ago(30), page(false, &bot, 1, 2), nil, 0},
		{"some of them were not read", ago(30), page(true, &ann, 1, 2), nil, -1},
		{"forked before the year that is read", ago(400), page(false, &ann, 1, 2), nil, -1},
		{"those since the last visit are added", ago(400), page(true, &ann, 1, 9, 11), stored, 5},
		{"a gap since the last visit", ago(400), page(true, &ann, 1, 9), stored, -1},
	} {
		d := newDraft(now)
		d.forked = c.forked
		d.add(c.page)
		got := -1
		if n := d.activity(c.stored).OwnCommits; n != nil {
			got = *n
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestVisitFork(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		honest(w, q, func(n int, repo map[string]any) map[string]any {
			repo["isFork"], repo["createdAt"] = n == 1, time.Now().Add(-30*24*time.Hour).UTC().Format(time.RFC3339)
			head := repo["defaultBranchRef"].(map[string]any)["target"].(map[string]any)
			at := time.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)
			head["history"] = map[string]any{"totalCount": 1, "pageInfo": map[string]any{"hasNextPage": false}, "nodes": []any{
				map[string]any{"oid": oid(n), "committedDate": at, "author": map[string]any{"name": "A"}}}}
			return repo
		})
	})
	works := known(2, true)
	got := visitAll(t, f.github(t, nil), works)
	fork, other := got[1].Snapshot.Activity[""], got[2].Snapshot.Activity[""]
	if fork.OwnCommits == nil || *fork.OwnCommits != 1 || other.OwnCommits != nil {
		t.Errorf("the fork has %v, the other %v", fork.OwnCommits, other.OwnCommits)
	}
}
