package api

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// degraded is an index that does not answer, with a scan in its place.
type degraded struct{ generate.Index }

func (d degraded) Search(ctx context.Context, q query.Query) (query.Results, error) {
	r, err := d.Index.Search(ctx, q)
	r.Degraded = true
	return r, err
}

func TestSearchDegraded(t *testing.T) {
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

func TestKeysAreMasked(t *testing.T) {
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

func TestSearchWithRemovedServers(t *testing.T) {
	x := start(t, 0)
	behind := slices.Collect(x.catalog.Servers())
	slices.SortFunc(behind, func(a, b *registry.Server) int { return cmp.Compare(a.ID, b.ID) })
	extra := behind[0]
	var known []*registry.Server
	for n := range 30 {
		s := *extra
		s.ID, s.Seq, s.Slug = int64(990001+n), int64(990001+n), fmt.Sprintf("octo-weather-%02d", n)
		s.OldSlugs, s.RegistryName, s.Repo.ID, s.Repo.Name = nil, "", int64(990001+n), s.Slug
		known = append(known, &s)
	}
	index := generate.Index{Servers: func() iter.Seq[*registry.Server] { return slices.Values(known) }}
	x = start(t, 0, func(o *Options) { o.Search = index })
	var listed []registry.Server // all but some of the front of each page
	for n, s := range known {
		if n%5 > 1 {
			listed = append(listed, *s)
		}
	}
	if err := x.catalog.Apply(listed, nil, 990100); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/api/servers?search=weather&limit=5", "/api/discover?search=weather&limit=7&format=mcp"} {
		seen := map[string]int{}
		pages := 0
		for next := target; next != "" && pages < 20; pages++ {
			p := x.page(next)
			for _, s := range p.Servers {
				seen[fmt.Sprint(s["slug"])]++
			}
			for _, s := range p.Tools {
				seen[fmt.Sprint(s["_meta"].(map[string]any)["io.mcpcensus/server"].(map[string]any)["id"])]++
			}
			next = ""
			if p.Pagination.NextOffset != nil {
				next = fmt.Sprintf("%s&offset=%d", target, *p.Pagination.NextOffset)
			}
		}
		for _, s := range listed {
			if seen[s.Slug] != 1 {
				t.Errorf("%s: %s was listed %d times", target, s.Slug, seen[s.Slug])
			}
		}
		if pages > 6 {
			t.Errorf("%s: %d pages of 30 results", target, pages)
		}
	}
}
