package postgres_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestCopies(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ctx := t.Context()
	crawled(t, db, "octo/weather", 7, start, "")
	crawled(t, db, "stranger/weather", 8, start.AddDate(0, 0, 1), "")
	at := start.AddDate(0, 0, 2)

	texts, err := db.UnsignedReadmes(ctx, 0, 10)
	if err != nil || len(texts) != 2 {
		t.Fatalf("%d READMEs to sign, %v", len(texts), err)
	}
	ids := map[string]int64{}
	var signed []registry.ReadmeSignature
	for _, text := range texts {
		signed = append(signed, registry.ReadmeSignature{ID: text.ID, Digest: text.Digest,
			Signature: []byte{1, 2, byte(text.ID)}})
	}
	if err := db.SaveSignatures(ctx, signed); err != nil {
		t.Fatal(err)
	}
	if n, err := db.CountUnsigned(ctx); n != 0 || err != nil {
		t.Errorf("%d READMEs without signature, %v", n, err)
	}
	if err := db.EachCopyCandidate(ctx, func(c registry.CopyCandidate) error {
		ids[c.Server.Slug] = c.Server.ID
		if diff := cmp.Diff([]byte{1, 2, byte(c.Server.ID)}, c.Signature); diff != "" {
			t.Error(diff)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	young := ids["stranger-weather"]
	if len(ids) != 2 || young == 0 {
		t.Fatalf("candidates: %v", ids)
	}

	stored := func() *registry.Copy {
		t.Helper()
		s, err := pgtest.Find(t, db, "stranger-weather")
		if err != nil {
			t.Fatal(err)
		}
		return s.Copy
	}
	store := func(found map[int64]registry.Copy, want int) {
		t.Helper()
		at = at.AddDate(0, 0, 1)
		before, _ := db.LastSeq(ctx)
		n, err := db.SaveCopies(ctx, found, at)
		after, _ := db.LastSeq(ctx)
		if n != want || err != nil || after != before+int64(want) {
			t.Errorf("%d changed, %v, want %d; change %d after %d", n, err, want, after, before)
		}
	}
	copied := registry.Copy{Of: "octo-weather", Kind: registry.CopyOf, Reason: "Its README."}
	want := copied
	want.Since = at.AddDate(0, 0, 1)

	store(map[int64]registry.Copy{young: copied}, 1)
	store(map[int64]registry.Copy{young: copied}, 0)
	if diff := cmp.Diff(&want, stored()); diff != "" {
		t.Error(diff)
	}
	copied.Reason, want.Reason = "Its tools.", "Its tools."
	store(map[int64]registry.Copy{young: copied}, 1)
	if diff := cmp.Diff(&want, stored()); diff != "" {
		t.Error(diff)
	}

	// Visits and scores keep it.
	var scored []registry.Scored
	if err := db.EachFacts(ctx, func(s registry.Scored) error {
		if s.Server.ID == young {
			s.Server.Description = "scored again"
			scored = append(scored, s)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n, err := db.SaveScores(ctx, scored, at); n != 1 || err != nil {
		t.Errorf("%d scores changed, %v", n, err)
	}
	if diff := cmp.Diff(&want, stored()); diff != "" {
		t.Errorf("after a score: %s", diff)
	}
	crawled(t, db, "stranger/weather", 8, at.AddDate(0, 1, 0), "")
	if diff := cmp.Diff(&want, stored()); diff != "" {
		t.Errorf("after a visit: %s", diff)
	}

	// The operator overrules it.
	if err := db.SetNotCopy(ctx, "stranger-weather", true, at); err != nil || stored() != nil {
		t.Errorf("overruled: %v, %v", stored(), err)
	}
	store(map[int64]registry.Copy{young: copied}, 0)
	if err := db.SetNotCopy(ctx, "stranger-weather", false, at); err != nil {
		t.Error(err)
	}
	store(map[int64]registry.Copy{young: copied}, 1)
	store(nil, 1)
	if stored() != nil {
		t.Errorf("an original is a copy: %v", stored())
	}
	if err := db.SetNotCopy(ctx, "nobody", true, at); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("unknown slug: %v", err)
	}
}
