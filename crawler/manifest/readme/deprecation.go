package readme

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	movingPhrase   = vocabulary.Expressions(rules, "deprecation/moving.txt")
	workPhrase     = vocabulary.Expressions(rules, "deprecation/work.txt")
	workMoved      = vocabulary.Expressions(rules, "deprecation/work_moved.txt")
	elsewhere      = vocabulary.Expressions(rules, "deprecation/elsewhere.txt")
	softPhrase     = vocabulary.Expressions(rules, "deprecation/soft.txt")
	unsaid         = vocabulary.Expressions(rules, "deprecation/unsaid.txt")
	hasEnded       = vocabulary.Expressions(rules, "deprecation/predicate.txt")

	ownSubject = anchored(`^\s*(?:it|this|`, "subject", `)\s*$`)
	genericRun = anchored(`^(?:this|the|our|for|`, "project", `)$`)

	noticeState  = anchored(`^`, "notices", `[ .:!]*$`)
	wholeState   = anchored(`^`, "states", `$`)
	firstState   = anchored(`^`, "states", followed+`|^superseded by\b`)
	followed     = vocabulary.Expressions(rules, "deprecation/follows.txt").String()
	shoutedState = regexp.MustCompile(`^[A-Z]{7,}[ -]+.*[a-z]`)
	lastState    = anchored(`\s[–—:|-]+\s*`, "states", `$`)
	inBrackets   = regexp.MustCompile(`[(\[（【]([^()\[\]（）【】]{3,80})[)\]）】]`)
	bracketed    = regexp.MustCompile(`^[\[(【]([^\[\]()【】]{3,80})[\])】]`)
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
	at, quoted := -1, -1
	note := func(kind, text string, block int) {
		if kind == "" {
			return
		}
		blocks[block].notice = true
		switch {
		case d.Deprecation != DeprecationDeclared && kind != d.Deprecation:
			d.Deprecation, at, quoted = kind, block, block
		case quoted != at || !isBelow(blocks, at, block):
			return
		}
		if blocks[block].kind == heading {
			text = strings.ReplaceAll(pictures.ReplaceAllString(text, ""), "\ufe0f", "")
		}
		d.DeprecationText, quoted = untyped.Short(text), block
	}
	for s := range d.statements(blocks) {
		s.judge(note)
	}
	if at < 0 {
		return
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
	for i, text := range sentences(b.said()) {
		if i == 0 && s.isState() {
			note(DeprecationDeclared, text, s.at)
		}
		note(s.kind(text), text, s.at)
	}
}

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
	d.cutState(blocks, runs)
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

