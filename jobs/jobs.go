// Package jobs runs the scheduled work of Census: discovering repositories, visiting due ones,
// scoring servers, querying package services, rescoring, and storing daily figures. Every job
// can be stopped, repeated, and run in several processes at once: the store is the queue, and
// only the holder of a lease saves a result. It is one package because all jobs share the
// leases, the timetable and the Ingester, which turns what a visit read into a scored record.
package jobs

import (
	"context"
	"time"

	"mcpcensus/internal/registry"
)

// A Source finds repositories that may hold MCP servers.
type Source interface {
	// Name is the source's name in sightings.
	Name() string
	// Discover reads the source from where state left off; nil is the beginning. It yields
	// candidates together with the state that is valid once they are stored, so that a killed
	// run continues from the last stored state. Candidates may be nil if only the state
	// changed. It returns nil at the end of a complete run, and otherwise the first error: an
	// error of yield or, for a spent budget, a [*transport.LimitError].
	Discover(ctx context.Context, state []byte,
		yield func(found []registry.Candidate, state []byte) error) error
}

// An Observer is called for metrics and progress. Its functions may be nil.
type Observer struct {
	Visited  func(outcome registry.Outcome)
	JobDone  func(job, result string, took time.Duration)
	Found    func(source string, n int)
	Packages func(kind string, ok bool)
	Probed   func(state string) // the state of the endpoint after a probe
}

func (o Observer) visited(outcome registry.Outcome) {
	if o.Visited != nil {
		o.Visited(outcome)
	}
}

func (o Observer) found(source string, n int) {
	if o.Found != nil {
		o.Found(source, n)
	}
}

func (o Observer) packages(kind string, ok bool) {
	if o.Packages != nil {
		o.Packages(kind, ok)
	}
}
