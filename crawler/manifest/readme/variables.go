package readme

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

const (
	maxVariables    = 200
	maxIntroduction = 80 // bytes of a paragraph that introduces variables
)

// modeWord matches a way to run a server.
var modeWord = vocabulary.Expressions(rules, "variables/modes.txt").String()

var (
	requiredWord    = vocabulary.Expressions(rules, "variables/required.txt")
	optionalWord    = vocabulary.Expressions(rules, "variables/optional.txt")
	conditionalWord = vocabulary.Expressions(rules, "variables/conditional.txt")
	fragment        = vocabulary.Expressions(rules, "variables/fragments.txt")

	yesCell = regexp.MustCompile(`(?i)^(?:yes|y|true|required|✅|✓|✔.*|x|●)`)
	// conditionalCell matches cells with a condition: "yes (for HTTP)", "one of", "yes*" with a note.
	conditionalCell = regexp.MustCompile(`(?i)^(?:yes|y|required|✅|✓)\s*(?:\*+|[†‡¹²³]|\[\d\])$|` +
		`^(?:(?:yes|y|required|✅|✓|✔.{0,2})[\s*(,:]+)?` +
		`(?:for|if|in|when|with|on|only|unless|(?:either|one) of)\b|\bonly\b|仅|のみ|` +
		`^(?:yes|y|required|✅|✓)[\s*]*\((?:` + modeWord + `)\b`)
	// modeHead matches the head of a column that tells how the server runs, and modeCell a cell
	// there with a way that needs an argument of the command.
	modeHead = regexp.MustCompile(`^(?:mode|transport)s?$`)
	modeCell = regexp.MustCompile(`(?i)^\W*(?:` + modeWord + `)(?:\W+(?:mode|transport)s?)?\W*$`)
	// modeHeading matches headings of one of several ways to run a server, if others are before it: "HTTP mode".
	modeHeading  = regexp.MustCompile(`(?i)\b(?:` + modeWord + `)\W+(?:mode|transport)\W*$`)
	requiredCell = regexp.MustCompile(`(?i)^[*_(\s]*required[*_)\s]*$`)
	// alternativeCell matches cells of what one of two ways needs: "Required (or a certificate)".
	alternativeCell = regexp.MustCompile(`(?i)^[*_(\s]*required[*_(\s]+or\b`)
	envPair         = regexp.MustCompile(`"([A-Z][A-Z0-9_]{2,99})"\s*:\s*"([^"\n]{0,500})"`)
	envMember       = regexp.MustCompile(`"env"\s*:\s*\{([^{}]*)\}`)
	exported        = regexp.MustCompile(`(?m)(?:^|\s)(?:export|set|setx|\$env:|-e|--env)[ :]?\s*([A-Z][A-Z0-9_]{2,99})\b`)
	stateMark       = regexp.MustCompile(`(?i)^(?:\((?:required|optional)[^)]{0,80}\)|required|optional)\s*[:.\-–—]?\s*`)
)

// A variableList collects the claims about environment variables in order.
type variableList struct {
	all     []variable
	index   map[string]int
	section sectionKind // current section
	codes   bool        // the section lists codes or events rather than settings
	coded   []string    // the names that such sections and tables list
	named   bool        // the section's heading or an item before names variables
	words   bool        // its items begin with words in capitals
	within  alternative // current alternative, above is -1 for none
}

// A variable is what the text says about one. Its claim is weak while only code spans of a
// text that does not call it a variable name it.
type variable struct {
	settings.Claim
	ordinary bool                 // a configuration or sentence about the ordinary case names it
	remarked bool                 // its description is a comment, which may be about the value there
	needed   map[alternative]bool // the alternatives that require it
}

// A sectionKind is the kind of the variables below a heading.
type sectionKind int

const (
	plainSection sectionKind = iota
	requiredSection
	optionalSection
	specialSection // about a special case
	workSection    // about developing, testing, releasing or translating it
)

