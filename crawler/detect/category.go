package detect

import (
	"math"
	"path"
	"regexp"
	"sort"
	"strings"

	"mcpcensus/internal/registry"
)

type term struct {
	words    []string
	category int
	weight   float64
}

// terms index the vocabulary by first word.
var terms = func() map[string][]term {
	out := map[string][]term{}
	for i, c := range registry.Categories {
		for _, t := range categoryTerms(c) {
			words := strings.FieldsFunc(t.text, func(r rune) bool { return r == '-' || r == '.' })
			for j := range words {
				words[j] = stem(words[j])
			}
			weight := []float64{0, 0.6, telling, 4}[t.weight]
			if len(words) > 1 {
				weight *= 1.6
			}
			out[words[0]] = append(out[words[0]], term{words, i, weight})
		}
	}
	for k := range out {
		sort.Slice(out[k], func(i, j int) bool {
			a, b := out[k][i], out[k][j]
			if len(a.words) != len(b.words) {
				return len(a.words) > len(b.words)
			}
			if a.category != b.category {
				return a.category < b.category
			}
			if x, y := strings.Join(a.words, " "), strings.Join(b.words, " "); x != y {
				return x < y
			}
			return a.weight > b.weight // the later one counts less
		})
	}
	return out
}()

// stem strips a plural's ending.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

var wordRE = regexp.MustCompile(`[\p{L}\p{N}]+`)

type vote struct {
	score [16]float64
	words [16]map[string]float64
}

// count adds the terms of a text. Later mentions of a term count less.
func (v *vote) count(text string, factor float64, seen map[string]int) {
	text = boilerplate.ReplaceAllString(cut(text, 4000), " ")
	words := wordRE.FindAllString(strings.ToLower(text), 600)
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stem(w)
	}
	for i := 0; i < len(stems); i++ {
		longest := 1
		for _, t := range terms[stems[i]] {
			if len(t.words) < longest || i+len(t.words) > len(stems) {
				continue
			}
			match := true
			for j, w := range t.words {
				if stems[i+j] != w {
					match = false
					break
				}
			}
			if !match {
				continue
			}
			longest = len(t.words)
			name := strings.Join(words[i:i+len(t.words)], " ")
			key := registry.Categories[t.category] + ":" + strings.Join(t.words, " ")
			seen[key]++
			w := t.weight * factor / math.Pow(2.5, float64(seen[key]-1))
			if i < 12 {
				w *= 1.6 // what a description begins with is what it is about
			}
			v.score[t.category] += w
			if v.words[t.category] == nil {
				v.words[t.category] = map[string]float64{}
			}
			v.words[t.category][name] += w
		}
		i += longest - 1
	}
}

// A Text is what a server is classified by, the most telling first.
type Text struct {
	Description string   // of the server
	Name        string   // without namespace and owner
	Tags        []string // topics, keywords
	Headings    []string
	Tools       []string // names
	Readme      string
}

// Classify returns one of registry.Categories, how sure that is from 0 to 1,
// and the words that decided it. Where nothing points anywhere it is
// registry.CategoryTools at 0.1.
func Classify(t Text) (category string, confidence float64, words []string) {
	var v vote
	seen := map[string]int{}
	v.count(t.Description, 1, seen)
	v.count(splitName(t.Name), 0.8, seen)
	v.count(strings.Join(t.Tags, " . "), 0.5, seen)
	strong := 0.0
	for _, s := range v.score {
		strong = max(strong, s)
	}
	if strong < 4 {
		v.count(strings.Join(t.Tools, " . "), 0.2, seen)
		v.count(strings.Join(t.Headings, " . "), 0.2, seen)
		v.count(cut(t.Readme, 1200), 0.3, seen)
	}
	best, total := -1, 0.0
	for i := range registry.Categories {
		total += v.score[i]
		if v.score[i] > 0 && (best < 0 || v.score[i] > v.score[best]+1e-9) {
			best = i
		}
	}
	if best < 0 || v.score[best] < 0.3 {
		return registry.CategoryTools, 0.1, nil
	}
	for w := range v.words[best] {
		words = append(words, w)
	}
	sort.Slice(words, func(i, j int) bool {
		a, b := v.words[best][words[i]], v.words[best][words[j]]
		if math.Abs(a-b) > 1e-9 {
			return a > b
		}
		return words[i] < words[j]
	})
	words = words[:min(len(words), 5)]
	share := v.score[best] / total
	confidence = share * (1 - math.Exp(-v.score[best]/3))
	return registry.Categories[best], math.Round(min(0.99, max(0.1, confidence))*100) / 100, words
}

func splitName(s string) string {
	return camel.ReplaceAllString(strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(s), "$1 $2")
}

func (c *context) classify(d *registry.Detection) {
	t := Text{Description: d.Description, Tags: d.Tags}
	t.Name = c.repo.snap.Repo.Name
	if c.unit.dir != "" && !c.alone {
		t.Name = path.Base(c.unit.dir)
	}
	t.Name += " " + d.Title
	for _, tool := range d.Tools[:min(len(d.Tools), 30)] {
		t.Tools = append(t.Tools, tool.Name)
	}
	if c.readme != nil && c.own {
		for _, h := range c.readme.Headings[:min(len(c.readme.Headings), 30)] {
			t.Headings = append(t.Headings, h.Text)
		}
		t.Readme = c.readme.Summary
	}
	if c.repo.snap.Repo.Description != "" && c.alone && c.repo.snap.Repo.Description != d.Description {
		t.Description += ". " + c.repo.snap.Repo.Description
	}
	d.Category, d.CategoryConfidence, d.CategoryWords = Classify(t)
}
