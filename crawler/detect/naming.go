package detect

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/words"
)

func (c *candidate) naming(d *registry.Detection) {
	u := c.unit
	d.RegistryName = u.registryName()
	if u.listing != nil {
		d.RegistryName = u.listing.Name
	}
	for _, l := range u.listings() {
		d.Title = cmp.Or(d.Title, l.Title)
	}
	if u.bundle != nil && !u.hasStaleBundle() {
		d.Title = cmp.Or(d.Title, u.bundle.DisplayName)
	}
	if d.Title == "" && d.RegistryName == "" && c.own {
		d.RegistryName = c.readme.MCPName
	}
	d.Title = plain(d.Title, 120)
	name := c.name(d.Title)
	if c.unit.dir == "" || c.alone {
		name = c.unshortened(c.withoutLanguage(name))
	}
	d.Name = c.respelled(c.expanded(name))
	d.Homepage = c.homepage()
}

// homepage returns the first URL of a homepage other than the repository.
func (c *candidate) homepage() string {
	var all []string
	for _, l := range c.unit.listings() {
		all = append(all, l.WebsiteURL)
	}
	if c.isRoot() {
		all = append(all, c.repo.snap.Repo.Homepage)
	}
	for _, p := range c.unit.packages() {
		all = append(all, p.Homepage)
	}
	for _, h := range all {
		h = strings.TrimSpace(h)
		if plainURL.MatchString(h) && !IsRepository(h, &c.repo.snap.Repo) {
			return h
		}
	}
	return ""
}

// IsRepository reports whether a URL leads to a page of a repository itself, of a fork or of its
// origin, which have the same name. Such a URL is not a homepage.
func IsRepository(address string, r *registry.Repository) bool {
	owner, name := repoParts(address)
	return owner != "" && strings.EqualFold(name, r.Name)
}

// plainURL matches URLs that can be shown as a link.
var plainURL = regexp.MustCompile(`^https?://[^ "<>\n]{1,490}$`)

// slug returns the name of the repository, or of the folder in a repository of several servers.
func (c *candidate) slug() string {
	if c.unit.dir != "" && !c.alone {
		return path.Base(c.unit.dir)
	}
	return c.repo.snap.Repo.Name
}

// name returns the server's display name: the title, a short first heading, or the repository's
// or folder's name in words, all without "MCP server".
func (c *candidate) name(title string) string {
	if n := trimTitle(title); n != "" && !isGeneric(n) {
		return n
	}
	slug := c.slug()
	if above := dirOf(c.unit.dir); above != "" && !c.alone && len(wordsOf(slug)) == 0 && isGeneric(slug) {
		if len(wordsOf(path.Base(above))) == 0 || c.repo.isShelf(above) { // "src/python", "crates/mcp"
			return cmp.Or(c.givenName(slug), plain(c.fullName(cmp.Or(humanize(slug), capitalize(slug))), 100))
		}
		slug = path.Base(above)
	}
	n := cmp.Or(c.givenName(slug), c.humanName(slug))
	if letterCount(n) < 2 {
		n = plain(slug, 100)
	}
	if isGeneric(n) {
		n = plain(c.fullName(n), 100)
	}
	return n
}

// isShelf reports whether a folder has units with names of their own beside each other, so that it is
// called after none of them.
func (r *repo) isShelf(dir string) bool {
	return slices.ContainsFunc(r.units, func(u *unit) bool {
		return u.dir != "" && dirOf(u.dir) == dir && !isGeneric(path.Base(u.dir))
	})
}

// withoutLanguage returns a name without the language that the server is written in at its
// beginning or end, unless the descriptions say something else about that language.
func (c *candidate) withoutLanguage(name string) string {
	all := strings.Fields(name)
	names := languageNames[c.language()]
	about, _ := c.descriptions()
	for _, rest := range [][]string{all[:max(len(all)-1, 0)], all[min(len(all), 1):]} {
		if len(rest) == 0 || isGeneric(strings.Join(rest, " ")) {
			continue
		}
		word := strings.ToLower(strings.Join(all, " "))
		word = strings.TrimSpace(strings.Replace(word, strings.ToLower(strings.Join(rest, " ")), "", 1))
		if slices.Contains(names, word) &&
			!mentions(writtenIn.ReplaceAllString(strings.Join(about, ". "), " "), names) {
			return strings.Join(rest, " ")
		}
	}
	return name
}

