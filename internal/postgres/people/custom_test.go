package people_test

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// accountRow makes an account without going through sign-up.
func accountRow(t *testing.T, db store, email string) (id int64) {
	t.Helper()
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if err := own.QueryRow(`INSERT INTO accounts (email, email_key, created_at) VALUES ($1, $1, now()) RETURNING id`, email).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestPutCustom(t *testing.T) {
	db := newStore(t)
	one, other := accountRow(t, db, "one@census.example"), accountRow(t, db, "other@census.example")
	c := account.Custom{Name: "go-databases", Query: "sql",
		Filters: `{"sdk":"go","tags":["a\u0000b"]}`, Sort: "-stars", Fields: []string{"id",
			"stars"},
		Limit: 50, Facets: true, CreatedAt: at(0), UpdatedAt: at(0)}
	stored, made, err := db.PutCustom(t.Context(), one, c, 2)
	if err != nil || !made || !cmp.Equal(stored, c) {
		t.Fatalf("stored %v, %v, %v", stored, made, err)
	}
	c.Query, c.Fields, c.CreatedAt, c.UpdatedAt = "", nil, at(5), at(5)
	stored, made, err = db.PutCustom(t.Context(), one, c, 2)
	if c.CreatedAt = at(0); err != nil || made || !cmp.Equal(stored, c) {
		t.Fatalf("stored again %v, %v, %v", stored, made, err)
	}
	second := c
	second.Name = "another"
	if _, made, err := db.PutCustom(t.Context(), one, second, 2); err != nil || !made {
		t.Fatal(made, err)
	}
	all, err := db.Customs(t.Context(), one)
	if want := []account.Custom{{}, c}; err != nil || len(all) != 2 ||
		!cmp.Equal(all[1], want[1]) || all[0].Name != "another" {
		t.Errorf("all are %v, %v", all, err)
	}
	third := c
	third.Name = "third"
	if _, _, err := db.PutCustom(t.Context(), one, third, 2); !errors.Is(err,
		registry.ErrConflict) {
		t.Errorf("one too many: %v", err)
	}
	if all, err := db.Customs(t.Context(), other); err != nil || len(all) != 0 {
		t.Errorf("another account has %v, %v", all, err)
	}
	if err := db.DeleteCustom(t.Context(), other, "another"); !errors.Is(err,
		registry.ErrNotFound) {
		t.Errorf("another account's was deleted: %v", err)
	}
	own, err := db.AddEndpoint(t.Context(), webhook.Endpoint{Account: one, URL: "https://a.example",
		Search: "another", CreatedAt: at(0), UpdatedAt: at(0)}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.DeleteCustom(t.Context(), one, "another"); err != nil {
		t.Error(err)
	}
	if e, err := db.Endpoint(t.Context(), one, own.ID); err != nil || e.DisabledAt == nil || e.DisabledWhy != webhook.DisabledSearch {
		t.Errorf("the endpoint of a deleted search: %+v, %v", e, err)
	}
	if all, err := db.Customs(t.Context(), one); err != nil || len(all) != 1 {
		t.Errorf("after one was deleted: %v, %v", all, err)
	}
	if _, _, err := db.PutCustom(t.Context(), one+other+1, c, 2); !errors.Is(err,
		registry.ErrNotFound) {
		t.Errorf("for nobody: %v", err)
	}
}

func TestPutCustomConcurrently(t *testing.T) {
	db := newStore(t)
	accountID := accountRow(t, db, "one@census.example")
	var made atomic.Int32
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			c := account.Custom{Name: fmt.Sprint("search-", i), Limit: 20, CreatedAt: at(0),
				UpdatedAt: at(0)}
			switch _, ok, err := db.PutCustom(t.Context(), accountID, c, 5); {
			case ok:
				made.Add(1)
			case !errors.Is(err, registry.ErrConflict):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if all, err := db.Customs(t.Context(), accountID); err != nil || len(all) != 5 ||
		made.Load() != 5 {
		t.Errorf("%d were made and %d are there, of 5 allowed: %v", made.Load(), len(all), err)
	}
}

func TestCustomByToken(t *testing.T) {
	db := newStore(t)
	id := accountRow(t, db, "one@census.example")
	c := account.Custom{Name: "go", Query: "sql", Limit: 20, CreatedAt: at(0), UpdatedAt: at(0)}
	if _, _, err := db.PutCustom(t.Context(), id, c, 2); err != nil {
		t.Fatal(err)
	}
	token, err := db.MakeCustomToken(t.Context(), id, "go")
	if err != nil || len(token) < 26 {
		t.Fatalf("token %q, %v", token, err)
	}
	got, plan, err := db.CustomByToken(t.Context(), token)
	if err != nil || !cmp.Equal(got, c) || plan.Plan != account.Basic {
		t.Errorf("%+v, %+v, %v", got, plan, err)
	}
	if _, err := db.MakeCustomToken(t.Context(), id+1, "go"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("token of another account: %v", err)
	}
	if _, _, err := db.CustomByToken(t.Context(), "x"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("unknown token: %v", err)
	}
}
