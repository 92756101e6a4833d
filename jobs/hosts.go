package jobs

import (
	"context"
	"iter"
	"maps"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// A Host is a client that reads repositories from one code host. Its methods
// are safe for concurrent use.
type Host interface {
	// Visit reads repositories and yields one visit for each, in any order. It yields none for
	// works that it could not request because of a rate limit or because ctx is done.
	Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit]
	// Resolve reads one whole repository immediately. onProgress is called with partial
	// results: first the repository alone, then with its files.
	Resolve(
		ctx context.Context, ref registry.RepoRef, onProgress func(registry.Repository,
			[]registry.File),
	) registry.Visit
	// PathActivity returns the activity below each path, and the errors of paths whose
	// activity could not be read, both by path.
	PathActivity(
		ctx context.Context, repo registry.Repository, paths []string,
	) (found map[string]registry.Activity, failures map[string]string, err error)
	// Backoff returns why the host accepts no requests now and when it will, a zero time if
	// unknown. The error is nil if it accepts them. known is whether the repositories were read
	// before.
	Backoff(known bool) (until time.Time, why error)
}

// Hosts are the clients of code hosts by the ID of their [registry.Host].
type Hosts map[string]Host

// of returns the client of a host. It never returns nil.
func (h Hosts) of(id string) Host {
	if host, ok := h[registry.HostOf(id).ID]; ok {
		return host
	}
	return noClient{id}
}

// visit reads repositories of several hosts, each host's at the same time as
// the others', as [Host.Visit] does.
func (h Hosts) visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	groups := map[string][]registry.Work{}
	for _, w := range works {
		groups[w.Ref.Host] = append(groups[w.Ref.Host], w)
	}
	if len(groups) == 1 {
		return h.of(works[0].Ref.Host).Visit(ctx, works)
	}
	return func(yield func(registry.Visit) bool) {
		ctx, cancel := context.WithCancel(ctx)
		visits := make(chan registry.Visit)
		var readers sync.WaitGroup
		for id, works := range maps.All(groups) {
			readers.Go(func() {
				for v := range h.of(id).Visit(ctx, works) {
					visits <- v
				}
			})
		}
		go func() {
			readers.Wait()
			close(visits)
		}()
		defer func() {
			cancel()
			for range visits { // until all readers have ended
			}
		}()
		for v := range visits {
			if !yield(v) {
				return
			}
		}
	}
}

// noClient represents a host without a client in this program.
type noClient struct{ id string }

func (n noClient) err() error {
	return registry.Errorf(registry.ErrUnsupported, "Repositories on %s are not read.",
		registry.HostOf(n.id).Name)
}

func (n noClient) Visit(_ context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		for _, w := range works {
			if !yield(registry.Visit{Work: w, Outcome: registry.Failed, Err: n.err()}) {
				return
			}
		}
	}
}

func (n noClient) Resolve(
	_ context.Context, ref registry.RepoRef, _ func(registry.Repository, []registry.File),
) registry.Visit {
	return registry.Visit{Work: registry.Work{Ref: ref}, Outcome: registry.Failed, Err: n.err()}
}

func (n noClient) PathActivity(
	context.Context, registry.Repository, []string,
) (map[string]registry.Activity, map[string]string, error) {
	return nil, nil, n.err()
}

func (n noClient) Backoff(bool) (time.Time, error) { return time.Time{}, nil }