// cutState removes the state of the project from the title if a name remains.
func (d *Document) cutState(blocks []block, runs []string) {
	at := slices.IndexFunc(blocks, func(b block) bool { return b.isTitle() && b.text != "" })
	if at < 0 {
		return
	}
	b := &blocks[at]
	name, found := statement{runs: runs}.withoutState(undecorated(b.text))
	if b.struck() {
		name, found = b.deleted, true
	}
	if found && letter.MatchString(name) && !advice.MatchString(name) {
		d.Title = untyped.Short(name)
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
	at := s.declaration(text)
	if at >= 0 && !unsaid.MatchString(text[:at]) && !isStep(text) {
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
	return declaredPhrase.MatchString(text) || topPhrase.MatchString(text) ||
		workPhrase.MatchString(text) || ended(text)
}

// ended reports whether a text says that something has ended.
func ended(text string) bool {
	m := hasEnded.FindStringIndex(text)
	return m != nil && !unsaid.MatchString(text[:m[0]]) && !isStep(text)
}

// isStep reports whether a state is a step of a process, as in "archived, compressed and sent", or
// that of work by somebody else: "not maintained by me".
func isStep(text string) bool {
	m := nextStep.FindStringSubmatch(text)
	return m != nil && !anotherState.MatchString(m[1]) || habit.MatchString(text)
}

var (
	nextStep = regexp.MustCompile(`(?i)\b(?:archived|retired)(?:,(?:\s+(?:and|then))*|` +
		`\s+(?:and|then)(?:\s+then)?)\s+(\w+ed|sent|kept|put|written|held)\b`)
	habit = regexp.MustCompile(
		`(?i)\b(?:archived|retired|replaced)\s[^.,;:!?()]*\b(?:when(?:ever)?|every)\b|` +
			`\bnot (?:being )?(?:actively )?maintained by\b`)
	anotherState = anchored(
		`^(?:replaced|moved|migrated|merged|renamed|removed|locked|closed|`, "ended", `)`)
)

// isNotice reports whether a block is about the end of the project or of another one.
func (b *block) isNotice() bool { return b.notice || ended(b.text) }

// declaration returns where a sentence declares that the project has ended or moved, -1 if it
// does not.
func (s statement) declaration(text string) int {
	if m := declaredPhrase.FindStringIndex(text); m != nil {
		return m[1]
	}
	if !s.top && !s.loud {
		return -1
	}
	if m := topPhrase.FindStringIndex(text); m != nil {
		return m[1]
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
	m := workPhrase.FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	object, lead := strings.Join(m[1:], ""), text[:strings.Index(text, m[0])]
	if !s.isOwn(object) || object == "" && !workLead.MatchString(lead) {
		return -1
	}
	return len(lead) + len(m[0])
}

// workLead matches what may stand before "development" as the subject of a sentence.
var workLead = regexp.MustCompile(
	`(?i)^[^\pL]*(?:(?:the|all|active|further|its?|new|notice:?|note:?)\s+)*$`)

// moving returns the end of the predicate of a sentence that says at which other address the
// project is. The address follows.
func (s statement) moving(text string) int {
	end := -1
	if m := movingPhrase.FindStringIndex(text); m != nil {
		end = m[1]
	} else if m := workMoved.FindStringSubmatch(text); m != nil && s.isOwn(m[1]) {
		end = strings.Index(text, m[0]) + len(m[0])
	}
	to := strings.TrimLeft(text[max(end, 0):], " :*\"'`")
	if end < 0 || elsewhere.MatchString(to) {
		return end
	}
	for _, l := range s.blocks[s.at].links {
		if name := strings.Trim(l.text, "`*"); l.isWeb() && name != "" && strings.HasPrefix(to, name) {
			return end
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
	text := undecorated(b.said())
	if b.kind == paragraph {
		text = stateLabel.ReplaceAllString(bracketed.ReplaceAllString(text, "$1:"), "")
		rest, found := afterState(text)
		return found && !s.isAboutOther(rest) && !isStep(text)
	}
	if !b.isTitle() || !s.loud || listsParts(s.blocks, s.at) {
		return false
	}
	_, found := s.withoutState(text)
	if below := s.below(); noticeState.MatchString(text) {
		return below == "" || advice.MatchString(below)
	} else if s.isWholeState(text) && !s.isAboutOther(below) {
		return true
	}
	return found || b.struck()
}

// afterState returns what follows a state at the beginning of a text. It reports whether there is
// one that is said of the project: not in a question, and joined only to advice, another state or
// a clause. In "Retired and active players" it is said of players.
func afterState(text string) (rest string, found bool) {
	m := firstState.FindStringIndex(text)
	if m == nil {
		return "", false
	}
	state, rest := text[:m[1]], text[m[1]:]
	if strings.ContainsAny(state+rest[:len(rest)-len(strings.TrimLeft(rest, " ?"))], "?？") {
		return "", false
	}
	return rest, !joint.MatchString(state) || goesOn.MatchString(rest) ||
		strings.HasSuffix(state, ",") && newClause.MatchString(rest)
}

// undecorated returns a text without pictures and marks at its ends.
func undecorated(text string) string {
	return strings.TrimSpace(strings.Trim(pictures.ReplaceAllString(text, ""), "\ufe0f *_!~"))
}

// below returns the first sentence below a heading, "" without one.
func (s statement) below() string {
	if s.at+1 >= len(s.blocks) || s.blocks[s.at+1].kind != paragraph {
		return ""
	}
	list := sentences(s.blocks[s.at+1].said())
	return strings.Join(list[:min(len(list), 1)], "")
}

// isAboutOther reports whether a sentence of a notice says what happens to something other than
// the project: "The SSE transport is deprecated", "SSE will be removed".
func (s statement) isAboutOther(text string) bool {
	m := happens.FindStringSubmatch(text)
	return m != nil && s.declaration(text) < 0 && !s.isOwn(m[1]) && !pronoun.MatchString(m[1])
}

var (
	happens = anchored(`^\W*(.{1,80}?)\s+`, "happens", ``)
	joint   = regexp.MustCompile(`(?i)(?:,|\s(?:and|but|so))$`)
	// goesOn matches the beginning of what is said of the project after a conjunction.
	goesOn = anchored(`^\s*(?:(?:and|but|so|then)\s+)*(?:please|use|see|switch|now|soon|next|`+
		`will|should|can|may|has|had|is|was|it|its|we|you|i|this|that|there|no|not|do|don['’]t|still|`+
		`superseded|replaced|moved|migrated|merged|renamed|removed|locked|closed|read-only|in favou?r|`+
		`as of|since|effective|because|due|kept|only|`, "states", `)\b`)
	// newClause matches the subject of a clause after a comma, unlike another word of a list.
	newClause = regexp.MustCompile(`(?i)^\s*(?:the|an?|our)\s`)
	pronoun   = regexp.MustCompile(`(?i)(?:^|\s)(?:it|this|that|there|we|i|you|they)$`)
)

// withoutState returns a title without the state in brackets, or before or after the name. It
// reports whether there is one. A word outside brackets that packages or servers are called by is a
// part of the name: "Sunset: times of the sun" of sunset-mcp.
func (s statement) withoutState(title string) (name string, found bool) {
	name = inBrackets.ReplaceAllStringFunc(title, func(part string) string {
		inside := strings.TrimSpace(inBrackets.FindStringSubmatch(part)[1])
		if _, found := afterState(inside); found || movedMark.MatchString(inside) {
			return " "
		}
		return part
	})
	if name != title {
		return strings.Join(strings.Fields(name), " "), true
	}
	state := lastState.FindString(title)
	name = strings.TrimSuffix(title, state)
	if word, rest, _ := strings.Cut(title, " "); state == "" && shoutedState.MatchString(title) {
		state, name = wholeState.FindString(word), rest
	}
	if m := separated.FindStringSubmatch(title); state == "" && m != nil && s.isStateOf(m[1], m[2]) {
		state, name = m[1], m[2]
	}
	if state == "" || s.isCalled(state) {
		return title, false
	}
	return name, true
}

// isStateOf reports whether the first part of a title is a state of what the rest names, or is
// followed by advice. "Retired: a server for pensions" is a name and a description instead.
func (s statement) isStateOf(first, rest string) bool {
	if _, found := afterState(first); !found {
		return false
	}
	if isShouted(first) || negation.MatchString(first) || advice.MatchString(rest) {
		return true
	}
	var named []string
	for _, w := range words.Fields(rest) {
		switch {
		case linking.MatchString(w):
			return false
		case !genericRun.MatchString(w):
			named = append(named, w)
		}
	}
	lower, _ := utf8.DecodeRuneInString(rest)
	isSlug := !strings.Contains(rest, " ")
	return len(named) > 0 && (isSlug || !unicode.IsLower(lower)) &&
		(len(s.runs) == 0 || slices.ContainsFunc(named, s.isCalled))
}

// isShouted reports whether all letters of a text are capitals.
func isShouted(text string) bool {
	return text == strings.ToUpper(text) && text != strings.ToLower(text)
}

var (
	// advice matches what follows a state in a title instead of a name.
	advice = regexp.MustCompile(`(?i)^(?:use|please|see|moved|replaced|superseded)\b`)

	// negation matches the beginning of a state that cannot be a name.
	negation = regexp.MustCompile(`(?i)^(?:no|not)\s`)

	// linking matches words of descriptions that names seldom have.
	linking = regexp.MustCompile(`(?i)^(?:an?|the|for|of|to|with|in|from|by|your|and)$`)
)

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
	if isShouted(whole) || pictures.MatchString(s.blocks[s.at].text) {
		return true
	}
	return slices.ContainsFunc(words.Fields(strings.ToLower(whole)), func(w string) bool {
		return !slices.Contains(s.named, w)
	})
}

// movedMark matches the beginning of a mark of a title: "(moved to the shore)".
var movedMark = regexp.MustCompile(`(?i)^moved\b`)

// separated matches the two parts of a title before and after a separator.
var separated = regexp.MustCompile(`^([^:：|–—]+?)\s*(?:[:：|]|\s[–—-]\s)\s*(.+)`)

// struck reports whether the whole name in a title is struck out. A state may stand beside it.
func (b *block) struck() bool {
	rest := inBrackets.ReplaceAllString(strings.Replace(b.text, b.deleted, "", 1), "")
	rest = strings.TrimSpace(strings.Trim(pictures.ReplaceAllString(rest, ""), " \ufe0f:–—-"))
	return b.deleted != "" && (!letter.MatchString(rest) || wholeState.MatchString(rest))
}

// listsParts reports whether a heading is above a list or a table, such as one of deprecated
// tools, or of links to several projects, instead of a notice.
func listsParts(blocks []block, at int) bool {
	linked := 0
	for i, b := range blocks[at+1:] {
		switch {
		case b.kind == heading:
			return false
		case b.kind != item && b.kind != row:
			continue
		case i == 0 && blocks[at].level > 1:
			return true
		case len(b.links) > 0:
			linked++
		}
		if linked > 1 {
			return true
		}
	}
	return false
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

// isBelow reports whether a block is in the first three below a heading, and in its section.
func isBelow(blocks []block, at, below int) bool {
	return blocks[at].kind == heading && below > at && below <= at+3 &&
		!slices.ContainsFunc(blocks[at+1:below+1], func(b block) bool { return b.kind == heading })
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
		if l.isWeb() && l.text != "" {
			all = append(all, untyped.Short(l.url))
		}
	}
	return all
}

// maxSentences is the maximum number of sentences of one block.
const maxSentences = 200

// said returns the text of a block without the mark of an alert.
func (b *block) said() string { return alertMark.ReplaceAllString(b.text, "") }

func sentences(s string) []string {
	out := sentence.FindAllString(s[:min(len(s), 16<<10)], maxSentences)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