var (
	codesHeading = vocabulary.Expressions(rules, "variables/codes_headings.txt")
	envWord      = vocabulary.Expressions(rules, "variables/words.txt")
	workHeading  = vocabulary.Expressions(rules, "variables/work_headings.txt")

	requiredHeading = regexp.MustCompile(`(?i)\b(?:required|mandatory)\b`)
	notRequired     = regexp.MustCompile(`(?i)\bnot required\b`)
	optionalHeading = regexp.MustCompile(`(?i)\b(?:optional|not required)\b`)
	// optionalFile matches a text that calls a file optional, rather than the variables in it.
	optionalFile = regexp.MustCompile(`(?i)\boptional(?:ly,?)?:?\s+(?:an?\s+|the\s+)?(?:\.env\b|[\w-]+\s+file\b)`)
)

// listsCodes reports whether names in capitals below a heading are codes or events rather than
// settings.
func listsCodes(heading string) bool {
	return codesHeading.MatchString(heading) && !envWord.MatchString(heading)
}

// kindOf returns the kind of the variables below a heading.
func kindOf(h *block) sectionKind {
	switch {
	case optionalHeading.MatchString(h.text):
		return optionalSection
	case workHeading.MatchString(h.text):
		return workSection
	case isSpecial(h):
		return specialSection
	case requiredHeading.MatchString(h.text):
		return requiredSection
	}
	return plainSection
}

// introduced returns the kind of the variables that a paragraph such as "Optional variables:"
// introduces; ok is false if it introduces none.
func introduced(b *block) (kind sectionKind, ok bool) {
	optional, required := optionalHeading.MatchString(b.text), requiredHeading.MatchString(b.text)
	switch {
	case b.kind != paragraph || len(b.text) > maxIntroduction || !strings.HasSuffix(b.text, ":"):
		return plainSection, false
	case optionalFile.MatchString(b.text):
		return plainSection, true
	case optional && (!required || notRequired.MatchString(b.text)):
		return optionalSection, true
	case required && !optional:
		return requiredSection, true
	}
	return plainSection, optional || envWord.MatchString(b.text)
}

// get returns the variable with a name, adding it if necessary.
func (l *variableList) get(name string) *variable {
	if i, ok := l.index[name]; ok {
		return &l.all[i]
	}
	e := variable{Claim: settings.Claim{Source: settings.Text, At: len(l.all)}}
	e.Name, e.IsSecret, e.Weak = name, registry.IsSecretName(name), l.section == workSection
	if len(l.all) >= maxVariables {
		return &e
	}
	l.index[name] = len(l.all)
	l.all = append(l.all, e)
	return &l.all[len(l.all)-1]
}

// addVariables collects environment variables from the configurations already
// found, and from commands, tables, lists and code spans.
func (d *Document) addVariables(blocks []block) {
	list := &variableList{index: map[string]int{}}
	within := alternatives(blocks)
	for _, s := range d.Servers {
		list.configured(s)
	}
	level := 0 // of the heading that list.section is from
	for i := range blocks {
		b := &blocks[i]
		list.within = within[i]
		switch b.kind {
		case heading:
			list.codes, list.named, list.words = listsCodes(b.text), envWord.MatchString(b.text), false
			kind := kindOf(b)
			if kind == plainSection && len(list.all) > 0 && b.level > 1 && modeHeading.MatchString(b.text) {
				kind = specialSection
			}
			if list.section == plainSection || b.level <= level || kind != plainSection {
				list.section, level = kind, b.level
			}
			list.codeSpans(b)
		case code:
			list.exports(b.text)
			list.settings(b.text)
			list.fragment(b.text)
		case row:
			if list.codes || len(b.heads) > 0 && listsCodes(b.heads[0]) {
				list.coded = append(list.coded, b.code...)
			} else {
				list.row(b)
			}
		case item:
			if list.codes {
				continue
			}
			if !list.items(b) {
				list.codeSpans(b)
			}
		default:
			if kind, ok := introduced(b); ok && (kind != plainSection || level == folded) {
				list.section, level = kind, folded
			}
			list.codeSpans(b)
		}
	}
	list.dropAlternatives(within)
	list.explain(blocks)
	for _, name := range list.coded {
		if i, known := list.index[name]; known {
			list.all[i].Weak = true
		}
	}
	for i := range list.all {
		if e := &list.all[i]; e.Need == settings.Unstated && e.Default != "" {
			e.Need = settings.Optional // a default makes it optional
		}
		d.Variables = append(d.Variables, list.all[i].Claim)
	}
}

