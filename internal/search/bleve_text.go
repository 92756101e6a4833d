package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/words"

	"github.com/blevesearch/bleve/v2"
	bsearch "github.com/blevesearch/bleve/v2/search"
	bquery "github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// Bleve takes the number of different words of the index for that of all
// words when it computes the mean length of a text, so that the penalty for
// long texts would grow with the index. It is switched off.
func init() { bsearch.BM25_b = 0 }

// What a word counts for in each of the text fields, as measured by
// TestRelevance. A word of a name is in all three.
const (
	nameBoost   = 2
	aboutBoost  = 1.5
	textBoost   = 1
	pairBoost   = 0.3
	prefixBoost = 0.3 // of a word of which only the beginning was typed
	fuzzyBoost  = 0.5 // of a word that may be misspelt
	widerBoost  = 0.5 // of what a product is, if no server names the product

	// rarityPower is how much more a rare word counts than a frequent one: the
	// power of its inverse document frequency.
	rarityPower = 4
)

// A bleveText is a search's text as queries.
type bleveText struct {
	words []bquery.Query
	rare  []bquery.Query // those of words, for rare words
	pairs []bquery.Query // of neighbouring words, which only raise the score
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
		prefix := ""
		if i == len(terms)-1 && len(terms) <= 3 {
			prefix = lastTyped(idx, text, term)
		}
		var kinds [][]string
		for _, phrase := range widerTerms()[term] {
			kinds = append(kinds, analyze(idx, verbatimAnalyzer, phrase))
		}
		word, having := wordQuery(count, term, prefix, kinds)
		out.words = append(out.words, word)
		if having <= words.Rare(count.all) {
			out.rare = append(out.rare, word)
		}
		if i > 0 {
			pair := terms[i-1] + " " + term
			n := count.of(pairsField, pair)
			out.pairs = append(out.pairs, termQuery(pairsField, pair, pairBoost*count.rarity(n, n)))
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

// lastTyped returns the last word of a text as it is typed, if it may still
// be being typed and is what the last term was made of, and "" otherwise.
func lastTyped(idx bleve.Index, text, term string) string {
	end, _ := utf8.DecodeLastRuneInString(text)
	typed := idx.Mapping().AnalyzerNamed(typedAnalyzer).Analyze([]byte(text))
	if len(typed) == 0 || !unicode.IsLetter(end) && !unicode.IsDigit(end) {
		return ""
	}
	last := string(typed[len(typed)-1].Term)
	if utf8.RuneCountInString(last) < 2 || !slices.Contains(analyze(idx, verbatimAnalyzer, last), term) {
		return ""
	}
	return last
}

// wordQuery matches servers that have a term. If the term is rare, the most
// frequent words that begin with the prefix match too; if no short text has it,
// so do its wider terms, kinds, or similar words if it has none. It also returns
// how many servers have the term.
func wordQuery(
	count *counter, term, prefix string, kinds [][]string,
) (q bquery.Query, having int) {
	inText, inAbout, inName := count.of(textField, term), count.of(aboutField, term), count.of(nameField, term)
	name := termQuery(nameField, term, nameBoost*count.rarity(inText, inName))
	about := termQuery(aboutField, term, aboutBoost*count.rarity(inText, inAbout))
	text := termQuery(textField, term, textBoost*count.rarity(inText, inText))
	any := []bquery.Query{withBonus(text, withBonus(about, name))}
	if prefix != "" && inAbout <= words.Rare(count.all) {
		var begun []bquery.Query
		for _, longer := range count.beginning(aboutField, prefix) {
			begun = append(begun, termQuery(aboutField, longer, prefixBoost))
		}
		any = append(any, bquery.NewDisjunctionQuery(begun))
	}
	if inAbout == 0 {
		for _, kind := range kinds {
			any = append(any, kindQuery(count, kind))
		}
	}
	if n := fuzziness(term); n > 0 && inAbout == 0 && len(kinds) == 0 {
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

// kindQuery matches servers whose short texts have all terms of a wider term.
func kindQuery(count *counter, terms []string) bquery.Query {
	all := make([]bquery.Query, len(terms))
	for i, term := range terms {
		rarity := count.rarity(count.of(textField, term), count.of(aboutField, term))
		all[i] = termQuery(aboutField, term, widerBoost*aboutBoost*rarity)
	}
	return bquery.NewConjunctionQuery(all)
}

// fuzziness is how many letters of a term may be wrong.
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

// withBonus matches what must matches. Where bonus matches as well, its score
// is added; unlike in a disjunction, nothing is subtracted where it does not.
func withBonus(must, bonus bquery.Query) bquery.Query {
	return bquery.NewBooleanQuery([]bquery.Query{must}, []bquery.Query{bonus}, nil)
}

// any matches servers that have one of the words. Bleve multiplies the score
// by the share of the words that a server has.
func (t bleveText) any() bquery.Query {
	return t.withPairs(bquery.NewDisjunctionQuery(t.words))
}

// withPairs raises the score of servers that have pairs of neighbouring words.
func (t bleveText) withPairs(words bquery.Query) bquery.Query {
	if len(t.pairs) == 0 {
		return words
	}
	return withBonus(words, bquery.NewDisjunctionQuery(t.pairs))
}

// enough matches servers that have a rare word or the number of words that
// [words.Least] demands.
func (t bleveText) enough() bquery.Query {
	if len(t.words) == 1 {
		return t.words[0]
	}
	several := bquery.NewDisjunctionQuery(t.words)
	several.SetMin(float64(words.Least(len(t.words))))
	if len(t.rare) == 0 {
		return t.withPairs(several)
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

// maxBeginning is how many words that begin with a prefix are searched for.
const maxBeginning = 10

// beginning returns the most frequent terms that begin with a prefix.
func (c *counter) beginning(field, prefix string) (terms []string) {
	dict, err := c.reader.FieldDictPrefix(field, []byte(prefix))
	if err != nil {
		c.err = cmp.Or(c.err, err)
		return nil
	}
	defer dict.Close()
	var all []index.DictEntry
	e, err := dict.Next()
	for ; e != nil && err == nil; e, err = dict.Next() {
		all = append(all, *e)
	}
	c.err = cmp.Or(c.err, err)
	slices.SortStableFunc(all, func(a, b index.DictEntry) int { return cmp.Compare(b.Count, a.Count) })
	for _, e := range all[:min(len(all), maxBeginning)] {
		terms = append(terms, e.Term)
	}
	return terms
}

// rarity returns the boost of a term that so many servers have, so many of
// them in the field. The score is to depend on the rarity among all texts,
// while Bleve multiplies by the square of that in the field.
func (c *counter) rarity(having, inField int) float64 {
	idf := func(n int) float64 { return math.Log(1 + (float64(c.all-n)+0.5)/(float64(n)+0.5)) }
	return math.Pow(idf(having), rarityPower) / math.Pow(idf(inField), 2)
}
