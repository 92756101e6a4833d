package detect

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/words"
)

// description returns one sentence of plain text that says what the server does, and its source
// as in [registry.Detection.DescriptionFrom]. The owner's sentences are from the registry,
// packages, the code host and the README. If none qualifies, one is composed of the name and the
// tools.
func (c *candidate) description(name string, tools []registry.Tool) (text, from string) {
	all, own := c.descriptions()
	about := c.subject(tools)
	var best, truncated string
	for i, s := range all {
		s = c.cleaned(s)
		if wasCut(s) {
			s = whole(s, all[i+1:])
		}
		if !filler.MatchString(s) {
			c.told = cmp.Or(c.told, plain(s, maxDescription))
		}
		one := about.sentence(s)
		switch {
		case one == "":
		case wasCut(s) && strings.HasSuffix(s, one):
			// Without the last word and the punctuation before it.
			one = one[:max(strings.LastIndexByte(one, ' '), 0)]
			truncated = cmp.Or(truncated, strings.TrimRight(one, " ,;:-–—(")+"…")
		case (best == "" || isFuller(one, best)) && (i < own || c.isRoot()):
			best, c.told = plain(one, maxDescription), plain(s, maxDescription)
		}
	}
	if !c.isRoot() {
		all = all[:own]
	}
	if text = cmp.Or(best, truncated, c.inThirdPerson(about, all)); text != "" {
		return text, ""
	}
	return composed(name, tools), registry.DescriptionComposed
}

// inThirdPerson returns the first sentence that says what the server does once "your" is replaced, ""
// for none.
func (c *candidate) inThirdPerson(about subject, all []string) string {
	for _, s := range all {
		one := about.sentence(yours.ReplaceAllString(c.cleaned(s), "the user's"))
		if isOfServers.MatchString(one) {
			return plain(one, maxDescription)
		}
	}
	return ""
}

// yours matches what belongs to the reader, within a sentence.
var yours = regexp.MustCompile(`\byour\b`)

// isFuller reports whether a sentence has all words of another one, which are few, and says more.
func isFuller(one, other string) bool {
	const few = 5
	long, short := wordsOf(one), wordsOf(other)
	return len(long) > len(short) && len(short) > 0 && len(short) <= few &&
		!slices.ContainsFunc(short, func(w string) bool { return !slices.Contains(long, w) })
}

// sentence returns the first sentence of a text that says what the server does, "" for none.
func (s subject) sentence(text string) string {
	for i, one := range sentencesOf(text) {
		one = withoutReader(one)
		if s.isDescribed(one) && (i == 0 || thisServer.MatchString(one) || !anaphora.MatchString(one)) {
			return one
		}
	}
	return ""
}

// withoutReader drops the last clause of a sentence if only it speaks to the reader: "Lists tides,
// so that you can sail."
func withoutReader(s string) string {
	m := consequence.FindStringIndex(s)
	if m == nil || secondPerson.MatchString(s[:m[0]]) || !secondPerson.MatchString(s[m[0]:]) {
		return s
	}
	return s[:m[0]] + "."
}

// consequence matches the last clause of a sentence that says what its main clause is good for.
var consequence = regexp.MustCompile(
	`,\s+(?:(?:thus |thereby )?(?:allowing|enabling|letting|giving|making|providing|helping)|so(?: that)?)\b[^,]*$`)

// cleaned returns a description as plain text, without labels, definitions of the protocol and
// references to more information.
func (c *candidate) cleaned(s string) string {
	const most = 4 * maxDescription
	s = plain(descriptionLead.ReplaceAllString(shortcode.ReplaceAllString(s, ""), ""), most)
	return withoutSubject(pointer.ReplaceAllString(withoutDefinition(s), "$1"))
}

// composed returns a description made of the name and up to three tools that a start with the default
// settings may register, which are not named after the server again.
func composed(name string, tools []registry.Tool) string {
	about := "MCP server for " + name
	var names []string
	tools = registry.DefaultTools(tools)
	for _, t := range tools[:min(len(tools), 3)] {
		called := strings.ToLower(strings.Join(words.Fields(text.Apart(t.Name)), " "))
		names = append(names, strings.TrimPrefix(called, strings.ToLower(name)+" "))
	}
	switch n := len(names); n {
	case 0:
		return about
	case 1:
		return plain(about+": "+names[0], maxDescription)
	default:
		return plain(about+": "+strings.Join(names[:n-1], ", ")+" and "+names[n-1], maxDescription)
	}
}

// maxSentences is the number of sentences of a text that may be the description.
const maxSentences = 3

