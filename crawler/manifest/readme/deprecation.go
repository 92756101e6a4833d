package readme

import (
	"iter"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
)

// Sentences about this repository declare a deprecation anywhere outside code. Single words
// count only near the top, in main headings and in alerts: "archived" in a table of tools or
// in a list of other servers does not apply to this one.
var (
	declaredPhrase = vocabulary.Expressions(rules, "deprecation/declared.txt")
	movedPhrase    = vocabulary.Expressions(rules, "deprecation/moved.txt")
	topPhrase      = vocabulary.Expressions(rules, "deprecation/at_top.txt")
	softPhrase     = vocabulary.Expressions(rules, "deprecation/soft.txt")
	otherSubject   = vocabulary.Expressions(rules, "deprecation/other_subjects.txt")
	partPhrase     = vocabulary.Expressions(rules, "deprecation/part_before.txt")
	noticeWord     = vocabulary.Anywhere(rules, "deprecation/notices.txt")
	successorWord  = vocabulary.Anywhere(rules, "deprecation/successor.txt")

	alertMark = regexp.MustCompile(`(?i)^\[!(caution|warning|important|note|tip)\]\s*`)
	sentence  = regexp.MustCompile(`[^.!?\n]+(?:[.!?](?:\S[^.!?\n]*)?)*`)
)

// topLength is the number of bytes at the top of a README.
const topLength = 1500

// The values of [Document.Deprecation].
const (
	DeprecationDeclared = "declared"
	DeprecationSoft     = "soft" // a replacement is recommended
)

// addDeprecation finds the first declaration or, without one, the first soft notice that the
// project is deprecated.
func (d *Document) addDeprecation(blocks []block) {
	at := -1
	for s := range statements(blocks) {
		for _, text := range sentences(alertMark.ReplaceAllString(blocks[s.at].text, "")) {
			if kind := s.kind(text); kind != "" && d.Deprecation != DeprecationDeclared && kind != d.Deprecation {
				d.Deprecation, d.DeprecationText, at = kind, untyped.Short(text), s.at
			}
		}
	}
	if at < 0 {
		return
	}
	if d.Deprecation == DeprecationDeclared && blocks[at].kind == heading {
		d.DeprecationText = noticeText(blocks, at)
	}
	if all := successors(blocks, at); len(all) > 0 {
		d.Successor = all[0]
		if d.Deprecation == DeprecationDeclared {
			d.Successors = all
		}
	}
}

// isTitle reports whether a block is a main heading.
func (b *block) isTitle() bool { return b.kind == heading && b.level <= 2 }

// A statement is a block whose sentences may be about the project.
type statement struct {
	blocks []block
	at     int
	top    bool // near the top
	loud   bool // in an alert, or in a main heading near the top
}

// statements yields the blocks that may declare a deprecation: text outside code and tables,
// and HTML near the top.
func statements(blocks []block) iter.Seq[statement] {
	return func(yield func(statement) bool) {
		length, alert := 0, ""
		for i := range blocks {
			b := &blocks[i]
			if b.kind == code || b.text == "" {
				continue
			}
			s := statement{blocks: blocks, at: i, top: length < topLength}
			length += len(b.text)
			if mark := alertMark.FindStringSubmatch(b.text); mark != nil {
				alert = strings.ToLower(mark[1])
			} else if !b.quote {
				alert = ""
			}
			alarming := (alert == "caution" || alert == "warning") && (s.top || i < len(blocks)/4)
			s.loud = alarming || s.top && b.isTitle()
			if b.kind != row && (s.top || !b.html) && !yield(s) {
				return
			}
		}
	}
}

// kind returns the kind of deprecation that a sentence declares, or "".
func (s statement) kind(text string) string {
	kind := s.phrase(text)
	if kind != "" && otherSubject.MatchString(text) {
		return ""
	}
	return kind
}

// phrase is kind regardless of the subject of the sentence.
func (s statement) phrase(text string) string {
	kind := s.blocks[s.at].kind
	prominent := s.top || s.loud
	switch {
	case declaredPhrase.MatchString(text), movedPhrase.MatchString(text):
		return DeprecationDeclared
	case s.loud && noticeWord.MatchString(text) && s.isOwn(text):
		return DeprecationDeclared
	case prominent && kind != item && topPhrase.MatchString(text) && s.isOwn(text):
		return DeprecationDeclared
	case s.top && kind != heading && softPhrase.MatchString(text):
		return DeprecationSoft
	}
	return ""
}

// isOwn reports whether a sentence may be about the whole project, rather than a part of it or
// the projects listed below a heading.
func (s statement) isOwn(text string) bool {
	if partPhrase.MatchString(text) {
		return false
	}
	return s.blocks[s.at].kind != heading || s.loud && !isCatalogue(s.blocks, s.at)
}

// isCatalogue reports whether a heading is above links to several projects, such as "## Archived"
// in a catalogue.
func isCatalogue(blocks []block, at int) bool {
	n := 0
	for _, b := range blocks[at+1:] {
		if b.kind == heading {
			break
		}
		if (b.kind == item || b.kind == row) && len(b.links) > 0 {
			n++
		}
	}
	return n >= 2
}

// noticeText returns the first sentence of a notice below a heading, or the heading if there is
// none.
func noticeText(blocks []block, at int) string {
	for _, b := range blocks[at+1 : min(at+4, len(blocks))] {
		if b.kind == heading {
			break
		}
		if b.kind != paragraph {
			continue
		}
		list := sentences(alertMark.ReplaceAllString(b.text, ""))
		if len(list) > 0 && len(strings.Fields(list[0])) >= 4 {
			return untyped.Short(list[0])
		}
	}
	title := strings.ReplaceAll(blocks[at].text, "\ufe0f", "") // the emoji variation selector
	return untyped.Short(pictures.ReplaceAllString(title, ""))
}

// successors returns the links in a notice and in text close below it about what to use instead
// or, without any, the links in such a title directly above it.
func successors(blocks []block, at int) (all []string) {
	title := blocks[at].kind == heading
	for i, b := range blocks[at:min(at+4, len(blocks))] {
		if i > 0 && !title && b.isTitle() {
			break
		}
		if i == 0 || title || successorWord.MatchString(b.text) {
			all = append(all, b.webLinks()...)
		}
	}
	if len(all) == 0 && at > 0 && blocks[at-1].isTitle() && successorWord.MatchString(blocks[at-1].text) {
		all = blocks[at-1].webLinks()
	}
	return all[:min(len(all), maxSuccessors)]
}

// maxSuccessors is the maximum number of links of a notice.
const maxSuccessors = 20

// webLinks returns the web URLs of the links with text in a block.
func (b *block) webLinks() (all []string) {
	for _, l := range b.links {
		web := strings.HasPrefix(l.url, "https://") || strings.HasPrefix(l.url, "http://")
		if web && l.text != "" {
			all = append(all, untyped.Short(l.url))
		}
	}
	return all
}

// maxSentences is the maximum number of sentences of one block.
const maxSentences = 200

func sentences(s string) []string {
	out := sentence.FindAllString(s[:min(len(s), 16<<10)], maxSentences)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
