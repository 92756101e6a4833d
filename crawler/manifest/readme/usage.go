package readme

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/vocabulary"
)

const (
	maxServers   = 200
	maxCommands  = 300
	maxUsages    = 600
	maxBadges    = 50
	maxEndpoints = 50
)

var (
	shellLanguages = vocabulary.Set(rules, "usage/shell_languages.txt")

	specialHeading = vocabulary.Expressions(rules, "usage/special.txt")
	packageHeading = vocabulary.Expressions(rules, "usage/package.txt")
	removedPhrase  = vocabulary.Expressions(rules, "usage/removed.txt")

	anyURL       = regexp.MustCompile("https?://[^\\s\"'`<>()\\[\\]]{4,500}")
	endpointPath = regexp.MustCompile(`(?i)(?:^|/)(?:mcp|sse)/?$|/mcp/(?:sse|v?[0-9]+|http|stream|message)/?$`)
	buildTag     = regexp.MustCompile(`docker\s+(?:buildx\s+)?build\b[^\n]{0,300}?\s` +
		`(?:-t|--tag)[ =]([a-zA-Z0-9][a-zA-Z0-9./_-]{0,200})`)
)

// A Usage is a shell line that runs a package, or a program by its name, with what the text says of it.
type Usage struct {
	shell.Launch
	Place
}

// A Place is where a text has shell lines.
type Place struct {
	Block   int    // index of the block
	Heading string // of its section, "" for the first one
	// Sentence has the line, which is left out of it, announces its block with a colon, or is the
	// comment above it; "" for none.
	Sentence string
}

// enter sets the block, and the heading if the block is one.
func (p *Place) enter(i int, b *block) {
	if p.Block = i; b.kind == heading && b.level > 1 && b.level < folded {
		p.Heading = b.text
	}
}

// addUsage collects the documented ways to run the server.
func (d *Document) addUsage(blocks []block) {
	kinds := map[string]bool{}
	special := 0 // level of the heading of the special section that b is in
	at := Place{}
	for i, b := range blocks {
		at.enter(i, &b)
		if b.kind == heading && (special == 0 || b.level <= special) {
			if special = 0; isSpecial(&b) {
				special = b.level
			}
		}
		known := len(d.Servers)
		d.addLinks(b.links, kinds)
		if b.kind == code {
			at.Sentence = announcing(blocks[:i])
			d.addCode(b, at, kinds)
			for i := range d.Servers[known:] {
				d.Servers[known+i].Special = special > 0
			}
			continue
		}
		for _, c := range b.code {
			if strings.Contains(c, " ") {
				at.Sentence = sentenceAround(b.text, c)
				d.addShell(c, at, kinds)
				d.addImages(c)
			}
			d.addEndpoint(c)
		}
		for _, u := range anyURL.FindAllString(b.text, 20) {
			d.addEndpoint(u)
		}
	}
	d.dropRemoved(blocks)
	configs := []string{"json", "command", "link"}
	if i := slices.IndexFunc(configs, func(k string) bool { return kinds[k] }); i >= 0 {
		d.ClientConfig = configs[i]
	}
}

// announcing returns the sentence with a colon that ends a list of blocks, "" if there is none.
func announcing(blocks []block) string {
	if len(blocks) == 0 || blocks[len(blocks)-1].kind == heading {
		return ""
	}
	all := sentences(blocks[len(blocks)-1].text)
	if len(all) == 0 || !strings.HasSuffix(all[len(all)-1], ":") {
		return ""
	}
	return all[len(all)-1]
}

// sentenceAround returns the sentence of a text that has a part, without it.
func sentenceAround(text, part string) string {
	const mark = "\ufffc"
	for _, s := range sentences(strings.Replace(text, oneLine(part), mark, 1)) {
		if before, after, ok := strings.Cut(s, mark); ok {
			return before + after
		}
	}
	return ""
}

// dropRemoved removes the endpoints that a sentence describes as removed.
func (d *Document) dropRemoved(blocks []block) {
	for _, b := range blocks {
		if b.kind == code || !removedPhrase.MatchString(b.text) {
			continue
		}
		for _, s := range sentences(b.text) {
			if at := removedPhrase.FindStringIndex(s); at != nil {
				for _, u := range anyURL.FindAllString(s[:at[0]], 20) {
					u = strings.TrimRight(u, ".,;:!?*_`")
					d.Endpoints = slices.DeleteFunc(d.Endpoints, func(e string) bool { return e == u })
				}
			}
		}
	}
}

// isSpecial reports whether the section of a heading is about a special case. For a package,
// self-hosting over standard input is the ordinary case.
func isSpecial(h *block) bool {
	return h.level > 1 && (optionalHeading.MatchString(h.text) ||
		specialHeading.MatchString(h.text) && !packageHeading.MatchString(h.text))
}

