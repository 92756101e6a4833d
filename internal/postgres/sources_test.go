package postgres_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestUpkeepStates(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	state, err := db.SourceState(t.Context(), "github")
	if err != nil || state.Name != "github" || state.Cursor != nil || state.LastSuccess != nil {
		t.Errorf("a source never read: %+v %v", state, err)
	}
	when := at(1)
	want := registry.SourceState{Name: "github", Cursor: []byte(`{"page":2}`), LastStarted: &when,
		LastError: "502", LastErrorAt: &when, Found: 7}
	if err := db.SaveSourceState(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := db.SourceState(t.Context(), "github")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("source state: %v\n%s", err, diff)
	}
	if err := db.SaveSourceState(t.Context(),
		registry.SourceState{Name: "x", Cursor: []byte("{")}); err == nil {
		t.Error("stored an invalid cursor")
	}

	budget := registry.Budget{Upstream: "github", Credential: "a1", Resource: "core", Limit: 5000,
		Remaining: 10, ResetAt: at(2), ObservedAt: at(1)}
	older := budget
	older.Remaining, older.ObservedAt = 4000, at(0)
	for _, b := range []registry.Budget{budget, older} {
		if err := db.SaveBudget(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	budgets, err := db.Budgets(t.Context())
	if diff := cmp.Diff([]registry.Budget{budget}, budgets); diff != "" || err != nil {
		t.Errorf("budgets: %v\n%s", err, diff)
	}

	for i := range 120 {
		run := registry.JobRun{Job: "refresh", StartedAt: at(float64(i))}
		id, err := db.JobStarted(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if i < 119 {
			end := at(float64(i) + 0.5)
			run.FinishedAt, run.Note = &end, fmt.Sprint("run ", i)
			if err := db.JobFinished(t.Context(), id, run); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs, err := db.JobRuns(t.Context())
	if err != nil || len(runs) != 1 || !runs[0].StartedAt.Equal(at(119)) ||
		runs[0].FinishedAt != nil {
		t.Errorf("runs: %+v %v", runs, err)
	}

	crawled(t, db, "octo/weather", 7, start, "", "b")
	enqueue(t, db, at(1), candidate("octo/new", 8), candidate("octo/new2", 9))
	lease(t, db, 1, at(1))
	if err := db.Hide(t.Context(), "octo-weather-b", "spam"); err != nil {
		t.Fatal(err)
	}
	status, err := db.Status(t.Context(), at(1.5))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Freshness(t.Context(), &status); err != nil {
		t.Fatal(err)
	}
	type counts struct {
		WithServer, New, Unvisited, Servers, Hidden, Due, Leased, Sources, Budgets, Jobs int
		LagP50, AgeP50                                                                   float64
		Seq                                                                              int64
	}
	if diff := cmp.Diff(counts{WithServer: 1, New: 2, Unvisited: 2, Servers: 1, Hidden: 1, Due: 1,
		Leased: 1, Sources: 1, Budgets: 1, Jobs: 1, LagP50: 1800, AgeP50: 5400, Seq: 3},
		counts{status.Repositories["server"], status.Repositories["new"], status.Unvisited,
			status.Servers, status.Hidden, status.Due, status.Leased, len(status.Sources),
			len(status.Budgets), len(status.Jobs), *status.LagP50, *status.AgeP50,
			status.Seq}); diff != "" || len(status.Named) == 0 {
		t.Errorf("status: %s; named %v", diff, status.Named)
	}
}
