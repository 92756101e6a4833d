package clientfile

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

type tomlEditor struct{}

func (tomlEditor) decode(text []byte) (map[string]any, error) {
	var doc map[string]any
	if err := toml.Unmarshal(text, &doc); err != nil {
		return nil, plain(err)
	}
	return doc, nil
}

// entry returns the offsets of the tables of an entry. It is false if there are
// none.
func entry(text []byte, section, name string) (start, end int, ok bool, err error) {
	all, err := places(text)
	if err != nil {
		return 0, 0, false, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	closed := false
	for _, t := range all {
		switch {
		case t.kind != unstable.Table && t.kind != unstable.ArrayTable:
		case len(t.path) < 2 || !slices.Equal(t.path[:2], []string{section, name}):
			closed = ok
		case closed:
			return 0, 0, false, fmt.Errorf("%w: other tables are between those of %s", ErrForm, name)
		default:
			if !ok {
				start, ok = t.start, true
			}
			end = t.end
		}
	}
	return start, end, ok, nil
}

// put implements editor. doc is written verbatim.
func (tomlEditor) put(text []byte, section string, doc []byte) ([]byte, error) {
	gap := "\n"
	if !bytes.HasSuffix(text, []byte("\n")) {
		gap = "\n\n"
	}
	return replace(text, len(text), len(text), gap+string(doc)), nil
}

// A place is a table with a header, or a member of a table.
type place struct {
	span // the lines of a header and what follows it up to the next one; those of a member
	path []string
	kind unstable.Kind // of a member: of its value

	first, last int  // offsets of the names of a member that are the first and last of its key
	value       span // of a string
	list        list // of strings; its open also of an inline table
}

// places returns the members of all tables, and the tables that have a header.
func places(text []byte) (all []place, err error) {
	var p unstable.Parser
	p.Reset(text)
	var table []string
	header := -1
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, header = nil, len(all)
			at := 0
			for k := e.Key(); k.Next(); {
				table = append(table, string(k.Node().Data))
				at = int(k.Node().Raw.Offset)
			}
			all = append(all, place{
				span: span{lineStart(text, at), lineEnd(text, at)}, path: table, kind: e.Kind,
			})
		case unstable.KeyValue:
			start, last := int(e.Raw.Offset), int(e.Raw.Offset+e.Raw.Length)-1
			lines := span{lineStart(text, start), lineEnd(text, last)}
			all = membersOf(all, text, table, e, lines)
			if header >= 0 {
				all[header].end = lines.end
			}
		}
	}
	return all, p.Error()
}

// membersOf adds a member of a table to all, with those within it.
func membersOf(all []place, text []byte, table []string, e *unstable.Node, lines span) []place {
	v := e.Value()
	p := place{span: lines, path: slices.Clone(table), kind: v.Kind, first: -1}
	for k := e.Key(); k.Next(); {
		p.last = int(k.Node().Raw.Offset)
		p.list.open = p.last + int(k.Node().Raw.Length)
		p.path = append(p.path, string(k.Node().Data))
		if p.first < 0 {
			p.first = p.last
		}
	}
	p.value = spanOf(v)
	p.list.open += bytes.IndexAny(text[p.list.open:], "[{") + 1
	for c := v.Children(); v.Kind == unstable.Array && c.Next(); {
		if n := c.Node(); n.Kind != unstable.Comment {
			p.list.elements = append(p.list.elements, spanOf(n))
			p.list.values = append(p.list.values, string(n.Data))
		}
	}
	all = append(all, p)
	for c := v.Children(); v.Kind == unstable.InlineTable && c.Next(); {
		if c.Node().Kind == unstable.KeyValue {
			all = membersOf(all, text, p.path, c.Node(), lines)
		}
	}
	return all
}

// spanOf returns where a node is. It is known of strings.
func spanOf(n *unstable.Node) span {
	return span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
}

// set implements editor.
func (e tomlEditor) set(text []byte, path []string, value any) ([]byte, error) {
	all, err := places(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	name := path[len(path)-1]
	wanted, isList := value.([]string)
	for _, p := range all {
		switch {
		case !slices.Equal(p.path, path):
		case isList && p.kind == unstable.Array:
			return p.list.set(text, wanted), nil
		case !isList && p.kind == unstable.String:
			return replace(text, p.value.start, p.value.end, quote(value)), nil
		default:
			return nil, fmt.Errorf("%w: %s is of another type", ErrForm, name)
		}
	}
	if out := added(text, all, path, value); out != nil {
		return out, nil
	}
	if len(path) == 1 {
		return nil, ErrForm
	}
	return e.set(text, path[:len(path)-1], map[string]any{name: value})
}

// added returns text with a new member of a table, nil if that is not there.
func added(text []byte, all []place, path []string, value any) []byte {
	of, name := path[:len(path)-1], path[len(path)-1]
	member := tomlKey(name) + " = " + inline(value)
	for _, p := range slices.Backward(all) {
		switch {
		case slices.Equal(p.path, of) && p.kind == unstable.InlineTable:
			open := p.list.open
			if rest := bytes.TrimLeft(text[open:], " "); rest[0] == '}' {
				return replace(text, open, len(text)-len(rest), " "+member+" ")
			}
			return replace(text, open, open, " "+member+",")
		case slices.Equal(p.path, of) && p.kind == unstable.Table:
			return replace(text, p.end, p.end, newline(text, p.end)+member+"\n")
		case len(p.path) == len(path) && slices.Equal(p.path[:len(of)], of) && p.first < p.last:
			before := indentOf(text, p.start) + string(text[p.first:p.last])
			return replace(text, p.end, p.end, newline(text, p.end)+before+member+"\n")
		}
	}
	return nil
}

func inline(value any) string {
	object, ok := value.(map[string]any)
	if !ok {
		return quote(value)
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		members = append(members, tomlKey(name)+" = "+inline(object[name]))
	}
	return "{ " + strings.Join(members, ", ") + " }"
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return quote(name)
}

// remove implements editor. It removes one empty line before the entry, too.
func (tomlEditor) remove(text []byte, section, name string) ([]byte, error) {
	start, end, ok, err := entry(text, section, name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s.%s is not written as a table of its own", ErrForm, section, name)
	}
	if start > 0 {
		previous := lineStart(text, start-1)
		if len(bytes.TrimSpace(text[previous:start])) == 0 {
			start = previous
		}
	}
	return replace(text, start, end, ""), nil
}
