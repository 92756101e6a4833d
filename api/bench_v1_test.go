package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"mcpcensus/api"
	v1 "mcpcensus/api/v1"
	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// oneKey is a store of keys with one of an enterprise account.
type oneKey struct {
	keyring.Store
	hash account.KeyHash
}

func (s *oneKey) MakeKey(_ context.Context, _ string, k account.Key, hash account.KeyHash) (account.Key, error) {
	s.hash, k.ID = hash, 1
	return k, nil
}

func (s *oneKey) FindKey(_ context.Context, hash account.KeyHash) (account.HeldKey, error) {
	if hash != s.hash {
		return account.HeldKey{}, registry.Errorf(registry.ErrNotFound, "no such key")
	}
	return account.HeldKey{Key: account.Key{ID: 1, Account: 1},
		Subscription: account.Subscription{Plan: account.Enterprise}}, nil
}

func (*oneKey) TouchKeys(context.Context, map[int64]time.Time) error { return nil }

// noCounts is a store of counts that keeps none.
type noCounts struct{}

func (noCounts) AddCounts(context.Context, meter.Counts, time.Time) error { return nil }

// BenchmarkKeyed measures /v1 with the key of an enterprise account as
// BenchmarkServe measures /api: with keys looked up, calls counted, and all
// middleware on.
func BenchmarkKeyed(b *testing.B) {
	c := api.Big()
	v := c.View()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store := &oneKey{}
	ring := keyring.New(store, slog.New(slog.DiscardHandler), time.Now)
	_, key, err := ring.Make(ctx, "owner", 1, account.KeyChange{Name: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	e := api.BenchEngine(b)
	base := api.New(api.Options{Catalog: c, Keys: ring, Limiter: api.Alone(b),
		Meter:   meter.New(noCounts{}, slog.New(slog.DiscardHandler), time.Now),
		BaseURL: "https://census.example", Version: "bench"})
	v1.New(v1.Options{API: base}).Register(e)
	cursors := make([]string, 500)
	pages := func(l catalog.List) int { return max(1, l.Total()/20) }
	best := func(category, sdk string) catalog.List {
		q := query.Query{}
		for field, value := range map[string]string{"category": category, "sdk": sdk} {
			if value != "" {
				q.Filters = append(q.Filters, query.Filter{Field: field, Op: query.OpEq, Values: []any{value}})
			}
		}
		return v.Query(q, nil)
	}
	all := pages(best("", ""))
	for i := range cursors {
		r := httptest.NewRequest("GET", "/v1/servers?page="+strconv.Itoa(1+rand.IntN(all-1)), nil)
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		if e.ServeHTTP(w, r); w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
		var p struct{ Pagination struct{ NextCursor string } }
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			b.Fatal(err)
		}
		cursors[i] = p.Pagination.NextCursor
	}
	slugs := make([]string, 2000)
	for i := range slugs {
		slugs[i] = v.List("", catalog.ByQuality, -1).At(rand.IntN(v.Len())).Slug()
	}
	page := func(query string, n int) string {
		return "/v1/servers?" + query + "page=" + strconv.Itoa(1+rand.IntN(n))
	}
	any := func(s []string) string { return s[rand.IntN(len(s))] }
	tsPages := pages(best("", "typescript"))
	bothPages := map[string]int{}
	for _, category := range registry.Categories {
		bothPages[category] = pages(best(category, "python"))
	}
	api.Compare(b, e, "Authorization: Bearer "+key,
		[]string{"servers", "servers-page", "servers-cursor", "servers-sdk-page", "servers-category-sdk-page", "server-one", "server-any", "search"},
		[]func() string{
			func() string { return "/v1/servers" },
			func() string { return page("", all) },
			func() string { return "/v1/servers?cursor=" + any(cursors) },
			func() string { return page("sdk=typescript&", tsPages) },
			func() string {
				category := any(registry.Categories)
				return page("sdk=python&category="+category+"&", bothPages[category])
			},
			func() string { return "/v1/servers/" + slugs[0] },
			func() string { return "/v1/servers/" + any(slugs) },
			func() string { return "/v1/search" },
		})
}
