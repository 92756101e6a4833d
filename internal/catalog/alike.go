package catalog

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

const (
	// alikeAmong is how many servers are compared, the recommended first.
	alikeAmong = 20_000
	// maxTerms bounds the terms of one server.
	maxTerms = 64
	// A term that more than this share of servers has says nothing, and one that
	// at most nameShare or fewName of them have names a product or a subject.
	commonShare = 0.1
	nameShare   = 0.02
	fewNames    = 8
	// alikeFrom is the least similarity of servers that are alike, from 0 to 1.
	alikeFrom = 0.2
)

// A term is a word of a server's texts, by its hash, with the weight of the
// text: a word of the name counts more than one of a description.
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
	add(nameWeight, s.Name, s.Repo.Name, s.Subfolder)
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

// Alike returns at most n other active servers of other repositories for the
// same product or subject, most alike first: those whose names, tags,
// descriptions and tools share words with i's, rare words counting more. It
// returns fewer where there are not enough. Only the recommended servers are
// compared.
func (v *View) Alike(i *Item, n int) []*Item {
	among := v.orders[ByRecommended]
	among = among[:min(len(among), alikeAmong)]
	mine := make(map[uint32]int, len(i.terms)) // index in i.terms
	for k, t := range i.terms {
		mine[t.hash] = k
	}
	with := make([]int, len(i.terms)) // servers that have the term
	type candidate struct {
		item   *Item
		shared []term // index in i.terms, weight of the other
		value  float64
	}
	var found []candidate
	for _, other := range among {
		c := candidate{item: other}
		for _, t := range other.terms {
			if k, ok := mine[t.hash]; ok {
				with[k]++
				c.shared = append(c.shared, term{uint32(k), t.weight})
			}
		}
		if len(c.shared) > 0 && other != i && other.Active() && !sameRepo(i, other) {
			found = append(found, c)
		}
	}
	worth := func(k int) float64 { // of a term
		if float64(with[k]) > commonShare*float64(len(among)) && with[k] > fewNames {
			return 0
		}
		return math.Log(1 + float64(len(among))/float64(with[k]+1))
	}
	whole := 0.0
	for k, t := range i.terms {
		whole += worth(k) * float64(t.weight) * float64(t.weight)
	}
	telling := max(fewNames, int(nameShare*float64(len(among))))
	found = slices.DeleteFunc(found, func(c candidate) bool {
		rare, strong := 0, false
		for _, t := range c.shared {
			if with[t.hash] <= telling {
				rare++
				strong = strong || i.terms[t.hash].weight+t.weight >= 2*nameWeight ||
					i.terms[t.hash].weight+t.weight > tagWeight+aboutWeight && with[t.hash] <= fewNames
			}
		}
		return !strong && rare < 2
	})
	for k := range found {
		c := &found[k]
		for _, t := range c.shared {
			c.value += worth(int(t.hash)) * float64(t.weight) * float64(i.terms[t.hash].weight)
		}
		c.value /= whole
		if c.item.Category() == i.Category() {
			c.value *= 1.2
		}
	}
	found = slices.DeleteFunc(found, func(c candidate) bool { return c.value < alikeFrom })
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.value, a.value) })
	var out []*Item
	for _, c := range found[:min(n, len(found))] {
		out = append(out, c.item)
	}
	return out
}

// sameRepo reports whether two servers are in one repository.
func sameRepo(a, b *Item) bool {
	return a.owner != "" && a.host == b.host && strings.EqualFold(a.owner, b.owner) &&
		strings.EqualFold(a.repo, b.repo)
}
