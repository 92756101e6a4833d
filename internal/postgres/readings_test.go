package postgres_test

import (
	"testing"

	"mcpcensus/internal/pgtest"
)

func TestReadings(t *testing.T) {
	db := pgtest.New(t)
	begin := func(what, of string, want int) {
		t.Helper()
		if n, err := db.BeginReading(t.Context(), what, of); n != want || err != nil {
			t.Errorf("%s of %s: %d strikes, want %d: %v", of, what, n, want, err)
		}
	}
	end := func(what string, strikes int) {
		t.Helper()
		if err := db.EndReading(t.Context(), what, strikes); err != nil {
			t.Fatal(err)
		}
	}
	for i, of := range []string{"a", "a", "a", "a", "b", "b"} {
		begin("tides", of, i%4)
	}
	begin("trains", "b", 0)
	end("tides", 0)
	begin("tides", "b", 0)
	end("tides", 2)
	begin("tides", "b", 2)
	end("none", 1)
	begin("none", "b", 0)
	begin("trains", "b", 1)
}
