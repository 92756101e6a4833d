package clientfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/pelletier/go-toml/v2"

	"mcpcensus/internal/text"
)

// A Change sets a member of an entry to a string or a list of strings, and creates the objects
// around it.
type Change struct {
	Path  []string // within the entry: "env", "KEY"
	Value any
}

// Edit returns text with changes to an entry that exists. Members and elements of lists that
// keep their value keep their bytes. lists is a document with lists to which elements with new
// ids are added, "" for none.
func Edit(
	f Format, text []byte, section, name string, changes []Change, lists string,
) ([]byte, error) {
	e := editors[f]
	mark, body, err := clean(text)
	if err != nil {
		return nil, err
	}
	before, err := e.decode(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	entries, _ := before[section].(map[string]any)
	wanted, ok := entries[name].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: %s.%s is not an object", ErrForm, section, name)
	}
	out := body
	for _, c := range changes {
		wanted = with(wanted, c.Path, c.Value)
		if out, err = e.set(out, append([]string{section, name}, c.Path...), c.Value); err != nil {
			return nil, err
		}
	}
	if lists != "" {
		if out, err = e.put(out, section, []byte(lists)); err != nil {
			return nil, err
		}
	}
	return slices.Concat(mark, out), check(e, before, out, section, name, wanted)
}

func with(object map[string]any, path []string, value any) map[string]any {
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	if len(path) > 1 {
		inner, _ := object[path[0]].(map[string]any)
		object[path[0]] = with(inner, path[1:], value)
		return object
	}
	if list, ok := value.([]string); ok {
		all := make([]any, len(list))
		for i, s := range list {
			all[i] = s
		}
		value = all
	}
	object[path[0]] = value
	return object
}

// nested returns an object with a value at a path.
func nested(path []string, value any) any {
	for _, name := range slices.Backward(path) {
		value = map[string]any{name: value}
	}
	return value
}

type span struct{ start, end int }

// A list is a list of strings in a text: in brackets, or with an element on each line.
type list struct {
	open     int    // offset behind the opening bracket
	margin   string // before each element on a line of its own; "" in brackets
	elements []span
	values   []string
}

// set returns text with other strings in a list. Elements that stay keep their bytes and comments.
func (l list) set(text []byte, wanted []string) []byte {
	start, end, newEnd := 0, len(l.values), len(wanted)
	for start < min(end, newEnd) && l.values[start] == wanted[start] {
		start++
	}
	for min(end, newEnd) > start && l.values[end-1] == wanted[newEnd-1] {
		end, newEnd = end-1, newEnd-1
	}
	both := min(end, newEnd)
	comma := l.comma(text)
	added := ""
	for _, s := range wanted[both:newEnd] {
		if both > 0 {
			added += comma + quote(s)
		} else {
			added += quote(s) + comma
		}
	}
	at := span{l.open, l.open}
	switch {
	case both > 0:
		at = span{l.behind(text, both-1), l.behind(text, max(both, end)-1)}
	case len(l.elements) == 0:
		added = strings.TrimSuffix(added, comma)
	case end < len(l.elements):
		at = span{l.elements[0].start, l.elements[end].start}
	default:
		at = span{l.elements[0].start, l.elements[end-1].end}
	}
	text = replace(text, at.start, at.end, added)
	for i := both - 1; i >= start; i-- {
		if l.values[i] != wanted[i] {
			text = replace(text, l.elements[i].start, l.elements[i].end, quote(wanted[i]))
		}
	}
	return text
}

// comma returns what separates two elements.
func (l list) comma(text []byte) string {
	if l.margin != "" {
		return "\n" + l.margin
	}
	if len(l.elements) > 0 {
		first := l.elements[0].start
		if margin := indentOf(text, first); lineStart(text, first)+len(margin) == first {
			return ",\n" + margin
		}
	}
	return ", "
}

// behind returns where another element can follow an element: behind the comment on its line
// unless the list is in brackets.
func (l list) behind(text []byte, i int) int {
	end := l.elements[i].end
	if l.margin != "" {
		end += len(bytes.TrimRight(text[end:lineEnd(text, end)], "\r\n"))
	}
	return end
}

// plain returns an error of a parser in words for people, on one line, with line and
// column where they are known.
func plain(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("it must be an object, got %s", e.Value)
	}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := e.Position()
		return at(line, column, strings.TrimPrefix(e.Error(), "toml: "))
	}
	if e, ok := errors.AsType[yaml.Error](err); ok {
		text := e.GetMessage()
		if strings.Contains(text, "cannot unmarshal") {
			text = "it must be a mapping"
		}
		if t := e.GetToken(); t != nil && t.Position != nil {
			return at(t.Position.Line, t.Position.Column, text)
		}
		return errors.New(oneLine(text))
	}
	text := strings.TrimPrefix(err.Error(), "hujson: ")
	for _, w := range wordings {
		text = w.pattern.ReplaceAllString(text, w.text)
	}
	return errors.New(oneLine(text))
}

func at(line, column int, text string) error {
	return fmt.Errorf("line %d, column %d: %s", line, column, oneLine(text))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// wordings map messages of the JSON parser to plainer ones.
var wordings = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`(?:parsing [a-z ]+: )?unexpected EOF$`), "the file ends too early"},
	{regexp.MustCompile(`invalid literal: (.*)$`), `"$1" is not a value`},
	{regexp.MustCompile(` \(expecting (.*)\)$`), ", expected $1"},
}

// context is the number of unchanged lines around a change.
const context = 2

// Diff returns the lines that differ between two texts, with a space, - or + before
// each and unchanged lines around them; "" if they are equal.
func Diff(before, after string) string {
	parts := text.Diff(lines(before), lines(after))
	if len(parts) == 0 || len(parts) == 1 && parts[0].Op == ' ' {
		return ""
	}
	start := 0
	if first := &parts[0]; first.Op == ' ' {
		start = max(0, len(first.Text)-context)
		first.Text = first.Text[start:]
	}
	if last := &parts[len(parts)-1]; last.Op == ' ' {
		last.Text = last.Text[:min(len(last.Text), context)]
	}
	var out strings.Builder
	fmt.Fprintf(&out, "@@ line %d @@\n", start+1)
	for _, p := range parts {
		for _, l := range p.Text {
			fmt.Fprintf(&out, "%c%s\n", p.Op, strings.TrimRight(l, "\r"))
		}
	}
	return out.String()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
