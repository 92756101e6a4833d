// Package crawler defines sources of repositories, and reads lists of them.
// Package crawler/github reads the code host, and crawler/upstream other
// services; all of them send through crawler/transport.
package crawler

import (
	"context"

	"mcpcensus/internal/registry"
)

// A Source names repositories that may hold MCP servers.
type Source interface {
	// Name is the source's name as sightings carry it.
	Name() string
	// Discover reads the source from where state left off; nil is the very
	// beginning. It hands candidates to yield together with the state that is
	// valid once they are stored, so that a killed run continues from the last
	// stored state; candidates may be nil if only the state changed. It returns
	// nil at the end of a complete run, and otherwise the first error, which is
	// yield's or, for a spent budget, a [*transport.LimitError].
	Discover(ctx context.Context, state []byte,
		yield func(found []registry.Candidate, state []byte) error) error
}
