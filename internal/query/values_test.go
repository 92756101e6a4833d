package query

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func server(slug string, score, stars *int) *registry.Server {
	return &registry.Server{Slug: slug, Health: registry.Health{Score: score}, Stars: stars}
}

func ptr[T any](v T) *T { return &v }

// TestUnknownFlag checks that a repository of which the code host was not asked is neither archived
// nor not archived.
func TestUnknownFlag(t *testing.T) {
	for filters, want := range map[string]bool{
		`{"archived":true}`: false, `{"archived":false}`: false, `{"archived":{"exists":false}}`: true,
	} {
		f, err := ParseFilters([]byte(filters))
		if err != nil {
			t.Fatal(err)
		}
		if got := Matcher(f)(&registry.Server{Slug: "a"}); got != want {
			t.Errorf("%s: %v", filters, got)
		}
	}
}

func TestMatch(t *testing.T) {
	at := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	s := &registry.Server{
		Slug: "a", Category: "data", SDK: "go", License: "MIT", Tags: []string{"Weather", "api"}, Stars: ptr(0),
		Repo: registry.Repository{Owner: "Octo", CreatedAt: at}, Remotes: []registry.Remote{{Type: registry.TransportHTTP}}, Verified: true, UpdatedAt: at,
		Copy:    &registry.Copy{Of: "b"},
		Tools:   []registry.Tool{{Name: "get_forecast"}},
		Sources: []registry.Discovery{{Name: "github"}},
		Health:  registry.Health{Score: ptr(80), Grade: "A"},
	}
	tests := []struct {
		filters string
		want    bool
	}{
		{`{}`, true},
		{`{"tags":"weather"}`, true},
		{`{"tags":["x","API"]}`, true},
		{`{"tags":{"ne":"weather"}}`, false},
		{`{"tags":{"ne":"rain"}}`, true},
		{`{"owner":"octo","license":"mit"}`, true},
		{`{"language":{"ne":"Go"}}`, true}, // unknown
		{`{"language":"Go"}`, false},
		{`{"language":{"exists":false},"license":{"exists":true}}`, true},
		{`{"stars":0}`, true},
		{`{"stars":{"lte":0,"gte":0}}`, true},
		{`{"downloads":{"lte":9}}`, false}, // unknown
		{`{"downloads":{"ne":9}}`, true},
		{`{"downloads":{"exists":false}}`, true},
		{`{"minScore":80}`, true},
		{`{"minScore":81}`, false},
		{`{"qualityScore":{"gt":80}}`, false},
		{`{"type":"remote"}`, true},
		{`{"type":"package"}`, false},
		{`{"verified":true,"archived":false}`, true},
		{`{"official":{"ne":false}}`, false},
		{`{"copy":true}`, true},
		{`{"copy":false}`, false},
		{`{"updatedAt":{"gte":"2026-10-01T08:00:00Z","lt":"2026-10-01T08:00:00.001Z"}}`, true},
		{`{"updatedAt":{"gt":"2026-10-01T10:00:00+02:00"}}`, false},
		{`{"tools":"GET_forecast","source":"github","grade":"a"}`, true},
	}
	for _, tt := range tests {
		f, err := ParseFilters([]byte(tt.filters))
		if err != nil {
			t.Fatal(err)
		}
		if got := Matcher(f)(s); got != tt.want {
			t.Errorf("%s: %v", tt.filters, got)
		}
	}
	if Matcher([]Filter{{Field: "nothing", Op: OpNe, Values: []any{"x"}}})(s) {
		t.Error("a field that does not exist matches")
	}
}

// compare compares servers under orders, with their ties.
func compare(a, b *registry.Server, orders []Order) int {
	q := Query{Sort: orders}
	return Comparer(q.Orders())(ValuesOf(a), ValuesOf(b))
}

func TestCompare(t *testing.T) {
	a, b, c := server("a", ptr(50), ptr(3)), server("b", ptr(50), nil), server("c", nil, ptr(9))
	d, e := server("d", ptr(90), ptr(1)), server("e", ptr(50), ptr(3))
	slugs := func(orders ...Order) string {
		all := []*registry.Server{e, d, c, b, a}
		slices.SortFunc(all, func(x, y *registry.Server) int { return compare(x, y, orders) })
		out := ""
		for _, s := range all {
			out += s.Slug
		}
		return out
	}
	for _, tt := range []struct {
		orders []Order
		want   string
	}{
		{nil, "daebc"},
		{[]Order{{"stars", true}}, "caedb"},
		{[]Order{{"stars", false}}, "daecb"},
		{[]Order{{"qualityScore", false}}, "aebdc"},
		{[]Order{{Relevance, true}}, "daebc"},
	} {
		if got := slugs(tt.orders...); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.orders, got, tt.want)
		}
	}
}

