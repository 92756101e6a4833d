package detect

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/words"
)

// A term is an entry of a category's vocabulary.
type term struct {
	words    []string // stems
	category int      // index in registry.Categories
	weight   float64
}

// telling is the weight of terms that are more than a hint.
const telling = 2.6

// weights are the weights of terms by their weight in the vocabulary: 3 is decisive, 2 is strong,
// 1 is a hint.
var weights = map[string]float64{"1": 0.6, "2": telling, "3": 4}

// phraseBonus is the factor for terms of several words.
const phraseBonus = 1.6

// terms are the vocabularies of all categories by their first word, longer terms first. known
// contains their words and phrases verbatim, with words joined by "-".
var terms, known = readTerms()

func readTerms() (terms map[string][]term, known map[string]bool) {
	terms, known = map[string][]term{}, map[string]bool{}
	for i, category := range registry.Categories {
		for _, line := range vocabulary.Lines(rules, "categories/"+category+".txt") {
			number, text, _ := strings.Cut(line, " ")
			weight, ok := weights[number]
			if !ok {
				panic(fmt.Sprintf("categories/%s.txt: %q has no weight from 1 to 3", category, line))
			}
			text = strings.ReplaceAll(text, ".", "-")
			known[text] = true
			stems := stemAll(strings.Split(text, "-"))
			if len(stems) > 1 {
				weight *= phraseBonus
			}
			terms[stems[0]] = append(terms[stems[0]], term{stems, i, weight})
		}
	}
	for _, list := range terms {
		slices.SortFunc(list, func(a, b term) int {
			return cmp.Or(
				cmp.Compare(len(b.words), len(a.words)),
				cmp.Compare(a.category, b.category),
				slices.Compare(a.words, b.words),
				cmp.Compare(b.weight, a.weight),
			)
		})
	}
	return terms, known
}

// stemAll returns words without plurals.
func stemAll(list []string) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = words.Singular(w)
	}
	return out
}

// begins reports whether stems begin with the words of the term.
func (t term) begins(stems []string) bool {
	return len(t.words) <= len(stems) && slices.Equal(t.words, stems[:len(t.words)])
}

// votes are the scores of the categories.
type votes struct {
	score []float64
	words []map[string]float64
	seen  map[string]int    // how often a term was counted
	terms []map[string]bool // of each category
	texts []map[string]bool // that have a term of each category
	names []float64         // scores of the server's names alone; nil if its tools are unknown
}

func newVotes() *votes {
	n := len(registry.Categories)
	return &votes{make([]float64, n), make([]map[string]float64, n), map[string]int{},
		make([]map[string]bool, n), make([]map[string]bool, n), nil}
}

// isFounded reports whether a category has two independent signs: terms with different beginnings,
// or a decisive one in texts of different kinds. A weaker one, such as "secure", may be in all. If
// tools are known, names must have a telling one: a sentence also says how users sign in.
func (v *votes) isFounded(category int) bool {
	if v.names != nil && v.names[category] < telling {
		return false
	}
	return len(v.terms[category]) > 1 || len(v.texts[category]) > 1
}

// count adds the terms of a text. Repeated terms count less, and the first words, which usually
// name the subject, count more.
func (v *votes) count(kind, s string, factor float64) {
	const first, firstBonus = 12, 1.6
	s = boilerplate.ReplaceAllString(text.Cut(s, 4000), " ")
	words := firstWords(strings.ToLower(s), 600)
	stems := stemAll(words)
	for i := 0; i < len(stems); {
		bonus := 1.0
		if i < first {
			bonus = firstBonus
		}
		i += v.countAt(kind, words[i:], stems[i:], factor*bonus)
	}
}

// countAt adds the longest terms at the beginning of the words, and returns their number of
// words, at least 1.
func (v *votes) countAt(kind string, words, stems []string, factor float64) int {
	longest := 1
	for _, t := range terms[stems[0]] {
		if len(t.words) < longest || !t.begins(stems) {
			continue
		}
		longest = len(t.words)
		key := registry.Categories[t.category] + ":" + strings.Join(t.words, " ")
		v.seen[key]++
		repeated := math.Pow(2.5, float64(v.seen[key]-1))
		weight := t.weight * factor / repeated
		v.score[t.category] += weight
		if v.words[t.category] == nil {
			v.words[t.category] = map[string]float64{}
			v.terms[t.category], v.texts[t.category] = map[string]bool{}, map[string]bool{}
		}
		const stem = 5 // bytes of the beginning that "secure" and "security" have in common
		v.terms[t.category][text.Cut(strings.Join(t.words, " "), stem)] = true
		if t.weight >= weights["3"] {
			v.texts[t.category][kind] = true
		}
		v.words[t.category][strings.Join(words[:longest], " ")] += weight
	}
	return longest
}

