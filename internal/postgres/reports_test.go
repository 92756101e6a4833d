package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestReports(t *testing.T) {
	db, ctx := pgtest.New(t), t.Context()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	say := func(slug, text, contact string) {
		t.Helper()
		at = at.Add(time.Minute)
		if err := db.AddReport(ctx,
			registry.Report{Slug: slug, Reason: "facts", Text: text, Contact: contact,
				At: at}); err != nil {
			t.Fatal(err)
		}
	}
	say("one", "wrong stars", "me@example.com")
	say("two", "NUL \x00 and \xff", "")
	say("three", strings.Repeat("<b>", 600), "")
	list, err := db.Reports(ctx, false, 10)
	if err != nil || len(list) != 3 || list[0].Slug != "one" || list[2].Slug != "three" {
		t.Fatalf("%+v, %v", list, err)
	}
	if list[1].Text != "NUL \ufffd and \ufffd" || !list[0].At.Equal(at.Add(-2*time.Minute)) ||
		list[0].Contact != "me@example.com" {
		t.Errorf("%+v", list[:2])
	}
	first := list[0].ID
	if err := db.CloseReport(ctx, first, "mended", at); err != nil {
		t.Fatal(err)
	}
	if err := db.CloseReport(ctx, first, "again", at); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("closed twice: %v", err)
	}
	if err := db.CloseReport(ctx, 999, "x", at); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("no such: %v", err)
	}
	c, err := db.Report(ctx, first)
	if err != nil || c.ClosedAt == nil || !c.ClosedAt.Equal(at) || c.Note != "mended" ||
		c.Contact != "" {
		t.Errorf("%+v, %v: the contact goes when it is closed", c, err)
	}
	if _, err := db.Report(ctx, 999); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("no such: %v", err)
	}
	say("one", "wrong stars", "") // closed, so this is another
	if list, err = db.Reports(ctx, false, 10); err != nil || len(list) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err = db.Reports(ctx, true, 10); err != nil || len(list) != 4 || list[3].ID != first {
		t.Errorf("closed ones come last: %+v, %v", list, err)
	}
	if list, err = db.Reports(ctx, true, 2); err != nil || len(list) != 2 {
		t.Errorf("%d, %v", len(list), err)
	}
}

func TestAddReportTwice(t *testing.T) {
	db := pgtest.New(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			contact := ""
			if i == 3 {
				contact = "me@example.com"
			}
			c := registry.Report{Slug: "one", Reason: "other", Text: "twice", Contact: contact,
				At: time.Now()}
			if err := db.AddReport(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := db.Reports(t.Context(), true, 10)
	if err != nil || len(list) != 1 || list[0].Contact != "me@example.com" {
		t.Errorf("%+v, %v", list, err)
	}
}
