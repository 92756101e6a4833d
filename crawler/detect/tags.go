package detect

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/paths"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/text"
	"mcpcensus/internal/words"
)

// tags sets at most twelve normalized tags: the topics and keywords, up to six with the words of
// the name and, if there are few, of the description.
func (c *candidate) tags(d *registry.Detection) {
	const most, enough, few = 12, 6, 4
	seen := map[string]bool{}
	add := func(all []string, limit int) {
		for _, t := range all {
			written := withoutMCP(tag(t))
			t = fold(written)
			if t == "" || commonTags[t] || commonTags[written] || len(d.Tags) >= limit {
				continue
			}
			if !slices.Contains(c.tagged, written) {
				c.tagged = append(c.tagged, written)
			}
			if !seen[t] {
				seen[t] = true
				d.Tags = append(d.Tags, t)
			}
		}
	}
	if c.isRoot() {
		add(c.repo.snap.Repo.Topics, most)
	}
	for _, p := range c.unit.packages() {
		add(p.Keywords, most)
	}
	add(wordsOf(c.slug()), enough)
	if len(d.Tags) < few {
		tagged := c.tagged
		add(salient(d.Description), enough)
		c.tagged = tagged // not the owner's
	}
}

// fold returns the canonical form of a tag: of synonyms, and of a plural whose singular is a
// known word.
func fold(t string) string {
	if single := strings.TrimSuffix(t, "s"); single != t && len(single) > 2 {
		if _, ok := synonyms.Fold(strings.ReplaceAll(single, "-", " ")); ok || known[single] {
			t = single
		}
	}
	return synonyms.FoldTag(t)
}

var mcpTag = regexp.MustCompile(`(?:^|-)mcp(?:-servers?|-tools?)?(?:-|$)`)

// withoutMCP removes "mcp" and the programming language from a tag: "mcp-sea-in-rust" becomes
// "sea". It returns "" if the rest has no meaning, such as an HTTP verb or a preposition.
func withoutMCP(t string) string {
	if !mcpTag.MatchString(t) {
		return t
	}
	left := strings.Split(strings.Trim(mcpTag.ReplaceAllString(t, "-"), "-"), "-")
	if n := len(left); n > 1 && left[n-2] == "in" && languageTags[left[n-1]] {
		left = left[:n-2]
	}
	if len(left) == 0 || hollowTags[left[len(left)-1]] && (len(left) == 1 || len(left) == 2 && languageTags[left[0]]) {
		return ""
	}
	return strings.Join(left, "-")
}

var hollowTags = setOf("get", "put", "post", "delete", "patch", "options", "head", "for", "in", "client",
	"clients", "hub", "stack")

var languageTags = setOf(append(paths.Languages(), "golang")...)

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[strings.ToLower(n)] = true
	}
	return set
}

// tag returns a tag in lower case with words joined by "-", "" if it is too short or too long.
func tag(s string) string {
	s = notTag.ReplaceAllString(strings.ToLower(strings.TrimSpace(s)), "")
	t := strings.Trim(tagSeparator.ReplaceAllString(s, "-"), "-")
	if len(t) < 2 || len(t) > 40 {
		return ""
	}
	return t
}

var (
	notTag       = regexp.MustCompile(`[^\pL\p{Nd}+#\- _/.:]`)
	tagSeparator = regexp.MustCompile(`[- _/.:]+`)
)

// salient returns the words of a description that are terms of a category, in order.
func salient(s string) []string {
	const most = 8
	all := firstWords(strings.ToLower(boilerplate.ReplaceAllString(text.Cut(s, 1000), " . ")), 120)
	stems := stemAll(all)
	var out []string
	seen := map[string]bool{}
	for i := 0; i < len(all) && len(out) < most; i++ {
		at := slices.IndexFunc(terms[stems[i]], func(t term) bool {
			return t.weight >= telling && t.begins(stems[i:])
		})
		if at < 0 {
			continue
		}
		n := len(terms[stems[i]][at].words)
		t := strings.Join(all[i:i+n], "-")
		if key := words.Singular(t); len(t) >= 3 && !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
		i += n - 1
	}
	return out
}
