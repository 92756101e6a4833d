// Package readme reads the README of a server: its summary, how to configure and start it,
// its tools, and whether it is deprecated.
package readme

import (
	"cmp"
	"embed"
	"regexp"
	"strings"
	"unicode/utf8"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

//go:embed rules
var embedded embed.FS

var rules = vocabulary.Rules(embedded)

// A Document contains the facts of a README.
type Document struct {
	Title      string // of the first heading
	Summary    string // the first paragraph that is a sentence
	Text       string // plain text of headings, paragraphs, lists and tables
	Characters int    // of Text, without badges, HTML and code
	Headings   []string
	Links      []string // URLs of links and images, in order

	Servers      []manifest.ClientServer // of configuration blocks, commands and install links
	ClientConfig string                  // "json", "command", "link", or ""
	Commands     []shell.Launch          // of configurations and shell lines, in order
	Usages       []Usage                 // shell lines that run packages, in order
	Badges       []shell.Launch          // packages in badges
	Endpoints    []string                // URLs of remote servers in the text
	LocalImages  []string                // images that the README builds itself
	// Variables are what the text says about variables. Whether configurations always set them
	// depends on the package.
	Variables []settings.Claim
	MCPName   string // the package's name in the official registry

	Tools       []registry.Tool
	ToolHeading bool // a heading announces tools
	ToolEntries int  // entries below it

	Deprecation     string // DeprecationDeclared, DeprecationSoft or ""
	DeprecationText string // the sentence
	Successor       string // URL of the replacement
	// Successors are the web URLs in a declared deprecation and in the paragraphs below it about
	// what to use instead.
	Successors []string
}

const maxLinks = 5 * untyped.MaxList

var mcpName = regexp.MustCompile(`mcp-name:\s*([a-zA-Z0-9.-]{1,150}/[a-zA-Z0-9._-]{1,100})`)

// Parse reads the first [untyped.MaxSize] bytes of a README in Markdown or AsciiDoc. Other markup
// is read as Markdown, but for the listings of reStructuredText.
func Parse(b []byte) (d *Document, err error) {
	defer untyped.Guard(&err)
	b = clean(b)
	d = &Document{}
	if m := mcpName.FindSubmatch(b); m != nil {
		d.MCPName = string(m[1])
	}
	blocks := blocksOf(b)
	d.addText(blocks)
	d.addUsage(blocks)
	d.addDeprecation(blocks)
	d.Summary = summary(blocks)
	d.addVariables(blocks)
	tools := readTools(blocks, -1)
	d.Tools, d.ToolHeading = tools.list(), tools.announced
	d.ToolEntries = cmp.Or(len(d.Tools), tools.entries)
	return d, nil
}

// addText collects the title, the plain text, the headings and the links.
func (d *Document) addText(blocks []block) {
	var plain strings.Builder
	for _, b := range blocks {
		for _, l := range b.links[:min(len(b.links), maxLinks-len(d.Links))] {
			d.Links = append(d.Links, l.url)
		}
		if b.kind == code || b.text == "" {
			continue
		}
		plain.WriteString(b.text + "\n")
		titled := b.kind == heading && b.level < folded
		if titled || !b.html {
			d.Characters += utf8.RuneCountInString(b.text)
		}
		if !titled {
			continue
		}
		if d.Title == "" && b.level <= 2 {
			d.Title = untyped.Short(b.text)
		}
		if len(d.Headings) < untyped.MaxList {
			d.Headings = append(d.Headings, untyped.Short(b.text))
		}
	}
	d.Text = strings.TrimSpace(plain.String())
}
