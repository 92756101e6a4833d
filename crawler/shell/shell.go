// Package shell parses shell commands, without executing or expanding them, and tells which
// package they run.
package shell

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Calls returns the words of all simple commands of a script, in order. Workflow
// expressions, such as ${{ matrix.os }}, are parts of words. It fails if the script is
// not in the syntax of Bash or a POSIX shell.
func Calls(script string) (calls [][]string, err error) {
	t := hidden(script, expression)
	file, err := parseText(t.text)
	if err != nil {
		return nil, err
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			calls = append(calls, t.words(c.Args))
		}
		return true
	})
	return calls, nil
}

// Line returns the words of the commands of a line in documentation, in order, without
// variables set for a command and with only the first command of a pipeline. It ignores
// text after a syntax error.
//
// Placeholders such as <your key> are words, not redirections, and an "&" within a
// word, for example in a URL, does not end a command. Workflow expressions are parts of
// words.
func Line(line string) (commands [][]string) {
	t, calls := parseCalls(line)
	for _, c := range calls {
		commands = append(commands, t.words(c.Args))
	}
	return commands
}

// assigned is [Line] with the variables set for a command before its words: "NAME=value".
func assigned(line string) (commands [][]string) {
	t, calls := parseCalls(line)
	for _, c := range calls {
		var words []string
		for _, a := range c.Assigns {
			if a.Name != nil && a.Value != nil {
				words = append(words, a.Name.Value+"="+t.word(a.Value))
			}
		}
		commands = append(commands, append(words, t.words(c.Args)...))
	}
	return commands
}

// parseCalls returns the commands of a line, and the text that they are parts of.
func parseCalls(line string) (t hiddenText, calls []*syntax.CallExpr) {
	t = protected(line)
	file, err := parseText(t.text)
	if bad := errorOffset(err); bad > 0 && bad <= len(t.text) {
		file, err = parseText(t.text[:bad])
	}
	if err != nil {
		return t, nil
	}
	return t, appendCalls(nil, file.Stmts...)
}

// A Word is a word of a script: without its quotes, and as it is written.
type Word struct{ Text, Source string }

// Everything returns the words of all commands of a script, also of those within others, and as
// words of their own the variables that it sets, "NAME=value", and texts that it redirects. Words
// after a syntax error are those between spaces.
func Everything(script string) (commands [][]Word) {
	t := protected(script)
	file, err := parseText(t.text)
	if bad := errorOffset(err); err != nil {
		bad = min(max(bad, 0), len(t.text))
		var rest []Word
		for _, w := range strings.Fields(t.restore(t.text[bad:])) {
			rest = append(rest, Word{strings.Trim(withoutQuotes.Replace(w), ";&|"), w})
		}
		commands = append(commands, rest)
		if file, err = parseText(t.text[:bad]); err != nil {
			return append(commands, []Word{{script, script}})
		}
	}
	add := func(words ...*syntax.Word) {
		var all []Word
		for _, w := range words {
			if w != nil {
				all = append(all, Word{t.word(w), t.restore(t.source(w))})
			}
		}
		commands = append(commands, all)
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.CallExpr:
			add(x.Args...)
		case *syntax.Assign:
			if x.Name != nil && x.Value != nil {
				set := x.Name.Value + "="
				commands = append(commands, []Word{{set + t.word(x.Value), set + t.restore(t.source(x.Value))}})
			}
		case *syntax.Redirect:
			add(x.Word)
			add(x.Hdoc)
		}
		return true
	})
	return commands
}

var withoutQuotes = strings.NewReplacer("'", "", `"`, "", "`", "")

// maxNesting is the deepest nesting of parentheses that is parsed: the parser recurses without a
// limit, and Go cannot recover from the overflow of a stack.
const maxNesting = 200

// ErrTooDeep is the error of a script that is nested too deeply.
var ErrTooDeep = errors.New("script is nested too deeply")

// parseText parses a script that is not nested too deeply.
func parseText(script string) (*syntax.File, error) {
	if isDeep(script) {
		return nil, ErrTooDeep
	}
	return syntax.NewParser().Parse(strings.NewReader(script), "")
}

// isDeep reports whether parentheses are nested too deeply, also those in quotes.
func isDeep(script string) bool {
	depth := 0
	for i := range len(script) {
		switch script[i] {
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		}
		if depth > maxNesting {
			return true
		}
	}
	return false
}

// errorOffset returns the position of a syntax error, -1 for other errors and nil.
func errorOffset(err error) int {
	if e := (syntax.ParseError{}); errors.As(err, &e) {
		return int(e.Pos.Offset())
	}
	if e := (syntax.LangError{}); errors.As(err, &e) {
		return int(e.Pos.Offset())
	}
	return -1
}

