package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestAvatars(t *testing.T) {
	t.Parallel()
	db, now := pgtest.New(t), start
	crawled(t, db, "Octo/a", 1, now, "")
	crawled(t, db, "octo/b", 2, now, "")
	crawled(t, db, "Other/c", 3, now, "")
	owners := func(at time.Time) (all []string) {
		t.Helper()
		due, err := db.DueAvatars(t.Context(), at, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range due {
			all = append(all, a.Host+"/"+a.Owner)
		}
		return all
	}
	if d := cmp.Diff([]string{"github/octo", "github/other"}, owners(now)); d != "" {
		t.Errorf("due (-want +got)\n%s", d)
	}
	saveAvatar := func(owner string, image []byte, last time.Duration) {
		t.Helper()
		a := registry.OwnerAvatar{Host: registry.GitHub, Owner: owner}
		if err := db.SaveAvatar(t.Context(), a, image, now.Add(last)); err != nil {
			t.Fatal(err)
		}
	}
	saveAvatar("octo", []byte("png"), time.Hour)
	saveAvatar("other", nil, 2*time.Hour)
	if due := owners(now); due != nil {
		t.Errorf("due after they were stored: %v", due)
	}
	if d := cmp.Diff([]string{"github/octo"}, owners(now.Add(90*time.Minute))); d != "" {
		t.Errorf("due later (-want +got)\n%s", d)
	}
	stored, err := db.AvatarOwners(t.Context())
	if diff := cmp.Diff([]registry.OwnerAvatar{{Host: registry.GitHub, Owner: "octo"}}, stored); diff != "" || err != nil {
		t.Errorf("owners with avatars: %s%v", diff, err)
	}
	if image, err := db.Avatar(t.Context(), registry.GitHub, "OCTO"); err != nil || string(image) != "png" {
		t.Errorf("avatar %q, %v", image, err)
	}
	for _, owner := range []string{"other", "nobody", "a\x00b"} {
		if _, err := db.Avatar(t.Context(), registry.GitHub, owner); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("%q: %v, want not found", owner, err)
		}
	}
}
