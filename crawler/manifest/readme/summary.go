package readme

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
)

var (
	notSummary       = vocabulary.Expressions(rules, "summary/not_summary.txt")
	definition       = vocabulary.Expressions(rules, "summary/definition.txt")
	practicalHeading = vocabulary.Anywhere(rules, "summary/practical_headings.txt")

	separators = regexp.MustCompile(`\s[|•·‧∙⋅▪/–—-]\s`)
	pictures   = regexp.MustCompile(`[\x{2190}-\x{2BFF}\x{1F000}-\x{1FAFF}]`)
)

// maxSummarySections is how many sections of a README are searched for a
// summary.
const maxSummarySections = 4

// summary returns the first paragraph that says what the project is. HTML
// counts above all Markdown headings but the title. Quotations, and what MCP is in
// general, count only if nothing else is said.
func summary(blocks []block) string {
	var inHTML, quoted, general string
	sections, aside := 0, false
	noticeEnd := 0
	for i := range blocks {
		b := &blocks[i]
		if b.kind == heading && b.level >= 2 && !b.html {
			if sections++; sections > maxSummarySections {
				break
			}
			aside = practicalHeading.MatchString(b.text) || noticeWord.MatchString(b.text)
		}
		if b.quote && (noticeWord.MatchString(b.text) || alertMark.MatchString(b.text)) {
			noticeEnd = quotationEnd(blocks, i)
		}
		if i < noticeEnd || aside || !b.isSentence() {
			continue
		}
		switch {
		case definition.MatchString(b.text):
			general = cmp.Or(general, b.text)
		case b.html:
			if sections == 0 && len(b.text) < 1000 {
				inHTML = cmp.Or(inHTML, b.text)
			}
		case b.quote:
			quoted = cmp.Or(quoted, b.text)
		case inHTML != "" && sections > 0:
			return untyped.Short(inHTML)
		default:
			return untyped.Short(b.text)
		}
	}
	return untyped.Short(cmp.Or(inHTML, quoted, general))
}

// quotationEnd returns the index after the quotation that block i is in.
func quotationEnd(blocks []block, i int) int {
	for i < len(blocks) && blocks[i].quote {
		i++
	}
	return i
}

// isSentence reports whether a block is a paragraph that tells something in
// words: not a bar of links, a row of badges or an install line.
func (b *block) isSentence() bool {
	if b.kind != paragraph || b.outer >= 0 {
		return false
	}
	s := b.text
	n, words, letters := utf8.RuneCountInString(s), len(strings.Fields(s)), countLetters(s)
	ascii := n == len(s)
	switch {
	case n > 4000 || n < 14 || n < 30 && letters == len(s) || ascii && words < 4:
		return false
	case letters*2 <= n:
		return false
	case strings.HasSuffix(s, ":") || noticeWord.MatchString(s) || notSummary.MatchString(s):
		return false
	case b.linked*10 > len(s)*6:
		return false
	case words < 40 && len(separators.FindAllString(s, 3)) == 3:
		return false
	}
	return words >= 12 || strings.ContainsAny(s, ".,") || len(pictures.FindAllString(s, 2)) < 2
}

func countLetters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
