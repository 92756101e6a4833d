package site

import (
	"context"
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
)

// Names are the numbers of servers by tag (in lower case) and by language.
type Names struct{ Tags, Languages map[string]int }

// Names returns the names of a version of the data, or of one up to 20 minutes
// older. Counting takes seconds for a large registry, so it runs in the background; Names
// returns nil during the first count.
func (s *Site) Names(v *catalog.View) *Names {
	return Loaded(s, &s.names, func(context.Context) (*Names, error) { return countNames(v), nil })
}

func countNames(v *catalog.View) *Names {
	n := &Names{map[string]int{}, map[string]int{}}
	l := v.List("", catalog.ByQuality, -1)
	for k := range l.Total() {
		x := l.At(k).Summary()
		if x.Language != "" {
			n.Languages[x.Language]++
		}
		for _, t := range Tags(x.Tags) {
			n.Tags[t]++
		}
	}
	return n
}

// Tags returns tags in lower case, each once.
func Tags(tags []string) []string {
	var all []string
	for _, t := range tags {
		if t = strings.ToLower(t); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}
