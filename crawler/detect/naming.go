package detect

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/internal/registry"
)

// naming sets the names, the description and the homepage.
func (c *context) naming(d *registry.Detection) {
	u := c.unit
	d.RegistryName = u.registryName()
	if u.listing != nil {
		d.RegistryName = u.listing.Name
		d.Title = u.listing.Title
	}
	if u.server != nil {
		d.Title = first(d.Title, u.server.Title)
	}
	if u.bundle != nil {
		d.Title = first(d.Title, u.bundle.DisplayName)
	}
	if d.Title == "" && c.readme != nil && c.own && d.RegistryName == "" {
		if m := c.readme.MCPName; m != "" {
			d.RegistryName = m
		}
	}
	d.Title = plain(d.Title, 120)
	d.Name = c.name(d.Title)
	d.Description = c.description(d.Name)
	d.Homepage = c.homepage()
}

func (c *context) homepage() string {
	u := c.unit
	var all []string
	for _, l := range []*registry.Listing{u.listing, u.server} {
		if l != nil {
			all = append(all, l.WebsiteURL)
		}
	}
	if c.alone || u.dir == "" {
		all = append(all, c.repo.snap.Repo.Homepage)
	}
	if u.npm != nil {
		all = append(all, u.npm.Homepage)
	}
	if u.py != nil {
		all = append(all, u.py.Homepage)
	}
	if u.cargo != nil {
		all = append(all, u.cargo.Homepage)
	}
	if u.bundle != nil {
		all = append(all, u.bundle.Homepage)
	}
	for _, h := range all {
		h = strings.TrimSpace(h)
		if (strings.HasPrefix(h, "https://") || strings.HasPrefix(h, "http://")) && len(h) < 500 && !strings.ContainsAny(h, " \"<>\n") {
			if o, n := repoParts(h); o != "" && strings.EqualFold(n, c.repo.snap.Repo.Name) && strings.Contains(h, "github.com") {
				continue // the repository itself
			}
			return h
		}
	}
	return ""
}

