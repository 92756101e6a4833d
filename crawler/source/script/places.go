package script

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// A parsedText is the text of which a syntax tree was made.
type parsedText struct {
	text     []byte // the nodes of the tree have parts of it
	mappings string // from text to the file, if it was compiled (source map, revision 3); or ""
	starts   []int  // of the lines of text, once known
	lines    []int  // of the file, by the lines of text, once known
}

// line returns the line of a file with a part of its syntax tree; 1 if that is unknown.
func (s *syntax) line(file string, part []byte) int {
	p := s.texts[file]
	if p == nil || len(part) == 0 || len(p.text) == 0 {
		return 1
	}
	at := int(reflect.ValueOf(part).Pointer()) - int(reflect.ValueOf(p.text).Pointer())
	if at < 0 || at >= len(p.text) {
		return 1
	}
	if p.starts == nil {
		p.starts = startsOf(p.text)
	}
	line, found := slices.BinarySearch(p.starts, at)
	if !found {
		line--
	}
	if p.mappings == "" {
		return line + 1
	}
	if p.lines == nil {
		p.lines = originalLines(p.mappings)
	}
	if line >= len(p.lines) {
		return 1
	}
	return p.lines[line] + 1
}

// startsOf returns where the lines of a text begin.
func startsOf(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// originalLines returns the first line of the source for each line of a source map.
func originalLines(mappings string) []int {
	lines, original := []int{}, 0
	for group := range strings.SplitSeq(mappings, ";") {
		first := -1
		for segment := range strings.SplitSeq(group, ",") {
			fields := decode(segment)
			if len(fields) < 4 {
				continue
			}
			original += fields[2]
			if first < 0 {
				first = original
			}
		}
		if first < 0 && len(lines) > 0 {
			first = lines[len(lines)-1]
		}
		lines = append(lines, max(first, 0))
	}
	return lines
}

// decode returns the numbers of a segment of a source map.
func decode(segment string) (fields []int) {
	n, shift := 0, 0
	for i := range len(segment) {
		d := strings.IndexByte(digits, segment[i])
		if d < 0 || shift > 30 {
			return nil
		}
		n |= d & 31 << shift
		if shift += 5; d&32 != 0 {
			continue
		}
		if n&1 != 0 {
			n = -(n >> 1)
		} else {
			n >>= 1
		}
		fields, n, shift = append(fields, n), 0, 0
	}
	return fields
}

func mappingsOf(sourceMap []byte) string {
	var m struct{ Mappings string }
	_ = json.Unmarshal(sourceMap, &m) // esbuild made it
	return m.Mappings
}

// dataOf returns a part of the text of a call: its method, or else its first literal argument, or
// else the function where it is first used.
func dataOf(n js.INode) []byte {
	var args *js.Args
	var callee js.IExpr
	switch n := n.(type) {
	case *js.CallExpr:
		callee, args = n.X, &n.Args
	case *js.NewExpr:
		callee, args = n.X, n.Args
	case *js.TemplateExpr:
		callee = n.Tag
	case *js.FuncDecl:
		if n.Name != nil {
			return n.Name.Data
		}
		return firstData(&n.Body)
	case *js.ArrowFunc:
		return firstData(&n.Body)
	case *js.MethodDecl:
		return n.Name.Literal.Data
	}
	if d, ok := unwrap(callee).(*js.DotExpr); ok {
		if l, ok := d.Y.(js.LiteralExpr); ok {
			return l.Data
		}
	}
	if args != nil {
		for _, a := range args.List {
			if l, ok := a.Value.(*js.LiteralExpr); ok {
				return l.Data
			}
		}
	}
	if v, ok := unwrap(callee).(*js.Var); ok {
		return v.Data
	}
	return nil
}

// firstData returns the first name or literal in a block.
func firstData(b *js.BlockStmt) []byte {
	f := &finder{}
	js.Walk(f, b)
	return f.data
}

type finder struct{ data []byte }

// Enter implements [js.IVisitor].
func (f *finder) Enter(n js.INode) js.IVisitor {
	if f.data != nil {
		return nil
	}
	switch n := n.(type) {
	case *js.LiteralExpr:
		f.data = n.Data
	case *js.Var:
		if n.Link == nil {
			f.data = n.Data
		}
	}
	return f
}

// Exit implements [js.IVisitor].
func (f *finder) Exit(js.INode) {}
