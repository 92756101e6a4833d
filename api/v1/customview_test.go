package v1

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// views has one custom endpoint, of an account with a plan.
type views struct{ plan string }

func (v views) MakeCustomToken(_ context.Context, id int64, name string) (string, error) {
	if name != "mine" || id != 3 {
		return "", registry.Errorf(registry.ErrNotFound, "none")
	}
	return "0f8fad5bd9cb469fa16570867728950e", nil
}

func (v views) CustomByToken(_ context.Context, token string) (account.Custom, account.Subscription, error) {
	if token != "0f8fad5bd9cb469fa16570867728950e" {
		return account.Custom{}, account.Subscription{}, registry.Errorf(registry.ErrNotFound, "none")
	}
	return account.Custom{Name: "mine", Query: "sql", Filters: `{"stars":{"gte":7}}`, Sort: "-stars", UpdatedAt: epoch},
		account.Subscription{Plan: v.plan}, nil
}

func TestSavedView(t *testing.T) {
	token := "0f8fad5bd9cb469fa16570867728950e"
	a := New(Options{API: start(t, 0).v1.API, Accounts: accounts{views: views{"enterprise"}}})
	name, q, version, err := a.SavedView(t.Context(), token)
	want := query.Query{Text: "sql", Filters: []query.Filter{query.AtLeast("stars", 7)}, Sort: []query.Order{{Field: "stars", Desc: true}}}
	if diff := cmp.Diff(want, q); diff != "" || name != "mine" || version == "" || err != nil {
		t.Errorf("%s %s %v %s", name, version, err, diff)
	}
	if _, _, _, err := a.SavedView(t.Context(), "other"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("another token: %v", err)
	}
	a.Accounts = accounts{views: views{"basic"}}
	if _, _, _, err := a.SavedView(t.Context(), token); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("after the plan has ended: %v", err)
	}
}
