package github

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

func TestTextsOfEveryKindOfBlob(t *testing.T) {
	blob := func(text string) map[string]any {
		return map[string]any{"byteSize": len(text), "isBinary": false, "isTruncated": false, "text": text}
	}
	contents := map[string]any{
		oid(1): blob("docs/real.md"), // the link's text
		oid(2): blob("# Real"),
		oid(3): map[string]any{"byteSize": 9, "isBinary": true, "isTruncated": false, "text": nil},
		oid(4): map[string]any{"byteSize": 600000, "isBinary": false, "isTruncated": true, "text": "{"},
		oid(5): blob("\ufeff{}"),
		oid(6): blob("a\u0000b"),
		oid(7): nil,
		oid(8): blob("../../../etc/passwd"),
	}
	entries := []any{
		map[string]any{"name": "README.md", "type": "blob", "mode": 0o120000, "size": 12, "oid": oid(1)},
		map[string]any{"name": "docs", "type": "tree", "mode": 0o40000, "oid": oid(99), "object": map[string]any{"entries": []any{
			map[string]any{"name": "real.md", "type": "blob", "mode": 0o100644, "size": 6, "oid": oid(2)},
		}}},
		map[string]any{"name": "manifest.json", "type": "blob", "mode": 0o100644, "size": 9, "oid": oid(3)},
		map[string]any{"name": "server.json", "type": "blob", "mode": 0o100644, "size": 9, "oid": oid(4)},
		map[string]any{"name": "package.json", "type": "blob", "mode": 0o100644, "size": 5, "oid": oid(5)},
		map[string]any{"name": "pyproject.toml", "type": "blob", "mode": 0o100644, "size": 3, "oid": oid(6)},
		map[string]any{"name": "go.mod", "type": "blob", "mode": 0o100644, "size": 3, "oid": oid(7)},
		map[string]any{"name": "Cargo.toml", "type": "blob", "mode": 0o120000, "size": 3, "oid": oid(8)},
		map[string]any{"name": "sub", "type": "commit", "mode": 0o160000, "size": 0, "oid": oid(9)},
		map[string]any{"name": "a/b", "type": "blob", "mode": 0o100644, "size": 3, "oid": oid(10)},
		map[string]any{"name": "..", "type": "blob", "mode": 0o100644, "size": 3, "oid": oid(10)},
	}
	f := newFake(t, nil)
	f.answer = func(w http.ResponseWriter, q gqlRequest) {
		switch q.operation() {
		case "Tree":
			json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"r0": map[string]any{"id": "R_1", "object": map[string]any{"entries": entries}}}})
		case "Blobs":
			fields := map[string]any{"id": "R_1"}
			var errs []any
			for i := 0; ; i++ {
				_, rest, ok := strings.Cut(q.Query, fmt.Sprintf(" f%d: object(oid: \"", i))
				if !ok {
					break
				}
				content := contents[rest[:40]]
				if content == nil {
					errs = append(errs, map[string]any{"path": []any{"r0", fmt.Sprint("f", i), "text"}, "message": "not recorded"})
				}
				fields[fmt.Sprint("f", i)] = content
			}
			json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"r0": fields}, "errors": errs})
		default:
			honest(w, q, nil)
		}
	}
	v := visitAll(t, f.github(t, nil), newNamed(1))[1]
	if v.Outcome != registry.Fetched {
		t.Fatalf("%s: %v", v.Outcome, v.Err)
	}
	want := map[string]string{"README.md": "# Real", "package.json": "{}"}
	if fmt.Sprint(v.Snapshot.Texts) != fmt.Sprint(want) {
		t.Errorf("texts %q", v.Snapshot.Texts)
	}
	var paths []string
	for _, file := range v.Snapshot.Files {
		paths = append(paths, file.Path+" "+file.Mode)
	}
	if got := strings.Join(paths, ","); got != "Cargo.toml 120000,README.md 120000,docs/real.md 100644,go.mod 100644,manifest.json 100644,package.json 100644,pyproject.toml 100644,server.json 100644,sub 160000" {
		t.Errorf("files %s", got)
	}
}

func page(more bool, commits ...[2]string) *historyPage {
	p := &historyPage{}
	p.PageInfo.HasNextPage, p.PageInfo.EndCursor = more, "c"
	for i, c := range commits {
		at, err := time.Parse(time.RFC3339, c[0])
		if err != nil {
			panic(err)
		}
		raw := fmt.Sprintf(`{"oid":%q,"author":{"name":%q}}`, oid(i+1), c[1])
		var n struct {
			OID    string `json:"oid"`
			Author *commitAuthor
		}
		if err := json.Unmarshal([]byte(raw), &n); err != nil {
			panic(err)
		}
		p.Nodes = append(p.Nodes, &commitNode{n.OID, at, n.Author})
	}
	return p
}

