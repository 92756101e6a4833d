package catalog

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// Similar returns the slugs of at most n listed servers that a wrong name may
// have meant, likeliest first: those a few letters away, and those that hold
// it or that it holds.
func (v *View) Similar(name string, n int) []string {
	name = strings.ToLower(name)
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
	name = strings.Trim(name, "-")
	if len(name) < 3 || len(name) > 120 {
		return nil
	}
	type hit struct {
		slug     string
		distance int
	}
	var hits []hit
	letters := lettersOf(name)
	for _, slot := range v.orders[ByQuality][0] {
		s := v.items[slot].slug
		d := -1
		switch {
		case len(s)-len(name) <= 2 && len(name)-len(s) <= 2:
			// Each of two changes takes at most one letter away and brings one.
			if bits.OnesCount64(lettersOf(s)^letters) <= 4 {
				d = distance(s, name, 2)
			}
		case len(s) > len(name) && strings.Contains(s, name):
			d = 3 + (len(s)-len(name))/8
		case len(s) >= 6 && strings.Contains(name, s):
			d = 4 + (len(name)-len(s))/8
		}
		if d < 0 {
			continue
		}
		hits = append(hits, hit{s, d})
		if len(hits) >= 1000 {
			break // in the order of quality, so the best are among them
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.distance, b.distance) })
	out := make([]string, 0, n)
	for _, h := range hits[:min(n, len(hits))] {
		out = append(out, h.slug)
	}
	return out
}

// lettersOf returns which letters and digits stand in a slug, as bits.
func lettersOf(slug string) (set uint64) {
	for i := range len(slug) {
		set |= 1 << (slug[i] & 63)
	}
	return set
}

// distance returns in how many letters a and b differ (Levenshtein), or -1 if
// in more than most.
func distance(a, b string, most int) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if max(len(a), len(b)) > 24 { // they differ at both ends of a long stretch
		return -1
	}
	var rows [2][25]int
	row, last := &rows[0], &rows[1]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			least = min(least, row[j+1])
		}
		if least > most {
			return -1
		}
		row, last = last, row
	}
	if last[len(b)] > most {
		return -1
	}
	return last[len(b)]
}
