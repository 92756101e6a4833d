package jobs

import (
	"context"
	"time"

	"mcpcensus/internal/registry"
)

// NoFacts is the [FactSource] of a check without a database: it has
// no facts and stores none.
type NoFacts struct{}

// ListingsOfRepo returns no listings.
func (NoFacts) ListingsOfRepo(context.Context, string, int64) ([]registry.Listing, error) {
	return nil, nil
}

// PackageFacts returns no facts.
func (NoFacts) PackageFacts(
	context.Context, []registry.PackageKey,
) (map[registry.PackageKey]registry.PackageFacts, error) {
	return nil, nil
}

// EnqueuePackages does nothing.
func (NoFacts) EnqueuePackages(context.Context, []registry.PackageKey, time.Time) error {
	return nil
}

// SourceState returns the state of a source that was never read.
func (NoFacts) SourceState(_ context.Context, name string) (registry.SourceState, error) {
	return registry.SourceState{Name: name}, nil
}

// FormerNames returns none.
func (NoFacts) FormerNames(context.Context, string, int64) ([]string, error) { return nil, nil }
