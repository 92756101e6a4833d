package people_test

import (
	"database/sql"
	"testing"
	"time"

	"mcpcensus/internal/meter"

	"github.com/google/go-cmp/cmp"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	account := newAccount(t, db, "ada@example.org")
	call := func(hours float64, account, key int64, endpoint string, n int64) meter.CallCount {
		return meter.CallCount{Account: account,
			DayCalls: meter.DayCalls{Date: at(hours), Key: key, Endpoint: endpoint, Calls: n}}
	}
	for batch := range int64(2) {
		if err := db.AddCounts(t.Context(), meter.Counts{Process: "a", Batch: batch + 1, Calls: []meter.CallCount{
			call(0, account, 1, "GET /v1/servers", 2), call(0, account, 2, "GET /v1/servers",
				1), call(24, account, 1, "GET /v1/search", 5),
			call(0, account+1, 1, "GET /v1/servers", 9),
		}}, start); err != nil {
			t.Fatal(err)
		}
	}
	days, err := db.Calls(t.Context(), account, start, at(24))
	if err != nil {
		t.Fatal(err)
	}
	day := start.Truncate(24 * time.Hour)
	want := []meter.DayCalls{
		{Date: day, Key: 1, Endpoint: "GET /v1/servers", Calls: 4}, {Date: day, Key: 2,
			Endpoint: "GET /v1/servers", Calls: 2},
		{Date: day.AddDate(0, 0, 1), Key: 1, Endpoint: "GET /v1/search", Calls: 10},
	}
	if diff := cmp.Diff(want, days); diff != "" {
		t.Error(diff)
	}
	if err := db.ForgetCalls(t.Context(), at(24*11), 10*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if days, err := db.Calls(t.Context(), account, start, at(24*30)); err != nil || len(days) != 1 {
		t.Errorf("after ten days: %v %v", days, err)
	}
}

// newAccount stores an account and returns its number.
func newAccount(t *testing.T, db store, email string) (id int64) {
	t.Helper()
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if err := own.QueryRow(
		`INSERT INTO accounts (email, email_key, created_at) VALUES ($1, lower($1), now()) RETURNING id`, email,
	).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}