// items adds the variables that a list item describes, and reports whether it does. Items of a section
// that begins with one word in capitals may be such words themselves.
func (l *variableList) items(b *block) bool {
	names, rest := itemVariables(b)
	for _, name := range names {
		_, known := l.index[name]
		e := l.get(name)
		isWord, wasWeak := !strings.Contains(name, "_"), e.Weak || !known
		l.describe(e, rest)
		l.words = l.words || isWord && !l.named
		l.named = l.named || !l.words
		e.Weak = e.Weak || wasWeak && !l.named
	}
	return names != nil
}

// dropAlternatives makes variables optional that only some of several alternatives require.
func (l *variableList) dropAlternatives(within []alternative) {
	all := map[alternative]bool{}
	for _, a := range within {
		all[a] = true
	}
	sections := map[int]int{} // by the heading above them
	for a := range all {
		sections[a.above]++
	}
	for i := range l.all {
		e := &l.all[i]
		if e.needed[alternative{-1, -1}] { // required regardless of the choice
			continue
		}
		for a := range e.needed {
			if len(e.needed) < sections[a.above] {
				e.Need = settings.Conditional
			}
		}
	}
}

// confirm notes that the text calls the name a variable of the server. What it says about the
// work on the server may be about variables of other programs.
func (l *variableList) confirm(e *variable) { e.Weak = e.Weak && l.section == workSection }

// require notes that the current alternative requires the variable.
func (l *variableList) require(e *variable) {
	e.Need = settings.Required
	if e.needed == nil {
		e.needed = map[alternative]bool{}
	}
	e.needed[l.within] = true
}

// configured adds the variables that a configuration sets, unless it runs a bridge.
func (l *variableList) configured(s manifest.ClientServer) {
	launch, err := s.Launch()
	if err == nil && shell.IsBridge(launch.Identifier) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(launch.Env)) {
		if settings.IsEnvName(name) {
			e := l.get(name)
			e.IsSecret = e.IsSecret || settings.HoldsSecret(launch.Env[name])
			e.ordinary = e.ordinary || !s.Special
		}
	}
}

// exports adds the variables that shell lines set. Those beside a command that publishes may be
// variables of that.
func (l *variableList) exports(code string) {
	publishes := publishing.MatchString(code)
	for _, m := range exported.FindAllStringSubmatch(code, 100) {
		if !isSetting(m[1]) {
			continue
		}
		_, known := l.index[m[1]]
		if e := l.get(m[1]); !publishes {
			l.confirm(e)
		} else if !known {
			e.Weak = true
		}
	}
}

// publishing matches commands that publish packages and images.
var publishing = regexp.MustCompile(`\b(?:(?:uv|npm|pnpm|yarn|bun|cargo|poetry|hatch|flit|pdm|` +
	`deno|jsr) (?:run )?publish|twine upload|gem push|nuget push|docker push|goreleaser)\b`)

// settings adds the variables of a block in the format of an .env file, with the facts in its
// comments. Their values are examples.
func (l *variableList) settings(code string) {
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !settingLine.MatchString(line) {
			return
		}
	}
	all, _ := manifest.ParseEnvFile([]byte(code))
	for _, v := range all {
		if !isSetting(v.Name) {
			continue
		}
		e := l.get(v.Name)
		before := e.Need
		e.remarked = e.Description == ""
		l.describe(e, v.Description)
		switch {
		case stateMark.MatchString(v.Description): // otherwise "required" may be a value
		case before == settings.Required:
			e.Need = before
		case e.Need == settings.Required:
			e.Need = settings.Unstated
		}
	}
}