// language returns the language of the server, "" if it is unknown.
func (c *candidate) language() string {
	return cmp.Or(c.repo.programLanguage(c.unit), c.repo.snap.Repo.Language)
}

// mentions reports whether a text has one of several words.
func mentions(text string, names []string) bool {
	return slices.ContainsFunc(words.Fields(strings.ToLower(text)), func(w string) bool {
		return slices.Contains(names, w)
	})
}

// languageNames are the words by which names of servers call the languages of code hosts.
var languageNames = map[string][]string{
	"Go": {"go", "golang"}, "Rust": {"rs", "rust"}, "PHP": {"php"}, "Java": {"java"},
	"C#": {"dotnet", "csharp", "net"}, "Kotlin": {"kotlin", "kt"}, "Ruby": {"ruby", "rb"},
	"Swift": {"swift"}, "Python": {"python", "py"}, "TypeScript": {"typescript", "ts", "node"},
	"JavaScript": {"javascript", "js", "node"},
}

// writtenIn matches what descriptions say about the language of a server.
var writtenIn = regexp.MustCompile(`(?i)\b(?:in|using|with|on)\s+(?:pure |plain )?(?:\w+|c#|\.net)\b|` +
	`(?:\b\w+|c#|\.net)[- ](?:based|native|implementation|port|rewrite|version|sdk|mcp|` +
	`model context protocol|servers?)\b`)

// unshortened returns the whole name of a repository in words if only a common noun of it is left:
// "MCP Debugger" for "Debugger".
func (c *candidate) unshortened(name string) string {
	if strings.Contains(name, " ") || name == "" || !c.isCommon(name) {
		return name
	}
	var out []string
	for _, w := range words.Fields(text.Apart(c.slug())) {
		out = append(out, spelled(w, strings.ToLower(w)))
	}
	if len(out) < 2 {
		return name
	}
	return text.Cut(strings.Join(out, " "), 80)
}

// isCommon reports whether descriptions say by a name what the server is, "A debugger for", and
// sentences of the README never as a proper name.
func (c *candidate) isCommon(name string) bool {
	word := regexp.QuoteMeta(name)
	about, _ := c.descriptions()
	noun := regexp.MustCompile(`(?i)(?:^|\b(?:is|as)\s)(?:an?|the|your)\s+(?:([\w-]+)\s+)?` + word +
		`s?(?:\s+(?:for|of|to|that|which|with|from|via)\b|\.|$)`)
	proper := regexp.MustCompile(`[a-z,]\s` + capitalize(strings.ToLower(word)) + `\b`)
	isNoun := func(text string) bool {
		m := noun.FindStringSubmatch(text)
		return m != nil && !linking.MatchString(m[1])
	}
	return slices.ContainsFunc(about, isNoun) &&
		!slices.ContainsFunc(append(about, c.readme.Text), proper.MatchString)
}

// linking matches words that begin another phrase.
var linking = regexp.MustCompile(`(?i)^(?:for|of|to|with|in|from|by|and|on|about)$`)

// givenName returns the name in a heading, the bundle or a manifest, "" for none.
func (c *candidate) givenName(slug string) string {
	if n := cmp.Or(c.rootHeading(), c.heading(slug)); !isGeneric(n) {
		return n
	}
	if c.unit.bundle != nil {
		if n := trimTitle(plain(c.unit.bundle.DisplayName, 80)); n != "" {
			return n
		}
	}
	if !c.isRoot() {
		return c.memberName()
	}
	return ""
}

// isGeneric reports whether all words of a name could be in the name of any server or proxy.
func isGeneric(name string) bool {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(name), apart),
		func(w string) bool { return !hollowWords[w] && !nameNoise[w] && !proxyRE.MatchString(w) })
}

