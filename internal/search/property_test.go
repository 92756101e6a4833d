package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpcensus/internal/query"
	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/words"
)

// TestSearchProperties draws queries from everything that a search may hold:
// every key with every operator that it allows, texts, sorts, pages and
// facets.
func TestSearchProperties(t *testing.T) {
	servers := corpus(corpusSize(300))
	draw := newDrawer(servers)
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		rapid.Check(t, func(rt *rapid.T) { checkQuery(rt, idx, servers, draw.query(rt)) })
	})
}

// A queryGenerator makes queries from the texts of servers, so that they have results.
type queryGenerator struct {
	values map[string][]any // by field, as a client writes them
	words  []string
}

func newDrawer(servers []registry.Server) *queryGenerator {
	d := &queryGenerator{values: map[string][]any{}}
	for i := range servers {
		s := &servers[i]
		for n := range query.Fields {
			f := &query.Fields[n]
			if f.Kind == query.Text {
				for _, v := range f.Texts(s, nil) {
					if len(v) < 300 {
						d.values[f.Name] = append(d.values[f.Name], v)
					}
				}
				continue
			}
			if v, ok := f.Num(s); ok {
				switch f.Kind {
				case query.Bool:
					d.values[f.Name] = append(d.values[f.Name], v == 1)
				case query.Time:
					d.values[f.Name] = append(d.values[f.Name], time.UnixMicro(int64(v)).UTC().Format(time.RFC3339Nano))
				default:
					d.values[f.Name] = append(d.values[f.Name], v)
				}
			}
		}
		for _, text := range []string{s.Name, s.Description, s.Repo.Owner, strings.Join(s.Tags, " ")} {
			d.words = append(d.words, strings.FieldsFunc(text, words.Separates)...)
		}
		if i < 60 {
			d.words = append(d.words, strings.FieldsFunc(s.Readme, words.Separates)...)
		}
	}
	return d
}

// value draws a value of a field that some server has, or one beside it.
func (d *queryGenerator) value(rt *rapid.T, f *query.Field) any {
	v := rapid.SampledFrom(d.values[f.Name]).Draw(rt, "value")
	odd := rapid.IntRange(0, 9).Draw(rt, "odd")
	switch v := v.(type) {
	case float64:
		if odd < 3 {
			return v + []float64{0.5, -1, 1e9}[odd]
		}
	case string:
		switch {
		case f.Kind == query.Time && odd < 3:
			return v[:10]
		case f.Kind == query.Text && odd == 0:
			return strings.ToUpper(v)
		case f.Kind == query.Text && odd == 1 && f.Allowed == nil:
			return v + "x"
		case f.Kind == query.Text && odd == 2 && f.Allowed != nil:
			return rapid.SampledFrom(f.Allowed).Draw(rt, "allowed")
		}
	}
	return v
}

func (d *queryGenerator) query(rt *rapid.T) query.Query {
	var q query.Query
	object := map[string]any{}
	for range rapid.SampledFrom([]int{0, 1, 1, 1, 2, 2, 3, 4}).Draw(rt, "filters") {
		name := rapid.SampledFrom(query.FilterNames()).Draw(rt, "key")
		if name == "minScore" {
			object[name] = rapid.IntRange(0, 100).Draw(rt, "min")
			continue
		}
		f := query.FieldNamed(name)
		many := func() any {
			n := rapid.IntRange(1, 4).Draw(rt, "many")
			out := make([]any, n)
			for i := range out {
				out[i] = d.value(rt, f)
			}
			return out
		}
		ops := []string{"eq", "ne", "exists"}
		switch f.Kind {
		case query.Text:
			ops = append(ops, "in", "array")
		case query.Number, query.Time:
			ops = append(ops, "in", "array", "gt", "gte", "lt", "lte")
		}
		ops = append(ops, "scalar")
		conditions := map[string]any{}
		for range rapid.IntRange(1, 2).Draw(rt, "conditions") {
			switch op := rapid.SampledFrom(ops).Draw(rt, "op"); op {
			case "exists":
				conditions[op] = rapid.Bool().Draw(rt, "exists")
			case "in":
				conditions[op] = many()
			case "array":
				object[name] = many()
			case "scalar":
				object[name] = d.value(rt, f)
			default:
				conditions[op] = d.value(rt, f)
			}
		}
		if object[name] == nil {
			object[name] = conditions
		}
	}
	written, err := json.Marshal(object)
	if err != nil {
		rt.Fatal(err)
	}
	if q.Filters, err = query.ParseFilters(written); err != nil {
		rt.Fatalf("%s: %v", written, err)
	}

	words := rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3, 6, 12}).Draw(rt, "words")
	for i := range words {
		w := rapid.SampledFrom(d.words).Draw(rt, "word")
		if letters := []rune(w); len(letters) > 4 {
			n := rapid.IntRange(1, len(letters)-2).Draw(rt, "place")
			switch rapid.IntRange(0, 9).Draw(rt, "slip") {
			case 0:
				letters[n], letters[n+1] = letters[n+1], letters[n]
			case 1:
				letters = slices.Delete(letters, n, n+1)
			case 2:
				letters[n] = 'q'
			case 3:
				if i == words-1 {
					letters = letters[:n+1]
				}
			}
			w = string(letters)
		}
		q.Text += w + " "
	}
	if rapid.Bool().Draw(rt, "typing") {
		q.Text = strings.TrimSpace(q.Text)
	}

	names := query.SortNames()
	if q.Text == "" {
		names = names[1:]
	}
	var sorts []string
	for range rapid.IntRange(0, 3).Draw(rt, "sorts") {
		name := rapid.SampledFrom(names).Draw(rt, "sort")
		if !slices.ContainsFunc(sorts, func(s string) bool { return strings.HasPrefix(s, name) }) {
			direction := ""
			if name != query.Relevance {
				direction = rapid.SampledFrom([]string{"", ":asc", ":desc"}).Draw(rt, "direction")
			}
			sorts = append(sorts, name+direction)
		}
	}
	if q.Sort, err = query.ParseSort(strings.Join(sorts, ","), q.Text != ""); err != nil {
		rt.Fatal(err)
	}
	q.Limit = rapid.IntRange(1, 100).Draw(rt, "limit")
	q.Offset = rapid.SampledFrom([]int{0, 0, 0, 1, 20, 150, 9_900}).Draw(rt, "offset")
	q.Facets = rapid.Bool().Draw(rt, "facets")
	return q
}

