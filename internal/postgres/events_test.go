package postgres_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// events returns the types and slugs of stored events, in their order.
func events(t *testing.T, db *postgres.DB) string {
	t.Helper()
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	rows, err := own.Query(`SELECT replace(type, 'server.', '') || ' ' || slug FROM server_events
		ORDER BY sequence, type`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ")
}

func TestEvents(t *testing.T) {
	db := pgtest.New(t)
	crawled(t, db, "octo/a", 1, at(0), "", "sub")
	want := "listed octo-a, listed octo-a-sub"
	check := func(step, more string) {
		t.Helper()
		if more != "" {
			want += ", " + more
		}
		if got := events(t, db); got != want {
			t.Fatalf("%s: events are %s, want %s", step, got, want)
		}
	}
	check("first visit", "")
	visit := func(hours float64, change func(*registry.Result)) {
		t.Helper()
		for _, w := range lease(t, db, 10, at(hours)) {
			r := fetched(w, observed("octo/a", 1, at(hours)), at(hours), "", "sub")
			change(&r)
			save(t, db, r)
		}
	}
	visit(30, func(r *registry.Result) { r.Scored[0].Server.Description = "bad \x00 text \xff" })
	check("other description", "updated octo-a")
	visit(60, func(r *registry.Result) { r.Scored[0].Server.Description = "bad \x00 text \xff" })
	check("the same again", "")
	visit(90, func(r *registry.Result) { r.Scored = r.Scored[:1] })
	check("a server vanishes", "gone octo-a-sub, updated octo-a")
	rescore := func(hours float64, score int, model string) {
		t.Helper()
		var all []registry.Scored
		if err := db.EachFacts(t.Context(), func(s registry.Scored) error {
			now := scoredServer(s.Facts.Repo, "", score)
			now.Server.ID, now.Server.Seq, now.FactsKept = s.Server.ID, s.Server.Seq, true
			now.Server.Health.Version = model
			all = append(all, now)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := db.SaveScores(t.Context(), all, at(hours)); err != nil {
			t.Fatal(err)
		}
	}
	rescore(100, 74, "mh-1")
	check("four points", "")
	rescore(110, 80, "mh-1")
	check("another grade", "score_changed octo-a")
	rescore(120, 20, "mh-2")
	check("another model", "")
	if err := db.Hide(t.Context(), "octo-a", "spam"); err != nil {
		t.Fatal(err)
	}
	check("hidden", "gone octo-a")
	rescore(130, 90, "mh-2")
	check("changes while hidden", "")
	if err := db.Hide(t.Context(), "octo-a", "spam"); err != nil {
		t.Fatal(err)
	}
	check("hidden again", "")
	if err := db.Unhide(t.Context(), "octo-a"); err != nil {
		t.Fatal(err)
	}
	check("shown", "listed octo-a")
	visit(140, func(r *registry.Result) { r.Scored[0].Server.Status = registry.StatusArchived })
	check("archived", "archived octo-a, listed octo-a-sub")
	for since, want := range map[time.Time][]registry.News{
		at(140): {{Slug: "octo-a", At: at(140)}}, at(141): nil,
	} {
		got, err := db.Retired(t.Context(), since, 10)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("retired since %v: %v %s", since, err, diff)
		}
	}
	if n, err := db.ForgetEvents(t.Context(), at(50)); err != nil || n != 3 {
		t.Errorf("forgot %d, %v", n, err)
	}
}
