package export

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/feeds"
	"mcpcensus/web/site"
)

// Avatars returns the stored avatars of owners.
type Avatars interface {
	feeds.Avatars
	// AvatarOwners returns the owners that have a stored avatar.
	AvatarOwners(ctx context.Context) ([]registry.OwnerAvatar, error)
}

// avatars are the avatars of the owners of listed servers.
type avatars struct {
	source Avatars                         // nil: none are stored
	owners map[string]registry.OwnerAvatar // by path
	stored map[string]bool                 // paths; other owners are shown by their first letter
}

func loadAvatars(ctx context.Context, source Avatars, v *catalog.View) (avatars, error) {
	a := avatars{source: source, owners: map[string]registry.OwnerAvatar{}, stored: map[string]bool{}}
	for s := range v.Servers() {
		if path := s.Repo.AvatarPath(); path != "" {
			a.owners[path] = registry.OwnerAvatar{
				Host: cmp.Or(s.Repo.Host, registry.Hosts[0].ID), Owner: strings.ToLower(s.Repo.Owner)}
		}
	}
	if source == nil {
		return a, nil
	}
	owners, err := source.AvatarOwners(ctx)
	if err != nil {
		return a, unavailable(err)
	}
	for _, o := range owners {
		repo := registry.Repository{Host: o.Host, Owner: o.Owner}
		if path := repo.AvatarPath(); a.owners[path].Owner != "" {
			a.stored[path] = true
		}
	}
	return a, nil
}

// paths returns the paths of all avatars, sorted.
func (a avatars) paths() []string { return slices.Sorted(maps.Keys(a.owners)) }

// digest changes when another owner has a stored avatar.
func (a avatars) digest() string { return strings.Join(slices.Sorted(maps.Keys(a.stored)), " ") }

// file is the file of an avatar: a PNG, or the first letter as SVG.
func (a avatars) file(path string) string {
	name := site.FileOf(path)
	if a.stored[path] {
		return name
	}
	return strings.TrimSuffix(name, ".png") + ".svg"
}

// avatar writes the avatar of an owner.
func (e *exporter) avatar(ctx context.Context, path string) error {
	name, owner := e.avatars.file(path), e.avatars.owners[path]
	if e.folder.Done(name) {
		return nil
	}
	body := feeds.Letter(owner.Owner)
	if e.avatars.stored[path] {
		var err error
		body, err = e.avatars.source.Avatar(ctx, owner.Host, owner.Owner)
		if errors.Is(err, registry.ErrNotFound) {
			return registry.Wrap(registry.ErrUnavailable, err, "the avatar of "+owner.Owner+" was removed")
		}
		if err != nil {
			return unavailable(err)
		}
	}
	return e.folder.Put(name, body)
}
