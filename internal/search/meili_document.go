package search

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/meilisearch/meilisearch-go"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

// The attributes of a document besides those of texts.
const (
	layoutField = "layout" // only [meta] has it
	slugOrder   = "s_slug"
	boostOrder  = "boost" // see the function
	valuePrefix = "f_"    // + name of a field: its values as filters compare them
	facetPrefix = "x_"    // + name of a field: its values as they are shown
	orderPrefix = "s_"    // + name of a sort: its key, if it is text
)

// maxFacetValues is how many values of a facet are counted.
const maxFacetValues = 10_000

// orderName returns the attribute that Meilisearch sorts by. For numbers and
// times it is the one it filters by.
func orderName(sort string) string {
	if f := query.SortNamed(sort); f.Kind != query.Text && f.Filter {
		return valuePrefix + f.Name
	}
	return orderPrefix + sort
}

func meiliSettings(embedder *meilisearch.Embedder) *meilisearch.Settings {
	s := &meilisearch.Settings{
		SearchableAttributes: []string{"names", "labels", "tools", "description", "details", "readme"},
		RankingRules:         []string{"sort", "words", "typo", "proximity", "attributeRank", "exactness", boostOrder + ":desc"},
		FilterableAttributes: []string{layoutField, slugOrder},
		SortableAttributes:   []string{slugOrder, boostOrder},
		DisplayedAttributes:  []string{"id", boostOrder, layoutField, "seq", "source", "build"},
		Synonyms:             map[string][]string{},
		StopWords:            words.English,
		LocalizedAttributes: []*meilisearch.LocalizedAttributes{{
			AttributePatterns: []string{"*"}, Locales: []string{"eng", "cmn", "jpn", "kor"},
		}},
		TypoTolerance: &meilisearch.TypoTolerance{
			Enabled:             true,
			MinWordSizeForTypos: meilisearch.MinWordSizeForTypos{OneTypo: 5, TwoTypos: 9},
			DisableOnWords:      []string{}, DisableOnAttributes: []string{},
		},
		Pagination:     &meilisearch.Pagination{MaxTotalHits: 100_000_000},
		Faceting:       &meilisearch.Faceting{MaxValuesPerFacet: maxFacetValues},
		SearchCutoffMs: 20_000,
	}
	if embedder != nil {
		s.Embedders = map[string]meilisearch.Embedder{embedderName: *embedder}
	}
	for _, g := range synonyms.Groups {
		for _, m := range g.Members {
			others := slices.DeleteFunc(slices.Clone(g.Members), func(other string) bool { return other == m })
			if len(others) > 0 {
				s.Synonyms[m] = others
			}
		}
	}
	for _, f := range query.Fields {
		if f.Filter {
			s.FilterableAttributes = append(s.FilterableAttributes, valuePrefix+f.Name)
		}
		if f.Facet {
			s.FilterableAttributes = append(s.FilterableAttributes, facetPrefix+f.Name)
		}
		if f.Sort != "" {
			name := orderName(f.Sort)
			if !slices.Contains(s.FilterableAttributes, name) {
				s.FilterableAttributes = append(s.FilterableAttributes, name)
			}
			s.SortableAttributes = append(s.SortableAttributes, name)
			s.DisplayedAttributes = append(s.DisplayedAttributes, name)
		}
	}
	return s
}

// meta is a document that stores how far the index has come. There are two:
// builtID says what the index was built from, metaID is written together with
// later changes and counts only if it has the same Build. Changes that were
// sent to an index that was replaced before they were stored are thus not
// taken for changes of the new one.
type meta struct {
	ID     string `json:"id"`
	Layout string `json:"layout"`
	Seq    int64  `json:"seq"`
	Source string `json:"source"`
	Build  string `json:"build"`
}

// No slug has an underscore.
const (
	metaID  = "_meta"
	builtID = "_build"
)

// toMeili returns the document of a server.
func toMeili(s *registry.Server) map[string]any {
	t := textsOf(s)
	doc := map[string]any{
		"id": s.Slug, slugOrder: exact(s.Slug), boostOrder: boost(s),
		"names": t.names, "labels": t.labels, "tools": t.tools, "description": t.description, "details": t.details, "readme": t.readme,
	}
	for i := range query.Fields {
		f := &query.Fields[i]
		if f.Sort != "" {
			switch k := f.SortKey(s).(type) {
			case string:
				doc[orderName(f.Sort)] = exact(hex.EncodeToString([]byte(k)))
			case float64:
				doc[orderName(f.Sort)] = k
			}
		}
		if !f.Filter {
			continue
		}
		if f.Kind != query.Text {
			if n, ok := f.Num(s); ok {
				doc[valuePrefix+f.Name] = n
			}
			continue
		}
		var values []uint64
		var shown []string
		for _, v := range f.Texts(s, nil) {
			values = append(values, filterValue(v))
			shown = append(shown, exact(hex.EncodeToString([]byte(v))))
		}
		if len(values) > 0 {
			doc[valuePrefix+f.Name] = values
			if f.Facet {
				doc[facetPrefix+f.Name] = shown
			}
		}
	}
	return doc
}

// exact returns text that Meilisearch does not take for a number.
func exact(s string) string { return "k" + s }

// fromExact returns what exact was given as hexadecimal digits.
func fromExact(s string) string {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "k"))
	if err != nil {
		return ""
	}
	return string(b)
}

// filterValue returns the number that stands for a text in filters: 53 bits of
// a hash, as numbers in Meilisearch are float64. Meilisearch would fold text in
// a way of its own, and takes longer to index it.
func filterValue(v string) uint64 {
	sum := sha256.Sum256([]byte(query.SameText(v)))
	return binary.BigEndian.Uint64(sum[:]) >> 11
}
