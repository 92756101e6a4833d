package others

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenNumber
	tokenString
	tokenTemplate // a string with interpolation
	tokenDoc      // a documentation comment; text excludes its marks
	tokenOperator
)

type token struct {
	kind tokenKind
	text string
	line bool // first of its line
}

// A language describes the lexical syntax of a language.
type language struct {
	lineComments []string
	docLine      string // of documentation, such as ///
	blocks       bool   // /* */ and /** */
	singleQuoted bool   // strings in single quotes
	interpolated string // start of an interpolation in a string
	tripled      bool   // strings in three quotes
	hashRaw      bool   // r#"..."#
	verbatim     bool   // @"..."
	openIndent   bool   // the last line of a text block does not affect its indentation
	heredoc      string // start of a heredoc
	attribute    string // start of an attribute, if it looks like a comment
}

// languages are the languages by the names of [paths.Language].
var languages = map[string]*language{
	"Rust":   {lineComments: []string{"//"}, docLine: "///", blocks: true, hashRaw: true},
	"C#":     {lineComments: []string{"//"}, docLine: "///", blocks: true, tripled: true, verbatim: true},
	"Java":   {lineComments: []string{"//"}, blocks: true, tripled: true},
	"Kotlin": {lineComments: []string{"//"}, blocks: true, tripled: true, interpolated: "$", openIndent: true},
	"Swift":  {lineComments: []string{"//"}, docLine: "///", blocks: true, tripled: true, interpolated: `\(`},
	"Ruby":   {lineComments: []string{"#"}, singleQuoted: true, interpolated: "#{", heredoc: "<<"},
	"PHP": {lineComments: []string{"//", "#"}, blocks: true, singleQuoted: true, interpolated: "$",
		heredoc: "<<<", attribute: "#["},
}

// A lexer splits a text into tokens. Each step consumes at least one byte.
type lexer struct {
	*language
	src    string
	pos    int
	fresh  bool // at the beginning of a line
	open   int  // heredocs without an end until pos
	tokens []token
}

// maxOpen is the number of heredocs of a text whose end is looked for and not found. Others have
// none.
const maxOpen = 20

func lex(l *language, src string) []token {
	x := &lexer{language: l, src: strings.ReplaceAll(src, "\r\n", "\n"), fresh: true}
	for x.pos < len(x.src) {
		x.next()
	}
	return x.tokens
}

func (x *lexer) add(kind tokenKind, text string) {
	x.tokens = append(x.tokens, token{kind, text, x.fresh})
	x.fresh = false
}

func (x *lexer) next() {
	rest := x.src[x.pos:]
	c := rest[0]
	switch {
	case strings.IndexByte(" \t\r\f\n", c) >= 0:
		x.pos++
		x.fresh = x.fresh || c == '\n'
	case x.comment(rest) || x.block(rest) || x.heredocument(rest) || x.rawString(rest):
	case c == '"' || c == '\'' && x.singleQuoted:
		x.text(rest[:1], strings.HasSuffix(x.before(), "$"))
	case c == '\'':
		x.character(rest)
	case c >= '0' && c <= '9':
		n := len(numberForm.FindString(rest))
		x.add(tokenNumber, rest[:n])
		x.pos += n
	default:
		if n := len(wordForm.FindString(rest)); n > 0 {
			x.add(tokenWord, rest[:n])
			x.pos += n
			return
		}
		x.operator(rest)
	}
}

var (
	wordForm   = regexp.MustCompile(`^[\pL_][\pL\pN_]*`)
	numberForm = regexp.MustCompile(`^[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)?`)
)

// before returns the text of the last token.
func (x *lexer) before() string {
	if n := len(x.tokens); n > 0 {
		return x.tokens[n-1].text
	}
	return ""
}

func (x *lexer) operator(rest string) {
	for _, op := range []string{"=>", "->", "::", "<-", "===", "!==", "==", "!=", "&&", "#["} {
		if strings.HasPrefix(rest, op) {
			x.pos += len(op)
			x.add(tokenOperator, op[:min(2, len(op))])
			return
		}
	}
	_, size := utf8.DecodeRuneInString(rest)
	x.pos += size
	x.add(tokenOperator, rest[:size])
}

func (x *lexer) comment(rest string) bool {
	if x.attribute != "" && strings.HasPrefix(rest, x.attribute) {
		return false
	}
	for _, mark := range x.lineComments {
		if !strings.HasPrefix(rest, mark) {
			continue
		}
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		if x.docLine != "" && strings.HasPrefix(rest, x.docLine) {
			x.add(tokenDoc, rest[len(x.docLine):end])
		}
		x.pos += end
		return true
	}
	return false
}

// block consumes /* */. A block that begins with /** is documentation.
func (x *lexer) block(rest string) bool {
	if !x.blocks || !strings.HasPrefix(rest, "/*") {
		return false
	}
	end := strings.Index(rest[2:], "*/")
	text := rest[2:]
	if end >= 0 {
		text = text[:end]
		x.pos += end + 4
	} else {
		x.pos = len(x.src)
	}
	if strings.HasPrefix(text, "*") {
		x.add(tokenDoc, blockText(text[1:]))
	}
	return true
}

// blockText removes the asterisks at the beginnings of lines.
func blockText(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, "*"), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

var heredocForm = regexp.MustCompile(`^<<<?[~-]?\s*(['"]?)([A-Z][A-Za-z0-9_]*)['"]?([^\n]*)\n`)

