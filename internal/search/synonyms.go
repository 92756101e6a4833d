package search

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
)

//go:embed synonyms.txt
var synonymsFile string

//go:embed stopwords.txt
var stopwordsFile string

// A synonymGroup is one line of synonyms.txt.
type synonymGroup struct {
	members []string // mean the same; the first stands for all
	wider   []string // searches for them find the members, not the other way round
}

var synonymGroups = readSynonyms(synonymsFile)

func readSynonyms(file string) []synonymGroup {
	var groups []synonymGroup
	for line := range fileLines(file) {
		members, wider, _ := strings.Cut(line, ">")
		groups = append(groups, synonymGroup{fields(members, "="), fields(wider, ",")})
	}
	return groups
}

// fileLines yields the lines of a file without comments and empty lines.
func fileLines(file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(file) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); line != "" && !yield(line) {
				return
			}
		}
	}
}

func fields(s, separator string) []string {
	var out []string
	for part := range strings.SplitSeq(s, separator) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// stopwords are words of a search that say nothing about a server.
var stopwords = func() map[string]bool {
	words := map[string]bool{}
	for line := range fileLines(stopwordsFile) {
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
	for _, g := range synonymGroups {
		for _, m := range g.members {
			if words := strings.Fields(m); len(g.wider) > 0 {
				rules[words[0]] = append(rules[words[0]], widerRule{words, g.wider})
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
