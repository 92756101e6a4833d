package readme

import (
	"bytes"
	"regexp"

	"mcpcensus/crawler/untyped"
)

// clean returns the first [untyped.MaxSize] bytes of a README as Markdown that is safe to parse.
func clean(b []byte) []byte {
	b = asciidoc(untyped.Clean(b[:min(len(b), untyped.MaxSize)]))
	b = rstCode.ReplaceAll(b, []byte("```\n$1\n```\n"))
	b = delimiterRow.ReplaceAllFunc(b, func(row []byte) []byte {
		return dashes.ReplaceAll(row, []byte("---"))
	})
	return limitDelimiters(repeated.ReplaceAll(b, []byte("\n")))
}

// rstCode matches a listing of reStructuredText, which may be indented less than one of Markdown.
var rstCode = regexp.MustCompile(`(?m)^\.\. (?:code|code-block|sourcecode)::[^\n]*\n` +
	`(?: +:[^\n]*\n)*\n((?: +[^\n]+\n|\n)+)`)

// delimiterRow matches lines below the head of a table. They are shortened to three dashes a
// column, which [repeated] does not match.
var (
	delimiterRow = regexp.MustCompile(`(?m)^[ \t]*\|?[ \t]*:?-[-:| \t]*\r?$`)
	dashes       = regexp.MustCompile(`-{4,}`)
)

// repeated matches rows of markers that have no meaning and are slow to parse.
var repeated = regexp.MustCompile(`(?:[>*_\[\]()~!+=#|-][ \t]*){200,}`)

// maxDelimiters exceeds the number of emphasis and link marks in real paragraphs.
const maxDelimiters = 1200

// limitDelimiters blanks the emphasis and link marks of a paragraph after the first
// [maxDelimiters]. Parsing is quadratic in their number: minutes for a README of 256 KB.
func limitDelimiters(b []byte) []byte {
	b = bytes.Clone(b)
	n := 0
	for line := range bytes.Lines(b) {
		if endsParagraph(line) {
			n = 0
		}
		for i, c := range line {
			if c != '*' && c != '_' && c != '[' && c != '~' {
				continue
			}
			if n++; n > maxDelimiters {
				line[i] = ' '
			}
		}
	}
	return b
}

// endsParagraph reports whether a line is blank, a list item or a heading.
func endsParagraph(line []byte) bool {
	text := bytes.TrimLeft(line, " ")
	if len(bytes.TrimSpace(text)) == 0 {
		return true
	}
	marked := len(text) > 2 && text[1] == ' ' && bytes.IndexByte([]byte("-*+#"), text[0]) >= 0
	return marked && len(line)-len(text) <= 3
}

var (
	adocTitle = regexp.MustCompile(`^\s*= \S`)
	adocHead  = regexp.MustCompile(`(?m)^(={1,6}) (\S)`)
	adocFence = regexp.MustCompile(`(?m)^(?:\[source[^\]\n]*\]\n)?-{4,}[ \t]*$`)
	adocLink  = regexp.MustCompile(`\b(?:link:|xref:)?(https?://[^\s\[]{1,300})\[([^\]\n]{0,200})\]`)
	adocNoise = regexp.MustCompile(`(?m)^(?::[\w-]+:.*|image::?\S+\[.*\]|ifdef::.*|endif::.*|` +
		`\[(?:source|cols|%|options|NOTE|TIP|discrete|#)[^\]\n]*\])$`)
)

// asciidoc converts the headings, listings and links of a document that begins with an AsciiDoc
// title to Markdown.
func asciidoc(b []byte) []byte {
	if !adocTitle.Match(b) {
		return b
	}
	b = adocFence.ReplaceAll(b, []byte("```"))
	b = adocNoise.ReplaceAll(b, nil)
	b = adocLink.ReplaceAll(b, []byte("[$2]($1)"))
	return adocHead.ReplaceAllFunc(b, func(m []byte) []byte {
		return bytes.ReplaceAll(m, []byte("="), []byte("#"))
	})
}
