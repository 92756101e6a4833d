package jobs

import (
	"context"
	"time"

	"mcpcensus/internal/registry"
)

// NoStore is the part of a [Store] that detection reads, for checks without a
// database: it knows nothing and keeps nothing. Calling another method of it
// panics.
type NoStore struct{ Store }

// ListingsOfRepo returns none.
func (NoStore) ListingsOfRepo(context.Context, string, int64) ([]registry.Listing, error) {
	return nil, nil
}

// PackageFacts returns none.
func (NoStore) PackageFacts(context.Context, []registry.PackageKey) (map[registry.PackageKey]registry.PackageFacts, error) {
	return nil, nil
}

// WantPackages does nothing.
func (NoStore) WantPackages(context.Context, []registry.PackageKey, time.Time) error { return nil }

// SourceState returns the state of a source that was never read.
func (NoStore) SourceState(_ context.Context, name string) (registry.SourceState, error) {
	return registry.SourceState{Name: name}, nil
}
