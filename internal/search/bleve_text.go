package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	bsearch "github.com/blevesearch/bleve/v2/search"
	bquery "github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"mcpcensus/internal/words"
)

// Bleve uses the number of different words of the index instead of the number of all words for
// the mean length of a text, so that the penalty for long texts would grow with the index. It
// is switched off.
func init() { bsearch.BM25_b = 0 }

// Boosts of a word in each of the text fields, as measured by TestRelevance. A word of a name
// is in all three.
const (
	nameBoost   = 2
	aboutBoost  = 1.5
	textBoost   = 1
	prefixBoost = 0.3 // of a word of which only the beginning was typed
	fuzzyBoost  = 0.5 // of a possible misspelling

	// rarityPower is how much more a rare word counts than a frequent one: the
	// power of its inverse document frequency.
	rarityPower = 4
)

// A bleveText is a search's text as queries.
type bleveText struct {
	words []bquery.Query
	rare  []bquery.Query // the queries of rare words
}

func readText(ctx context.Context, idx bleve.Index, text string) (bleveText, error) {
	var out bleveText
	count, err := newCounter(ctx, idx)
	if err != nil {
		return out, err
	}
	defer count.reader.Close()
	terms := analyze(idx, searchAnalyzer, text)
	if len(terms) == 0 {
		terms = analyze(idx, verbatimAnalyzer, text)
	}
	terms = terms[:min(len(terms), words.Max)]
	for i, term := range terms {
		last := i == len(terms)-1 && len(terms) <= 3 && endsInWord(text)
		word, having := wordQuery(count, term, last)
		out.words = append(out.words, word)
		if having <= words.Rare(count.all) {
			out.rare = append(out.rare, word)
		}
	}
	return out, count.err
}

// analyze returns the different terms of a text.
func analyze(idx bleve.Index, analyzer, text string) []string {
	var terms []string
	for _, t := range idx.Mapping().AnalyzerNamed(analyzer).Analyze([]byte(text)) {
		if term := string(t.Term); !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	return terms
}

// endsInWord reports whether a text ends with a word, which may still be
// being typed.
func endsInWord(text string) bool {
	end, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(end) || unicode.IsDigit(end)
}

// wordQuery matches servers that have a term. If it is the last of the text and
// rare, words that begin with it match too; if no short text has it, similar
// words do. It also returns how many servers have the term.
func wordQuery(count *counter, term string, last bool) (q bquery.Query, having int) {
	inText, inAbout, inName := count.of(textField, term), count.of(aboutField, term), count.of(nameField, term)
	name := termQuery(nameField, term, nameBoost*count.rarity(inText, inName))
	about := termQuery(aboutField, term, aboutBoost*count.rarity(inText, inAbout))
	text := termQuery(textField, term, textBoost*count.rarity(inText, inText))
	any := []bquery.Query{withBonus(text, withBonus(about, name))}
	if last && utf8.RuneCountInString(term) > 1 && inAbout <= words.Rare(count.all) {
		p := bquery.NewPrefixQuery(term)
		p.SetField(aboutField)
		p.SetBoost(prefixBoost)
		any = append(any, p)
	}
	if n := fuzziness(term); n > 0 && inAbout == 0 {
		f := bquery.NewFuzzyQuery(term)
		f.SetField(aboutField)
		f.SetFuzziness(n)
		f.SetPrefix(1)
		f.SetBoost(fuzzyBoost)
		any = append(any, f)
	}
	if len(any) == 1 {
		return any[0], inText
	}
	return bquery.NewDisjunctionQuery(any), inText
}

// fuzziness returns how many letters of a term may differ.
func fuzziness(term string) int {
	switch n := utf8.RuneCountInString(term); {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

func termQuery(field, term string, boost float64) bquery.Query {
	t := bquery.NewTermQuery(term)
	t.SetField(field)
	t.SetBoost(boost)
	return t
}

// withBonus matches the matches of must. Where bonus matches as well, its score is added;
// unlike in a disjunction, nothing is subtracted where it does not.
func withBonus(must, bonus bquery.Query) bquery.Query {
	return bquery.NewBooleanQuery([]bquery.Query{must}, []bquery.Query{bonus}, nil)
}

// any matches servers that have one of the words. Bleve multiplies the score
// by the share of the words that a server has.
func (t bleveText) any() bquery.Query { return bquery.NewDisjunctionQuery(t.words) }

// enough matches servers that have a rare word or the number of words that
// [words.Least] demands.
func (t bleveText) enough() bquery.Query {
	if len(t.words) == 1 {
		return t.words[0]
	}
	several := bquery.NewDisjunctionQuery(t.words)
	several.SetMin(float64(words.Least(len(t.words))))
	if len(t.rare) == 0 {
		return several
	}
	q := bquery.NewBooleanQuery([]bquery.Query{t.any()}, nil, nil)
	q.AddFilter(bquery.NewDisjunctionQuery(append([]bquery.Query{several}, t.rare...)))
	return q
}

// A counter counts the servers that have a term.
type counter struct {
	ctx    context.Context
	reader index.IndexReader
	all    int
	err    error // the first
}

func newCounter(ctx context.Context, idx bleve.Index) (*counter, error) {
	advanced, err := idx.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, err
	}
	n, err := reader.DocCount()
	return &counter{ctx: ctx, reader: reader, all: int(n), err: err}, nil
}

func (c *counter) of(field, term string) int {
	r, err := c.reader.TermFieldReader(c.ctx, []byte(term), field, false, false, false)
	if err != nil {
		c.err = cmp.Or(c.err, err)
		return 0
	}
	defer r.Close()
	return int(r.Count())
}

// rarity returns the boost of a term by the number of servers with it in any and in this
// field. The score should depend on the rarity among all texts, while Bleve multiplies by the
// square of the rarity in the field.
func (c *counter) rarity(having, inField int) float64 {
	idf := func(n int) float64 { return math.Log(1 + (float64(c.all-n)+0.5)/(float64(n)+0.5)) }
	return math.Pow(idf(having), rarityPower) / math.Pow(idf(inField), 2)
}
