package catalog

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

const (
	// alikeAmong is how many servers are compared, the recommended first.
	alikeAmong = 20_000
	// maxTerms bounds the terms of one server.
	maxTerms = 64
	// Terms of more than commonShare of the servers are ignored. Terms of at most nameShare or
	// fewName of them name a product or a subject.
	commonShare = 0.1
	nameShare   = 0.02
	fewNames    = 8
	// alikeFrom is the least similarity of servers that are alike, from 0 to 1.
	alikeFrom = 0.25
)

// A term is the hash of a word of a server's texts, with the weight of the text: a word of the
// name counts more than one of a description.
type term struct {
	hash   uint32
	weight uint8
}

const (
	aboutWeight = 1 // descriptions and names of tools
	tagWeight   = 2
	nameWeight  = 3
)

// termsOf returns the terms of a server, each once with its greatest weight.
func termsOf(s *registry.Server) []term {
	var all []term
	add := func(weight uint8, texts ...string) {
		for _, text := range texts {
			for _, w := range wordsOf(text) {
				h := fnv.New32a()
				_, _ = h.Write([]byte(w))
				t := term{h.Sum32(), weight}
				if !slices.ContainsFunc(all, func(o term) bool { return o.hash == t.hash }) && len(all) < maxTerms {
					all = append(all, t)
				}
			}
		}
	}
	add(nameWeight, s.Name, s.Repo.Name, path.Base(s.Subfolder)) // "packages" above it is not a name
	add(tagWeight, s.Tags...)
	add(aboutWeight, s.Description)
	for _, t := range s.Tools {
		add(aboutWeight, t.Name)
	}
	return slices.Clip(all)
}

// wordsOf returns the words of a text without plurals, synonyms folded.
func wordsOf(text string) (all []string) {
	for _, w := range words.Fields(words.Fold(text)) {
		f, ok := synonyms.Fold(w)
		if !ok {
			f = words.Singular(w)
			if first, ok := synonyms.Fold(f); ok {
				f = first
			}
		}
		if len(f) > 1 {
			all = append(all, f)
		}
	}
	return all
}

// Alike returns at most n other active servers of other repositories for the same product or
// subject, most alike first. Names, tags, descriptions and tools are compared with i's; rare
// words count more. Only recommended servers are compared.
func (v *View) Alike(i *Item, n int) []*Item {
	among := v.orders[ByRecommended]
	c := compare(i, among[:min(len(among), alikeAmong)])
	found := slices.DeleteFunc(c.found, func(s match) bool { return !c.related(s) })
	c.value(found)
	found = slices.DeleteFunc(found, func(s match) bool { return s.value < alikeFrom })
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.value, a.value) })
	var out []*Item
	for _, s := range found[:min(n, len(found))] {
		out = append(out, s.item)
	}
	return out
}

// A comparison holds the terms that one server shares with others.
type comparison struct {
	item    *Item
	servers int   // that were compared
	with    []int // servers that have a term, by its index in item.terms
	found   []match
}

// A match is a server with terms of another.
type match struct {
	item   *Item
	shared []term // index in the terms of the other, weight in those of item
	value  float64
}

// compare finds the servers that share terms with one.
func compare(i *Item, among []*Item) *comparison {
	mine := make(map[uint32]int, len(i.terms)) // index in i.terms
	for k, t := range i.terms {
		mine[t.hash] = k
	}
	c := &comparison{item: i, servers: len(among), with: make([]int, len(i.terms))}
	for _, other := range among {
		s := match{item: other}
		for _, t := range other.terms {
			if k, ok := mine[t.hash]; ok {
				c.with[k]++
				s.shared = append(s.shared, term{uint32(k), t.weight})
			}
		}
		if len(s.shared) > 0 && other != i && other.Suggested() && !sameRepo(i, other) {
			c.found = append(c.found, s)
		}
	}
	return c
}

// related reports whether a server shares two rare terms, or one that is in both names.
func (c *comparison) related(s match) bool {
	maxRare := max(fewNames, int(nameShare*float64(c.servers)))
	rare := 0
	for _, t := range s.shared {
		with, weight := c.with[t.hash], c.item.terms[t.hash].weight+t.weight
		if with > maxRare {
			continue
		}
		if weight >= 2*nameWeight || weight > tagWeight+aboutWeight && with <= fewNames {
			return true
		}
		rare++
	}
	return rare >= 2
}

// value sets how alike the servers are: the weights of the shared terms, of 1 for
// all terms.
func (c *comparison) value(found []match) {
	whole := 0.0
	for k, t := range c.item.terms {
		whole += c.worth(k) * float64(t.weight) * float64(t.weight)
	}
	for k := range found {
		s := &found[k]
		for _, t := range s.shared {
			s.value += c.worth(int(t.hash)) * float64(t.weight) * float64(c.item.terms[t.hash].weight)
		}
		s.value /= whole
		if s.item.Category() == c.item.Category() {
			s.value *= 1.2
		}
	}
}

// worth returns the weight of the k-th term, by the number of servers that have it.
func (c *comparison) worth(k int) float64 {
	servers, with := float64(c.servers), c.with[k]
	if float64(with) > commonShare*servers && with > fewNames {
		return 0
	}
	return math.Log(1 + servers/float64(with+1))
}

// sameRepo reports whether two servers are in one repository.
func sameRepo(a, b *Item) bool {
	return a.owner != "" && a.host == b.host && strings.EqualFold(a.owner, b.owner) &&
		strings.EqualFold(a.repo, b.repo)
}

// maxSimilar is how many similar names are compared: those of the best servers.
const maxSimilar = 1000

// Dangers are the kinds of risks of servers that are not suggested.
var Dangers = []string{"copy", "dead", "hidden-instructions", "look-alike", "malware", "suspicious-text"}

// Similar returns the slugs of at most n listed servers without [Dangers] for which a name may be
// misspelt, most likely first: slugs that differ in up to two letters, and slugs that contain the name or are
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
		if d := distance(i.slug, name, letters); d >= 0 && !i.HasRisk(Dangers...) {
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