func TestActivityCountsPeopleByDays(t *testing.T) {
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

func TestActivityGoesOnFromWhatIsStored(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	humans, counted := 5, now.Add(-20*24*time.Hour)
	stored := &registry.Activity{ActiveDays: []string{"2026-04-01", "2026-06-01", "2026-11-10"}, Humans: &humans, BotCommits: 40, ObservedAt: now.Add(-48 * time.Hour), CountedAt: &counted}
	d := newDraft(now)
	d.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}, [2]string{"2026-11-10T01:00:00Z", "Ann"}))
	if d.wantsMore(stored) {
		t.Error("older pages are read though they are known")
	}
	a := d.activity(stored)
	if got := strings.Join(a.ActiveDays, " "); got != "2026-06-01 2026-11-10 2026-11-20" || *a.Humans != 5 || a.BotCommits != 40 || a.Truncated || !a.CountedAt.Equal(counted) {
		t.Errorf("days %s, humans %v, %+v", got, a.Humans, a)
	}
	// A month after the last whole count all is counted again, however often
	// the repository was looked at in the meantime, and numbers may fall.
	counted = now.Add(-fullAge)
	d = newDraft(now)
	d.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}, [2]string{"2026-11-10T01:00:00Z", "Ann"}))
	if !d.wantsMore(stored) {
		t.Error("after a month nothing is counted again")
	}
	d.add(page(false, [2]string{"2026-06-01T01:00:00Z", "Bob"}))
	if a := d.activity(stored); *a.Humans != 2 || a.BotCommits != 0 || !a.CountedAt.Equal(now) || strings.Join(a.ActiveDays, " ") != "2026-06-01 2026-11-10 2026-11-20" {
		t.Errorf("counted again: %d humans, %+v", *a.Humans, a)
	}
	// So it is where there are more commits than are read: days add up, people
	// do not.
	d = newDraft(now)
	for d.wantsMore(stored) || d.pages == 0 {
		d.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}, [2]string{"2026-11-10T01:00:00Z", "Ann"}))
	}
	if a := d.activity(stored); a.Humans != nil || a.Truncated || !a.CountedAt.Equal(now) || len(a.ActiveDays) != 3 {
		t.Errorf("too many to count: %+v", a)
	} else if again := newDraft(now.Add(time.Hour)); true {
		again.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}, [2]string{"2026-11-10T01:00:00Z", "Ann"}))
		if again.wantsMore(&a) {
			t.Error("and an hour later once more")
		}
	}
	counted = now.Add(-20 * 24 * time.Hour)
	// With a gap nothing may be joined.
	d = newDraft(now)
	d.add(page(true, [2]string{"2026-11-20T01:00:00Z", "Ann"}))
	if !d.wantsMore(stored) {
		t.Error("the gap is not read")
	}
	if a := d.activity(stored); !a.Truncated || a.Humans != nil || len(a.ActiveDays) != 1 {
		t.Errorf("%+v", a)
	}
}

