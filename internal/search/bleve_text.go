package search

import (
	"cmp"
	"context"
	"math"
	"regexp"
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

type bleveText struct {
	words     []bquery.Query
	rare      []bquery.Query // the queries of rare words
	telling   []bquery.Query // those of the meaningful words
	inAbout   []bquery.Query // the same in short texts
	inName    []bquery.Query // and in names
	lacking   bool           // no server has one of the words
	corrected string         // see [query.Matches]
}

// meaningful is the share of the weights of a text's words that its meaningful words have at
// least. The weight of a word is the square of its inverse document frequency.
const meaningful = .75

// A weightedWord is a word of a text with the queries for its servers.
type weightedWord struct {
	any, about, name bquery.Query
	weight           float64
	isIncidental     bool
}

// choose fills in the queries of the meaningful words: the rarest that have enough weight.
func (t *bleveText) choose(all []weightedWord) {
	left := 0.0
	for _, w := range all {
		left += w.weight
	}
	left *= meaningful
	slices.SortStableFunc(all, func(a, b weightedWord) int { return cmp.Compare(b.weight, a.weight) })
	for _, w := range all {
		if left <= 0 {
			return
		}
		left -= w.weight
		t.telling, t.inAbout = append(t.telling, w.any), append(t.inAbout, w.about)
		t.inName = append(t.inName, w.name)
	}
}

func readText(ctx context.Context, idx bleve.Index, text string) (bleveText, error) {
	var out bleveText
	count, err := newCounter(ctx, idx)
	if err != nil {
		return out, err
	}
	defer count.reader.Close()
	if corrected := count.correct(idx, text); corrected != text {
		text, out.corrected = corrected, corrected
	}
	terms := analyze(idx, searchAnalyzer, text)
	if len(terms) == 0 {
		terms = analyze(idx, verbatimAnalyzer, text)
	}
	terms = terms[:min(len(terms), words.Max)]
	count.isTyped = len(terms) <= maxTyped
	var all []weightedWord
	for i, term := range terms {
		last := i == len(terms)-1 && len(terms) <= 3 && endsInWord(text)
		word, having := wordQuery(count, term, last)
		if having == 0 && !count.some(idx, word) {
			out.lacking = true
			continue
		}
		out.words = append(out.words, word)
		if having <= words.Rare(count.all) {
			out.rare = append(out.rare, word)
		}
		weight := count.idf(having)
		all = append(all, weightedWord{word, aboutQuery(count, term, last),
			termQuery(nameField, term, 1), weight * weight,
			count.isTyped && count.of(nameField, term) == 0 && !count.together(idx, term, terms)})
	}
	subject := slices.DeleteFunc(slices.Clone(all), func(w weightedWord) bool { return w.isIncidental })
	if len(subject) > 1 {
		all = subject
	}
	out.choose(all)
	return out, count.err
}

// together reports whether a server has a term and another one in its short texts, or none has another
// one.
func (c *counter) together(idx bleve.Index, term string, terms []string) bool {
	var others []bquery.Query
	for _, other := range terms {
		if other != term && c.of(aboutField, other) > 0 {
			others = append(others, termQuery(aboutField, other, 1))
		}
	}
	return others == nil || c.some(idx, bquery.NewConjunctionQuery([]bquery.Query{
		termQuery(aboutField, term, 1), bquery.NewDisjunctionQuery(others)}))
}

func (c *counter) some(idx bleve.Index, q bquery.Query) bool {
	found, err := best(c.ctx, idx, q, 1)
	c.err = cmp.Or(c.err, err)
	return len(found) > 0
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
	any := append([]bquery.Query{withBonus(text, withBonus(about, name))},
		similar(count, term, last)...)
	if len(any) == 1 {
		return any[0], inText
	}
	return bquery.NewDisjunctionQuery(any), inText
}

// aboutQuery matches servers that have a term in a short text, as [wordQuery] does.
func aboutQuery(count *counter, term string, last bool) bquery.Query {
	return bquery.NewDisjunctionQuery(append([]bquery.Query{termQuery(aboutField, term, 1)},
		similar(count, term, last)...))
}

// similar matches servers that have other forms of a term in a short text.
func similar(count *counter, term string, last bool) (any []bquery.Query) {
	inAbout, n := count.of(aboutField, term), utf8.RuneCountInString(term)
	if last && n > 1 && inAbout <= words.Rare(count.all) {
		p := bquery.NewPrefixQuery(term)
		p.SetField(aboutField)
		p.SetBoost(prefixBoost)
		any = append(any, p)
	}
	if fuzziness(term) > 0 && inAbout == 0 {
		f := bquery.NewFuzzyQuery(term)
		f.SetField(aboutField)
		f.SetFuzziness(fuzziness(term))
		f.SetPrefix(1)
		if count.isTyped { // and corrected; "deploi" is the stem of "deployed"
			f.SetFuzziness(1)
			f.SetPrefix(n - 1)
		}
		f.SetBoost(fuzzyBoost)
		any = append(any, f)
	}
	return any
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

// all matches servers that have all meaningful words.
func (t bleveText) all() bquery.Query { return bquery.NewConjunctionQuery(t.telling) }

// about matches servers that have all meaningful words and are about them: a name has one of them,
// or the short texts have all.
func (t bleveText) about() bquery.Query {
	q := bquery.NewBooleanQuery([]bquery.Query{t.all()}, nil, nil)
	q.AddFilter(bquery.NewDisjunctionQuery(append(t.inName, bquery.NewConjunctionQuery(t.inAbout))))
	return q
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
	// isTyped reports that the text is no description.
	isTyped bool
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

// maxTyped is the number of words of the longest text of which words are corrected or necessary.
// Longer texts are descriptions.
const maxTyped = 4

// correct returns a text with the words that no server has replaced by the most frequent similar
// word of the short texts, if there is one, and a server has it with another word of the text.
func (c *counter) correct(idx bleve.Index, text string) string {
	typed := analyze(idx, spellingAnalyzer, text)
	if len(typed) > maxTyped {
		return text
	}
	for _, word := range typed {
		if c.of(spellingField, word) > 0 || !isWord.MatchString(word) || c.known(idx, word) {
			continue
		}
		better := c.nearest(word)
		terms := analyze(idx, searchAnalyzer, text)
		if is := analyze(idx, searchAnalyzer, better); len(is) > 0 && c.together(idx, is[0], terms) {
			text = regexp.MustCompile(`(?i)\b`+word+`\b`).ReplaceAllString(text, better)
		}
	}
	return text
}

var isWord = regexp.MustCompile(`^[a-z]+$`)

// known reports whether a server has a form of a word.
func (c *counter) known(idx bleve.Index, word string) bool {
	return slices.ContainsFunc(analyze(idx, verbatimAnalyzer, word),
		func(term string) bool { return c.of(textField, term) > 0 })
}

// nearest returns the most frequent of the words of the short texts with the fewest different
// letters; "" if all differ in too many.
func (c *counter) nearest(word string) (best string) {
	reader, ok := c.reader.(index.IndexReaderFuzzy)
	for n := 1; ok && best == "" && n <= fuzziness(word); n++ {
		dict, err := reader.FieldDictFuzzy(spellingField, word, n, word[:1])
		if err != nil {
			c.err = cmp.Or(c.err, err)
			return ""
		}
		var most uint64
		for e, err := dict.Next(); e != nil && err == nil; e, err = dict.Next() {
			if e.Count > most {
				best, most = e.Term, e.Count
			}
		}
		c.err = cmp.Or(c.err, dict.Close())
	}
	return best
}

// rarity returns the boost of a term by the number of servers with it in any and in this
// field. The score should depend on the rarity among all texts, while Bleve multiplies by the
// square of the rarity in the field.
func (c *counter) rarity(having, inField int) float64 {
	return math.Pow(c.idf(having), rarityPower) / math.Pow(c.idf(inField), 2)
}

// idf returns the inverse document frequency of a term that so many servers have.
func (c *counter) idf(having int) float64 {
	return math.Log(1 + (float64(c.all-having)+0.5)/(float64(having)+0.5))
}
