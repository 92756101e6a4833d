package jobs_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// avatarStore is a store and a source of avatars, by owner.
type avatarStore struct {
	due    []registry.OwnerAvatar
	images map[string]string // by URL
	saved  map[string]string // by owner: image and days until it is due
	now    time.Time
}

func (f *avatarStore) DueAvatars(context.Context, time.Time, int) ([]registry.OwnerAvatar, error) {
	return f.due, nil
}

func (f *avatarStore) SaveAvatar(_ context.Context, a registry.OwnerAvatar, image []byte, at time.Time) error {
	f.saved[a.Owner] = string(image) + " " + at.Sub(f.now).String()
	return nil
}

func (f *avatarStore) Fetch(_ context.Context, address string) ([]byte, error) {
	switch image := f.images[address]; image {
	case "":
		return nil, registry.Errorf(registry.ErrNotFound, "none")
	case "svg":
		return nil, registry.Errorf(registry.ErrInvalid, "refused")
	case "down":
		return nil, errors.New("no connection")
	default:
		return []byte(image), nil
	}
}

func TestAvatars(t *testing.T) {
	f := &avatarStore{saved: map[string]string{}, now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		images: map[string]string{"/1": "png", "/3": "svg", "/4": "down", "/5": "png"}}
	for _, owner := range []string{"1", "2", "3", "4", "5"} {
		f.due = append(f.due, registry.OwnerAvatar{Owner: owner, URL: "/" + owner})
	}
	f.due = slices.Insert(f.due, 2, registry.OwnerAvatar{Host: "forge", Owner: "6", URL: "/5"})
	n, err := jobs.Avatars(t.Context(), f, jobs.AvatarSources{registry.GitHub: f}, f.now)
	if n != 4 || err == nil {
		t.Errorf("%d, %v; want 4 and the failure of the fifth", n, err)
	}
	want := map[string]string{"1": "png 720h0m0s", "2": " 168h0m0s", "3": " 168h0m0s", "6": " 168h0m0s"}
	if d := cmp.Diff(want, f.saved); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