func TestBots(t *testing.T) {
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

func TestIssuesOfOutsidersAndTheirAnswers(t *testing.T) {
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	day := func(n int) string { return now.AddDate(0, 0, -n).Format(time.RFC3339) }
	var issues, pulls issuePage
	must := func(into *issuePage, s string) {
		if err := json.Unmarshal([]byte(s), into); err != nil {
			t.Fatal(err)
		}
	}
	must(&issues, fmt.Sprintf(`{"nodes":[
		{"number":1,"createdAt":%q,"authorAssociation":"NONE","comments":{"nodes":[{"createdAt":%q,"authorAssociation":"MEMBER","author":{"__typename":"User","login":"ann"}}]}},
		{"number":2,"createdAt":%q,"authorAssociation":"NONE","comments":{"nodes":[{"createdAt":%q,"authorAssociation":"MEMBER","author":{"__typename":"Bot","login":"stale"}}]}},
		{"number":3,"createdAt":%q,"authorAssociation":"OWNER","comments":{"nodes":[]}},
		{"number":4,"createdAt":%q,"authorAssociation":"NONE","closedAt":%q},
		{"number":5,"createdAt":%q,"authorAssociation":"NONE"},
		{"number":6,"createdAt":%q,"authorAssociation":"NONE"}]}`,
		day(30), day(25), day(30), day(29), day(30), day(40), day(39), day(3), day(200)))
	must(&pulls, fmt.Sprintf(`{"nodes":[{"number":7,"createdAt":%q,"authorAssociation":"CONTRIBUTOR","reviews":{"nodes":[{"createdAt":%q,"authorAssociation":"COLLABORATOR","author":{"__typename":"User","login":"bob"}}]}}]}`, day(100), day(80)))
	a := issueActivity(&issues, &pulls, now)
	if a.Opened != 4 || a.Answered != 2 || fmt.Sprint(a.Unanswered) != "[2 7]" || a.LastAnswer == nil || !a.LastAnswer.Equal(now.AddDate(0, 0, -25)) {
		t.Errorf("%+v", a)
	}
}

func FuzzGraphQLAnswer(f *testing.F) {
	raw, _ := json.Marshal(map[string]any{"data": map[string]any{"nodes": []any{node(1), nil}}, "errors": []any{map[string]any{"path": []any{"nodes", 1}, "type": "NOT_FOUND", "message": "x"}}})
	f.Add(string(raw))
	f.Add(`{"data":{"nodes":[{"id":"R_1","nameWithOwner":"o/r1","releases":{"nodes":[null]},"languages":{"edges":[null,{}]}}]},"errors":[{"path":["nodes",-1,2.5,{}]}]}`)
	f.Add(`{"data":null,"errors":[null]}`)
	g, err := New(Options{BaseURL: "http://127.0.0.1:1", Token: "t"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var r reply
		if json.Unmarshal([]byte(body), &r) != nil {
			return
		}
		got, err := g.sortErrors(&r)
		if err != nil {
			return
		}
		var data struct{ Nodes []json.RawMessage }
		if decodeData(got, &data) != nil {
			return
		}
		errs := errorsByNode(got.Errors, listIndex(len(data.Nodes)))
		for i, raw := range data.Nodes {
			errs[i].limited()
			n, what := readNode(raw, errs[i], registry.Work{})
			if what != nodeRead {
				continue
			}
			var tgt target
			tgt.draft(n, errs[i], time.Now())
			if strings.ContainsRune(tgt.repo.Description+tgt.repo.Homepage, 0) || !validName(tgt.repo.Owner, tgt.repo.Name) {
				t.Errorf("%q gave %+v", body, tgt.repo)
			}
			if tgt.activity != nil {
				tgt.activity.activity(nil)
			}
			var tree struct{ Entries []treeEntry }
			if json.Unmarshal(raw, &tree) == nil {
				files, _ := flatten(tree.Entries)
				for _, file := range crawler.SelectFiles(files, true) {
					if !validPath(file.Path) {
						t.Errorf("path %q", file.Path)
					}
				}
			}
		}
	})
}

func TestOwnCommitsOfAFork(t *testing.T) {
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
		want   int // -1: not known
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

func TestVisitCountsTheCommitsOfAFork(t *testing.T) {
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

func TestFirstCommitOfAFolder(t *testing.T) {
	today := time.Now()
	at := func(days int) string {
		return today.Add(-time.Duration(days) * 24 * time.Hour).UTC().Format(time.RFC3339)
	}
	commits := func(more bool, days ...int) string {
		var nodes []string
		for _, d := range days {
			nodes = append(nodes, fmt.Sprintf(`{"oid":"%s","committedDate":"%s","author":{"name":"Ann"}}`, oid(d), at(d)))
		}
		return fmt.Sprintf(`{"history":{"totalCount":%d,"pageInfo":{"hasNextPage":%v,"endCursor":"c"},"nodes":[%s]}}`, len(days), more, strings.Join(nodes, ","))
	}
	history := map[string]string{"new": commits(false, 3, 20), "old": commits(false, 3, 20), "long": commits(true, 3, 20), "calm": commits(false, 200)}
	for _, broken := range []bool{false, true} {
		f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
			var parts []string
			for i := 0; ; i++ {
				p, ok := q.Variables[fmt.Sprintf("p%d", i)].(string)
				if !ok {
					break
				}
				answer := history[p]
				if q.operation() == "Older" {
					if p == "long" || p == "calm" {
						t.Errorf("asked for what is older than the commits of %s", p)
					}
					answer = map[string]string{"new": `{"history":{"nodes":[]}}`, "old": `{"history":{"nodes":[{"oid":"1"}]}}`}[p]
				}
				parts = append(parts, fmt.Sprintf(`"r%d":%s`, i, answer))
			}
			if broken && q.operation() == "Older" {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			fmt.Fprintf(w, `{"data":{"node":{%s}}}`, strings.Join(parts, ","))
		})
		repo := known(1, false)[0].Stored.Repo
		found, failures, err := f.github(t, nil).PathActivity(t.Context(), repo, []string{"calm", "long", "new", "old"})
		if err != nil || len(failures) != 0 || len(found) != 4 {
			t.Fatalf("%v, %v, %v", found, failures, err)
		}
		if n := f.count("POST Older"); n != 1 {
			t.Errorf("asked %d times for older commits", n)
		}
		for p, a := range found {
			known := p == "new" && !broken
			if (a.FirstCommitAt != nil) != known || known && a.FirstCommitAt.Format(time.RFC3339) != at(20) {
				t.Errorf("broken %v: the first commit of %s is of %v", broken, p, a.FirstCommitAt)
			}
			if a.LastCommitAt == nil {
				t.Errorf("%s has no last commit", p)
			}
		}
	}
}
