// Package synonyms has the words and phrases that mean the same in this field:
// for searches, tags and comparisons of servers. See synonyms.txt.
package synonyms

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
)

// File is the list as text.
//
//go:embed synonyms.txt
var File string

// A Group is one line of the list.
type Group struct {
	Members []string // synonyms; the first represents all
	Wider   []string // terms for what they are kinds of
}

// Groups are all groups. They do not change.
var Groups = read(File)

var first = func() map[string]string {
	all := map[string]string{}
	for _, g := range Groups {
		for _, m := range g.Members {
			all[m] = g.Members[0]
		}
	}
	return all
}()

// byFirstWord are the groups by the first word of each member, with the member.
var byFirstWord = func() map[string][]phrase {
	all := map[string][]phrase{}
	for i := range Groups {
		for _, m := range Groups[i].Members {
			words := strings.Fields(m)
			all[words[0]] = append(all[words[0]], phrase{words, &Groups[i]})
		}
	}
	return all
}()

// A phrase is a member of a group as words.
type phrase struct {
	words []string
	group *Group
}

// Named yields the groups of which words, in lower case, contain a member.
func Named(words []string) iter.Seq[*Group] {
	return func(yield func(*Group) bool) {
		for i, w := range words {
			for _, p := range byFirstWord[w] {
				end := i + len(p.words)
				if end <= len(words) && slices.Equal(p.words, words[i:end]) && !yield(p.group) {
					return
				}
			}
		}
	}
}

// Wider returns the wider terms of words, which are in lower case, each once.
func Wider(words []string) []string {
	var out []string
	for g := range Named(words) {
		for _, term := range g.Wider {
			if !slices.Contains(out, term) {
				out = append(out, term)
			}
		}
	}
	return out
}

func read(file string) []Group {
	var groups []Group
	for line := range Lines(file) {
		members, wider, _ := strings.Cut(line, ">")
		groups = append(groups, Group{fields(members, "="), fields(wider, ",")})
	}
	return groups
}

// Fold returns the first member of the group that a word or phrase in lower case
// belongs to, and whether there is one.
func Fold(phrase string) (string, bool) {
	f, ok := first[phrase]
	return f, ok
}

// FoldTag is Fold for a tag, whose words are joined by "-". A tag without a group is returned
// unchanged.
func FoldTag(tag string) string {
	if f, ok := Fold(strings.ReplaceAll(strings.ToLower(tag), "-", " ")); ok {
		return strings.ReplaceAll(f, " ", "-")
	}
	return tag
}

// Lines yields the lines of a file without comments and empty lines.
func Lines(file string) iter.Seq[string] {
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