// settingLine matches a line of an .env file: a variable without a command after it.
var settingLine = regexp.MustCompile(`^[A-Z][A-Z0-9_]*=(?:"[^"]*"|'[^']*'|[^\s"']*)(?:\s+#.*)?$`)

// fragment adds the variables of a client's configuration that contains nothing else, such as
// `"env": {"NAME": "value"}`.
func (l *variableList) fragment(code string) {
	m := envMember.FindStringSubmatch(code)
	if m == nil || strings.Contains(code, `"command"`) || strings.Contains(code, `"url"`) {
		return
	}
	for _, pair := range envPair.FindAllStringSubmatch(m[1], 100) {
		if name := pair[1]; settings.IsEnvName(name) {
			e := l.get(name)
			e.IsSecret = e.IsSecret || settings.HoldsSecret(pair[2])
			l.confirm(e)
		}
	}
}

// isSetting reports whether a name in a text is a variable: a single word in capitals may be
// anything.
func isSetting(name string) bool {
	return settings.IsEnvName(name) && strings.Contains(name, "_")
}

// itemVariables returns the variables that a list item describes, and the description:
// "`TIDE_USER` and `TIDE_PASSWORD`: of the account".
func itemVariables(b *block) (names []string, rest string) {
	name, _, _ := strings.Cut(strings.TrimSuffix(b.lead, ":"), "=")
	if !settings.IsEnvName(name) || !strings.Contains(name, "_") && !b.defines(name) {
		return nil, ""
	}
	rest = b.rest
	names = append([]string{name}, moreNames(b, &rest)...)
	if len(names) > 1 && !strings.HasPrefix(strings.TrimSpace(rest), ":") {
		return names[:1], b.rest
	}
	return names, rest
}

// moreNames cuts the names in code that follow another one from the beginning of a text.
func moreNames(b *block, text *string) (names []string) {
	m := anotherName.FindStringSubmatch(*text)
	for m != nil && slices.Contains(b.code, m[1]) && isSetting(m[1]) {
		names, *text = append(names, m[1]), (*text)[len(m[0]):]
		m = anotherName.FindStringSubmatch(*text)
	}
	return names
}

// anotherName matches a name that follows another: ", TIDE_ZONE", " and TIDE_ZONE".
var anotherName = regexp.MustCompile(`^(?:\s*(?:[,/&+]|and\b|or\b))+\s*([A-Z][A-Z0-9_]{2,99})\b`)

// definedAs matches the text after a defined name: ": the zone", " (optional)".
var definedAs = regexp.MustCompile(`^\s*(?:[:=|(\[–—-]|\.\s)`)

// defines reports whether an item defines a name as code, rather than as the value of an item
// above it. A word in capitals without an underscore is a variable only then.
func (b *block) defines(name string) bool {
	_, after, _ := strings.Cut(b.text, name)
	return b.rest != "" && definedAs.MatchString(after) && b.level == 0 && len(b.code) > 0 &&
		strings.HasPrefix(b.code[0], name)
}

func (l *variableList) codeSpans(b *block) {
	for _, c := range b.code {
		if m := envPair.FindStringSubmatch(c); m != nil && isSetting(m[1]) {
			if e := l.get(m[1]); settings.IsPlaceholder(m[2]) && e.Need == settings.Unstated {
				e.Need = settings.Required
			}
			continue
		}
		name, _, set := strings.Cut(c, "=")
		if !isSetting(name) {
			continue
		}
		_, known := l.index[name]
		e := l.get(name)
		e.Weak = e.Weak || !known && !set && !envWord.MatchString(b.text)
		e.ordinary = e.ordinary || envWord.MatchString(b.text) && !l.isSpecial()
		_, after, _ := strings.Cut(b.text, c)
		switch state := bracketedState.FindString(after); {
		case e.Need != settings.Unstated:
		case optionalWord.MatchString(state):
			e.Need = settings.Optional
		case requiredWord.MatchString(state):
			e.Need = settings.Required
		}
	}
}

