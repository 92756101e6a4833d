package jobs

import (
	"cmp"
	"context"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

// An AvatarStore holds the avatars of owners.
type AvatarStore interface {
	DueAvatars(ctx context.Context, now time.Time, limit int) ([]registry.OwnerAvatar, error)
	SaveAvatar(ctx context.Context, a registry.OwnerAvatar, image []byte, dueAt time.Time) error
}

// An AvatarSource fetches avatars as PNG. Its errors are of kind
// [registry.ErrNotFound] or [registry.ErrInvalid] if repeating them is useless.
type AvatarSource interface {
	Fetch(ctx context.Context, address string) ([]byte, error)
}

// AvatarSources are sources by the ID of their code host.
type AvatarSources map[string]AvatarSource

// fetch returns an owner's avatar from the source of its host.
func (s AvatarSources) fetch(ctx context.Context, a registry.OwnerAvatar) ([]byte, error) {
	source := s[cmp.Or(a.Host, registry.Hosts[0].ID)]
	if source == nil {
		return nil, registry.Errorf(registry.ErrNotFound, "avatars of %s are not read", a.Host)
	}
	return source.Fetch(ctx, a.URL)
}

const (
	avatarBatch = 200 // per run
	// avatarsLast is the age at which an avatar is fetched again, noAvatarLasts the age for a
	// missing or refused one.
	avatarsLast   = 30 * 24 * time.Hour
	noAvatarLasts = 7 * 24 * time.Hour
)

// Avatars fetches and stores the avatars that are due, and returns how many. It
// stops at the first failure that may pass.
func Avatars(
	ctx context.Context, s AvatarStore, from AvatarSources, now time.Time,
) (int, error) {
	due, err := s.DueAvatars(ctx, now, avatarBatch)
	if err != nil {
		return 0, err
	}
	for n, a := range due {
		image, err := from.fetch(ctx, a)
		last := avatarsLast
		switch {
		case errors.Is(err, registry.ErrNotFound), errors.Is(err, registry.ErrInvalid):
			image, last = nil, noAvatarLasts
		case err != nil:
			return n, err
		}
		if err := s.SaveAvatar(ctx, a, image, now.Add(last)); err != nil {
			return n, err
		}
	}
	return len(due), nil
}
