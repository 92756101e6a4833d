package api

import (
	"context"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

// degraded is an index that does not answer, with a scan in its place.
type degraded struct{ scan }

func (d degraded) Search(ctx context.Context, q registry.Query) (registry.Results, error) {
	r, err := d.scan.Search(ctx, q)
	r.Degraded = true
	return r, err
}

func TestSearchesSayThatTheIndexDoesNotAnswer(t *testing.T) {
	x := start(t, 40, func(o *Options) { o.Search = degraded{o.Search.(scan)} })
	whole := start(t, 40)
	for target, words := range map[string]bool{
		"/api/discover?search=mcp&limit=2": true, "/api/servers?search=mcp": true, "/api/discover?search=mcp&format=mcp": true,
		"/api/discover?search=mcp&level=tool&limit=3": true, "/api/discover": false, "/api/discover?format=mcp&level=tool": false,
	} {
		_, b := x.get(target)
		if strings.Contains(string(b), `,"warnings":["The search index`) != words {
			t.Errorf("%s: %.300s…", target, b[max(0, len(b)-300):])
		}
		if _, b := whole.get(target); strings.Contains(string(b), `"warnings"`) {
			t.Errorf("%s warns though the index answers", target)
		}
	}
}