// addLinks adds the servers of install links and the packages of badges.
func (d *Document) addLinks(links []link, kinds map[string]bool) {
	for _, l := range links {
		if c, ok := manifest.ParseInstallLink(l.url); ok {
			kinds["link"] = true
			c.Link = true
			d.addServer(c)
		}
		if badge, ok := manifest.ParseBadge(l.url); ok && len(d.Badges) < maxBadges {
			d.Badges = append(d.Badges, badge)
		}
	}
}

// addServer adds a server of a client's configuration and its command.
func (d *Document) addServer(c manifest.ClientServer) {
	if len(d.Servers) < maxServers {
		d.Servers = append(d.Servers, c)
	}
	if l, err := c.Launch(); err == nil && c.Command != "" {
		d.addCommand(l)
	}
}

func (d *Document) addCommand(l shell.Launch) {
	if len(d.Commands) < maxCommands {
		d.Commands = append(d.Commands, l)
	}
}

// addImages adds the images that commands build.
func (d *Document) addImages(commands string) {
	for _, m := range buildTag.FindAllStringSubmatch(commands, 20) {
		d.LocalImages = append(d.LocalImages, strings.TrimRight(m[1], "."))
	}
}

func (d *Document) addCode(b block, at Place, kinds map[string]bool) {
	d.addImages(b.text)
	if shell.AddsServer(b.text) {
		d.addShell(quotedObject.ReplaceAllStringFunc(b.text, oneLine), at, kinds)
		return
	}
	servers := manifest.ParseConfigBlock(b.lang, b.text)
	for _, c := range servers {
		kinds["json"] = true
		d.addServer(c)
	}
	if len(servers) == 0 && (b.lang == "" || shellLanguages[b.lang]) {
		d.addShell(b.text, at, kinds)
	}
}

// continued joins continued shell lines.
var continued = strings.NewReplacer("\\\n", " ", "`\n", " ", "^\n", " ")

// quotedObject matches an object of JSON that is one word of a command.
var quotedObject = regexp.MustCompile(`'\s*\{[^']*\}\s*'`)

const maxShellLines = 500

func (d *Document) addShell(s string, at Place, kinds map[string]bool) {
	n := 0
	announced := at.Sentence
	for line := range strings.Lines(continued.Replace(s)) {
		if n++; n > maxShellLines {
			return
		}
		if comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			at.Sentence = oneLine(comment)
			continue
		}
		l, err := shell.ParseLine(line)
		adds := d.addAddition(line, l)
		kinds["command"] = kinds["command"] || adds
		if (l.Runs || l.Script != "") && len(d.Usages) < maxUsages {
			d.Usages = append(d.Usages, Usage{l, at})
		}
		if err != nil {
			continue
		}
		at.Sentence = announced
		kinds["command"] = kinds["command"] || strings.Contains(line, "mcp install")
		d.addCommand(l)
	}
}

// addAddition adds the server that a line with a command adds to a client, or that its bridge
// connects to. It reports whether there is one.
func (d *Document) addAddition(line string, l shell.Launch) bool {
	c, adds := manifest.ParseAddition(line)
	if !adds && shell.IsBridge(l.Identifier) {
		c.Entry = l.Endpoint
		c.URL = manifest.WithVariables(c.URL)
	}
	if c.URL == "" && c.Command == "" || len(d.Servers) >= maxServers {
		return false
	}
	d.Servers = append(d.Servers, c)
	return true
}

// addEndpoint adds a URL that looks like a remote server.
func (d *Document) addEndpoint(s string) {
	s = strings.TrimRight(s, ".,;:!?*_")
	u, err := url.Parse(s)
	if err != nil || !manifest.IsRemoteURL(s) {
		return
	}
	host := strings.ToLower(u.Hostname())
	bare := strings.HasPrefix(host, "mcp.") && strings.Trim(u.Path, "/") == ""
	// Pages for people, such as documentation, have a known label or folder. Hosts below "mcp."
	// have endpoints.
	label, rest, _ := strings.Cut(host, ".")
	inFolder := func(part string) bool { return pageFolders[part] }
	isPage := pageHosts[label] && !strings.HasPrefix(rest, "mcp.") ||
		slices.ContainsFunc(strings.Split(strings.ToLower(u.Path), "/"), inFolder)
	if (bare || endpointPath.MatchString(u.Path)) && !isPage &&
		!slices.Contains(d.Endpoints, s) && len(d.Endpoints) < maxEndpoints {
		d.Endpoints = append(d.Endpoints, s)
	}
}

var (
	pageHosts   = vocabulary.Set(rules, "hosts/pages.txt")
	pageFolders = vocabulary.Set(rules, "hosts/page_folders.txt")
)
