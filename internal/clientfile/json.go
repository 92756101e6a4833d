package clientfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

type jsonEditor struct{}

func (jsonEditor) decode(text []byte) (map[string]any, error) {
	if isBlank(text) {
		return nil, nil
	}
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, plain(err)
	}
	d := json.NewDecoder(bytes.NewReader(standard))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil, plain(err)
	}
	if doc == nil {
		return nil, errors.New("it must be an object, got null")
	}
	return doc, nil
}

// isBlank reports whether a text has nothing but space and comments.
func isBlank(text []byte) bool {
	v, err := hujson.Parse(append(bytes.Clone(text), "\n0"...))
	return err == nil && v.StartOffset == len(text)+1
}

// A container is an object or a list in a text.
type container struct {
	text        []byte
	open, close int // offsets of the brackets
	items       []item
	trailing    bool   // a comma follows the last item
	unit        string // of indentation
}

type item struct {
	name       string // "" in a list
	start, end int
	value      hujson.Value
}

// containerOf returns the object or list at v; false for other values.
func containerOf(text []byte, v hujson.Value, unit string) (container, bool) {
	c := container{text: text, open: v.StartOffset, close: v.EndOffset - 1, unit: unit}
	switch v := v.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			name := m.Name.Value.(hujson.Literal).String()
			c.items = append(c.items, item{name, m.Name.StartOffset, m.Value.EndOffset, m.Value})
			c.trailing = m.Value.AfterExtra != nil
		}
	case *hujson.Array:
		for _, e := range v.Elements {
			c.items = append(c.items, item{"", e.StartOffset, e.EndOffset, e})
			c.trailing = e.AfterExtra != nil
		}
	default:
		return c, false
	}
	return c, true
}

// child returns the member of a name; nil if there is none.
func (c container) child(name string) (*item, error) {
	var found *item
	for i := range c.items {
		if c.items[i].name != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%w: %q is there twice", ErrForm, name)
		}
		found = &c.items[i]
	}
	return found, nil
}

// parse returns the outermost object of a text.
func parse(text []byte) (container, error) {
	v, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		return container{}, fmt.Errorf("%w: %w", ErrBroken, plain(err))
	}
	root, ok := containerOf(text, v, "  ")
	if !ok {
		return root, fmt.Errorf("%w: it is not an object", ErrBroken)
	}
	outer, inner := root.indents()
	if unit := strings.TrimPrefix(inner, outer); unit != "" && len(root.items) > 0 {
		root.unit = unit
	}
	return root, nil
}

// ErrNoMember says that a document lacks the object at a path.
var ErrNoMember = errors.New("the file has no such object")

// Within returns a JSON text in which the object at a path of members is what change makes
// of it. Everything else stays. The error is ErrNoMember if there is none.
func Within(
	text []byte, path []string, change func(object []byte) ([]byte, error),
) ([]byte, error) {
	mark, body, err := clean(text)
	if err != nil {
		return nil, err
	}
	if isBlank(body) {
		return nil, ErrNoMember
	}
	at, err := parse(body)
	if err != nil {
		return nil, err
	}
	for _, name := range path {
		m, err := at.child(name)
		if err != nil {
			return nil, err
		}
		if m == nil {
			return nil, ErrNoMember
		}
		object, ok := containerOf(body, m.value, at.unit)
		if !ok || body[object.open] != '{' {
			return nil, fmt.Errorf("%w: %q is not an object", ErrForm, name)
		}
		at = object
	}
	changed, err := change(body[at.open : at.close+1])
	if err != nil {
		return nil, err
	}
	return slices.Concat(mark, body[:at.open], changed, body[at.close+1:]), nil
}

