package readme

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/words"
)

// A deprecation is read from grammar: the subject of the sentence must be this project, and in a
// title the word must be its state. Sentences about "this project" count anywhere outside code,
// others only near the top and in alerts.
var (
	declaredPhrase = vocabulary.Expressions(rules, "deprecation/declared.txt")
	topPhrase      = vocabulary.Expressions(rules, "deprecation/at_top.txt")
	movedPhrase    = vocabulary.Expressions(rules, "deprecation/moved.txt")
	movingPhrase   = vocabulary.Expressions(rules, "deprecation/moving.txt")
	workPhrase     = vocabulary.Expressions(rules, "deprecation/work.txt")
	workMoved      = vocabulary.Expressions(rules, "deprecation/work_moved.txt")
	elsewhere      = vocabulary.Expressions(rules, "deprecation/elsewhere.txt")
	softPhrase     = vocabulary.Expressions(rules, "deprecation/soft.txt")
	unsaid         = vocabulary.Expressions(rules, "deprecation/unsaid.txt")
	hasEnded       = vocabulary.Expressions(rules, "deprecation/predicate.txt")

	ownSubject = anchored(`^\s*(?:it|this|`, "subject", `)\s*$`)
	genericRun = anchored(`^(?:this|the|our|for|`, "project", `)$`)

	wholeState = anchored(`^`, "states", `$`)
	firstState = anchored(`^`, "states", `(?:\s*[:：.。!！|,，;]|\s+[–—-]|`+
		`\s+(?:in favou?r|since|as|use|please|and|by)\b|$)`)
	shoutedState = regexp.MustCompile(`^[A-Z]{7,}[ -]+.*[a-z]`)
	lastState    = anchored(`\s[–—:|-]+\s*`, "states", `$`)
	inBrackets   = regexp.MustCompile(`[(\[（【]([^()\[\]（）【】]{3,80})[)\]）】]`)
	stateLabel   = anchored(`^`, "labels", `\s*[:：–—-]\s*`)

	alertMark = regexp.MustCompile(`(?i)^\[!(caution|warning|important|note|tip)\]\s*`)
	sentence  = regexp.MustCompile(`[^.!?。！？\n]+(?:[.!?。！？](?:[^\s。！？][^.!?。！？\n]*)?)*`)
)