var (
	titleTail = regexp.MustCompile(`(?i)\s+(?:for|by|with|via|-|–|—|:|\|).*$`)
	camel     = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// name returns the server's name as a person would say it: the title, a
// short first heading, or the repository's or folder's name in words, all
// without "MCP server".
func (c *context) name(title string) string {
	if n := trimTitle(title); n != "" {
		return n
	}
	if c.unit.bundle != nil {
		if n := trimTitle(plain(c.unit.bundle.DisplayName, 80)); n != "" {
			return n
		}
	}
	slug := c.repo.snap.Repo.Name
	if c.unit.dir != "" && !c.alone {
		slug = path.Base(c.unit.dir)
		if d := dirOf(c.unit.dir); len(wordsOf(slug)) == 0 && d != "" {
			slug = path.Base(d)
		}
	}
	if c.readme != nil && c.own && len(c.readme.Title) <= 60 {
		// A heading counts if it is about the same thing as the slug.
		if n := trimTitle(plain(c.readme.Title, 60)); n != "" && len(strings.Fields(n)) <= 4 && (overlap(wordsOf(n), wordsOf(slug)) || len(wordsOf(slug)) == 0) {
			return n
		}
	}
	words := humanize(slug)
	if words == "" && c.unit.npm != nil {
		words = humanize(c.unit.npm.Name[strings.LastIndexByte(c.unit.npm.Name, '/')+1:])
	}
	if words == "" && c.unit.py != nil {
		words = humanize(c.unit.py.Name)
	}
	if words == "" && c.readme != nil {
		words = trimTitle(plain(c.readme.Title, 60))
	}
	if letterCount(words) < 2 {
		words = ""
	}
	return first(words, plain(slug, 100))
}

// trimTitle strips what every title says.
func trimTitle(s string) string {
	s = strings.TrimSpace(parenthesis.ReplaceAllString(stripEmoji(s), " "))
	if !strings.Contains(s, " ") && strings.ContainsAny(s, "-_/@") {
		return humanize(s)
	}
	s = gluedMCP.ReplaceAllString(s, "$1 MCP")
	for _, sep := range []string{" - ", " – ", " — ", ": ", " | ", " · "} {
		if before, after, ok := strings.Cut(s, sep); ok {
			if letterCount(titleNoise.ReplaceAllString(before, "")) >= 2 {
				s = before
			} else {
				s = after
			}
		}
	}
	s = strings.TrimSpace(titleNoise.ReplaceAllString(stripEmoji(s), " "))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 40 {
		s = titleTail.ReplaceAllString(s, "")
	}
	s = strings.Trim(s, " -–—:|·•,.()[]&/")
	s = strings.TrimSpace(regexpTrim.ReplaceAllString(s, ""))
	if letterCount(s) < 2 || len(s) > 60 || strings.Contains(s, "…") {
		return ""
	}
	if strings.IndexByte(s, ' ') < 0 && (strings.ContainsAny(s, "-_") || s == strings.ToLower(s)) {
		return humanize(s)
	}
	return s
}

var gluedMCP = regexp.MustCompile(`([a-z0-9])MCP\b`)

var parenthesis = regexp.MustCompile(`\s*\([^()]{0,80}(?:\)|$)`)

var regexpTrim = regexp.MustCompile(`(?i)^(?:for|of|to|with|by)\s+|\s+(?:for|of|to|with|by|and|the|a)$`)

// humanize makes a slug words: "mcp-server-google-maps" is "Google Maps".
func humanize(slug string) string {
	slug = slug[strings.LastIndexByte(slug, '/')+1:]
	slug = camel.ReplaceAllString(slug, "$1-$2")
	var out []string
	for _, w := range nonWord.Split(slug, -1) {
		if w == "" || nameNoise[strings.ToLower(w)] {
			continue
		}
		l := strings.ToLower(w)
		if a, ok := spellings[l]; ok {
			out = append(out, a)
			continue
		}
		if w != l { // it has capitals of its own
			out = append(out, w)
			continue
		}
		r, n := utf8.DecodeRuneInString(w)
		out = append(out, string(unicode.ToUpper(r))+w[n:])
	}
	return cut(strings.Join(out, " "), 80)
}

func letterCount(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// description returns one sentence or two of plain text: as the owner wrote
// it for the registry, for packages, for the code host, or in the README. What
// says no more than the name, as "Weather MCP server" does, is taken only if
// nothing says more.
func (c *context) description(name string) string {
	u := c.unit
	var all []string
	for _, l := range []*registry.Listing{u.listing, u.server} {
		if l != nil {
			all = append(all, l.Description)
		}
	}
	if u.npm != nil {
		all = append(all, u.npm.Description)
	}
	if u.py != nil {
		all = append(all, u.py.Description)
	}
	if u.cargo != nil {
		all = append(all, u.cargo.Description)
	}
	if u.bundle != nil {
		all = append(all, u.bundle.Description)
	}
	for _, p := range u.csproj {
		all = append(all, p.Description)
	}
	if u.pom != nil {
		all = append(all, u.pom.Description)
	}
	if u.other != nil {
		all = append(all, u.other.Description)
	}
	if c.alone || u.dir == "" {
		all = append(all, c.repo.snap.Repo.Description)
	}
	if c.readme != nil && c.own {
		all = append(all, c.readme.Summary)
	}
	own := len(all) // what follows is about the repository
	all = append(all, c.repo.snap.Repo.Description)
	if c.readme != nil {
		all = append(all, c.readme.Summary)
	}
	names := strings.ToLower(c.repo.snap.Repo.Owner + " " + c.repo.snap.Repo.Name + " " + splitName(c.repo.snap.Repo.Name) + " " + u.dir + " " + splitName(path.Base(u.dir)))
	for _, n := range u.names() {
		names += " " + strings.ToLower(splitName(n))
	}
	said, begun, short, fallback := "", "", "", ""
	for i, s := range all {
		s = plain(shortcode.ReplaceAllString(s, ""), 300)
		if wasCut(s) {
			for _, other := range all[i+1:] {
				if o := plain(shortcode.ReplaceAllString(other, ""), 300); len(o) > len(s) && strings.HasPrefix(o, s) {
					s = o
					break
				}
			}
			if wasCut(s) {
				begun = first(begun, strings.TrimRight(s[:max(strings.LastIndexByte(s, ' '), 0)], " ,;:-–—(")+"…")
				continue
			}
		}
		switch {
		case filler.MatchString(s):
		case len(strings.Fields(s)) < 3 && len(s) == utf8.RuneCountInString(s):
			fallback = first(fallback, s)
		case saysNothing(s, names):
			short = first(short, s)
		case said == "" && i >= own && !c.alone && u.dir != "" && withTools(c.readme, c.own) != "":
			said = name + withTools(c.readme, c.own)
		default:
			said = first(said, s)
		}
	}
	return first(said, begun, short, fallback)
}

// withTools says which tools a README of a server's own lists, as the end of a
// sentence that begins with the server's name: for one of many of a
// repository that says more than what is said of all of them. It is "" for
// fewer than two.
func withTools(m *readme.Document, own bool) string {
	if m == nil || !own || len(m.Tools) < 2 {
		return ""
	}
	var names []string
	for _, t := range m.Tools[:min(len(m.Tools), 4)] {
		names = append(names, t.Name)
	}
	if n := len(m.Tools) - len(names); n > 0 {
		return fmt.Sprintf(", with the tools %s and %d more", strings.Join(names, ", "), n)
	}
	return ", with the tools " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// registryLimit is how many characters the official registry takes for a
// description; many end there, in the middle of a word.
const registryLimit = 100

// wasCut says whether a description ends where the official registry's limit
// is, and not as a sentence does.
func wasCut(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	n := utf8.RuneCountInString(s)
	return n >= registryLimit-2 && n <= registryLimit && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '(' || r == ',')
}

var (
	shortcode = regexp.MustCompile(`:[a-z][a-z0-9_+-]{1,30}:`)
)

// saysNothing says whether a description has no word besides the names of the
// thing and what every server's description has.
func saysNothing(s, names string) bool {
	for _, w := range wordRE.FindAllString(s, 60) {
		w = strings.ToLower(w)
		if !hollowWords[w] && !strings.Contains(names, w) {
			return false
		}
	}
	return true
}

var (
	mdLink   = regexp.MustCompile(`!?\[([^\]]{0,300})\]\([^)]*\)`)
	mdMarks  = regexp.MustCompile("[*`]{1,3}|<[^<>]{0,300}>")
	sentence = regexp.MustCompile(`[.!?。](?:\s|$)`)
)

// plain makes text fit to show: no markup, no control characters, no
// direction overrides, one line, at most n bytes and preferably whole
// sentences.
func plain(s string, n int) string {
	s = mdLink.ReplaceAllString(cut(s, 8*n), "$1")
	s = mdMarks.ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u00a0':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	s = strings.TrimFunc(strings.Join(strings.Fields(s), " "), func(r rune) bool { return r == ' ' || r >= 0x2190 && r <= 0x2BFF || r >= 0x1F000 || r == 0xFE0F })
	if len(s) <= n {
		return s
	}
	end := 0
	for _, m := range sentence.FindAllStringIndex(s, -1) {
		if m[0]+1 <= n {
			end = m[0] + 1
		}
	}
	if end >= 40 {
		return s[:end]
	}
	s = cut(s, n-3)
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:-–—") + "…"
}

func stripEmoji(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) || r >= 0x1F000 || unicode.Is(unicode.Cf, r) || r == 0xFE0F {
			return -1
		}
		return r
	}, s)
}