func TestComparePositions(t *testing.T) {
	all := []*registry.Server{server("a", ptr(50), ptr(3)), server("b", ptr(50), nil), server("c", nil, ptr(9)), server("d", nil, nil)}
	all[0].Name, all[1].Name, all[3].Name = "zebra", "Äpfel", "Zebra"
	for _, sort := range [][]Order{nil, {{"name", true}}, {{"stars", false}}, {{"downloads", true}, {"name", false}}} {
		orders := (&Query{Sort: sort}).Orders()
		for _, a := range all {
			for _, b := range all {
				p, q := ValuesOf(a).Position(orders), ValuesOf(b).Position(orders)
				// A cursor carries positions as JSON.
				data, err := json.Marshal(p)
				if err != nil {
					t.Fatal(err)
				}
				var back Position
				if err := json.Unmarshal(data, &back); err != nil || !back.Fits(orders) {
					t.Fatalf("%s: %v", data, err)
				}
				if got, want := ComparePositions(back, q, orders), compare(a, b, orders); got*want < 0 || (got == 0) != (want == 0) {
					t.Errorf("%v: %s to %s is %d by position, %d by server", sort, a.Slug, b.Slug, got, want)
				}
			}
		}
	}
}

func TestFits(t *testing.T) {
	orders := (&Query{Sort: []Order{{"name", false}}}).Orders()
	for _, p := range []Position{
		{}, {Keys: []any{"a"}, Slug: "x"}, {Keys: []any{"a", "b", 1.0}, Slug: "x"}, {Keys: []any{1.0, 1.0, 1.0}, Slug: "x"},
		{Keys: []any{"a", 1.0, true}, Slug: "x"}, {Keys: []any{"a", 1.0, nil}},
	} {
		if p.Fits(orders) {
			t.Errorf("%v fits", p)
		}
	}
}

func TestOrders(t *testing.T) {
	quality, stars := Order{"qualityScore", true}, Order{"stars", true}
	relevance, recommended := Order{Relevance, true}, Order{Recommended, true}
	for _, tt := range []struct {
		q    Query
		want []Order
	}{
		{Query{}, []Order{quality, stars}},
		{Query{Text: "x"}, []Order{relevance, recommended, quality, stars}},
		{Query{Sort: []Order{{"stars", false}}}, []Order{{"stars", false}, quality}},
		{Query{Text: "x", Sort: []Order{{"name", false}, relevance, {"created", true}}}, []Order{{"name", false}, {"created", true}, quality, stars}},
		{Query{Text: "x", Sort: []Order{relevance, {"created", true}}}, []Order{relevance, recommended, quality, stars}},
		{Query{Sort: []Order{relevance}}, []Order{quality, stars}},
	} {
		if got := tt.q.Orders(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v: %v", tt.q, got)
		}
	}
}

func TestFields(t *testing.T) {
	names := append(SortNames()[1:], active)
	var texts, numbers int
	for _, f := range Fields {
		if (f.Kind == Text) != (f.Texts != nil) || (f.Kind == Text) == (f.Num != nil) {
			t.Errorf("%s: wrong accessor", f.Name)
		}
		if f.Filter && f.Kind == Text {
			texts++
		} else if f.Kind != Text {
			numbers++
		}
		if f.Sort != "" {
			if !slices.Contains(names, f.Sort) {
				t.Errorf("%s: sort %s is not listed", f.Name, f.Sort)
			}
			names = slices.DeleteFunc(names, func(n string) bool { return n == f.Sort })
		}
	}
	if len(names) > 0 {
		t.Errorf("no field has the sorts %v", names)
	}
	if texts != textFields || numbers != numberFields {
		t.Errorf("%d text fields and %d others, want %d and %d", texts, numbers, textFields, numberFields)
	}
}

func TestSelect(t *testing.T) {
	server := func(category, sdk string, remote bool) *Values {
		s := registry.Server{Category: category, SDK: sdk}
		if remote {
			s.Remotes = []registry.Remote{{}}
		}
		return ValuesOf(&s)
	}
	all := []*Values{server("data", "go", true), server("data", "rust", false), server("api", "go", true), server("tools", "rust", true)}
	filters := []Filter{
		{"category", OpIn, []any{"data", "api"}}, {"sdk", OpIn, []any{"go"}}, {"type", OpEq, []any{TypeRemote}},
	}
	facets := []string{"category", "sdk", "type"}
	for _, tt := range []struct {
		name   string
		others bool
		want   map[string]map[string]int
	}{
		{"selected", false, map[string]map[string]int{
			"category": {"data": 1, "api": 1}, "sdk": {"go": 2}, "type": {TypeRemote: 2}}},
		{"other_choices", true, map[string]map[string]int{
			"category": {"data": 1, "api": 1}, "sdk": {"go": 2}, "type": {TypeRemote: 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Select(filters, facets, tt.others)
			selected := 0
			for _, v := range append(all, server("tools", "go", true), server("data", "c", true)) {
				if s.Add(v) {
					selected++
				}
			}
			if tt.others {
				tt.want["category"]["tools"] = 1
				tt.want["sdk"]["c"] = 1
			}
			if diff := cmp.Diff(tt.want, s.Counts()); diff != "" || selected != 2 {
				t.Errorf("selected %d, want 2; counts: %s", selected, diff)
			}
		})
	}
}