func (x *lexer) heredocument(rest string) bool {
	if x.heredoc == "" || x.open >= maxOpen || !strings.HasPrefix(rest, x.heredoc) {
		return false
	}
	m := heredocForm.FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	body := rest[len(m[0]):]
	end := regexp.MustCompile(`(?m)^[ \t]*` + m[2] + `\b`).FindStringIndex(body)
	if end == nil {
		x.open++
		return false
	}
	text := dedent(strings.TrimSuffix(body[:end[0]], "\n"))
	kind := tokenString
	if m[1] != "'" && strings.Contains(text, x.interpolated) {
		kind = tokenTemplate
	}
	x.add(kind, text)
	// The rest of the line of the opening mark belongs to the expression.
	for _, t := range lex(x.language, m[3]) {
		t.line = false
		x.tokens = append(x.tokens, t)
	}
	x.pos += len(m[0]) + end[1]
	return true
}

// rawString consumes r"..." and r#"..."#, and @"...".
func (x *lexer) rawString(rest string) bool {
	if x.verbatim &&
		(strings.HasPrefix(rest, `@"`) || strings.HasPrefix(rest, `$@"`) || strings.HasPrefix(rest, `@$"`)) {
		return x.verbatimString(rest)
	}
	if !x.hashRaw || rest[0] != 'r' && !strings.HasPrefix(rest, "br") {
		return false
	}
	m := rawForm.FindString(rest)
	if m == "" {
		return false
	}
	closing := `"` + strings.Repeat("#", strings.Count(m, "#"))
	body := rest[len(m):]
	end := strings.Index(body, closing)
	if end < 0 { // like a comment without an end
		x.pos = len(x.src)
		return true
	}
	x.add(tokenString, body[:end])
	x.pos += len(m) + end + len(closing)
	return true
}

var rawForm = regexp.MustCompile(`^b?r#*"`)

func (x *lexer) verbatimString(rest string) bool {
	open := strings.IndexByte(rest, '"') + 1
	var b strings.Builder
	for i := open; i < len(rest); i++ {
		if rest[i] != '"' {
			b.WriteByte(rest[i])
			continue
		}
		if i+1 < len(rest) && rest[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		kind := tokenString
		if strings.Contains(rest[:open], "$") && strings.Contains(b.String(), "{") {
			kind = tokenTemplate
		}
		x.add(kind, b.String())
		x.pos += i + 1
		return true
	}
	return false
}

// character consumes 'x'. A quote that does not begin a character, such as that of a lifetime, is
// an operator.
func (x *lexer) character(rest string) {
	if m := characterForm.FindString(rest); m != "" {
		x.add(tokenNumber, m)
		x.pos += len(m)
		return
	}
	x.operator(rest)
}

var characterForm = regexp.MustCompile(`^'(\\[^\n']+|\\'|[^\\'\n])'`)

// text consumes a string whose opening quote is at pos.
func (x *lexer) text(quote string, dollar bool) {
	start := x.pos
	if triple := strings.Repeat(quote, 3); x.tripled && strings.HasPrefix(x.src[start:], triple) {
		quote = triple
	}
	i := start + len(quote)
	for i < len(x.src) && !strings.HasPrefix(x.src[i:], quote) {
		if x.src[i] == '\\' && i+1 < len(x.src) {
			i++
		}
		i++
	}
	i = min(i, len(x.src))
	for len(quote) == 3 && strings.HasPrefix(x.src[min(i+1, len(x.src)):], quote) { // four quotes at the end
		i++
	}
	body := x.src[start+len(quote) : min(i, len(x.src))]
	x.pos = min(i+len(quote), len(x.src))
	kind := tokenString
	switch {
	case quote == "'":
		x.add(kind, strings.NewReplacer(`\'`, "'", `\\`, `\`).Replace(body))
		return
	case dollar && strings.Contains(body, "{"), x.interpolated != "" && interpolates(body, x.interpolated):
		kind = tokenTemplate
	}
	if len(quote) == 3 {
		if x.openIndent {
			body = strings.TrimRight(body, " \t\n")
		}
		body = dedent(strings.TrimPrefix(body, "\n"))
		body = strings.TrimRight(body, " \t\n")
	}
	x.add(kind, unescape(body))
}

func interpolates(body, mark string) bool {
	for i := strings.Index(body, mark); i >= 0 && i < len(body); {
		after := body[i+len(mark):]
		if mark != "$" || after != "" && (after[0] == '{' || wordForm.MatchString(after)) {
			return i == 0 || body[i-1] != '\\' || mark == `\(`
		}
		next := strings.Index(after, mark)
		if next < 0 {
			return false
		}
		i += len(mark) + next
	}
	return false
}

// unescape decodes the escapes that the languages share. A backslash at the end
// of a line removes the line break and the following indentation.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	simple := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '0': "\x00", '"': `"`, '\'': "'", '\\': `\`,
		'$': "$", 'b': "\b", 's': " ", 'e': "\x1b", '#': "#"}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case simple[s[i]] != "":
			b.WriteString(simple[s[i]])
		case s[i] == '\n':
			for i+1 < len(s) && strings.IndexByte(" \t\n", s[i+1]) >= 0 {
				i++
			}
		case s[i] == 'u':
			m := unicodeForm.FindStringSubmatch(s[i:])
			if m == nil {
				b.WriteString(`\u`)
				continue
			}
			code, _ := strconv.ParseUint(m[1]+m[2], 16, 32)
			b.WriteRune(rune(code))
			i += len(m[0]) - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

var unicodeForm = regexp.MustCompile(`^u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))`)

// dedent removes the common indentation of the lines that are not blank.
func dedent(s string) string {
	lines := strings.Split(s, "\n")
	margin := -1
	for i, line := range lines {
		content := strings.TrimLeft(line, " \t")
		if content == "" && i < len(lines)-1 {
			continue
		}
		if indent := len(line) - len(content); margin < 0 || indent < margin {
			margin = indent
		}
	}
	for i, line := range lines {
		lines[i] = line[min(max(margin, 0), len(line)):]
	}
	return strings.Join(lines, "\n")
}
