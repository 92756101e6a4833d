package clientfile

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

type yamlEditor struct{}

func (yamlEditor) decode(text []byte) (map[string]any, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, plain(err)
	}
	return doc, nil
}

// A block is a member of a mapping in block style: whole lines.
type block struct {
	name       string
	indent     int
	start, end int // without the comments and empty lines behind it
	value      ast.Node
}

// blocks returns the members of a mapping that ends at end.
func blocks(text []byte, n ast.Node, end int) ([]block, error) {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		if n.IsFlowStyle {
			return nil, fmt.Errorf("%w: a mapping is in braces", ErrForm)
		}
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return nil, fmt.Errorf("%w: a mapping is expected", ErrForm)
	}
	lines := lineOffsets(text)
	all := make([]block, len(values))
	for i, v := range values {
		at := v.Key.GetToken().Position
		all[i] = block{
			name: v.Key.GetToken().Value, indent: at.Column - 1, start: lines[at.Line-1], end: end,
			value: v.Value,
		}
		if i > 0 {
			all[i-1].end = all[i].start
		}
	}
	for i := range all {
		all[i].end = trimLines(text, all[i].start, all[i].end, all[i].indent)
	}
	return all, nil
}

// lineOffsets returns where the lines of a text begin.
func lineOffsets(text []byte) []int {
	all := []int{0}
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return all
		}
		at += i + 1
		all = append(all, at)
	}
}

// trimLines returns end without the empty lines, and the comments of at most a depth,
// before it.
func trimLines(text []byte, start, end, depth int) int {
	for end > start {
		at := lineStart(text, end-1)
		line := bytes.TrimSpace(text[at:end])
		isComment := bytes.HasPrefix(line, []byte("#")) && len(indentOf(text, at)) <= depth
		isEnd := bytes.Equal(line, []byte("...")) || bytes.Equal(line, []byte("---"))
		if len(line) > 0 && !isComment && !isEnd || at <= start {
			return end
		}
		end = at
	}
	return end
}

// top returns the members of a document; none of one of comments.
func top(text []byte) ([]block, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err == nil && doc == nil {
		return nil, nil
	}
	file, err := parser.ParseBytes(text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, plain(err))
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, fmt.Errorf("%w: one document is expected", ErrForm)
	}
	return blocks(text, file.Docs[0].Body, len(text))
}

func find(all []block, name string) *block {
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

// put implements editor.
func (yamlEditor) put(text []byte, section string, doc []byte) ([]byte, error) {
	wanted, err := top(doc)
	if err != nil {
		return nil, err
	}
	entries, err := blocks(doc, wanted[0].value, len(doc))
	if err != nil {
		return nil, err
	}
	body := string(doc[entries[0].start:])
	all, err := top(text)
	if err != nil {
		return nil, err
	}
	old := find(all, section)
	switch {
	case old == nil && len(all) == 0:
		return replace(text, len(text), len(text), newline(text, len(text))+string(doc)), nil
	case old == nil:
		end := all[len(all)-1].end
		return replace(text, end, end, newline(text, end)+string(doc)), nil
	case isEmpty(old.value):
		line := text[old.start:old.end]
		colon := old.start + bytes.IndexByte(line, ':') + 1
		if bytes.ContainsRune(line, '#') {
			return nil, fmt.Errorf("%w: %s is empty and has a comment", ErrForm, section)
		}
		return replace(text, colon, old.end, "\n"+body), nil
	}
	members, err := blocks(text, old.value, old.end)
	if err != nil {
		return nil, err
	}
	body = reindent(body, entries[0].indent, members[0].indent)
	if m := find(members, entries[0].name); m != nil {
		return replace(text, m.start, m.end, body), nil
	}
	end := members[len(members)-1].end
	return replace(text, end, end, newline(text, end)+body), nil
}

// newline returns a line break if the text does not end a line at end.
func newline(text []byte, end int) string {
	if end > 0 && text[end-1] != '\n' {
		return "\n"
	}
	return ""
}

func isEmpty(n ast.Node) bool {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return true
	case *ast.MappingNode:
		return len(n.Values) == 0
	}
	return false
}

// reindent changes the indentation of all lines from a depth to another one.
func reindent(text string, from, to int) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if len(l) > from {
			lines[i] = strings.Repeat(" ", to) + l[from:]
		}
	}
	return strings.Join(lines, "")
}

// remove implements editor. A section without entries becomes {}.
func (yamlEditor) remove(text []byte, section, name string) ([]byte, error) {
	all, err := top(text)
	if err != nil {
		return nil, err
	}
	old := find(all, section)
	if old == nil {
		return nil, ErrForm
	}
	members, err := blocks(text, old.value, old.end)
	if err != nil {
		return nil, err
	}
	m := find(members, name)
	if m == nil {
		return nil, ErrForm
	}
	if len(members) == 1 {
		colon := old.start + bytes.IndexByte(text[old.start:old.end], ':') + 1
		return replace(replace(text, m.start, m.end, ""), colon, colon, " {}"), nil
	}
	return replace(text, m.start, m.end, ""), nil
}
