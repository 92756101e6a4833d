package readme

import (
	"cmp"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
)

var (
	notSummary       = vocabulary.Expressions(rules, "summary/not_summary.txt")
	definition       = vocabulary.Expressions(rules, "summary/definition.txt")
	practicalHeading = vocabulary.Anywhere(rules, "summary/practical_headings.txt")

	exclaimed  = regexp.MustCompile(`^(?:[^.]|\.\S)*[!?！？]$`)
	letter     = regexp.MustCompile(`\pL`)
	separators = regexp.MustCompile(`\s[|•·‧∙⋅▪/–—-]\s`)
	pictures   = regexp.MustCompile(`[\x{2190}-\x{2BFF}\x{1F000}-\x{1FAFF}]|:[a-z][a-z0-9_+-]{1,30}:`)
)

// maxSummarySections is the number of sections of a README that are searched for a summary.
const maxSummarySections = 4

// summary returns the first paragraph that describes the project. HTML counts only before the
// Markdown headings after the title. Quotations, general descriptions of MCP, and lists before
// those headings are used only if there is nothing else.
func summary(blocks []block) string {
	var inHTML, quoted, listed, general string
	for b, sections := range summaryCandidates(blocks) {
		switch {
		case b.kind == item:
			if sections == 0 {
				listed = cmp.Or(listed, b.text)
			}
		case definition.MatchString(b.text):
			general = cmp.Or(general, b.text)
		case b.html:
			if sections == 0 && len(b.text) < 1000 {
				inHTML = cmp.Or(inHTML, b.text)
			}
		case b.quote, exclaimed.MatchString(b.text):
			quoted = cmp.Or(quoted, b.text)
		case inHTML != "" && sections > 0:
			return untyped.Short(inHTML)
		default:
			return untyped.Short(b.prose())
		}
	}
	return untyped.Short(cmp.Or(inHTML, quoted, listed, general))
}

// summaryCandidates iterates over the sentences outside notices and sections about using the
// project, with the number of sections before them.
func summaryCandidates(blocks []block) iter.Seq2[*block, int] {
	return func(yield func(*block, int) bool) {
		var o outline
		noticeEnd := 0
		for i := range blocks {
			b := &blocks[i]
			if b.kind == heading && !b.html {
				o.enter(b)
			}
			if o.sections > maxSummarySections {
				return
			}
			if b.quote && (b.isNotice() || alertMark.MatchString(b.text)) {
				for noticeEnd = i; noticeEnd < len(blocks) && blocks[noticeEnd].quote; noticeEnd++ {
				}
			}
			if i >= noticeEnd && !o.practical && b.isSentence() && !yield(b, o.sections) {
				return
			}
		}
	}
}

// An outline is the position of a block in the outline of a document.
type outline struct {
	sections  int  // headings below the title so far
	practical bool // the section is about using the project
	titled    bool // the title has been seen
}

// enter enters the section of a heading. The title may be one level too low.
func (o *outline) enter(h *block) {
	practical := practicalHeading.MatchString(h.text)
	if h.level == 1 || h.level == 2 && !o.titled && !practical {
		o.titled = true
		return
	}
	o.sections++
	o.practical = practical || h.notice
}

// isSentence reports whether a block is a paragraph or item of prose.
func (b *block) isSentence() bool {
	if b.kind != paragraph && b.kind != item || b.outer >= 0 || b.isBar() {
		return false
	}
	text := b.prose()
	n, letters := utf8.RuneCountInString(text), len(letter.FindAllString(text, -1))
	if n < 14 || n > 4000 || letters*2 <= n || n == len(text) && len(strings.Fields(text)) < 4 {
		return false
	}
	return !b.isNotice() && !notSummary.MatchString(b.text)
}

// prose returns the text of a block without a last sentence that introduces what follows.
func (b *block) prose() string {
	if strings.HasSuffix(b.text, ":") {
		return b.text[:strings.LastIndex(b.text, ". ")+1]
	}
	return b.text
}

// isBar reports whether a block is a bar of links or a row of badges.
func (b *block) isBar() bool {
	words := len(strings.Fields(b.text))
	separated := words < 40 && len(separators.FindAllString(b.text, 3)) == 3
	pictured := words < 12 && !strings.ContainsAny(b.text, ".,") && len(pictures.FindAllString(b.text, 2)) == 2
	return separated || pictured || b.linked*10 > len(b.text)*6
}