// fullName returns a name in place of a generic one: the repository's before it for one of
// several servers, otherwise the repository's with its owner.
func (c *candidate) fullName(generic string) string {
	repo := c.repo.snap.Repo
	if c.unit.dir == "" || c.alone {
		return path.Join(repo.Owner, repo.Name)
	}
	if n := humanize(repo.Name); letterCount(n) > 1 && !isGeneric(n) {
		return strings.TrimSpace(n + " " + generic)
	}
	return path.Join(repo.Owner, repo.Name, c.unit.dir)
}

// heading returns the README's title if it is a short name of the same subject as the slug.
func (c *candidate) heading(slug string) string {
	if !c.own || len(c.readme.Title) > 60 {
		return ""
	}
	n := trimTitle(plain(c.readme.Title, 60))
	if n == "" || len(strings.Fields(n)) > 4 {
		return ""
	}
	if words := wordsOf(slug); len(words) > 0 && !overlap(wordsOf(n), words) && (c.isRoot() || c.readme != c.unit.readme) {
		return ""
	}
	return n
}

// rootHeading returns the title of the repository's README as the name of its only server, if
// that is in a folder and the title names the repository.
func (c *candidate) rootHeading() string {
	root := c.repo.unit("").readme
	if !c.alone || c.unit.dir == "" || root == nil || root == c.readme || len(root.Title) > 60 {
		return ""
	}
	n := trimTitle(plain(root.Title, 60))
	if len(strings.Fields(n)) > 4 || !overlap(wordsOf(n), wordsOf(c.repo.snap.Repo.Name)) {
		return ""
	}
	return n
}

// memberName returns the name of one of several servers in a manifest: a title, or the package's
// name with its scope if that names the owner or the repository. It is "" if there is none.
func (c *candidate) memberName() string {
	for _, p := range c.unit.packages() {
		if n := trimTitle(plain(p.Title, 60)); n != "" {
			return n
		}
	}
	p := c.unit.npm
	if p == nil || !strings.HasPrefix(p.Name, "@") {
		return ""
	}
	scope, rest, _ := strings.Cut(p.Name[1:], "/")
	words := humanize(rest)
	repo := c.repo.snap.Repo
	if words == "" || overlap(wordsOf(scope), wordsOf(words)) ||
		!overlap(wordsOf(scope), append(wordsOf(repo.Owner), wordsOf(repo.Name)...)) {
		return ""
	}
	return strings.TrimSpace(humanize(scope) + " " + words)
}

// humanName returns the words of the slug or, without any, the name of a package or the README's
// title.
func (c *candidate) humanName(slug string) string {
	names := []string{humanize(slug)}
	for _, p := range []*manifest.Package{c.unit.npm, c.unit.py} {
		if p != nil {
			names = append(names, humanize(p.Name))
		}
	}
	return cmp.Or(append(names, trimTitle(plain(c.readme.Title, 60)))...)
}

var (
	gluedMCP    = regexp.MustCompile(`([a-z0-9])MCP\b`)
	parenthesis = regexp.MustCompile(`\s*(?:\([^()]{0,80}(?:\)|$)|[\[【][^\[\]【】]{0,80}[\]】])`)
	danglers    = regexp.MustCompile(`(?i)^(?:for|of|to|with|by)\s+|\s+(?:for|of|to|with|by|and|the|a)$`)
	loose       = regexp.MustCompile(`-\s|\s-`)            // of a word that was cut at its hyphen
	phrase      = regexp.MustCompile(`(?i)^\pL+ an? mcp$`) // whose object is the protocol
	possessive  = regexp.MustCompile(`['’]s$`)
	domainName  = regexp.MustCompile(`^[a-z0-9-]+\.(?:com|io|ai|dev|app|org|net|co)$`)
	titleTail   = regexp.MustCompile(`(?i)\s+(?:for|by|with|via|-|–|—|:|\|).*$`)
)

