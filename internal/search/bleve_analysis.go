package search

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/token/stop"
	"github.com/blevesearch/bleve/v2/analysis/token/truncate"
	segmenter "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/analysis/tokenmap"
	"github.com/blevesearch/bleve/v2/mapping"
	bregistry "github.com/blevesearch/bleve/v2/registry"

	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

// The analyzers of the text fields and of searches. Each folds accents and case, splits
// Chinese and Japanese into pairs of characters, stems English words and applies synonyms.
const (
	serverAnalyzer   = "server"   // adds single characters and the first member of groups of synonyms
	searchAnalyzer   = "search"   // without stop words, synonyms replaced by the first member of their group
	verbatimAnalyzer = "verbatim" // the same with stop words
	spellingAnalyzer = "spelling" // without stop words, as they are written
)

func addAnalyzers(m *mapping.IndexMappingImpl) error {
	add := func(what func(name string, config map[string]any) error, configs map[string]map[string]any) error {
		for name, config := range configs {
			if err := what(name, config); err != nil {
				return err
			}
		}
		return nil
	}
	stopwords := make([]any, len(words.Stopwords))
	for i, w := range words.Stopwords {
		stopwords[i] = w
	}
	analyzer := func(filters ...string) map[string]any {
		return map[string]any{
			"type":          custom.Name,
			"char_filters":  []string{foldFilterName},
			"tokenizer":     segmenter.Name,
			"token_filters": append([]string{en.PossessiveName, lowercase.Name, "short"}, filters...),
		}
	}
	return errors.Join(
		add(m.AddCustomTokenMap, map[string]map[string]any{
			"stopwords": {"type": tokenmap.Name, "tokens": stopwords},
		}),
		add(m.AddCustomTokenFilter, map[string]map[string]any{
			"short":      {"type": truncate.Name, "length": 40.0},
			"stop":       {"type": stop.Name, "stop_token_map": "stopwords"},
			"bigrams":    {"type": cjk.BigramName},
			"characters": {"type": cjk.BigramName, "output_unigram": true},
			"synonyms":   {"type": synonymFilterName, "keep": true},
			"standard":   {"type": synonymFilterName},
		}),
		add(m.AddCustomAnalyzer, map[string]map[string]any{
			serverAnalyzer:   analyzer("characters", porter.Name, "synonyms"),
			searchAnalyzer:   analyzer("stop", "bigrams", porter.Name, "standard"),
			spellingAnalyzer: analyzer("stop"),
			verbatimAnalyzer: analyzer("bigrams", porter.Name, "standard"),
		}),
	)
}

const (
	foldFilterName    = "census_fold"
	synonymFilterName = "census_synonyms"
)

// foldFilter removes accents and the width of characters, and separates words joined by underscores,
// periods or colons. Most texts are in ASCII; Bleve's filters take a third of the analysis to leave
// them as they are.
type foldFilter struct{ folding analysis.CharFilter }

// Filter implements [analysis.CharFilter].
func (f foldFilter) Filter(in []byte) []byte {
	out := bytes.Clone(in)
	if bytes.ContainsFunc(in, func(r rune) bool { return r >= utf8.RuneSelf }) {
		whole := &analysis.Token{Term: in}
		cjk.NewCJKWidthFilter().Filter(analysis.TokenStream{whole})
		out = f.folding.Filter(bytes.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, whole.Term))
	}
	for i, c := range out {
		if c == '_' || c == '.' || c == ':' {
			out[i] = ' '
		}
	}
	return out
}

func init() {
	type options = map[string]any
	fold := func(options, *bregistry.Cache) (analysis.CharFilter, error) {
		return foldFilter{asciifolding.New()}, nil
	}
	synonym := func(config options, _ *bregistry.Cache) (analysis.TokenFilter, error) {
		keep, _ := config["keep"].(bool)
		return synonymFilter{rules: synonymRules(), keep: keep}, nil
	}
	if err := errors.Join(bregistry.RegisterCharFilter(foldFilterName, fold),
		bregistry.RegisterTokenFilter(synonymFilterName, synonym)); err != nil {
		panic(fmt.Sprintf("search: %v", err))
	}
}

// A synonymRule maps a sequence of stemmed words to another with the same meaning.
type synonymRule struct {
	words [][]byte
	first [][]byte // the first member of the group
}

// synonymRules are the rules by the first word of their sequence, the longest
// sequence first.
var synonymRules = sync.OnceValue(func() map[string][]synonymRule {
	rules := map[string][]synonymRule{}
	for _, g := range synonyms.Groups {
		for _, m := range g.Members[1:] {
			r := synonymRule{words: stemmed(m), first: stemmed(g.Members[0])}
			rules[string(r.words[0])] = append(rules[string(r.words[0])], r)
		}
	}
	for _, r := range rules {
		slices.SortStableFunc(r, func(a, b synonymRule) int { return len(b.words) - len(a.words) })
	}
	return rules
})

// stemmed returns the words of a phrase without English endings.
func stemmed(phrase string) (stems [][]byte) {
	for _, w := range strings.Fields(phrase) {
		stems = append(stems, []byte(words.Stem(w)))
	}
	return stems
}

// synonymFilter replaces the members of a group of synonyms by the first. With keep, it adds
// the first and leaves the others.
type synonymFilter struct {
	rules map[string][]synonymRule
	keep  bool
}

// Filter implements [analysis.TokenFilter].
func (f synonymFilter) Filter(in analysis.TokenStream) analysis.TokenStream {
	out := make(analysis.TokenStream, 0, len(in))
	for i := 0; i < len(in); {
		r, ok := f.match(in[i:])
		if !ok {
			out = append(out, in[i])
			i++
			continue
		}
		if f.keep {
			out = append(out, in[i:i+len(r.words)]...)
		}
		for _, term := range r.first {
			at := in[i]
			out = append(out, &analysis.Token{Term: term, Start: at.Start, End: at.End, Position: at.Position, Type: at.Type})
		}
		i += len(r.words)
	}
	return out
}

// match returns the rule of the longest sequence that begins in.
func (f synonymFilter) match(in analysis.TokenStream) (synonymRule, bool) {
	for _, r := range f.rules[string(in[0].Term)] {
		same := func(w []byte, t *analysis.Token) bool { return string(w) == string(t.Term) }
		if len(r.words) <= len(in) && slices.EqualFunc(r.words, in[:len(r.words)], same) {
			return r, true
		}
	}
	return synonymRule{}, false
}
