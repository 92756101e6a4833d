// Package clientfile edits the configuration files of MCP clients. It changes the
// text of one entry and leaves every other byte unchanged: comments, order, spaces.
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

// ErrBroken reports that a file is not valid in its format.
var ErrBroken = errors.New("the file cannot be read")

// ErrForm reports that a file is valid, but that an entry cannot be edited in the form
// that it has.
var ErrForm = errors.New("the file has a form that cannot be edited safely")

// ErrExists reports that there is an entry of a name already.
var ErrExists = errors.New("the file has an entry of that name")

// An editor edits one format. Its texts have no byte order mark and end their lines
// with \n or \r\n.
type editor interface {
	// decode returns the document; nil for an empty one.
	decode(text []byte) (map[string]any, error)
	// put returns text with the entries of doc, a document of the same format, in the
	// section.
	put(text []byte, section string, doc []byte) ([]byte, error)
	// set returns text with a string or a list of strings at a path. The entry exists.
	set(text []byte, path []string, value any) ([]byte, error)
	// remove returns text without an entry, which exists.
	remove(text []byte, section, name string) ([]byte, error)
}

var editors = map[Format]editor{JSON: jsonEditor{}, TOML: tomlEditor{}, YAML: yamlEditor{}}

// Put returns text with the one entry that doc has in section. doc is a document of
// the format, {section: {name: …}}; its other members are lists, to which elements
// with new ids are added. The error is ErrExists if there is an entry of that name. text may
// be empty.
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
	if len(bytes.TrimSpace(body)) == 0 {
		return append(mark, doc...), nil
	}
	before, err := e.decode(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if there, _ := before[section].(map[string]any); there[name] != nil {
		return nil, fmt.Errorf("%w: %s", ErrExists, name)
	}
	out, err := e.put(body, section, []byte(doc))
	if err != nil {
		return nil, err
	}
	return append(mark, out...), check(e, before, out, section, name, entries[name])
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
	out, err := e.remove(body, section, name)
	if err != nil {
		return nil, false, err
	}
	return append(mark, out...), true, check(e, before, out, section, name, nil)
}

// check returns ErrForm unless a changed text has an entry with a value, nil for none,
// and differs from the document before in nothing else but elements at the end of lists.
func check(e editor, before map[string]any, out []byte, section, name string, value any) error {
	after, err := e.decode(out)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	entries, _ := after[section].(map[string]any)
	if !reflect.DeepEqual(entries[name], value) || !sameRest(before, after, section, name) {
		return ErrForm
	}
	return nil
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
	if depth(text) > maxDepth {
		return nil, nil, fmt.Errorf("%w: its values are nested more than %d deep", ErrBroken, maxDepth)
	}
	return mark, text, nil
}

// maxDepth bounds the nesting of values: parsers recurse, and the stack is limited.
const maxDepth = 1000

// depth returns how deep the brackets outside strings, and the lists within each line of YAML, are
// nested.
func depth(text []byte) (most int) {
	brackets, dashes, isText, isStart := 0, 0, false, true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			dashes, isText, isStart = 0, false, true
			continue
		case isText && c == '\\':
			i++
		case c == '"':
			isText = !isText
		case isText:
		case c == '[' || c == '{':
			brackets++
		case c == ']' || c == '}':
			brackets = max(0, brackets-1)
		case isStart && c == '-':
			dashes++
		}
		isStart = isStart && (text[i] == '-' || text[i] == ' ')
		most = max(most, brackets, dashes)
	}
	return most
}

// replace returns text with new in place of the bytes from start to end, with the line
// ends of text.
func replace(text []byte, start, end int, new string) []byte {
	if bytes.Contains(text, []byte("\r\n")) {
		new = strings.ReplaceAll(new, "\n", "\r\n")
	}
	return slices.Concat(text[:start], []byte(new), text[end:])
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
	out := map[string]any{}
	maps.Copy(out, doc)
	entries, ok := out[section].(map[string]any)
	if entries = maps.Clone(entries); ok {
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