// appendCalls appends the simple commands of statements.
func appendCalls(calls []*syntax.CallExpr, statements ...*syntax.Stmt) []*syntax.CallExpr {
	for _, s := range statements {
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			if len(c.Args) > 0 {
				calls = append(calls, c)
			}
		case *syntax.BinaryCmd:
			calls = appendCalls(calls, c.X)
			if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
				calls = appendCalls(calls, c.Y)
			}
		case *syntax.TimeClause:
			if c.Stmt != nil {
				calls = appendCalls(calls, c.Stmt)
			}
		case *syntax.Subshell:
			calls = appendCalls(calls, c.Stmts...)
		case *syntax.Block:
			calls = appendCalls(calls, c.Stmts...)
		}
	}
	return calls
}

// Words returns the words of a text up to the first unquoted shell operator, such as
// "|". It treats placeholders as [Line] does.
func Words(text string) (words []string) {
	t := protected(text)
	if isDeep(t.text) {
		return nil
	}
	// The words before an error have been read.
	_ = syntax.NewParser().Words(strings.NewReader(t.text), func(w *syntax.Word) bool {
		words = append(words, t.word(w))
		return true
	})
	return words
}

func (t hiddenText) words(list []*syntax.Word) []string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = t.word(w)
	}
	return words
}

// word returns a word without its quotes, with variables and other expansions unchanged.
func (t hiddenText) word(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(escaped.ReplaceAllString(p.Value, "$1"))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				if lit, ok := inner.(*syntax.Lit); ok {
					b.WriteString(escapedInQuotes.ReplaceAllString(lit.Value, "$1"))
				} else {
					b.WriteString(t.source(inner))
				}
			}
		default:
			b.WriteString(t.source(part))
		}
	}
	return t.restore(b.String())
}

// Characters that a backslash escapes, outside and within double quotes. Outside, the
// shell removes all backslashes; here those before letters remain, because
// documentation contains Windows paths.
var (
	escaped         = regexp.MustCompile(`\\([^0-9A-Za-z_.])`)
	escapedInQuotes = regexp.MustCompile("\\\\([\\\\\"$`])")
)

func (t hiddenText) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(t.text) {
		return ""
	}
	return t.text[from:to]
}

var (
	// placeholder matches a name in angle brackets. It does not match the
	// redirections "<in >out", which have a space before the second bracket.
	placeholder = regexp.MustCompile(`<[A-Za-z][^<>\n]*[^<>\s]>|<[A-Za-z]>`)
	// expression matches a value that a workflow inserts before the shell runs.
	expression = regexp.MustCompile(`\$\{\{[^\n]*?\}\}`)
	innerAnd   = regexp.MustCompile(`([^\s&;|<>])&([^\s&;|<>])`)
)

// operators are the shell's special characters.
const operators = "<> \t&|;()'\"`#${}"

// A hiddenText has parts in which characters of its own stand for operators, so that the parser
// takes the parts for words.
type hiddenText struct {
	text string
	base rune // stands for the first operator, those after it for the others; 0: none do
}

// hidden hides the operators in the matches of expressions.
func hidden(text string, parts ...*regexp.Regexp) hiddenText {
	t := hiddenText{text: text, base: unused(text)}
	for _, p := range parts {
		t.text = p.ReplaceAllStringFunc(t.text, t.hide)
	}
	return t
}

// protected hides placeholders, expressions and "&" within words.
func protected(text string) hiddenText {
	t := hidden(text, expression, placeholder)
	t.text = innerAnd.ReplaceAllString(t.text, "${1}"+t.hide("&")+"${2}")
	return t
}

// unused returns the first of as many characters as there are operators, of which the text has
// none; 0 if it has some of all.
func unused(text string) rune {
	const first, size = 0xE000, 32
	used := map[rune]bool{}
	for _, r := range text {
		used[r/size] = true
	}
	for base := rune(first); base < unicode.MaxRune; base += size {
		if !used[base/size] {
			return base
		}
	}
	return 0
}

func (t hiddenText) hide(s string) string {
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(operators, r); i >= 0 && t.base > 0 {
			return t.base + rune(i)
		}
		return r
	}, s)
}

func (t hiddenText) restore(s string) string {
	return strings.Map(func(r rune) rune {
		if i := int(r - t.base); 0 <= i && i < len(operators) && t.base > 0 {
			return rune(operators[i])
		}
		return r
	}, s)
}