// bracketedState matches what is in brackets after a name.
var bracketedState = regexp.MustCompile(`^\s*(?:\([^()]{2,30}\)|（[^（）]{2,30}）|\[[^\[\]]{2,30}\])`)

// row adds the variable that a row of a table describes: a name in a cell, or the variable of an
// option in another cell.
func (l *variableList) row(b *block) {
	ofOption := slices.ContainsFunc(b.cells, func(c string) bool { return option.MatchString(c) })
	for i, lead := range b.leads {
		name := cmp.Or(lead, b.cells[i])
		inColumn := i < len(b.heads) && envHead.MatchString(b.heads[i]) &&
			(ofOption || strings.Contains(b.heads[i], "var"))
		if isSetting(name) || inColumn && settings.IsEnvName(name) {
			_, rest, _ := strings.Cut(b.cells[i], name)
			for _, name := range append([]string{name}, moreNames(b, &rest)...) {
				e := l.get(name)
				text := e.Description
				if e.remarked {
					e.Description = ""
				}
				l.describeRow(e, b, i)
				e.Description = cmp.Or(e.Description, text)
			}
			return
		}
	}
	if !ofOption {
		return
	}
	for _, c := range b.cells {
		if m := envOfOption.FindStringSubmatchIndex(c); m != nil && isSetting(c[m[2]:m[3]]) {
			l.describe(l.get(c[m[2]:m[3]]), strings.TrimRight(c[:m[0]], " (["))
			return
		}
	}
}

var (
	option  = regexp.MustCompile(`^--?[a-z]`)
	envHead = regexp.MustCompile(`\benv(?:ironment)?\b`)
	// envOfOption matches the variable at the end of an option's description: "[env: TIDE_PORT]".
	envOfOption = regexp.MustCompile(`[(\[]?\b(?i:env(?:ironment)?(?: var(?:iable)?)?)[:=]? *([A-Z][A-Z0-9_]{2,99})=?[)\]]?\.?$`)
)

// describeRow sets the facts in the cells of a row about a variable, whose name is in the cell
// at.
func (l *variableList) describeRow(e *variable, b *block, at int) {
	longest, preset := "", ""
	required, known, conditional, unset := false, false, l.isNew(e), false
	// An earlier table is of the ordinary case.
	optional := e.Need == settings.Optional || e.Need == settings.Conditional
	for i, c := range b.cells {
		head := ""
		if i < len(b.heads) {
			head = b.heads[i]
		}
		switch {
		case i == at:
		case optionalHeading.MatchString(head):
			required, known = !yesCell.MatchString(c), c != ""
		case strings.Contains(head, "required"):
			conditional = conditional || conditionalCell.MatchString(c)
			required, known = yesCell.MatchString(c) && !conditional, c != ""
		case modeHead.MatchString(head):
			conditional = conditional || modeCell.MatchString(c)
		case strings.Contains(head, "default") && requiredCell.MatchString(c):
			required, known = true, true
		case strings.Contains(head, "default") && isUnset(c):
			known, unset = true, true // the server runs without it
		case strings.Contains(head, "default"):
			preset = cmp.Or(defaultIn(c), preset)
		case strings.HasPrefix(head, "example"):
		case len(c) > len(longest) && !noDefault.MatchString(c):
			longest = c
		}
	}
	if !e.IsSecret && !settings.IsExample(preset) {
		e.Default = preset
	}
	l.describe(e, longest)
	if !known && e.Default != "" && e.Need == settings.Required {
		required, known = true, true
	}
	switch {
	case !known:
	case conditional, unset && !required:
		e.Need = settings.Conditional
	case required && e.Default == "" && !optional: // a default makes it optional
		l.require(e)
	default:
		e.Need = settings.Optional
	}
}

