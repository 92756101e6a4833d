package clientfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mcpcensus/internal/text"
)

// jsonEditor changes the syntax tree of hujson, which has every byte of a text.
type jsonEditor struct{}

func (jsonEditor) decode(text []byte) (map[string]any, error) {
	if isBlank(text) {
		return nil, nil
	}
	v, err := jsonValue(text)
	if err != nil {
		return nil, plain(err)
	}
	v.Standardize()
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
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

// jsonValue parses a text. The end of the text ends a comment.
func jsonValue(text []byte) (hujson.Value, error) {
	v, err := hujson.Parse(bytes.Clone(text))
	if err == nil {
		return v, nil
	}
	ended, other := hujson.Parse(append(bytes.Clone(text), '\n'))
	if other != nil {
		return v, err
	}
	ended.AfterExtra = ended.AfterExtra[:len(ended.AfterExtra)-1]
	return ended, nil
}

// isBlank reports whether a text has nothing but space and comments.
func isBlank(text []byte) bool {
	v, err := hujson.Parse(append(bytes.Clone(text), "\n0"...))
	return err == nil && v.StartOffset == len(text)+1
}

// A layout is how a text breaks lines and indents them.
type layout struct{ lineBreak, unit string }

type object struct {
	*hujson.Object
	layout
	outer string // indentation of the line of its closing bracket
}

// parse returns a text and its outermost object.
func parse(text []byte) (hujson.Value, object, error) {
	v, err := jsonValue(text)
	if err != nil {
		return v, object{}, fmt.Errorf("%w: %w", ErrBroken, plain(err))
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return v, object{}, fmt.Errorf("%w: it is not an object", ErrBroken)
	}
	root := object{o, layout{"\n", "  "}, ""}
	if bytes.Contains(text, []byte("\r\n")) {
		root.lineBreak = "\r\n"
	}
	root.outer = indentation(o.AfterExtra, indentation(v.BeforeExtra, ""))
	if len(o.Members) > 0 {
		inner := indentation(o.Members[0].Name.BeforeExtra, "")
		if unit := strings.TrimPrefix(inner, root.outer); unit != "" {
			root.unit = unit
		}
	}
	return v, root, nil
}

// indentation returns the white space at the end of before, the text in front of a token, since
// its last line break; otherwise if the token does not begin its line.
func indentation(before hujson.Extra, otherwise string) string {
	i := bytes.LastIndexByte(before, '\n')
	if i < 0 || len(bytes.TrimSpace(before[i:])) > 0 {
		return otherwise
	}
	return string(before[i+1:])
}

// member returns the member of a name; nil if there is none.
func (o object) member(name string) (found *hujson.ObjectMember, err error) {
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%w: %q is there twice", ErrForm, name)
		}
		found = &o.Members[i]
	}
	return found, nil
}

// indentOf returns the indentation of the line of a member.
func (o object) indentOf(m *hujson.ObjectMember) string {
	return indentation(m.Name.BeforeExtra, o.outer)
}

// child returns the object in a member; false for other values.
func (o object) child(m *hujson.ObjectMember) (object, bool) {
	inner, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return o, false
	}
	return object{inner, o.layout, indentation(inner.AfterExtra, o.indentOf(m))}, true
}

// ErrNoMember reports that a document lacks the object at a path.
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
	v, at, err := parse(body)
	if err != nil {
		return nil, err
	}
	value := &v
	for _, name := range path {
		m, err := at.member(name)
		if err != nil {
			return nil, err
		}
		if m == nil {
			return nil, ErrNoMember
		}
		var ok bool
		if at, ok = at.child(m); !ok {
			return nil, fmt.Errorf("%w: %q is not an object", ErrForm, name)
		}
		value = &m.Value
	}
	changed, err := change(body[value.StartOffset:value.EndOffset])
	if err != nil {
		return nil, err
	}
	return slices.Concat(mark, body[:value.StartOffset], changed, body[value.EndOffset:]), nil
}

