package jobs

import (
	"context"
	"time"

	"mcpcensus/internal/registry"
)

// NoKnowledge is the [Knowledge] of a check without a database: it knows
// nothing and stores nothing.
type NoKnowledge struct{}

// ListingsOfRepo returns no listings.
func (NoKnowledge) ListingsOfRepo(context.Context, string, int64) ([]registry.Listing, error) {
	return nil, nil
}

// PackageFacts returns no facts.
func (NoKnowledge) PackageFacts(
	context.Context, []registry.PackageKey,
) (map[registry.PackageKey]registry.PackageFacts, error) {
	return nil, nil
}

// EnqueuePackages does nothing.
func (NoKnowledge) EnqueuePackages(context.Context, []registry.PackageKey, time.Time) error {
	return nil
}

// SourceState returns the state of a source that was never read.
func (NoKnowledge) SourceState(_ context.Context, name string) (registry.SourceState, error) {
	return registry.SourceState{Name: name}, nil
}

// FormerNames returns none.
func (NoKnowledge) FormerNames(context.Context, string, int64) ([]string, error) { return nil, nil }
