package api

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

// degraded is an index that does not answer, with a scan in its place.
type degraded struct{ generate.Index }

func (d degraded) Search(ctx context.Context, q registry.Query) (registry.Results, error) {
	r, err := d.Index.Search(ctx, q)
	r.Degraded = true
	return r, err
}

func TestSearchesSayThatTheIndexDoesNotAnswer(t *testing.T) {
	x := start(t, 40, func(o *Options) { o.Search = degraded{o.Search.(generate.Index)} })
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

func TestNoAnswerRepeatsAKey(t *testing.T) {
	const key = "mcp_0123456789abcdefghijABCDEFGHIJ0123456789abc"
	x := start(t, 5)
	for _, target := range []string{
		"/api/discover?search=" + key, "/api/servers?search=x+" + key, "/api/discover?sort=" + key, "/api/discover?" + key + "=1", "/api/health?server=" + key,
		"/api/health?githubUrl=https://github.com/o/" + key, "/api/" + key, "/api/checks/" + key, "/api/discover?category=" + key, "/api/discover?cursor=" + key,
	} {
		res := x.do("GET", target)
		status, body := x.get(target)
		if status < 400 && !strings.HasSuffix(target, "=1") || strings.Contains(string(body), key[:30]) || strings.Contains(fmt.Sprint(res.Header), key[:30]) {
			t.Errorf("%s: %d %s %v", target, status, body, res.Header)
		}
	}
}
