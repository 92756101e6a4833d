package search

import (
	"slices"

	"github.com/meilisearch/meilisearch-go"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

// The attributes of a document other than texts.
const (
	layoutField = "layout" // only [meta] has it
	boostOrder  = "boost"  // see the function
)

func meiliSettings(embedder *meilisearch.Embedder) *meilisearch.Settings {
	s := &meilisearch.Settings{
		SearchableAttributes: []string{"names", "labels", "description", "tools", "details", "readme"},
		RankingRules:         []string{"words", "typo", "proximity", "attributeRank", "exactness", boostOrder + ":desc"},
		FilterableAttributes: []string{layoutField},
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
	return s
}

// meta is a document with the position of the index. There are two: builtID is written by a
// build, metaID together with later changes, and it counts only if it has the same Build. So
// changes that were sent to an index before it was replaced do not count as changes of the new
// one.
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

func toMeili(s *registry.Server) map[string]any {
	t := textsOf(s)
	return map[string]any{
		"id": s.Slug, boostOrder: boost(s), "names": t.names, "labels": t.labels, "tools": t.tools,
		"description": t.description, "details": t.details, "readme": t.readme,
	}
}
