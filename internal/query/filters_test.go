package query

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestParseFilters(t *testing.T) {
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		in   string
		want []Filter
	}{
		{"", nil},
		{"{}", nil},
		{`{"category":"Database"}`, []Filter{{"category", OpEq, []any{"database"}}}},
		{`{"sdk":["js","py","C#"]}`, []Filter{{"sdk", OpIn, []any{"typescript", "python", "csharp"}}}},
		{`{"stars":{"gte":10,"lt":1e3}}`, []Filter{{"stars", OpGte, []any{10.0}}, {"stars", OpLt, []any{1000.0}}}},
		{`{"minScore":80}`, []Filter{{"qualityScore", OpGte, []any{80.0}}}},
		{`{"minScore":80,"qualityScore":{"lt":90}}`, []Filter{{"qualityScore", OpGte, []any{80.0}}, {"qualityScore", OpLt, []any{90.0}}}},
		{`{"verified":true,"archived":{"ne":true}}`, []Filter{{"verified", OpEq, []any{true}}, {"archived", OpNe, []any{true}}}},
		{`{"license":{"exists":false}}`, []Filter{{"license", OpExists, []any{false}}}},
		{`{"type":"remote","transport":"http"}`, []Filter{{"type", OpEq, []any{"remote"}}, {"transport", OpEq, []any{"streamable-http"}}}},
		{`{"updatedAt":{"gt":"2026-10-01"}}`, []Filter{{"updatedAt", OpGt, []any{day}}}},
		{`{"createdAt":{"in":["2026-10-01T00:00:00Z"]}}`, []Filter{{"createdAt", OpIn, []any{day}}}},
		{`{"grade":"a","tags":"weather"}`, []Filter{{"grade", OpEq, []any{"A"}}, {"tags", OpEq, []any{"weather"}}}},
	}
	for _, tt := range tests {
		got, err := ParseFilters([]byte(tt.in))
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, %v; want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestParseFiltersFaults(t *testing.T) {
	tests := []struct{ in, field, says string }{
		{`{"colour":"red"}`, "filters.colour", "accepted filters are category, sdk"},
		{`{"name":"x"}`, "filters.name", "not a filter"},
		{`{"category":"games"}`, "filters.category", "database, tools, communication, integration, api, security, analytics, automation, data, productivity"},
		{`{"stars":{"near":3}}`, "filters.stars.near", "eq, ne, gt"},
		{`{"license":{"gt":"MIT"}}`, "filters.license.gt", "text fields; accepted operators are eq, ne, in, exists"},
		{`{"verified":{"in":[true]}}`, "filters.verified.in", "boolean fields"},
		{`{"stars":"many"}`, "filters.stars", "must be a number"},
		{`{"stars":{"gte":"10"}}`, "filters.stars.gte", "must be a number"},
		{`{"stars":-1}`, "filters.stars", "must be at least 0, got -1"},
		{`{"toolTokens":{"gte":-5}}`, "filters.toolTokens.gte", "must be at least 0, got -5"},
		{`{"downloads":{"in":[1,-0.5]}}`, "filters.downloads.in", "must be at least 0, got -0.5"},
		{`{"stars":1e999}`, "filters.stars", "must be a number"},
		{`{"tags":[1]}`, "filters.tags", "must be a string"},
		{`{"tags":[]}`, "filters.tags", "1 to 100 values"},
		{`{"tags":[["a"]]}`, "filters.tags", "must be a string"},
		{`{"tags":{"in":"a"}}`, "filters.tags.in", "must be an array"},
		{`{"license":null}`, "filters.license", "exists"},
		{`{"license":{}}`, "filters.license", "at least one operator"},
		{`{"license":{"exists":"yes"}}`, "filters.license.exists", "true or false"},
		{`{"updatedAt":"yesterday"}`, "filters.updatedAt", "must be a time"},
		{`{"minScore":101}`, "filters.minScore", "between 0 and 100"},
		{`{"minScore":{"gte":1}}`, "filters.minScore", "must be a number"},
		{`{"sdk":"go","sdk":"rust"}`, "filters.sdk", "once"},
		{`[]`, "filters", "JSON object"},
		{`{"a"`, "filters", "JSON object"},
		{`{} {}`, "filters", "follows"},
		{`{"x":` + strings.Repeat("[", 5000), "filters", "JSON object"},
		{`{"x":"` + strings.Repeat("a", 17<<10) + `"}`, "filters", "at most 16384 bytes"},
	}
	for _, tt := range tests {
		_, err := ParseFilters([]byte(tt.in))
		var e *registry.Error
		if !errors.As(err, &e) || !errors.Is(err, registry.ErrInvalid) || len(e.Fields) == 0 {
			t.Errorf("%.60s: %v is not an error about a field", tt.in, err)
			continue
		}
		if e.Fields[0].Field != tt.field || !strings.Contains(e.Fields[0].Message, tt.says) {
			t.Errorf("%.60s: %v", tt.in, e.Fields)
		}
	}
	_, err := ParseFilters([]byte(`{"a":1,"b":2}`))
	var e *registry.Error
	if !errors.As(err, &e) || len(e.Fields) != 2 {
		t.Errorf("not every wrong key is named: %v", err)
	}
}

func FuzzParseFilters(f *testing.F) {
	f.Add([]byte(`{"sdk":["js"],"stars":{"gte":10,"exists":true},"updatedAt":{"lt":"2026-10-01"},"minScore":3}`))
	f.Add([]byte(`{"tools":"\u0000","x":[[[[]]]]}`))
	s := &registry.Server{Slug: "a", Category: "data", Stars: new(int), UpdatedAt: time.Unix(1e9, 0)}
	f.Fuzz(func(t *testing.T, data []byte) {
		filters, err := ParseFilters(data)
		if err != nil {
			var e *registry.Error
			if !errors.As(err, &e) || len(e.Fields) == 0 || len(e.Error()) > 2000 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		for _, f := range filters {
			if FieldNamed(f.Field) == nil || len(f.Values) == 0 {
				t.Fatalf("%+v", f)
			}
		}
		Matcher(filters)(s)
	})
}

func TestParseSort(t *testing.T) {
	tests := []struct {
		in   string
		text bool
		want []Order
	}{
		{"", false, nil},
		{"stars", false, []Order{{"stars", true}}},
		{"name", false, []Order{{"name", false}}},
		{"-name, stars:asc", false, []Order{{"name", true}, {"stars", false}}},
		{"relevance", true, []Order{{Relevance, true}}},
		{"updated:desc,created", true, []Order{{"updated", true}, {"created", true}}},
	}
	for _, tt := range tests {
		got, err := ParseSort(tt.in, tt.text)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{"size", "stars:down", "-stars:asc", "stars,stars:asc", "relevance", ",", "stars,", "id:asc\x00"} {
		if got, err := ParseSort(in, false); !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	for _, name := range SortNames() {
		if _, err := ParseSort(name, true); err != nil {
			t.Error(err)
		}
	}
}

func FuzzParseSort(f *testing.F) {
	f.Add("stars:desc,-name", true)
	f.Fuzz(func(t *testing.T, s string, text bool) {
		orders, err := ParseSort(s, text)
		if err == nil && len(orders) > len(SortNames()) {
			t.Fatal(orders)
		}
	})
}
