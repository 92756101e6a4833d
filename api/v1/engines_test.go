package v1

import (
	"context"
	"iter"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	engine "mcpcensus/internal/search"
)

// dead is an index that does not answer.
type dead struct{ engine.Index }

func (dead) Search(context.Context, query.Query) (query.Results, error) {
	return query.Results{}, registry.Errorf(registry.ErrUnavailable, "It is dead.")
}

func (dead) At(context.Context) (engine.Point, error) {
	return engine.Point{}, registry.Errorf(registry.ErrUnavailable, "It is dead.")
}

// TestEnginesAnswerAlike asks /v1/search the same with each engine behind it,
// page by page. What has no words and no names of tools in it is answered
// without an engine, so half of what is asked without words names a tool.
func TestEnginesAnswerAlike(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	servers := slices.Collect(generate.Servers(250, 5))
	for i := range servers {
		servers[i].Readme = "" // a scan looks into neither READMEs nor descriptions of tools
		for n := range servers[i].Tools {
			servers[i].Tools[n].Description = ""
		}
	}
	c := catalog.New()
	if err := c.Apply(servers, nil, servers[len(servers)-1].Seq); err != nil {
		t.Fatal(err)
	}
	c.SetReady()
	bleve, err := engine.OpenBleve(t.TempDir(), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bleve.Close() })
	indexes := map[string]engine.Index{"bleve": bleve}
	if at := os.Getenv("CENSUS_TEST_MEILI_URL"); at != "" {
		meili := engine.OpenMeili(at, os.Getenv("CENSUS_TEST_MEILI_KEY"), "v1-engines", log)
		t.Cleanup(func() { meili.Close() })
		indexes["meilisearch"] = meili
	} else {
		t.Log("CENSUS_TEST_MEILI_URL is not set: Meilisearch was not asked")
	}
	engines := map[string]*tester{}
	for name, index := range indexes {
		at, err := index.At(t.Context())
		if err == nil {
			err = index.Put(t.Context(), servers, nil, at, servers[len(servers)-1].Seq)
		}
		if err != nil {
			t.Fatal(err)
		}
		x := &tester{t: t, catalog: c, store: &memory{}}
		x.serve(c, func(o *Options) { o.Search = index })
		engines[name] = x
	}
	scan := &engine.Fallback{Index: dead{}, Log: log, Retry: time.Hour, Servers: func() iter.Seq[engine.Entry] {
		return func(yield func(engine.Entry) bool) {
			l := c.View().List("", catalog.ByQuality, -1)
			for i := range l.Total() {
				if !yield(l.At(i)) {
					return
				}
			}
		}
	}}
	want := &tester{t: t, catalog: c, store: &memory{}}
	want.serve(c, func(o *Options) { o.Search = scan })
	filters := []string{
		``, `{"sdk":"ts"}`, `{"category":["data","api"],"stars":{"gte":5,"lt":5000}}`, `{"minScore":70,"tags":{"exists":true}}`, `{"license":{"ne":"MIT"},"archived":false}`,
		`{"updatedAt":{"gte":"2026-01-01"},"transport":"stdio"}`, `{"type":"remote"}`, `{"downloads":{"exists":false}}`, `{"registryType":["npm","oci"],"verified":true}`,
		`{"grade":["A","B"],"popularity":{"lte":40}}`, `{"owner":{"ne":"nobody"},"toolCount":{"gt":3}}`,
	}
	for _, filter := range slices.Clone(filters) {
		if tools := `{"tools":{"ne":"nobody-has-this"}`; filter == "" {
			filters = append(filters, tools+"}")
		} else {
			filters = append(filters, tools+","+filter[1:])
		}
	}
	for _, filter := range filters {
		for _, rest := range []string{"", "&sort=-stars", "&sort=name", "&sort=downloads:asc,name", "&q=server&sort=updated", "&q=data&sort=-popularity"} {
			for target := "/v1/search?limit=40" + rest + "&filters=" + url.QueryEscape(filter); target != ""; {
				expected := want.page(target)
				for name, x := range engines {
					got := x.page(target)
					if got.Pagination.Total != expected.Pagination.Total || !slices.Equal(ids(got.Servers), ids(expected.Servers)) || string(encoded(got.Facets)) != string(encoded(expected.Facets)) {
						t.Errorf("%s answers %.200s with %d of %d, a scan with %d of %d", name, target, len(got.Servers), got.Pagination.Total, len(expected.Servers), expected.Pagination.Total)
					}
				}
				target = ""
				if expected.Pagination.NextCursor != nil && expected.Pagination.Page < 3 {
					target = "/v1/search?limit=40&cursor=" + *expected.Pagination.NextCursor
				}
			}
		}
	}
}