// defaultIn returns the default in a cell, "" for none and for several.
func defaultIn(cell string) string {
	value, _, _ := strings.Cut(cell, " (")
	if noDefault.MatchString(value) || noDefault.MatchString(cell) || severalValues.MatchString(cell) || remark.MatchString(cell) {
		return ""
	}
	if m := quotedFirst.FindStringSubmatch(cell); m != nil {
		cell = m[1]
	} else if settings.IsValue(value) {
		cell = value // without the remark
	}
	return untyped.Short(strings.Trim(cell, "`\""))
}

// noDefault matches cells without a default: "-", "(none)", "N/A", "see below".
var noDefault = regexp.MustCompile("(?i)^[\\s(`*_\"]*(?:(?:-+|—|–|none|n/a|null|nil|undefined)?[\\s)`*_\".]*|see\\b.*)$")

// remark matches cells with a remark about the default: "*(all zones)*".
var remark = regexp.MustCompile(`^[*_\s]*\([^()]*\)[*_\s]*$`)

// severalValues matches cells with several defaults: "stdio (local), http (remote)", or
// several in quotes.
var severalValues = regexp.MustCompile(`\)\s*[,;/]\s*[^,;/()]+\(|` +
	"[\"'`]\\s*(?:[,;/|]|or)\\s*[\"'`]")

// quotedFirst matches a quoted default followed by a remark: `"disk" (see below)`.
var quotedFirst = regexp.MustCompile("^[\"`]([^\"`]+)[\"`]\\s+[^\"`]+$")

// isUnset reports whether an empty default is stated, `""`, "(empty)", "not set (stdio)", or what one of
// two ways needs.
func isUnset(s string) bool {
	if alternativeCell.MatchString(s) {
		return true
	}
	if before, _, found := strings.Cut(s, " ("); found && strings.TrimSpace(before) != "" {
		s = before
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("`\"'()<> ", r) })
	text := strings.Join(words, " ")
	return text == "" && strings.TrimSpace(s) != "" || emptyValue.MatchString(text)
}

var emptyValue = regexp.MustCompile(`^(?:empty(?: string)?|unset|not set)$|^empty(?: - |/)`)

// isSpecial reports whether the section is about a special case or the work on the server.
func (l *variableList) isSpecial() bool {
	return l.section == specialSection || l.section == workSection
}

// isNew reports whether only the section of a special case has named the variable so far.
func (l *variableList) isNew(e *variable) bool { return l.isExtra(e) && e.Need == settings.Unstated }

// isExtra reports whether the section is about a special case, and nothing names the variable for others.
func (l *variableList) isExtra(e *variable) bool { return l.isSpecial() && !e.ordinary }

// describe sets the facts in a description, and those of its section, about a variable.
func (l *variableList) describe(e *variable, s string) {
	l.confirm(e)
	own, mark := ownClauses(e.Name, s), stateMark.FindString(strings.TrimSpace(s))
	demanded := requiredWord.MatchString(mark) && !optionalWord.MatchString(mark)
	switch {
	case conditionalWord.MatchString(own), l.isExtra(e):
		e.Need = settings.Conditional
	case optionalWord.MatchString(own) && (!demanded || optionalHeading.MatchString(own)),
		l.section == optionalSection:
		e.Need = settings.Optional
	case requiredWord.MatchString(own), l.section == requiredSection:
		l.require(e)
	}
	if e.Default == "" && !e.IsSecret {
		e.Default = defaultOf(own)
	}
	s = strings.TrimSpace(s)
	if len(mark) < len(s) {
		s = s[len(mark):]
	}
	s = strings.TrimLeft(s, " :-–—")
	if e.Description == "" && !fragment.MatchString(s) {
		e.Description = untyped.Short(s)
	}
}
