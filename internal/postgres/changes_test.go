package postgres_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

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
