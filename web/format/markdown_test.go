package format

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	source "github.com/yuin/goldmark/text"

	"mcpcensus/internal/text"
	"mcpcensus/web/webtest"
)

var markdownParser = goldmark.New(goldmark.WithExtensions(extension.GFM))

func parseMarkdown(s string) ast.Node {
	return markdownParser.Parser().Parse(source.NewReader([]byte(s)))
}

// FuzzMarkdownText checks that an escaped text means itself, also to those who
// make links of whatever looks like one.
func FuzzMarkdownText(f *testing.F) {
	for _, a := range append(webtest.Attacks, "*a* _b_ [c](http://d) ![e](f) `g` <h> https://i.example www.j.example k@l.example ~~m~~ | n | # o", "1. a", "- a", "+ a", "===", "---", "a\n===\n", "&amp; &#35;", "\\", "~~~", "12) a", "mailto:x@y.example", "xmpp:x@y.example", "[x]: http://a", "ftp://a.example", "[ ] todo", "a  \nb", "!\\[") {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 500 {
			return
		}
		for _, prefix := range []string{"", "- ", "> ", "# "} {
			source := []byte(prefix + Markdown(s))
			var got strings.Builder
			_ = ast.Walk(parseMarkdown(string(source)), func(n ast.Node, in bool) (ast.WalkStatus, error) {
				if !in {
					return ast.WalkContinue, nil
				}
				switch n := n.(type) {
				case *ast.Document, *ast.Paragraph, *ast.TextBlock:
				case *ast.List, *ast.ListItem:
					if prefix != "- " {
						t.Fatalf("%q becomes a list", source)
					}
				case *ast.Blockquote:
					if prefix != "> " {
						t.Fatalf("%q becomes a quotation", source)
					}
				case *ast.Heading:
					if prefix != "# " {
						t.Fatalf("%q becomes a heading", source)
					}
				case *ast.Text:
					got.Write(n.Segment.Value(source))
				case *ast.String:
					got.Write(n.Value)
				default:
					t.Fatalf("%q becomes %s", source, n.Kind())
				}
				return ast.WalkContinue, nil
			})
			if plain := unescaped(got.String()); plain != text.OneLine(s) {
				t.Fatalf("%q means %q, not %q", source, plain, text.OneLine(s))
			}
		}
	})
}

// unescaped takes the backslashes out that stand before punctuation.
func unescaped(s string) string {
	var b strings.Builder
	for n := 0; n < len(s); n++ {
		if s[n] == '\\' && n+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[n+1]) >= 0 {
			n++
		}
		b.WriteByte(s[n])
	}
	return b.String()
}

// FuzzMarkdownCode checks that code cannot be left.
func FuzzMarkdownCode(f *testing.F) {
	for _, a := range append(webtest.Attacks, "`", "``", "```\n# a\n```", "a`b", "` `", "~~~") {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 500 {
			return
		}
		only := func(source string, code ast.NodeKind) {
			n := 0
			_ = ast.Walk(parseMarkdown(source), func(node ast.Node, in bool) (ast.WalkStatus, error) {
				switch node.Kind() {
				case ast.KindDocument, ast.KindParagraph, ast.KindText:
				case code:
					if in {
						n++
					}
				default:
					t.Fatalf("%q becomes %s", source, node.Kind())
				}
				return ast.WalkContinue, nil
			})
			if n != 1 {
				t.Fatalf("%q becomes %d pieces of code", source, n)
			}
		}
		if c := MarkdownCode(s); c != "" {
			only("x "+c, ast.KindCodeSpan)
		}
		only(MarkdownBlock(s), ast.KindFencedCodeBlock)
	})
}
