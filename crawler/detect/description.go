package detect

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/vocabulary"
)

// description returns one or two sentences of plain text that the owner wrote for the registry,
// for packages, for the code host, or in the README. A text that only repeats the name, such as
// "Weather MCP server", is used only if there is no other.
func (c *candidate) description() string {
	all, own := c.descriptions()
	repo, dir := c.repo.snap.Repo, c.unit.dir
	names := []string{repo.Owner, repo.Name, repo.Name, dir, path.Base(dir)}
	names = append(names, c.unit.names()...)
	names = append(names, splitName(strings.Join(names[2:], " ")))
	known := strings.ToLower(strings.Join(names, " "))
	var best, truncated, short, fallback, general, foreign string
	for i, s := range all {
		s = plain(descriptionLead.ReplaceAllString(shortcode.ReplaceAllString(s, ""), ""), maxDescription)
		if rest := withoutDefinition(s); rest != s {
			general = cmp.Or(general, s)
			s = rest
		}
		s = withoutSubject(pointer.ReplaceAllString(s, "$1"))
		if wasCut(s) {
			s = whole(s, all[i+1:])
		}
		switch {
		case wasCut(s):
			// Without the last word and the punctuation before it.
			truncated = cmp.Or(truncated, strings.TrimRight(s[:max(strings.LastIndexByte(s, ' '), 0)], " ,;:-–—(")+"…")
		case filler.MatchString(s):
		case len(strings.Fields(s)) < 3 && len(s) == utf8.RuneCountInString(s):
			fallback = cmp.Or(fallback, s)
		case !slices.ContainsFunc(firstWords(strings.ToLower(s), 60), func(w string) bool {
			return !hollowWords[w] && !strings.Contains(known, w)
		}): // only words of every server's description
			short = cmp.Or(short, s)
		case i >= own && !c.isRoot():
			foreign = cmp.Or(foreign, s)
		default:
			best = cmp.Or(best, s)
		}
	}
	return cmp.Or(best, truncated, short, fallback, foreign, general)
}

// descriptionLead matches status labels and headings before a description.
var descriptionLead = regexp.MustCompile(
	`(?i)^(?:\s*(?:\[(?:deprecated|archived|obsolete|wip|beta|alpha|experimental)\]` +
		`|\((?:deprecated|archived|obsolete)\)|(?:deprecated|archived|obsolete|wip)\s*[:!–—-]|#{1,6}\s)\s*[:–—-]?)+\s*`)

// pointer matches a last sentence that only refers to more information.
var pointer = regexp.MustCompile(
	`([.!?]) +(?:See|Read|Learn|Visit|Check out|Click|Refer to|For (?:more|details))\b[^.!?]*[.!?]?$`)

var itDoes = regexp.MustCompile(`^It ([a-z]+s) `)

// withoutSubject drops a leading "It", whose antecedent is in a sentence that is not shown: "It
// lists tides" becomes "Lists tides".
func withoutSubject(s string) string {
	if m := itDoes.FindStringSubmatch(s); m == nil || m[1] == "is" || m[1] == "was" {
		return s
	}
	return capitalize(strings.TrimPrefix(s, "It "))
}

// protocolDefinition matches sentences that define the protocol.
var protocolDefinition = vocabulary.Expressions(rules, "phrases/definition.txt")

// withoutDefinition drops leading sentences that define the protocol.
func withoutDefinition(s string) string {
	for protocolDefinition.MatchString(s) {
		m := sentence.FindStringIndex(s)
		if m == nil {
			return ""
		}
		s = strings.TrimSpace(s[m[1]:])
	}
	return s
}

// maxDescription is the maximum length of descriptions in bytes.
const maxDescription = 300

// descriptions returns all descriptions, best first, and how many of them are about the server
// rather than the repository.
func (c *candidate) descriptions() (all []string, own int) {
	for _, l := range c.unit.listings() {
		all = append(all, l.Description)
	}
	if c.alone && c.unit.dir != "" {
		all = append(all, c.repo.snap.Repo.Description)
	}
	for _, p := range c.unit.packages() {
		all = append(all, p.Description)
	}
	if c.isRoot() {
		all = append(all, c.repo.snap.Repo.Description)
	}
	if c.own {
		all = append(all, c.readme.Summary)
	}
	own = len(all)
	return append(all, c.repo.snap.Repo.Description, c.readme.Summary), own
}

// whole returns the first of other descriptions that continues a truncated one, or the
// truncated one.
func whole(s string, others []string) string {
	for _, other := range others {
		o := plain(shortcode.ReplaceAllString(other, ""), maxDescription)
		if len(o) > len(s) && strings.HasPrefix(o, s) {
			return o
		}
	}
	return s
}

// registryLimit is the official registry's limit for descriptions in characters. Many are
// truncated there, in the middle of a word.
const registryLimit = 100

// wasCut reports whether a description was truncated at the official registry's limit.
func wasCut(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	n := utf8.RuneCountInString(s)
	return n >= registryLimit-2 && n <= registryLimit &&
		(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '(' || r == ',')
}

var shortcode = regexp.MustCompile(`:[a-z][a-z0-9_+-]{1,30}:`)
