package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// A stoppedEnricher is stopped after it has the count of all packages but the
// last.
type stoppedEnricher struct {
	jobs.Enricher
	stop func()
	now  time.Time
}

func (e stoppedEnricher) Downloads(
	ctx context.Context, ps []registry.PackageFacts,
) ([]registry.PackageFacts, error) {
	for i := range ps[:len(ps)-1] {
		n := int64(4711)
		ps[i].Downloads, ps[i].DownloadsObservedAt = &n, &e.now
	}
	e.stop()
	return ps, ctx.Err()
}

func TestCountsThatWereAnsweredBeforeAStopAreKept(t *testing.T) {
	h := newHouse(t, aServer("rail/a-mcp"), aServer("rail/b-mcp"), aServer("rail/c-mcp"))
	h.enqueue("rail/a-mcp", "rail/b-mcp", "rail/c-mcp")
	h.refresh()
	ctx, stop := context.WithCancel(t.Context())
	p := h.packager()
	p.Enrich = stoppedEnricher{h.enrich, stop, h.clock.Now()}
	if _, err := p.Downloads(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	counted := 0
	for _, name := range []string{"rail/a-mcp", "rail/b-mcp", "rail/c-mcp"} {
		if s := h.server(name); s.Downloads != nil {
			counted++
			if *s.Downloads != 4711 {
				t.Errorf("%s has %d downloads", name, *s.Downloads)
			}
		}
	}
	if counted != 2 {
		t.Errorf("%d counts are kept, want 2", counted)
	}
	for _, f := range h.status().Failing {
		t.Errorf("to be stopped is called a failure: %+v", f)
	}
	// The rest is asked for at the next start.
	p = h.packager()
	if n, err := p.Downloads(t.Context()); err != nil || n != 1 {
		t.Errorf("then asked for %d, %v", n, err)
	}
}