// put implements editor.
func (jsonEditor) put(text []byte, section string, doc []byte) ([]edit, error) {
	if isBlank(text) {
		return []edit{{len(text), len(text), newline(text, len(text)) + string(doc)}}, nil
	}
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	wanted, err := parse(doc)
	if err != nil {
		return nil, err
	}
	var edits []edit
	var missing []string
	for _, w := range wanted.items {
		old, err := root.child(w.name)
		if err != nil {
			return nil, err
		}
		if old == nil {
			missing = append(missing, string(doc[w.start:w.end]))
			continue
		}
		if isNull(old.value) {
			value := string(doc[w.value.StartOffset:w.value.EndOffset])
			edits = append(edits, edit{old.value.StartOffset, old.value.EndOffset,
				indented(value, indentOf(text, old.start), root.unit)})
			continue
		}
		inner, ok := containerOf(text, old.value, root.unit)
		if !ok || text[inner.open] != doc[w.value.StartOffset] {
			return nil, fmt.Errorf("%w: %q is of another type", ErrForm, w.name)
		}
		source, _ := containerOf(doc, w.value, "  ")
		var more []edit
		if w.name == section {
			more, err = inner.putEntry(source)
		} else {
			more, err = inner.putElements(source)
		}
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	return append(edits, root.insert(missing)...), nil
}

func isNull(v hujson.Value) bool {
	l, ok := v.Value.(hujson.Literal)
	return ok && l.Kind() == 'n'
}

// putEntry adds or replaces the one member of source.
func (c container) putEntry(source container) ([]edit, error) {
	w := source.items[0]
	old, err := c.child(w.name)
	if err != nil {
		return nil, err
	}
	if old == nil {
		return c.insert([]string{string(source.text[w.start:w.end])}), nil
	}
	value := string(source.text[w.value.StartOffset:w.value.EndOffset])
	if bytes.Contains(c.text[old.start:old.end], []byte("\n")) || !c.oneLine() {
		value = indented(value, indentOf(c.text, old.start), c.unit)
	} else {
		value = compact(value)
	}
	return []edit{{old.value.StartOffset, old.value.EndOffset, value}}, nil
}

// putElements adds the elements of source whose ids c lacks.
func (c container) putElements(source container) ([]edit, error) {
	ids := map[string]bool{}
	id := func(text []byte, i item) string {
		standard, err := hujson.Standardize(bytes.Clone(text[i.start:i.end]))
		var element struct{ ID string }
		if err != nil || json.Unmarshal(standard, &element) != nil {
			return ""
		}
		return element.ID
	}
	for _, i := range c.items {
		ids[id(c.text, i)] = true
	}
	var missing []string
	for _, i := range source.items {
		if !ids[id(source.text, i)] {
			missing = append(missing, string(source.text[i.start:i.end]))
		}
	}
	return c.insert(missing), nil
}

// oneLine reports whether c has items and no line breaks.
func (c container) oneLine() bool {
	return len(c.items) > 0 && !bytes.Contains(c.text[c.open:c.close], []byte("\n"))
}

// insert returns the edits that add items at the end of c.
func (c container) insert(items []string) []edit {
	if len(items) == 0 {
		return nil
	}
	// What follows the last item: perhaps a comma and comments.
	at := c.open + 1
	if n := len(c.items); n > 0 {
		at = c.items[n-1].end
	}
	tail := bytes.TrimRight(c.text[at:c.close], " \t\r\n")
	end := at + len(tail)
	var edits []edit
	if len(c.items) > 0 && !c.trailing {
		edits = append(edits, edit{at, at, ","})
	}
	if c.oneLine() {
		for i := range items {
			items[i] = compact(items[i])
		}
		return append(edits, edit{end, end, " " + strings.Join(items, ", ") + c.comma()})
	}
	outer, inner := c.indents()
	text := ""
	for i, item := range items {
		if i > 0 {
			text += ","
		}
		text += "\n" + inner + indented(item, inner, c.unit)
	}
	text += c.comma()
	if !bytes.Contains(c.text[end:c.close], []byte("\n")) {
		text += "\n" + outer
		return append(edits, edit{end, c.close, text})
	}
	return append(edits, edit{end, end, text})
}

// comma is what follows the last item.
func (c container) comma() string {
	if c.trailing {
		return ","
	}
	return ""
}

// indents returns the indentation of the brackets of c and that of its items.
func (c container) indents() (outer, inner string) {
	outer = indentOf(c.text, c.open)
	if line := c.text[lineStart(c.text, c.close):c.close]; len(bytes.TrimSpace(line)) == 0 {
		outer = indentOf(c.text, c.close)
	}
	inner = outer + c.unit
	if len(c.items) > 0 {
		first := c.items[0].start
		if before := c.text[lineStart(c.text, first):first]; len(bytes.TrimSpace(before)) == 0 {
			inner = string(before)
		}
	}
	return outer, inner
}

// indented returns JSON, or a member `"name": value`, on several lines.
func indented(text, prefix, unit string) string {
	var out bytes.Buffer
	name, value := member(text)
	if err := json.Indent(&out, []byte(value), prefix, unit); err != nil {
		return text
	}
	return name + out.String()
}

// compact returns JSON, or a member, on one line.
func compact(text string) string {
	var out bytes.Buffer
	name, value := member(text)
	if err := json.Compact(&out, []byte(value)); err != nil {
		return text
	}
	return name + out.String()
}

// member splits `"name": value`; name is "" for a value.
func member(text string) (name, value string) {
	if !strings.HasPrefix(text, `"`) {
		return "", text
	}
	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil {
		return "", text
	}
	end := d.InputOffset()
	rest, ok := strings.CutPrefix(strings.TrimLeft(text[end:], " \t\r\n"), ":")
	if !ok {
		return "", text
	}
	return text[:end] + ": ", strings.TrimSpace(rest)
}

// remove implements editor.
func (jsonEditor) remove(text []byte, section, name string) ([]edit, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	old, err := root.child(section)
	if err != nil || old == nil {
		return nil, err
	}
	c, _ := containerOf(text, old.value, root.unit)
	entry, err := c.child(name)
	if err != nil || entry == nil {
		return nil, err
	}
	return c.cut(entry), nil
}

// cut returns the edits that remove an item, with the space before it and one comma.
func (c container) cut(entry *item) []edit {
	start := len(bytes.TrimRight(c.text[:entry.start], " \t\r\n"))
	var previous *item
	last := true
	for i := range c.items {
		switch {
		case c.items[i].end <= entry.start:
			previous = &c.items[i]
		case c.items[i].start > entry.start:
			last = false
		}
	}
	if !last || c.trailing {
		return []edit{{start, commaAfter(c.text, entry.value) + 1, ""}}
	}
	edits := []edit{{start, entry.end, ""}}
	if previous != nil {
		comma := commaAfter(c.text, previous.value)
		if comma+1 == start {
			return []edit{{comma, entry.end, ""}}
		}
		edits = append(edits, edit{comma, comma + 1, ""})
	}
	return edits
}

// commaAfter returns the offset of the comma that follows v.
func commaAfter(text []byte, v hujson.Value) int {
	at := v.EndOffset + len(v.AfterExtra)
	if at < len(text) && text[at] == ',' {
		return at
	}
	return v.EndOffset
}
