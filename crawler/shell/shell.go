// Package shell parses shell commands, without executing or expanding them, and tells which
// package they run.
package shell

import (
	"errors"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Calls returns the words of all simple commands of a script, in order. Workflow
// expressions, such as ${{ matrix.os }}, are parts of words. It fails if the script is
// not in the syntax of Bash or a POSIX shell.
func Calls(script string) (calls [][]string, err error) {
	script = expression.ReplaceAllStringFunc(script, hide.Replace)
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, err
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			calls = append(calls, restored(wordsOf(script, c.Args)))
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
	text, calls := parseCalls(line)
	for _, c := range calls {
		commands = append(commands, restored(wordsOf(text, c.Args)))
	}
	return commands
}

// assigned is [Line] with the variables set for a command before its words: "NAME=value".
func assigned(line string) (commands [][]string) {
	text, calls := parseCalls(line)
	for _, c := range calls {
		var words []string
		for _, a := range c.Assigns {
			if a.Name != nil && a.Value != nil {
				words = append(words, a.Name.Value+"="+wordOf(text, a.Value))
			}
		}
		commands = append(commands, restored(append(words, wordsOf(text, c.Args)...)))
	}
	return commands
}

// parseCalls returns the commands of a line, and the text that their positions refer to.
func parseCalls(line string) (text string, calls []*syntax.CallExpr) {
	text = protect(line)
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if bad := errorOffset(err); bad > 0 && bad <= len(text) {
		file, err = syntax.NewParser().Parse(strings.NewReader(text[:bad]), "")
	}
	if err != nil {
		return text, nil
	}
	for _, s := range file.Stmts {
		calls = appendCalls(calls, s)
	}
	return text, calls
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

// appendCalls appends the simple commands of a statement.
func appendCalls(calls []*syntax.CallExpr, s *syntax.Stmt) []*syntax.CallExpr {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			return append(calls, c)
		}
	case *syntax.BinaryCmd:
		calls = appendCalls(calls, c.X)
		if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
			return appendCalls(calls, c.Y)
		}
	}
	return calls
}

// Words returns the words of a text up to the first unquoted shell operator, such as
// "|". It treats placeholders as [Line] does.
func Words(text string) (words []string) {
	text = protect(text)
	// The words before an error have been read.
	_ = syntax.NewParser().Words(strings.NewReader(text), func(w *syntax.Word) bool {
		words = append(words, wordOf(text, w))
		return true
	})
	return restored(words)
}

func wordsOf(text string, list []*syntax.Word) []string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = wordOf(text, w)
	}
	return words
}

// wordOf returns a word without its quotes, with variables and other expansions
// unchanged.
func wordOf(text string, w *syntax.Word) string {
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
					b.WriteString(source(text, inner))
				}
			}
		default:
			b.WriteString(source(text, part))
		}
	}
	return b.String()
}

// Characters that a backslash escapes, outside and within double quotes. Outside, the
// shell removes all backslashes; here those before letters remain, because
// documentation contains Windows paths.
var (
	escaped         = regexp.MustCompile(`\\([^0-9A-Za-z_.])`)
	escapedInQuotes = regexp.MustCompile("\\\\([\\\\\"$`])")
)

// source returns the source text of a node.
func source(text string, n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(text) {
		return ""
	}
	return text[from:to]
}

var (
	// placeholder matches a name in angle brackets. It does not match the
	// redirections "<in >out", which have a space before the second bracket.
	placeholder = regexp.MustCompile(`<[A-Za-z][^<>\n]*[^<>\s]>|<[A-Za-z]>`)
	// expression matches a value that a workflow inserts before the shell runs.
	expression = regexp.MustCompile(`\$\{\{[^\n]*?\}\}`)
	innerAnd   = regexp.MustCompile(`([^\s&;|<>])&([^\s&;|<>])`)
)

// operators are the shell's special characters. While a text is parsed they are replaced
// by characters from a private use area.
const operators = "<> \t&|;()'\"`#${}"

var hide, restore = func() (hide, restore *strings.Replacer) {
	var to, from []string
	for i, r := range operators {
		private := string(rune(0xE000 + i))
		to, from = append(to, string(r), private), append(from, private, string(r))
	}
	return strings.NewReplacer(to...), strings.NewReplacer(from...)
}()

// protect hides placeholders, expressions and "&" within words from the parser.
func protect(text string) string {
	text = expression.ReplaceAllStringFunc(text, hide.Replace)
	text = placeholder.ReplaceAllStringFunc(text, hide.Replace)
	return innerAnd.ReplaceAllString(text, "$1\uE004$2")
}

// restored reverses protect.
func restored(words []string) []string {
	for i, w := range words {
		words[i] = restore.Replace(w)
	}
	return words
}
