package search

import (
	_ "embed"
	"slices"
	"strings"

	"mcpcensus/internal/synonyms"
)

//go:embed stopwords.txt
var stopwordsFile string

// stopwords are words of a search that say nothing about a server.
var stopwords = func() map[string]bool {
	words := map[string]bool{}
	for line := range synonyms.Lines(stopwordsFile) {
		for w := range strings.FieldsSeq(line) {
			words[w] = true
		}
	}
	return words
}()

// A widerRule says that a sequence of words has wider terms.
type widerRule struct{ words, wider []string }

// widerRules are the rules by the first word of their sequence.
var widerRules = func() map[string][]widerRule {
	rules := map[string][]widerRule{}
	for _, g := range synonyms.Groups {
		for _, m := range g.Members {
			if words := strings.Fields(m); len(g.Wider) > 0 {
				rules[words[0]] = append(rules[words[0]], widerRule{words, g.Wider})
			}
		}
	}
	return rules
}()

// wider returns the wider terms of what a text names, each once.
func wider(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), notInWord)
	var out []string
	for i, w := range words {
		for _, r := range widerRules[w] {
			if len(r.words) > len(words)-i || !slices.Equal(r.words, words[i:i+len(r.words)]) {
				continue
			}
			for _, term := range r.wider {
				if !slices.Contains(out, term) {
					out = append(out, term)
				}
			}
		}
	}
	return out
}