// put implements editor.
func (jsonEditor) put(text []byte, section string, doc []byte) ([]byte, error) {
	if isBlank(text) {
		return slices.Concat(text, []byte(newline(text, len(text))), doc), nil
	}
	v, root, err := parse(text)
	if err != nil {
		return nil, err
	}
	_, wanted, err := parse(doc)
	if err != nil {
		return nil, err
	}
	for _, w := range wanted.Members {
		name := w.Name.Value.(hujson.Literal).String()
		old, err := root.member(name)
		if err != nil {
			return nil, err
		}
		if old == nil {
			root.add(w)
			continue
		}
		was := old.Value.Value
		switch source := w.Value.Value.(type) {
		case *hujson.Object:
			entries, ok := root.child(old)
			if ok && name == section {
				entries.add(source.Members[0])
				continue
			}
		case *hujson.Array:
			if list, ok := was.(*hujson.Array); ok {
				root.putElements(list, root.indentOf(old), source)
				continue
			}
		}
		if was.Kind() != 'n' {
			return nil, fmt.Errorf("%w: %q is of another type", ErrForm, name)
		}
		old.Value.Value = root.written(w.Value, root.indentOf(old), false)
	}
	return v.Pack(), nil
}

// set implements editor.
func (jsonEditor) set(text []byte, path []string, value any) ([]byte, error) {
	v, at, err := parse(text)
	for i, name := range path {
		var m *hujson.ObjectMember
		if err == nil {
			m, err = at.member(name)
		}
		if err != nil {
			return nil, err
		}
		if m == nil {
			_, wanted, err := parse([]byte(quote(nested(path[i:], value))))
			if err != nil {
				return nil, err
			}
			at.add(wanted.Members[0])
			return v.Pack(), nil
		}
		if i == len(path)-1 {
			return setJSON(text, m.Value, value)
		}
		var ok bool
		if at, ok = at.child(m); !ok {
			return nil, fmt.Errorf("%w: %q is not an object", ErrForm, name)
		}
	}
	return nil, ErrForm
}

// setJSON returns text with another value in the place of old.
func setJSON(text []byte, old hujson.Value, value any) ([]byte, error) {
	wanted, isList := value.([]string)
	array, wasList := old.Value.(*hujson.Array)
	if !isList || !wasList {
		return replace(text, old.StartOffset, old.EndOffset, quote(value)), nil
	}
	l := list{open: old.StartOffset + 1}
	for _, e := range array.Elements {
		s, ok := e.Value.(hujson.Literal)
		if !ok || s.Kind() != '"' {
			return nil, fmt.Errorf("%w: a list has other elements than strings", ErrForm)
		}
		l.elements = append(l.elements, span{e.StartOffset, e.EndOffset})
		l.values = append(l.values, s.String())
	}
	return l.set(text, wanted), nil
}

// quote returns a value as JSON. Strings are valid in TOML and YAML too.
func quote(value any) string {
	b, err := text.JSON(value)
	if err != nil {
		panic("clientfile: " + err.Error()) // strings, lists and objects always encode
	}
	return string(b)
}

// putElements adds the elements of source whose ids a list in a line with an indentation
// lacks.
func (l layout) putElements(list *hujson.Array, indent string, source *hujson.Array) {
	id := func(v hujson.Value) string {
		standard, err := hujson.Standardize(v.Pack())
		var element struct{ ID string }
		if err != nil || json.Unmarshal(standard, &element) != nil {
			return ""
		}
		return element.ID
	}
	ids := map[string]bool{}
	for _, e := range list.Elements {
		ids[id(e)] = true
	}
	for _, e := range source.Elements {
		if ids[id(e)] {
			continue
		}
		var first, last *hujson.Value
		if n := len(list.Elements); n > 0 {
			first, last = &list.Elements[0], &list.Elements[n-1]
		}
		short := isOneLine(list, len(list.Elements))
		added := l.last(first, last, &list.AfterExtra, indentation(list.AfterExtra, indent), short)
		added.Value = l.written(e, indentation(added.BeforeExtra, indent), short)
		list.Elements = append(list.Elements, added)
	}
}

