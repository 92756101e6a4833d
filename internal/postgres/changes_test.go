package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

// TestNumbersAreTakenLast has one visit wait in its transaction while others are stored, one of them
// for the same server.
func TestNumbersAreTakenLast(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/slow", 1, start, "", "gone")
	enqueue(t, db, at(48), candidate("octo/quick", 2))
	var slow, quick registry.Work
	for _, w := range lease(t, db, 2, at(48)) {
		if w.HostID == 1 {
			slow = w
		} else {
			quick = w
		}
	}
	pgtest.Exec(t, db, `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END'`)
	pgtest.Exec(t, db, `CREATE TRIGGER wait BEFORE UPDATE ON repositories FOR EACH ROW
		WHEN (OLD.name = 'slow') EXECUTE FUNCTION wait()`)
	conn, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`SELECT pg_advisory_xact_lock(7)`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		r := fetched(slow, observed("octo/slow", 1, at(48)), at(48), "")
		r.Scored[0].Server.Description = "new"
		done <- db.SaveResult(t.Context(), r)
	}()
	for waits := 0; waits == 0; time.Sleep(10 * time.Millisecond) {
		if err := tx.QueryRow(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
			AND objid = 7 AND NOT granted`).Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := errors.Join(
		db.SaveResult(ctx, fetched(quick, observed("octo/quick", 2, at(48)), at(48), "")),
		db.Hide(ctx, "octo-slow-gone", "a test"),
		db.Hide(ctx, "octo-slow", "a test"), db.Unhide(ctx, "octo-slow")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tx.Rollback(), <-done); err != nil {
		t.Fatal(err)
	}
	s, err := pgtest.Find(t, db, "octo-slow")
	if err != nil || s.Description != "new" || s.Seq != 8 {
		t.Errorf("after the visit: %q with number %d, %v", s.Description, s.Seq, err)
	}
}

func TestChangesBetween(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for i, name := range []string{"octo/a", "octo/b", "octo/c", "octo/d"} {
		crawled(t, db, name, int64(i+1), start, "")
	}
	if err := db.Hide(t.Context(), "octo-a", "a test"); err != nil {
		t.Fatal(err)
	}
	w := lease(t, db, 1, at(48))[0]
	save(t, db, fetched(w, observed(w.Ref.FullName(), w.HostID, at(48)), at(48))) // without servers
	gone := registry.Slug(w.Ref.Owner, w.Ref.Name, "")
	all, err := db.ChangesBetween(t.Context(), 0, 100, 100)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for i, c := range all {
		if i > 0 && c.Seq <= all[i-1].Seq {
			t.Errorf("%d comes after %d", c.Seq, all[i-1].Seq)
		}
		if c.Deleted != (c.Slug == "octo-a" || c.Slug == gone) || c.Deleted == c.At.IsZero() {
			t.Errorf("%+v", c)
		}
		if c.Slug == gone && gone != "octo-a" && !c.At.Equal(at(48)) {
			t.Errorf("%s is gone since %v", gone, c.At)
		}
		listed[c.Slug] = true
	}
	if len(all) != 4 || len(listed) != 4 {
		t.Errorf("%d changes of %d servers", len(all), len(listed))
	}
	part, err := db.ChangesBetween(t.Context(), all[0].Seq, all[2].Seq, 1)
	if d := cmp.Diff(all[1:2], part); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	if rest, err := db.ChangesBetween(t.Context(), all[3].Seq, 100, 1); err != nil || len(rest) != 0 {
		t.Errorf("after the last: %v %v", rest, err)
	}
}
