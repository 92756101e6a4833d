package search

import (
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"mcpcensus/internal/registry"
)

// The fields of a document. About contains name, and text contains about, so that a word of a
// name counts in all three.
const (
	nameField  = "name"  // names and titles
	aboutField = "about" // and tags and the description
	textField  = "text"  // and tools, packages, hosts, and the README

	spellingField = "spelling" // about and the names of tools as they are written

	slugField  = "slug"
	boostField = "boost" // factor of the score
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
	sorted := &mapping.FieldMapping{Type: "text", Analyzer: keyword.Name, Index: true, SkipFreqNorm: true, DocValues: true}
	spelling := &mapping.FieldMapping{Type: "text", Analyzer: spellingAnalyzer, Index: true, SkipFreqNorm: true}
	for name, field := range map[string]*mapping.FieldMapping{
		nameField: text, aboutField: text, textField: text, slugField: sorted, boostField: sorted,
		spellingField: spelling,
	} {
		m.DefaultMapping.AddFieldMappingsAt(name, field)
	}
	return m, m.Validate()
}

func toBleve(s *registry.Server) map[string]any {
	t := textsOf(s)
	name := lines(t.names...)
	about, tools := lines(name, lines(t.labels...), t.description), lines(t.tools...)
	return map[string]any{
		nameField: name, aboutField: about, textField: lines(about, tools, lines(t.details...), t.readme),
		spellingField: lines(about, tools),
		slugField:     s.Slug, boostField: strconv.FormatFloat(boost(s), 'f', 5, 64),
	}
}

func lines(texts ...string) string { return strings.Join(texts, "\n") }

// boost returns the factor of a server's relevance: with the best quality and the greatest
// popularity it is 1.5 times the factor with neither. Unknown quality counts as 50, unknown
// popularity as 0. An inactive or offline server has a tenth, a copy or look-alike a hundredth.
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
