package search

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	bsearch "github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// The fields of a document. About holds name, and text holds about, so that a
// word of a name counts in all three.
const (
	nameField  = "name"  // names and titles
	aboutField = "about" // and tags, tools and the description
	textField  = "text"  // and what tools say of themselves, and the README

	knownField = "known" // names of the fields whose value is known
	slugField  = "slug"
	boostField = "boost" // what a score is multiplied by
	valueField = "f."    // + name of a field: its values as filters compare them
	facetField = "x."    // + name of a field: its values as they are shown
	sortField  = "s."    // + name of a sort: its key
)

func newMapping() (*mapping.IndexMappingImpl, error) {
	m := mapping.NewIndexMapping()
	if err := addAnalyzers(m); err != nil {
		return nil, err
	}
	m.ScoringModel = index.BM25Scoring
	m.StoreDynamic, m.IndexDynamic, m.DocValuesDynamic = false, false, false
	m.DefaultMapping.Dynamic = false
	text := &mapping.FieldMapping{Type: "text", Analyzer: serverAnalyzer, Index: true}
	exact := &mapping.FieldMapping{Type: "text", Analyzer: keyword.Name, Index: true, SkipFreqNorm: true}
	sorted := &mapping.FieldMapping{Type: "text", Analyzer: keyword.Name, Index: true, SkipFreqNorm: true, DocValues: true}
	number := &mapping.FieldMapping{Type: "number", Index: true}
	for name, field := range map[string]*mapping.FieldMapping{
		nameField: text, aboutField: text, textField: text,
		knownField: exact, slugField: sorted, boostField: sorted,
	} {
		m.DefaultMapping.AddFieldMappingsAt(name, field)
	}
	values, facets, sorts := mapping.NewDocumentStaticMapping(), mapping.NewDocumentStaticMapping(), mapping.NewDocumentStaticMapping()
	for _, f := range query.Fields {
		switch {
		case f.Filter && f.Kind == query.Text:
			values.AddFieldMappingsAt(f.Name, exact)
		case f.Filter:
			values.AddFieldMappingsAt(f.Name, number)
		}
		if f.Facet {
			facets.AddFieldMappingsAt(f.Name, sorted)
		}
		if f.Sort != "" {
			sorts.AddFieldMappingsAt(f.Sort, sorted)
		}
	}
	m.DefaultMapping.AddSubDocumentMapping("f", values)
	m.DefaultMapping.AddSubDocumentMapping("x", facets)
	m.DefaultMapping.AddSubDocumentMapping("s", sorts)
	return m, m.Validate()
}

// toBleve returns the document of a server.
func toBleve(s *registry.Server) map[string]any {
	t := textsOf(s)
	name := lines(t.names...)
	about := lines(name, lines(t.labels...), lines(t.tools...), t.description)
	text := lines(about, lines(t.details...), t.readme)

	values, facets, sorts := map[string]any{}, map[string]any{}, map[string]any{}
	var known []string
	for i := range query.Fields {
		f := &query.Fields[i]
		if f.Sort != "" {
			if k := f.SortKey(s); k != nil {
				sorts[f.Sort] = orderKey(k)
			}
		}
		if !f.Filter {
			continue
		}
		if f.Kind != query.Text {
			if n, ok := f.Num(s); ok {
				values[f.Name] = n
				known = append(known, f.Name)
			}
			continue
		}
		shown := f.Texts(s, nil)
		if len(shown) == 0 {
			continue
		}
		known = append(known, f.Name)
		if f.Facet {
			facets[f.Name] = shown
		}
		folded := make([]string, len(shown))
		for i, v := range shown {
			folded[i] = query.SameText(v)
		}
		values[f.Name] = folded
	}
	return map[string]any{
		nameField: name, aboutField: about, textField: text,
		knownField: known, slugField: s.Slug, boostField: strconv.FormatFloat(boost(s), 'f', 5, 64),
		"f": values, "x": facets, "s": sorts,
	}
}

func lines(texts ...string) string { return strings.Join(texts, "\n") }

// boost is what a server's relevance is multiplied by: a server of the best
// quality and the greatest popularity counts half as much again as one of the
// worst and the least. Unknown quality counts as 50, unknown popularity as 0. An
// inactive server counts a tenth, a copy or look-alike of another one a hundredth.
func boost(s *registry.Server) float64 {
	quality, popularity := 50, 0
	if q := s.Health.Score; q != nil {
		quality = *q
	}
	if p := s.Popularity.Score; p != nil {
		popularity = *p
	}
	b := 1 + float64(quality)*qualityShare/100 + float64(popularity)*popularityShare/100
	if !s.Active() {
		b /= 10
	}
	if s.Copy != nil {
		b /= 100
	}
	return b
}

const (
	qualityShare    = 0.3
	popularityShare = 0.2
)

// orderKey returns a key of a sort as text of the same order.
func orderKey(key any) string {
	n, ok := key.(float64)
	if !ok {
		return key.(string)
	}
	bits := math.Float64bits(n + 0) // no negative zero
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return fmt.Sprintf("%016x", bits)
}

// fromOrderKey returns the key that was made into text, nil if there is none.
func fromOrderKey(s string, kind query.Kind) any {
	if s == bsearch.HighTerm || s == bsearch.LowTerm {
		return nil
	}
	if kind == query.Text {
		return s
	}
	bits, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		return nil
	}
	if bits>>63 == 1 {
		bits &^= 1 << 63
	} else {
		bits = ^bits
	}
	return math.Float64frombits(bits)
}