// trimTitle removes generic words from a title. It returns "" if no name remains.
func trimTitle(s string) string {
	s = shortcode.ReplaceAllString(stripEmoji(s), " ")
	s = strings.TrimSpace(parenthesis.ReplaceAllString(s, " "))
	if !strings.Contains(s, " ") && strings.ContainsAny(s, "-_/@") {
		return humanize(s)
	}
	if phrase.MatchString(s) {
		return text.Cut(s, 60)
	}
	s = namePart(gluedMCP.ReplaceAllString(s, "$1 MCP"))
	s = loose.ReplaceAllString(titleNoise.ReplaceAllString(stripEmoji(s), " "), " ")
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 40 {
		s = titleTail.ReplaceAllString(s, "")
	}
	s = strings.Trim(s, " -–—:|·•,.()[]&/")
	s = strings.TrimSpace(danglers.ReplaceAllString(s, ""))
	s = possessive.ReplaceAllString(s, "")
	if letterCount(s) < 2 || len(s) > 60 || strings.Contains(s, "…") {
		return ""
	}
	if !strings.Contains(s, " ") && !domainName.MatchString(s) &&
		(strings.ContainsAny(s, "-_") || s == strings.ToLower(s)) {
		return humanize(s)
	}
	return s
}

// namePart returns the part of a title before a separator, or after it if the first part is
// generic.
func namePart(s string) string {
	for _, sep := range []string{" - ", " – ", " — ", ": ", " | ", " · "} {
		before, after, ok := strings.Cut(s, sep)
		if s = before; ok && letterCount(titleNoise.ReplaceAllString(before, "")) < 2 {
			s = after
		}
	}
	return s
}

// humanize converts a slug to words: "mcp-server-google-maps" is "Google Maps".
func humanize(slug string) string {
	slug = slug[strings.LastIndexByte(slug, '/')+1:]
	var out []string
	whole := phrase.MatchString(strings.ReplaceAll(slug, "-", " "))
	for _, w := range words.Fields(text.Apart(slug)) {
		if l := strings.ToLower(w); whole || !nameNoise[l] {
			out = append(out, spelled(w, l))
		}
	}
	return text.Cut(strings.Join(out, " "), 80)
}

// spelled returns the usual spelling of a word. lower is the word in lower case.
func spelled(word, lower string) string {
	s, ok := spellings[lower]
	if ok || word != lower { // already capitalized
		return cmp.Or(s, word)
	}
	return capitalize(word)
}

var capitalized = regexp.MustCompile(`^[A-Z][a-z0-9]+$`)

// respelled returns a name with the README's capitalization, which a slug lacks.
func (c *candidate) respelled(name string) string {
	if !c.own {
		return name
	}
	words := strings.Fields(name)
	for i, w := range words {
		if capitalized.MatchString(w) && spellings[strings.ToLower(w)] == "" {
			words[i] = spelledIn(c.readme.Text, w)
		}
	}
	return strings.Join(words, " ")
}

// spelledIn returns a capitalized word in its most frequent spelling in a text, if that has inner
// capitals, such as "GraphQL", is an abbreviation, or contains a digit, such as "n8n". Names of
// files and packages do not count.
func spelledIn(text, word string) string {
	const few, abbreviation = 2, 4
	count, best := map[string]int{}, word
	numbered := strings.ContainsAny(word, "0123456789")
	for _, m := range regexp.MustCompile(`(?i)(?:^|[\s("'*])(`+word+`)\b(?:[^-_/@.]|[.][\s]|$)`).FindAllStringSubmatch(text, 1000) {
		w := m[1]
		count[w]++
		mixed := w != strings.ToUpper(w) && w[1:] != strings.ToLower(w[1:])
		short := len(w) <= abbreviation && w == strings.ToUpper(w)
		if (mixed || short || numbered) && count[w] >= few && count[w] > count[best] {
			best = w
		}
	}
	return best
}

// expanded returns the words in the README's title that a short name abbreviates: "Home
// Assistant" for "Ha". It does not change other names.
func (c *candidate) expanded(name string) string {
	if len(name) < 2 || len(name) > 4 || !c.own || spellings[strings.ToLower(name)] != "" {
		return name
	}
	var initials strings.Builder
	for _, r := range strings.ToUpper(name) {
		if r < 'A' || r > 'Z' {
			return name
		}
		initials.WriteString(string(r) + `[a-z]+ `)
	}
	long := regexp.MustCompile(`\b` + strings.TrimSpace(initials.String()) + `\b`)
	return cmp.Or(long.FindString(c.readme.Title), name)
}

// splitName returns the parts of a name as words.
func splitName(s string) string {
	return text.Apart(strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(s))
}
