package catalog

import (
	"sort"

	"mcpcensus/internal/query"
)

// Lighter returns how many servers in the category of i have fewer tool tokens than i, and how
// many servers of the category, without i, have known tokens. Both are 0 if the tokens of i
// are unknown.
func (v *View) Lighter(i *Item) (lighter, of int) {
	tokens := func(i *Item) *int { return count[int](i, "toolTokens") }
	mine := tokens(i)
	if mine == nil {
		return 0, 0
	}
	q := query.Query{Sort: []query.Order{{Field: "toolTokens"}}, Filters: []query.Filter{
		query.Equal("category", i.Category()), query.AtLeast("toolTokens", 0)}}
	l := v.Query(q, nil)
	lighter = sort.Search(l.Total(), func(n int) bool { return *tokens(l.At(n)) >= *mine })
	return lighter, max(0, l.Total()-1)
}