// best returns the founded category with the most votes, -1 if there are hardly any or another
// category has twice as many, its share of all votes, and the runner-up, -1 if it has less than
// half as many.
func (v *votes) best() (category int, share float64, second int) {
	total := 0.0
	order := make([]int, 0, len(v.score))
	for i, s := range v.score {
		total += s
		if s > 0 && v.isFounded(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return heavier(v.score[a], v.score[b]) })
	if len(order) == 0 || v.score[order[0]] < max(0.3, slices.Max(v.score)/2) {
		return -1, 0, -1
	}
	second = -1
	if len(order) > 1 && v.score[order[1]] >= v.score[order[0]]/2 {
		second = order[1]
	}
	return order[0], v.score[order[0]] / total, second
}

// topWords returns the five words with the most weight for a category.
func (v *votes) topWords(category int) []string {
	weight := v.words[category]
	words := slices.SortedFunc(maps.Keys(weight), func(a, b string) int {
		return cmp.Or(heavier(weight[a], weight[b]), cmp.Compare(a, b))
	})
	return words[:min(len(words), 5)]
}

// heavier orders weights, largest first. Weights that differ by rounding errors are equal.
func heavier(a, b float64) int {
	if math.Abs(a-b) <= 1e-9 {
		return 0
	}
	return cmp.Compare(b, a)
}

// A Text is the input of [Classify], the most significant texts first.
type Text struct {
	Description string   // of the server
	Name        string   // without namespace and owner
	Tags        []string // topics, keywords
	Headings    []string
	Tools       []string // names
	Readme      string
}

// A Classification is the result of [Classify].
type Classification struct {
	Category   string   // one of registry.Categories
	Confidence float64  // 0 to 1
	Words      []string // that decided it
	Second     string   // the next best category if Confidence is low, otherwise ""
}

// uncertain is the confidence below which there is a second category. At that confidence, about
// half of the categories match lists made by people.
const uncertain = 0.6

// Classify returns the category of a server, registry.CategoryTools with a confidence of 0.1 if
// the texts contain no terms.
func Classify(t Text) Classification {
	const enough = 4 // points that make further texts unnecessary
	v := newVotes()
	if len(t.Tools) > 0 {
		n := newVotes()
		n.count("names", strings.Join(slices.Concat([]string{splitName(t.Name)}, t.Tags, t.Tools), " . "), 1)
		v.names = n.score
	}
	v.count("description", t.Description, 1)
	v.count("name", splitName(t.Name), 0.8)
	v.count("tags", strings.Join(t.Tags, " . "), 0.5)
	if best, _, _ := v.best(); best < 0 || v.score[best] < enough {
		v.count("tools", strings.Join(t.Tools, " . "), 0.2)
		v.count("headings", strings.Join(t.Headings, " . "), 0.2)
		v.count("readme", text.Cut(t.Readme, 1200), 0.3)
	}
	best, share, second := v.best()
	if best < 0 {
		return Classification{Category: registry.CategoryTools, Confidence: 0.1}
	}
	confidence := share * (1 - math.Exp(-v.score[best]/3))
	confidence = math.Round(min(0.99, max(0.1, confidence))*100) / 100
	c := Classification{registry.Categories[best], confidence, v.topWords(best), ""}
	if second >= 0 && confidence <= uncertain {
		c.Second = registry.Categories[second]
	}
	return c
}

func (c *candidate) classify(d *registry.Detection) {
	t := Text{Description: c.told, Name: c.slug() + " " + d.Title, Tags: c.tagged}
	for _, tool := range d.Tools[:min(len(d.Tools), 30)] {
		t.Tools = append(t.Tools, tool.Name)
	}
	if c.own {
		t.Headings = c.readme.Headings[:min(len(c.readme.Headings), 30)]
		t.Readme = c.readme.Summary
	}
	if about := c.repo.snap.Repo.Description; about != "" && c.alone && about != c.told {
		t.Description += ". " + about
	}
	k := Classify(t)
	d.Category, d.CategoryConfidence, d.CategoryWords = k.Category, k.Confidence, k.Words
	d.SecondCategory = k.Second
}