// anchored returns an expression with one of the lists of deprecation between other parts.
func anchored(before, list, after string) *regexp.Regexp {
	words := vocabulary.Expressions(rules, "deprecation/"+list+".txt").String()
	return regexp.MustCompile(`(?i)` + before + words + after)
}

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
	note := func(kind, text string, block int) {
		blocks[block].notice = blocks[block].notice || kind != ""
		if kind != "" && d.Deprecation != DeprecationDeclared && kind != d.Deprecation {
			d.Deprecation, d.DeprecationText, at = kind, untyped.Short(text), block
		}
	}
	for s := range d.statements(blocks) {
		s.judge(note)
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

// judge notes the kinds of deprecation that the badges and the sentences of a block declare.
func (s statement) judge(note func(kind, text string, block int)) {
	b := &s.blocks[s.at]
	if badge := b.endingBadge(); badge != "" && s.top && (b.kind == paragraph || b.isTitle()) {
		note(DeprecationDeclared, badge, s.at)
	}
	for i, text := range sentences(alertMark.ReplaceAllString(b.text, "")) {
		if i == 0 && s.isState() {
			note(DeprecationDeclared, text, s.at)
		}
		note(s.kind(text), text, s.at)
	}
}

// isTitle reports whether a block is a main heading.
func (b *block) isTitle() bool { return b.kind == heading && b.level <= 2 }

// A statement is a block whose sentences may be about the project.
type statement struct {
	blocks []block
	at     int
	top    bool     // near the top
	loud   bool     // in an alert, or in a main heading near the top
	named  []string // words of the project's name
	runs   []string // packages and servers that the README starts
}

// statements yields the blocks that may declare a deprecation: text outside code and tables,
// and HTML near the top.
func (d *Document) statements(blocks []block) iter.Seq[statement] {
	var runs []string
	for _, l := range d.Commands {
		runs = append(runs, l.Identifier)
	}
	for _, c := range d.Servers {
		runs = append(runs, c.Name)
	}
	named := nameWords(d.Title)
	return func(yield func(statement) bool) {
		length, alert := 0, ""
		for i := range blocks {
			b := &blocks[i]
			if b.kind == code || b.text == "" && len(b.links) == 0 {
				continue
			}
			s := statement{blocks: blocks, at: i, top: length < topLength, named: named, runs: runs}
			length += len(b.text)
			alert = b.alertAfter(alert)
			alarming := (alert == "caution" || alert == "warning") && (s.top || i < len(blocks)/4)
			s.loud = alarming || s.top && b.isTitle()
			if b.kind != row && (s.top || !b.html) && !yield(s) {
				return
			}
		}
	}
}

// alertAfter returns the kind of the alert that a block is in, "" for none, after that of the
// block before.
func (b *block) alertAfter(alert string) string {
	if mark := alertMark.FindStringSubmatch(b.text); mark != nil {
		return strings.ToLower(mark[1])
	}
	if !b.quote {
		return ""
	}
	return alert
}

// nameWords returns the words of a title's first part that are not generic.
func nameWords(title string) (out []string) {
	if m := nameEnd.FindStringIndex(title); m != nil {
		title = title[:m[0]]
	}
	for _, w := range words.Fields(strings.ToLower(title)) {
		if !genericRun.MatchString(w) {
			out = append(out, w)
		}
	}
	return out
}

// nameEnd matches what separates a name from what follows it in a title.
var nameEnd = regexp.MustCompile(`\s[–—|-]\s|[:(\[（]`)

// kind returns the kind of deprecation that a sentence declares, or "".
func (s statement) kind(text string) string {
	if at := s.declaration(text); at >= 0 && !unsaid.MatchString(text[:at]) {
		return DeprecationDeclared
	}
	if s.top && s.blocks[s.at].kind != heading && softPhrase.MatchString(text) &&
		!unsaid.MatchString(text) {
		return DeprecationSoft
	}
	return ""
}

// IsNotice reports whether a sentence says that something, which need not be this project, has
// ended or moved.
func IsNotice(text string) bool {
	return declaredPhrase.MatchString(text) || movedPhrase.MatchString(text) ||
		workPhrase.MatchString(text) || ended(text)
}

// ended reports whether a text says that something has ended.
func ended(text string) bool {
	m := hasEnded.FindStringIndex(text)
	return m != nil && !unsaid.MatchString(text[:m[0]])
}

// isNotice reports whether a block is about the end of the project or of another one.
func (b *block) isNotice() bool { return b.notice || ended(b.text) }

// declaration returns where a sentence declares that the project has ended or moved, -1 if it
// does not.
func (s statement) declaration(text string) int {
	first := func(re *regexp.Regexp) int {
		if m := re.FindStringIndex(text); m != nil {
			return m[1]
		}
		return -1
	}
	if at := first(declaredPhrase); at >= 0 {
		return at
	}
	if !s.top && !s.loud {
		return -1
	}
	for _, re := range []*regexp.Regexp{topPhrase, movedPhrase} {
		if at := first(re); at >= 0 {
			return at
		}
	}
	return max(s.ofName(text), s.ofWork(text), s.moving(text))
}

// ofName returns the end of the predicate of a sentence that says that the project, by its
// name, has ended: "Tides MCP is deprecated". A notice that names the package that the README
// starts as the replacement is about an older one.
func (s statement) ofName(text string) int {
	m := hasEnded.FindStringIndex(text)
	if m == nil || !s.isName(text[:m[0]]) {
		return -1
	}
	for _, c := range s.blocks[s.at].code {
		if slices.Contains(s.runs, c) && strings.Contains(text[m[1]:], c) {
			return -1
		}
	}
	return m[1]
}

// isName reports whether the last clause of a text is the whole name of the project.
func (s statement) isName(text string) bool {
	text = text[strings.LastIndexAny(text, ",;:!()")+1:]
	text = strings.ReplaceAll(pictures.ReplaceAllString(text, " "), "\ufe0f", "")
	var found []string
	for _, w := range words.Fields(strings.ToLower(text)) {
		switch {
		case slices.Contains(s.named, w):
			found = append(found, w)
		case !genericRun.MatchString(w):
			return false
		}
	}
	slices.Sort(found)
	want := slices.Sorted(slices.Values(s.named))
	return len(want) > 0 && slices.Equal(slices.Compact(found), slices.Compact(want))
}

// isOwn reports whether the object of a sentence, "" if it has none, is the project.
func (s statement) isOwn(object string) bool {
	return object == "" || ownSubject.MatchString(object+" ") || s.isName(object)
}

// ofWork returns the end of the predicate of a sentence about the end of the work on the
// project.
func (s statement) ofWork(text string) int {
	m := workPhrase.FindStringSubmatchIndex(text)
	if m == nil || !s.isOwn(group(text, m, 1)) {
		return -1
	}
	if m[2] < 0 && strings.TrimSpace(text[:m[0]]) != "" && !workLead.MatchString(text[:m[0]]) {
		return -1
	}
	return m[1]
}

// workLead matches what may stand before "development" as the subject of a sentence.
var workLead = regexp.MustCompile(
	`(?i)^[^\pL]*(?:(?:the|all|active|further|its?|new|notice:?|note:?)\s+)*$`)

// group returns a group of a match, "" if it is not a part of it.
func group(text string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return text[m[2*n]:m[2*n+1]]
}

// moving returns the end of the predicate of a sentence that says at which other address the
// project is. The address follows.
func (s statement) moving(text string) int {
	m := movingPhrase.FindStringIndex(text)
	if m == nil {
		w := workMoved.FindStringSubmatchIndex(text)
		if w == nil || !s.isOwn(group(text, w, 1)) {
			return -1
		}
		m = w[:2]
	}
	to := strings.TrimLeft(text[m[1]:], " :*\"'`")
	if elsewhere.MatchString(to) {
		return m[1]
	}
	for _, l := range s.blocks[s.at].links {
		web := strings.HasPrefix(l.url, "https://") || strings.HasPrefix(l.url, "http://")
		if name := strings.Trim(l.text, "`*"); web && name != "" && strings.HasPrefix(to, name) {
			return m[1]
		}
	}
	return -1
}

// isState reports whether a main heading near the top or the beginning of a notice is a state
// instead of naming a subject: "Tides (deprecated)", "Deprecated: use Y", "~~Tides~~".
func (s statement) isState() bool {
	b := &s.blocks[s.at]
	if !s.top && !s.loud {
		return false
	}
	text := alertMark.ReplaceAllString(b.text, "")
	text = strings.TrimSpace(strings.Trim(pictures.ReplaceAllString(text, ""), "\ufe0f *_!~"))
	if b.kind == paragraph {
		text = stateLabel.ReplaceAllString(text, "")
		return firstState.MatchString(text)
	}
	if !b.isTitle() || !s.loud || listsParts(s.blocks, s.at) {
		return false
	}
	return b.struck() || s.isStateTitle(text) || s.isWholeState(text)
}

// isStateTitle reports whether a title has a state in brackets, or before or after the name. A word
// outside brackets that packages or servers are called by is a part of the name: "Sunset: times of
// the sun" of sunset-mcp.
func (s statement) isStateTitle(title string) bool {
	for _, m := range inBrackets.FindAllStringSubmatch(title, 5) {
		inside := strings.TrimSpace(m[1])
		if firstState.MatchString(inside) || movedMark.MatchString(inside) {
			return true
		}
	}
	state := lastState.FindString(title)
	if word, _, _ := strings.Cut(title, " "); state == "" && shoutedState.MatchString(title) {
		state = wholeState.FindString(word)
	}
	if state == "" && separated.MatchString(title) {
		state = firstState.FindString(title)
	}
	return state != "" && !s.isCalled(state)
}

// isCalled reports whether all words of a text are in the name of a package or server that the
// README starts.
func (s statement) isCalled(text string) bool {
	list := words.Fields(strings.ToLower(text))
	return slices.ContainsFunc(s.runs, func(name string) bool {
		parts := words.Fields(strings.ToLower(name))
		return !slices.ContainsFunc(list, func(w string) bool { return !slices.Contains(parts, w) })
	})
}

// isWholeState reports whether a heading is nothing but a state. If its words are those of the
// project's name, such as "End of Life" or "Sunset", it is one in capitals or with a picture.
func (s statement) isWholeState(heading string) bool {
	whole := strings.TrimRight(stateLabel.ReplaceAllString(heading, ""), " .:!")
	if !wholeState.MatchString(whole) {
		return false
	}
	capitals := whole == strings.ToUpper(whole) && whole != strings.ToLower(whole)
	if capitals || pictures.MatchString(s.blocks[s.at].text) {
		return true
	}
	return slices.ContainsFunc(words.Fields(strings.ToLower(whole)), func(w string) bool {
		return !slices.Contains(s.named, w)
	})
}

// movedMark matches the beginning of a mark of a title: "(moved to the shore)".
var movedMark = regexp.MustCompile(`(?i)^moved\b`)

// separated matches a title whose first part ends with a separator.
var separated = regexp.MustCompile(`^[^:：|–—]+(?:[:：|]|\s[–—-]\s)`)

// struck reports whether the whole name in a title is struck out.
func (b *block) struck() bool {
	rest := inBrackets.ReplaceAllString(strings.Replace(b.text, b.deleted, "", 1), "")
	return b.deleted != "" && !letter.MatchString(rest)
}

// listsParts reports whether a heading is above a list or a table, such as one of deprecated
// tools or of archived projects, instead of a notice.
func listsParts(blocks []block, at int) bool {
	if blocks[at].level == 1 || at+1 >= len(blocks) {
		return isCatalogue(blocks, at)
	}
	next := blocks[at+1]
	return next.kind == item || next.kind == row || isCatalogue(blocks, at)
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

// endingBadge returns the text of a badge that says that the project has ended, "" if there is
// none.
func (b *block) endingBadge() string {
	for _, l := range b.links {
		if text, ok := badgeState(l.alt, l.url); ok {
			return text
		}
	}
	return ""
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

// successors returns the links to what a notice recommends instead: its own, otherwise those of
// the title directly above it, otherwise those of the next paragraph with some. Below a heading
// they are those of its section.
func successors(blocks []block, at int) (all []string) {
	next := blocks[at+1 : min(at+4, len(blocks))]
	title := blocks[at].kind == heading
	if end := slices.IndexFunc(next, func(b block) bool { return b.isTitle() }); end >= 0 && !title {
		next = next[:end]
	}
	all = blocks[at].webLinks()
	if len(all) == 0 && !title && at > 0 && blocks[at-1].isTitle() {
		all = blocks[at-1].webLinks()
	}
	for _, b := range next {
		if title || len(all) == 0 && b.speaks() {
			all = append(all, b.webLinks()...)
		}
	}
	return all[:min(len(all), maxSuccessors)]
}

// speaks reports whether a block has words outside of links.
func (b *block) speaks() bool {
	rest := b.text
	for _, l := range b.links {
		rest = strings.Replace(rest, l.text, "", 1)
	}
	return letter.MatchString(rest)
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