// TestCursorsFromAnyServer continues listings behind a server that was drawn,
// whether or not it matches.
func TestCursorsFromAnyServer(t *testing.T) {
	servers := corpus(corpusSize(300))
	draw := newDrawer(servers)
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		rapid.Check(t, func(rt *rapid.T) {
			q := draw.query(rt)
			if byRelevance(q.Orders()) {
				by := rapid.SampledFrom(query.SortNames()[1:]).Draw(rt, "by")
				q.Sort = []query.Order{{Field: by, Desc: rapid.Bool().Draw(rt, "desc")}}
			}
			behind := rapid.SampledFrom(slices.Collect(all(servers))).Draw(rt, "behind")
			p := query.PositionOf(behind, q.Orders())
			q.Offset, q.After = 0, &p
			checkQuery(rt, idx, servers, q)
		})
	})
}

// Listings by relevance end at the 10,000th result. Those by a field can be
// continued by cursor.
func TestLastPages(t *testing.T) {
	servers := corpus(120)
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		for _, tt := range []struct {
			name  string
			q     query.Query
			fails bool
			most  int // on the page
		}{
			{"the last page", query.Query{Text: "server", Offset: 9_990, Limit: 10}, false, 0},
			{"one more", query.Query{Text: "server", Offset: 9_991, Limit: 10}, true, 0},
			{"without a text", query.Query{Offset: 9_991, Limit: 10}, false, 0},
			{"far away without a text", query.Query{Offset: 5_000_000, Limit: 10}, false, 0},
			{"by a field", query.Query{Text: "server", Offset: 9_991, Limit: 10, Sort: []query.Order{{Field: "name"}}}, true, 0},
			{"behind the last place", query.Query{Text: "server", Limit: 10,
				After: &query.Position{Keys: []any{float64(10_000), nil, nil, nil}, Slug: "x"}},
				true, 0},
			{"behind the last place but one",
				query.Query{Text: "server", Limit: 10,
					After: &query.Position{Keys: []any{float64(9_999), nil, nil, nil}, Slug: "x"}},
				false, 0},
			{"near the end", query.Query{Text: "server", Limit: 100,
				After: &query.Position{Keys: []any{float64(9_960), nil, nil, nil}, Slug: "x"}},
				false, 0},
			{"behind no place", query.Query{Text: "server", Limit: 10,
				After: &query.Position{Keys: []any{nil, nil, nil, nil}, Slug: "x"}}, false, 10},
		} {
			res, err := idx.Search(t.Context(), tt.q)
			if (err != nil) != tt.fails || len(res.Slugs) > tt.most && !tt.fails {
				t.Errorf("%s: %d, %v", tt.name, len(res.Slugs), err)
			}
		}
	})
	q := query.Query{Text: "server", Limit: 100,
		After: &query.Position{Keys: []any{float64(9_960), nil, nil, nil}, Slug: "x"}}
	if err := check(&q); err != nil || q.Limit != 40 {
		t.Errorf("the last page has %d, %v", q.Limit, err)
	}
}

func TestCursorsToTheEnd(t *testing.T) {
	if race.Enabled {
		t.Skip("SKIPPED: 10,000 servers take minutes under the race detector")
	}
	const n, start = MaxResults + 300, 9_000
	servers := make([]registry.Server, n)
	for i := range servers {
		quality := i % 101
		servers[i] = registry.Server{ID: int64(i + 1), Seq: int64(i + 1), Slug: fmt.Sprintf("s%05d", i), Name: "everywhere", Health: registry.Health{Score: &quality}}
	}
	forEachEngine(t, func(t *testing.T, idx Index) {
		if err := idx.Put(t.Context(), servers, nil, at(t, idx), n); err != nil {
			t.Fatal(err)
		}
		walk := func(sort string) int {
			q := query.Query{Text: "everywhere ", Offset: start, Limit: 90}
			var err error
			if q.Sort, err = query.ParseSort(sort, true); err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for {
				res, err := idx.Search(t.Context(), q)
				if err != nil {
					if !errors.Is(err, registry.ErrInvalid) {
						t.Fatal(err)
					}
					return len(seen)
				}
				if res.Total != n {
					t.Fatalf("total %d", res.Total)
				}
				if len(res.Slugs) == 0 {
					return len(seen)
				}
				for _, slug := range res.Slugs {
					if seen[slug] {
						t.Fatalf("%s comes twice, behind %d others", slug, len(seen))
					}
					seen[slug] = true
				}
				q.After = &res.Positions[len(res.Positions)-1]
			}
		}
		if got := start + walk(""); got != MaxResults {
			t.Errorf("by relevance, the %dth was reached", got)
		}
		if got := start + walk("name"); got != n {
			t.Errorf("by name, the %dth of %d was reached", got, n)
		}
	})
}
