// Package clientfile edits the configuration files of MCP clients. It changes the
// text of one entry and leaves every other byte as it is: comments, order, spaces.
// A file that it cannot edit so is refused.
package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Format is the syntax of a file.
type Format string

// The formats. JSON may have comments and trailing commas.
const (
	JSON Format = "json"
	TOML Format = "toml"
	YAML Format = "yaml"
)

// ErrBroken says that a file is not what its format allows.
var ErrBroken = errors.New("the file cannot be read")

// ErrForm says that a file is valid, but that an entry cannot be edited in the form
// that it has.
var ErrForm = errors.New("the file has a form that cannot be edited safely")

// An Edit is a change of a text: new replaces the bytes from start to end.
type edit struct {
	start, end int
	new        string
}

// An editor knows one format. Its texts have no byte order mark and end their lines
// with \n or \r\n.
type editor interface {
	// decode returns the document; nil for an empty one.
	decode(text []byte) (map[string]any, error)
	// put returns the edits that bring the entries of doc, a document of the same
	// format, into the section of text.
	put(text []byte, section string, doc []byte) ([]edit, error)
	// remove returns the edits that remove an entry, which exists.
	remove(text []byte, section, name string) ([]edit, error)
}

var editors = map[Format]editor{JSON: jsonEditor{}, TOML: tomlEditor{}, YAML: yamlEditor{}}

// Put returns text with the one entry that doc has in section. doc is a document of
// the format, {section: {name: …}}; its other members are lists, to which elements
// with new ids are added. An entry of that name is replaced. text may be empty.
func Put(f Format, text []byte, section string, doc string) ([]byte, error) {
	e := editors[f]
	wanted, err := e.decode([]byte(doc))
	if err != nil {
		return nil, fmt.Errorf("clientfile: the new entry is invalid: %w", err)
	}
	entries, _ := wanted[section].(map[string]any)
	if len(entries) != 1 {
		return nil, fmt.Errorf("clientfile: the new entry must be one member of %s", section)
	}
	name := slices.Collect(maps.Keys(entries))[0]
	mark, body, err := clean(text)
	if err != nil {
		return nil, err
	}
	before, err := e.decode(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return append(mark, doc...), nil
	}
	edits, err := e.put(body, section, []byte(doc))
	if err != nil {
		return nil, err
	}
	out := apply(body, edits)
	after, err := e.decode(out)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	got, _ := after[section].(map[string]any)
	if !reflect.DeepEqual(got[name], entries[name]) || !sameRest(before, after, section, name) {
		return nil, ErrForm
	}
	return append(mark, out...), nil
}

// Remove returns text without an entry. It is false if there is no such entry.
func Remove(f Format, text []byte, section, name string) ([]byte, bool, error) {
	e := editors[f]
	mark, body, err := clean(text)
	if err != nil {
		return nil, false, err
	}
	before, err := e.decode(body)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	entries, _ := before[section].(map[string]any)
	if _, ok := entries[name]; !ok {
		return text, false, nil
	}
	edits, err := e.remove(body, section, name)
	if err != nil {
		return nil, false, err
	}
	out := apply(body, edits)
	after, err := e.decode(out)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrForm, err)
	}
	left, _ := after[section].(map[string]any)
	if _, ok := left[name]; ok || !sameRest(before, after, section, name) {
		return nil, false, ErrForm
	}
	return append(mark, out...), true, nil
}

// Entries returns the entries of a section by name: what the format decodes to.
func Entries(f Format, text []byte, section string) (map[string]any, error) {
	_, body, err := clean(text)
	if err != nil {
		return nil, err
	}
	doc, err := editors[f].decode(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	switch entries := doc[section].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return entries, nil
	}
	return nil, fmt.Errorf("%w: %s is not an object", ErrBroken, section)
}

// clean splits off a byte order mark and refuses what is not text.
func clean(text []byte) (mark, body []byte, err error) {
	const bom = "\xef\xbb\xbf"
	if bytes.HasPrefix(text, []byte(bom)) {
		mark, text = []byte(bom), text[len(bom):]
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return nil, nil, fmt.Errorf("%w: it is not UTF-8 text", ErrBroken)
	}
	return mark, text, nil
}

// apply returns text with edits that do not overlap. Their line ends become those of
// text.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	crlf := bytes.Contains(text, []byte("\r\n"))
	var out []byte
	at := 0
	for _, e := range edits {
		if crlf {
			e.new = strings.ReplaceAll(e.new, "\n", "\r\n")
		}
		out = append(append(out, text[at:e.start]...), e.new...)
		at = e.end
	}
	return append(out, text[at:]...)
}

// sameRest reports whether two documents differ in one entry and in elements at the
// end of lists only.
func sameRest(before, after map[string]any, section, name string) bool {
	before, after = without(before, section, name), without(after, section, name)
	for key, value := range after {
		list, ok := value.([]any)
		old, wasList := before[key].([]any)
		if ok && (wasList || before[key] == nil) && len(old) <= len(list) {
			if len(old) == 0 {
				delete(after, key)
				delete(before, key)
			} else {
				after[key] = list[:len(old)]
			}
		}
	}
	return reflect.DeepEqual(before, after)
}

// without returns a document without an entry, and without the section if that is
// then empty.
func without(doc map[string]any, section, name string) map[string]any {
	out := maps.Clone(doc)
	if out == nil {
		out = map[string]any{}
	}
	entries, ok := out[section].(map[string]any)
	if ok {
		entries = maps.Clone(entries)
		delete(entries, name)
		out[section] = entries
	}
	if len(entries) == 0 && (ok || out[section] == nil) {
		delete(out, section)
	}
	return out
}

// lineStart returns the offset of the line that has offset at.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the offset behind the line that has offset at.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// indentOf returns the spaces and tabs at the beginning of the line that has offset
// at.
func indentOf(text []byte, at int) string {
	line := text[lineStart(text, at):]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
