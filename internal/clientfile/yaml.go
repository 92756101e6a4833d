package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
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
	return withLF(text, func(text []byte) ([]byte, error) { return putYAML(text, section, doc) })
}

// withLF returns the result of change for a text without carriage returns, which confuse the
// parser, and with those of text.
func withLF(text []byte, change func([]byte) ([]byte, error)) ([]byte, error) {
	returns := bytes.Count(text, []byte("\r\n"))
	if returns == 0 {
		return change(text)
	}
	if returns != bytes.Count(text, []byte("\n")) {
		return nil, fmt.Errorf("%w: its lines have different ends", ErrForm)
	}
	out, err := change(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n")), err
}

func putYAML(text []byte, section string, doc []byte) ([]byte, error) {
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
	end := members[len(members)-1].end
	return replace(text, end, end, newline(text, end)+body), nil
}

// set implements editor. A value is written in double quotes.
func (yamlEditor) set(text []byte, path []string, value any) ([]byte, error) {
	return withLF(text, func(text []byte) ([]byte, error) { return setIn(text, path, value) })
}

// setIn is set without carriage returns.
func setIn(text []byte, path []string, value any) ([]byte, error) {
	file, err := parser.ParseBytes(text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, plain(err))
	}
	n, end := ast.Node(file.Docs[0].Body), len(text)
	for i, name := range path {
		if m, ok := n.(*ast.MappingNode); ok && m.IsFlowStyle {
			return setFlow(text, m, path[i:], value)
		}
		members, err := blocks(text, n, end)
		if err != nil {
			return nil, err
		}
		m := find(members, name)
		if m == nil {
			last := members[len(members)-1]
			added := yamlLines(nested(path[i:], value), last.indent)
			return replace(text, last.end, last.end, newline(text, last.end)+added), nil
		}
		n, end = m.value, m.end
	}
	return setYAML(text, n, value)
}

// setFlow sets a member of a mapping in braces, or of one in it.
func setFlow(text []byte, m *ast.MappingNode, path []string, value any) ([]byte, error) {
	for _, v := range m.Values {
		inner, isMapping := v.Value.(*ast.MappingNode)
		switch {
		case v.Key.GetToken().Value != path[0]:
		case len(path) == 1:
			return setYAML(text, v.Value, value)
		case isMapping && inner.IsFlowStyle:
			return setFlow(text, inner, path[1:], value)
		default:
			return nil, fmt.Errorf("%w: %s is not an object", ErrForm, path[0])
		}
	}
	added := strings.TrimSuffix(quote(nested(path, value))[1:], "}")
	added = strings.Replace(added, ":", ": ", 1)
	if len(m.Values) > 0 {
		added += ", "
	}
	at := offsetOf(text, m.Start) + 1
	return replace(text, at, at, added), nil
}

// setYAML returns text with another value in the place of a string or of a list of strings.
func setYAML(text []byte, old ast.Node, value any) ([]byte, error) {
	wanted, isList := value.([]string)
	sequence, wasList := old.(*ast.SequenceNode)
	if !isList || !wasList {
		at, err := scalar(text, old)
		if err != nil || isList {
			return nil, errors.Join(ErrForm, err)
		}
		return replace(text, at.start, at.end, quote(value)), nil
	}
	var l list
	for _, v := range sequence.Values {
		at, err := scalar(text, v)
		if err != nil {
			return nil, err
		}
		l.elements = append(l.elements, at)
		l.values = append(l.values, v.GetToken().Value)
	}
	if sequence.IsFlowStyle {
		l.open = offsetOf(text, sequence.Start) + 1
		return l.set(text, wanted), nil
	}
	if len(l.elements) > 0 {
		first := l.elements[0].start
		l.margin = string(text[lineStart(text, first):first])
	}
	if strings.Trim(l.margin, " ") != "-" {
		return nil, fmt.Errorf("%w: a list has no element on a line of its own", ErrForm)
	}
	return l.set(text, wanted), nil
}

func offsetOf(text []byte, t *token.Token) int {
	line := text[lineOffsets(text)[t.Position.Line-1]:]
	at := len(text) - len(line)
	for range t.Position.Column - 1 {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// scalar returns where a value on one line is.
func scalar(text []byte, n ast.Node) (span, error) {
	t := n.GetToken()
	written := strings.TrimSpace(t.Origin)
	at := offsetOf(text, t)
	switch n.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
	default:
		written = ""
	}
	if written == "" || !bytes.HasPrefix(text[at:], []byte(written)) || strings.Contains(written, "\n") {
		return span{}, fmt.Errorf("%w: a value is not a text on one line", ErrForm)
	}
	return span{at, at + len(written)}, nil
}

// yamlLines returns members of a mapping as lines.
func yamlLines(value any, indent int) string {
	margin := strings.Repeat(" ", indent)
	var b strings.Builder
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch inner := v[name].(type) {
			case string:
				fmt.Fprintf(&b, "%s%s: %s\n", margin, quote(name), quote(inner))
			default:
				fmt.Fprintf(&b, "%s%s:\n%s", margin, quote(name), yamlLines(inner, indent+2))
			}
		}
	case []string:
		for _, s := range v {
			fmt.Fprintf(&b, "%s- %s\n", margin, quote(s))
		}
	}
	return b.String()
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
	return withLF(text, func(text []byte) ([]byte, error) { return removeYAML(text, section, name) })
}

func removeYAML(text []byte, section, name string) ([]byte, error) {
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