// add adds a member at the end.
func (o object) add(m hujson.ObjectMember) {
	var first, last *hujson.Value
	if n := len(o.Members); n > 0 {
		first, last = &o.Members[0].Name, &o.Members[n-1].Value
	}
	short := isOneLine(o.Object, len(o.Members))
	place := o.last(first, last, &o.AfterExtra, o.outer, short)
	value := o.written(m.Value, indentation(place.BeforeExtra, o.outer), short)
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: place.BeforeExtra, Value: m.Name.Value},
		Value: hujson.Value{BeforeExtra: []byte(" "), Value: value, AfterExtra: place.AfterExtra},
	})
}

// last returns the space around a new last item of an object or list with brackets
// indented by outer. What follows the last item, perhaps comments, comes before the new
// one; after becomes the space before the closing bracket. A trailing comma stays.
func (l layout) last(
	first, last *hujson.Value, after *hujson.Extra, outer string, short bool,
) (v hujson.Value) {
	tail := bytes.TrimRight(*after, " \t\r\n")
	rest, gap := string((*after)[len(tail):]), " "
	if !short {
		gap = outer + l.unit
		if first != nil {
			gap = indentation(first.BeforeExtra, gap)
		}
		gap = l.lineBreak + gap
		if !strings.Contains(rest, "\n") {
			rest = l.lineBreak + outer
		}
	}
	v.BeforeExtra = append(bytes.Clone(tail), gap...)
	if last != nil && last.AfterExtra != nil {
		v.AfterExtra = hujson.Extra{}
	}
	*after = hujson.Extra(rest)
	return v
}

// isOneLine reports whether an object or list has items and no line breaks.
func isOneLine(v hujson.ValueTrimmed, items int) bool { return items > 0 && !spansLines(v) }

func spansLines(v hujson.ValueTrimmed) bool {
	return bytes.Contains(hujson.Value{Value: v}.Pack(), []byte("\n"))
}

// written returns a value of JSON on one line, or on several ones in a line with an
// indentation.
func (l layout) written(v hujson.Value, indent string, short bool) hujson.ValueTrimmed {
	text := hujson.Value{Value: v.Value}.Pack()
	var out bytes.Buffer
	if short {
		if json.Compact(&out, text) != nil {
			return v.Value
		}
		return hujson.Literal(out.Bytes())
	}
	if json.Indent(&out, text, indent, l.unit) != nil {
		return v.Value
	}
	return hujson.Literal(bytes.ReplaceAll(out.Bytes(), []byte("\n"), []byte(l.lineBreak)))
}

// remove implements editor. Comments before the entry stay.
func (jsonEditor) remove(text []byte, section, name string) ([]byte, error) {
	v, root, err := parse(text)
	if err != nil {
		return nil, err
	}
	old, err := root.member(section)
	if err != nil || old == nil {
		return text, err
	}
	o, _ := root.child(old)
	if _, err := o.member(name); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool {
		return m.Name.Value.(hujson.Literal).String() == name
	})
	entry := o.Members[i]
	after := &o.AfterExtra // of what stood before the entry
	switch {
	case i+1 < len(o.Members):
		after = &o.Members[i+1].Name.BeforeExtra
	case i > 0 && entry.Value.AfterExtra == nil:
		o.Members[i-1].Value.AfterExtra = nil
	case i > 0 && o.Members[i-1].Value.AfterExtra == nil:
		o.Members[i-1].Value.AfterExtra = hujson.Extra{}
	}
	*after = append(bytes.TrimRight(entry.Name.BeforeExtra, " \t\r\n"), *after...)
	o.Members = slices.Delete(o.Members, i, i+1)
	return v.Pack(), nil
}