// tags collects topics, keywords and tags, normalised, at most twelve.
func (c *context) tags(d *registry.Detection) {
	u := c.unit
	var all []string
	if c.alone || u.dir == "" {
		all = append(all, c.repo.snap.Repo.Topics...)
	}
	if u.npm != nil {
		all = append(all, u.npm.Keywords...)
	}
	if u.py != nil {
		all = append(all, u.py.Keywords...)
	}
	if u.cargo != nil {
		all = append(all, u.cargo.Keywords...)
	}
	if u.bundle != nil {
		all = append(all, u.bundle.Keywords...)
	}
	for _, p := range u.csproj {
		all = append(all, p.Tags...)
	}
	if u.other != nil {
		all = append(all, u.other.Keywords...)
	}
	seen := map[string]bool{}
	add := func(t string) {
		t = withoutMCP(tag(t))
		if t != "" && !seen[t] && !commonTags[t] && len(d.Tags) < 12 {
			seen[t] = true
			d.Tags = append(d.Tags, t)
		}
	}
	for _, t := range all {
		add(t)
	}
	slug := c.repo.snap.Repo.Name
	if u.dir != "" && !c.alone {
		slug = path.Base(u.dir)
	}
	for _, w := range wordsOf(slug) {
		if len(d.Tags) < 6 {
			add(w)
		}
	}
	if len(d.Tags) < 4 {
		for _, w := range salient(d.Description) {
			if len(d.Tags) < 6 {
				add(w)
			}
		}
	}
}

var mcpTag = regexp.MustCompile(`(?:^|-)mcp(?:-servers?|-tools?)?(?:-|$)`)

// withoutMCP strips "mcp" off a tag, which all could carry: "mcp-filesystem" is
// "filesystem". What is left as a verb of HTTP or a preposition is no tag.
func withoutMCP(t string) string {
	if !mcpTag.MatchString(t) {
		return t
	}
	switch t = strings.Trim(mcpTag.ReplaceAllString(t, "-"), "-"); t {
	case "get", "put", "post", "delete", "patch", "options", "head", "for", "in", "client", "clients", "hub", "stack":
		return ""
	}
	return t
}

func tag(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case r == '-' || r == ' ' || r == '_' || r == '/' || r == '.' || r == ':':
			b.WriteByte('-')
		case r == '+' || r == '#':
			b.WriteRune(r)
		}
	}
	t := strings.Trim(b.String(), "-")
	for strings.Contains(t, "--") {
		t = strings.ReplaceAll(t, "--", "-")
	}
	if len(t) < 2 || len(t) > 40 {
		return ""
	}
	return t
}

// salient returns the words of a description that say what a server is about:
// those that speak for a category, in order.
func salient(s string) []string {
	words := wordRE.FindAllString(strings.ToLower(boilerplate.ReplaceAllString(cut(s, 1000), " . ")), 120)
	var out []string
	seen := map[string]bool{}
	for i := 0; i < len(words); i++ {
		best := 0
		for _, t := range terms[stem(words[i])] {
			if t.weight < telling || len(t.words) <= best || i+len(t.words) > len(words) {
				continue
			}
			match := true
			for j, w := range t.words {
				match = match && stem(words[i+j]) == w
			}
			if match {
				best = len(t.words)
			}
		}
		if best == 0 {
			continue
		}
		tag := strings.Join(words[i:i+best], "-")
		if key := stem(tag); len(tag) >= 3 && !seen[key] {
			seen[key] = true
			out = append(out, tag)
		}
		i += best - 1
	}
	return out[:min(len(out), 8)]
}

// telling is the weight of words that say more than a hint does.
const telling = 2.6
