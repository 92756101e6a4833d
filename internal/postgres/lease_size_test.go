package postgres_test

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

// TestLeaseSize: the listing of a repository can be as long
// as tens of thousands of files, and a worker has all of a lease in memory.
func TestLeaseSize(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const huge, small = 8, 30
	var all []registry.Candidate
	for i := range huge + small {
		all = append(all, candidate(fmt.Sprintf("octo/r%02d", i), int64(i+1)))
	}
	enqueue(t, db, start, all...)
	var id [20]byte
	for _, w := range lease(t, db, 100, start) {
		r := fetched(w, observed(w.Ref.Owner+"/"+w.Ref.Name, w.HostID, start), start, "")
		r.NextAt = at(1)
		for i := 0; w.HostID <= huge && i < 50_000; i++ {
			_, _ = rand.Read(id[:])
			r.Visit.Snapshot.Files = append(r.Visit.Snapshot.Files,
				registry.File{Path: fmt.Sprintf("packages/p%05d/index.ts", i), Size: 1234,
					OID: hex.EncodeToString(id[:]), Mode: "100644"})
		}
		save(t, db, r)
	}
	seen, rounds := map[int64]bool{}, 0
	for len(seen) < huge+small && rounds < 20 {
		works, err := db.Lease(t.Context(), "w", 100, time.Hour, at(2))
		if err != nil || len(works) == 0 {
			t.Fatalf("round %d: %d leased, %v", rounds, len(works), err)
		}
		files := 0
		for _, w := range works {
			seen[w.ID] = true
			files += len(w.Stored.Files)
		}
		if files > 320_000 {
			t.Errorf("round %d: %d files at once", rounds, files)
		}
		rounds++
	}
	if len(seen) != huge+small || rounds < 2 || rounds > 4 {
		t.Errorf("%d of %d leased in %d rounds", len(seen), huge+small, rounds)
	}
}