// sentencesOf returns the first sentences of a text. A full stop before a word in lower case is
// that of an abbreviation.
func sentencesOf(s string) (out []string) {
	start := 0
	for _, m := range sentenceEnd.FindAllStringIndex(s, -1) {
		end := m[1]
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[end:], " "))
		if unicode.IsLower(next) || abbreviation.MatchString(strings.TrimSpace(s[start:end])) {
			continue
		}
		out = append(out, strings.TrimSpace(s[start:end]))
		if start = end; len(out) == maxSentences {
			return out
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

var (
	sentenceEnd  = regexp.MustCompile(`[.!?]+["'”’)]*(?:\s|$)|[。！？]`)
	abbreviation = regexp.MustCompile(`(?:^|[\s(])(?i:e\.g|i\.e|etc|vs|inc|approx|no|[A-Z])\.$`)
	// anaphora matches sentences that continue the one before them.
	anaphora = regexp.MustCompile(`^(?:It|This|These|They|That|Those|Also|And|But|Or|` +
		`With (?:it|this)|Then|Here|Features?\b|Works|Supports?|Includes?|Built|Made|Powered|` +
		`Uses?|Requires?)\b|\balso\b`)
	thisServer = regexp.MustCompile(`^This (?:MCP |Model Context Protocol (?:\(MCP\) )?)?[Ss]erver [a-z]+s\b`)
	// problem matches sentences that say what something else lacks, up to the verb.
	problem = regexp.MustCompile(`^([\w'’-]+ ){1,6}?(?:(?:do|does|ca)n['’]t|cannot|do(?:es)? not)\b`)
	servers = regexp.MustCompile(`(?i)\b(?:server|it|that|which)\b`)
)

// isProblem reports whether a sentence says what something other than the server does not do.
func isProblem(s string) bool {
	before := problem.FindString(s)
	return before != "" && !servers.MatchString(before)
}

// A subject is what descriptions of a server may be about.
type subject struct {
	names []string // words of its names and its owner
	about []string // words of its names, tools, topics and keywords; nil if its tools are unknown
}

// subject returns the subject of the server's descriptions.
func (c *candidate) subject(tools []registry.Tool) subject {
	repo, dir := c.repo.snap.Repo, c.unit.dir
	names := []string{repo.Owner, repo.Name, repo.Name, dir, path.Base(dir)}
	names = append(names, c.unit.names()...)
	names = append(names, splitName(strings.Join(names[2:], " ")))
	s := subject{names: words.Fields(strings.ToLower(strings.Join(names, " ")))}
	if len(tools) == 0 {
		return s
	}
	about := append(slices.Clone(names), repo.Topics...)
	for _, p := range c.unit.packages() {
		about = append(about, p.Keywords...)
	}
	for _, t := range tools {
		about = append(about, text.Apart(t.Name))
	}
	if title := strings.Fields(c.readme.Title); c.own && len(title) > 0 {
		about = append(about, title[0])
	}
	s.about = wordsOf(splitName(strings.Join(about, " ")))
	return s
}

// isDescribed reports whether a sentence says what the server does: in the third person or as an
// imperative, without code and prompts, and with more than what the name says. A sentence that has
// no word in common with names, tools and topics is a slogan.
func (s subject) isDescribed(text string) bool {
	if text == "" || notSaid.MatchString(text) || isProblem(text) || readme.IsNotice(text) || s.isLabelled(text) {
		return false
	}
	matches := func(re *regexp.Regexp) bool { return re.MatchString(text) }
	if slices.ContainsFunc([]*regexp.Regexp{quotedPrompt, codeLike, secondPerson, filler, technology}, matches) {
		return false
	}
	if s.isBrief(text) {
		return false
	}
	list := firstWords(strings.ToLower(text), 60)
	says := slices.ContainsFunc(list, func(w string) bool {
		named := func(name string) bool { return strings.Contains(name, w) }
		return !hollowWords[w] && !slices.ContainsFunc(s.names, named)
	})
	if !says || s.about == nil {
		return says
	}
	return isOfServers.MatchString(text) || overlap(wordsOf(text), s.about) || !latinOnly(text)
}

// isBrief reports whether a text has too few words: two are enough if they name a tool, or say what
// a server has, "Postgres tools".
func (s subject) isBrief(text string) bool {
	n := len(strings.Fields(text))
	return n < 3 && len(text) == utf8.RuneCountInString(text) &&
		(n < 2 || !overlap(wordsOf(text), s.about) && !nounPhrase.MatchString(text))
}

// isLabelled reports whether a label that does not name the server is before a sentence: "Problem:
// Tides are hard to read."
func (s subject) isLabelled(text string) bool {
	m := labelled.FindStringSubmatch(text)
	return m != nil && !isOfServers.MatchString(m[1]) && !overlap(wordsOf(m[1]), wordsOf(strings.Join(s.names, " ")))
}

// latinOnly reports whether all letters of a text are ASCII, as those of tools' names.
func latinOnly(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r > unicode.MaxLatin1 && unicode.IsLetter(r)
	})
}

var (
	// notSaid matches questions, exclamations, lists of facts, "Version: 1 Source: …", and a noun with
	// a participle: "Tides, unlocked."
	notSaid = regexp.MustCompile(`[?!:？！：]$|^[^,.]+, [a-z]+ed\.?$|^[A-Z]\w+: .*\b[A-Z]\w+: |://|` +
		`[` + pictured + `][^` + pictured + `]+[` + pictured + `]`)
	quotedPrompt = regexp.MustCompile(`^["'“‘「«„]|` +
		`(?i:\b(?:ask|say|tell|try|prompt)\b[^.]{0,40}["“「«„])`)
	codeLike = regexp.MustCompile(`[{}]|</|=>|\(\)|&&|(?:^|\s)--?[a-z][\w-]*(?:=|\s|$)|` +
		`^\$ |\$\{|^(?:npx|npm|uvx?|pip|pipx|docker|git|curl|brew|claude|go|cargo) ` +
		`(?:[a-z]+ |-)?[\w@./-]+(?:\s-|$)`)
	// nounPhrase matches a phrase of two words that says what a server has.
	nounPhrase = regexp.MustCompile(`(?i)^\S+ (?:tools?|access|integration|connector|client|api)\.?$`)
	technology = regexp.MustCompile(`(?i)^(?:this|the) (?:project|server|application|repo\w*|readme) ` +
		`(?:uses|requires|is (?:built|based) (?:with|on|using)|was (?:created|generated|bootstrapped)|` +
		`(?:\w+ )?(?:must|should|(?:has|needs) to) be)\b`)
	secondPerson = vocabulary.Expressions(rules, "phrases/second_person.txt")
	labelled     = regexp.MustCompile(`^([A-Z]\w*(?: \w+){0,2}): [A-Z]`)
	isOfServers  = regexp.MustCompile(`(?i)\b(?:mcp|model context protocol)\b`)
)

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
