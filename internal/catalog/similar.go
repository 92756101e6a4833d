package catalog

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxSimilar is how many similar names are compared: those of the best servers.
const maxSimilar = 1000

// Similar returns the slugs of at most n listed servers for which a name may be misspelt, most
// likely first: slugs that differ in up to two letters, and slugs that contain the name or are
// contained in it.
func (v *View) Similar(name string, n int) []string {
	name = strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-")
	if len(name) < 3 || len(name) > 120 {
		return nil
	}
	type hit struct {
		slug     string
		distance int
	}
	var hits []hit
	letters := lettersOf(name)
	for _, i := range v.orders[ByQuality] {
		if d := distance(i.slug, name, letters); d >= 0 {
			hits = append(hits, hit{i.slug, d})
		}
		if len(hits) >= maxSimilar {
			break
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.distance, b.distance) })
	out := make([]string, 0, n)
	for _, h := range hits[:min(n, len(hits))] {
		out = append(out, h.slug)
	}
	return out
}

// distance returns how much a slug differs from a name, -1 if too much. letters are the
// letters of the name.
func distance(slug, name string, letters uint64) int {
	switch {
	case len(slug)-len(name) <= 2 && len(name)-len(slug) <= 2:
		// Each of two changes removes at most one letter and adds one.
		if bits.OnesCount64(lettersOf(slug)^letters) <= 4 {
			if d := levenshtein.ComputeDistance(slug, name); d <= 2 {
				return d
			}
		}
	case len(slug) > len(name) && strings.Contains(slug, name):
		return 3 + (len(slug)-len(name))/8
	case len(slug) >= 6 && strings.Contains(name, slug):
		return 4 + (len(name)-len(slug))/8
	}
	return -1
}

// lettersOf returns the set of letters and digits of a slug, as bits. It rules
// out most slugs at little cost.
func lettersOf(slug string) (set uint64) {
	for i := range len(slug) {
		set |= 1 << (slug[i] & 63)
	}
	return set
}
