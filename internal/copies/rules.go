package copies

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/words"
)

const (
	// minTools is how many tools a list needs to be compared.
	minTools = 5
	// sameReadme and sameTools are similarities that alone make a copy.
	sameReadme, sameTools = 0.8, 0.9
	// sameDefinitions is the minimum share of common tools with alike definitions: ports of a
	// server to another language have its names, but rarely its texts.
	sameDefinitions = 0.5
	// likeReadme and likeTools are similarities that make a copy with other evidence.
	// Unrelated READMEs have a similarity below 0.1.
	likeReadme, likeTools = 0.3, 0.6
	// otherTools is the similarity below which two servers with the same README
	// are different: the README is boilerplate.
	otherTools = 0.2
	// farMore is how many times as many stars as the older server the younger one
	// may have: above, it is probably the original in a new place.
	farMore, manyStars = 10, 50
)

// eligible reports whether y can be a copy of o at all: it is younger, of another
// owner, and neither a fork, see [finder.forks], nor the same project in another
// place.
func eligible(o, y *Server) bool {
	switch {
	case o.Created.IsZero() || y.Created.IsZero() || !y.Created.After(o.Created),
		!o.Released.IsZero() && !y.Released.IsZero() && y.Released.Before(o.Released),
		y.Official, y.Fork, o.Fork, o.Template,
		strings.EqualFold(o.Owner, y.Owner),
		o.Successor != "" && slices.Contains(y.Keys, o.Successor),
		y.Stars >= manyStars && y.Stars > farMore*o.Stars:
		return false
	}
	shared := slices.ContainsFunc(o.Keys, func(k string) bool { return slices.Contains(y.Keys, k) })
	return !shared && !samePublisher(o, y)
}

// samePublisher reports whether the official registry or a package service shows that
// both are published by the same account.
func samePublisher(o, y *Server) bool {
	if o.Namespace != "" && o.Namespace == y.Namespace {
		return true
	}
	for _, p := range y.Packages {
		if p.Repo == "" || !slices.Contains(y.Keys, p.Repo) {
			continue // it is not proven that the package is its own
		}
		for _, q := range o.Packages {
			space := p.scope()
			if p.same(q) || space != "" && p.Type == q.Type && space == q.scope() {
				return true
			}
		}
	}
	return false
}

// scope returns the scope of an npm package, "" for others: only members of the
// organization can publish in it.
func (p Package) scope() string {
	if scope, _, ok := strings.Cut(p.Identifier, "/"); ok && p.Type == "npm" {
		return scope
	}
	return ""
}

// copied compares a server with an older one.
func copied(o, y *Server) (m match, ok bool) {
	readme := o.Readme.Similarity(y.Readme)
	common, union, defined := commonTools(o, y)
	tools := 0.0
	if union > 0 {
		tools = float64(common) / float64(union)
	}
	known := len(o.tools) >= minTools && len(y.tools) >= minTools
	m = match{of: o, kind: registry.CopyOf, strength: readme + tools}
	switch {
	case known && tools >= sameTools && readme < likeReadme &&
		float64(defined) >= sameDefinitions*float64(common):
		m.reason = fmt.Sprintf("%d of its %d tools have the same names as tools of %s.", common, len(y.tools), o.label())
	case readme >= likeReadme && tools >= likeTools && common >= 3:
		m.reason = readmeReason(readme, o) + " " + fmt.Sprintf("%d of its %d tools have the same names.",
			common, len(y.tools))
	case known && tools < otherTools:
		return m, false
	case readme >= likeReadme && samePackage(o, y) != "":
		m.strength++
		m.reason = readmeReason(readme, o) + " Both name the package " + samePackage(o, y) + "."
	case readme >= likeReadme && alikeNames(o, y, true):
		m.strength += 0.5
		m.reason = readmeReason(readme, o) + " Their names are alike."
	case readme >= sameReadme:
		m.boilerplate = true
		m.reason = readmeReason(readme, o)
	default:
		return m, false
	}
	m.reason += " " + ageReason(o, y)
	return m, true
}

func readmeReason(similarity float64, o *Server) string {
	if similarity == 1 {
		return "Its README has the same text as that of " + o.label() + "."
	}
	return fmt.Sprintf("Its README is %d%% similar to that of %s.", int(100*similarity), o.label())
}

func ageReason(o, y *Server) string {
	return fmt.Sprintf("Its repository was created on %s, the other one on %s.",
		text.Day(y.Created), text.Day(o.Created))
}

// commonTools returns how many tools both have by name, how many at least one has, and how
// many of the common ones have alike definitions.
func commonTools(o, y *Server) (common, union, defined int) {
	for _, b := range y.tools {
		i, ok := slices.BinarySearchFunc(o.tools, b,
			func(a, b tool) int { return cmp.Compare(a.name, b.name) })
		if ok {
			common++
			if o.tools[i].definition == b.definition {
				defined++
			}
		}
	}
	return common, len(o.tools) + len(y.tools) - common, defined
}

// samePackage returns a package that both name, or "".
func samePackage(o, y *Server) string {
	for _, p := range y.Packages {
		if slices.ContainsFunc(o.Packages, p.same) {
			return p.Identifier
		}
	}
	return ""
}

func (p Package) same(q Package) bool { return p.Type == q.Type && p.Identifier == q.Identifier }

// wordSet returns the hashes of the distinct words of a text, sorted.
func wordSet(text string) []uint64 {
	var out []uint64
	for _, w := range words.Fields(strings.ToLower(text)) {
		out = append(out, xxhash.Sum64String(w))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// jaccard returns the similarity of two sorted sets, from 0 to 1.
func jaccard(a, b []uint64) float64 {
	common := 0
	for _, x := range a {
		if _, ok := slices.BinarySearch(b, x); ok {
			common++
		}
	}
	return float64(common) / float64(max(1, len(a)+len(b)-common))
}
