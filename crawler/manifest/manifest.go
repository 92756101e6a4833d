// Package manifest reads the files by which a repository describes itself:
// package manifests, server.json in every schema generation, client
// configurations, Dockerfiles, lock files and READMEs.
//
// Every function is pure: it takes the bytes of one file and returns a small
// struct. The bytes are hostile: sizes, depth, encodings and aliases are
// bounded, nothing is executed, and whatever is malformed gives an error or a
// missing fact, never a panic.
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/pelletier/go-toml/v2"
)

const (
	// MaxSize is the largest file that is read, in bytes. A README is cut
	// there; any other file beyond it is refused.
	MaxSize = 256 << 10
	// MaxLock is the largest lock file that is read, in bytes.
	MaxLock = 4 << 20

	maxYAML  = 64 << 10
	maxDepth = 64
	maxList  = 1000 // entries kept of any list or table
	maxText  = 4096 // bytes kept of any single string
)

// Errors of the parsers.
var (
	ErrTooLarge = errors.New("file is too large to read")
	ErrTooDeep  = errors.New("file is nested too deeply")
	ErrBinary   = errors.New("file is not text")
)

// A Dependency is one entry of a manifest's list of dependencies.
type Dependency struct {
	Name     string
	Version  string // the constraint as written, "" if there is none
	Dev      bool   // for development, tests or builds only
	Peer     bool   // expected from whoever installs the package
	Indirect bool   // noted by a tool, not asked for
}

// Clean returns b as valid UTF-8 without byte order mark, NUL bytes and other
// control characters that no text file needs. UTF-16 with a byte order mark is
// converted. Lines end in "\n".
func Clean(b []byte) []byte {
	switch {
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		b = fromUTF16(b[2:], true)
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		b = fromUTF16(b[2:], false)
	}
	b = bytes.TrimPrefix(b, []byte{0xEF, 0xBB, 0xBF})
	ok := utf8.Valid(b)
	if ok {
		for _, c := range b {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7F {
				ok = false
				break
			}
		}
	}
	if ok {
		return b
	}
	b = bytes.ToValidUTF8(b, nil)
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	out := make([]byte, 0, len(b))
	for _, c := range b {
		switch {
		case c == '\r':
			out = append(out, '\n')
		case c < 0x20 && c != '\n' && c != '\t', c == 0x7F:
		default:
			out = append(out, c)
		}
	}
	return out
}

func fromUTF16(b []byte, bigEndian bool) []byte {
	u := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		if bigEndian {
			u = append(u, uint16(b[i])<<8|uint16(b[i+1]))
		} else {
			u = append(u, uint16(b[i+1])<<8|uint16(b[i]))
		}
	}
	return []byte(string(utf16.Decode(u)))
}

// text checks the size of a file and cleans it.
func text(b []byte, limit int) ([]byte, error) {
	if len(b) > limit {
		return nil, ErrTooLarge
	}
	if n := bytes.Count(b, []byte{0}); n > 64 && n*4 > len(b) && !bytes.HasPrefix(b, []byte{0xFE, 0xFF}) && !bytes.HasPrefix(b, []byte{0xFF, 0xFE}) {
		return nil, ErrBinary
	}
	return Clean(b), nil
}

// guard turns a panic of a parser we did not write into an error: its input is
// any file of any repository.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("file could not be parsed: %v", r)
	}
}

// nesting returns the deepest nesting of brackets outside double quotes.
func nesting(b []byte) int {
	depth, deepest := 0, 0
	quoted := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '\n':
			quoted = false
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// An object is a decoded JSON, TOML or YAML table whose members may be of any
// type: the accessors return zero values for what is missing or of another
// type.
type object map[string]any

func decodeJSON(b []byte) (object, error) {
	b, err := text(b, MaxSize)
	if err != nil {
		return nil, err
	}
	if nesting(b) > maxDepth {
		return nil, ErrTooDeep
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		if err2 := json.Unmarshal(plainJSON(b), &v); err2 != nil {
			return nil, err
		}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("file is not a JSON object")
	}
	return m, nil
}

func decodeTOML(b []byte) (m object, err error) {
	defer guard(&err)
	if b, err = text(b, MaxSize); err != nil {
		return nil, err
	}
	if nesting(b) > maxDepth {
		return nil, ErrTooDeep
	}
	var v map[string]any
	if err := toml.Unmarshal(b, &v); err != nil {
		return nil, err
	}
	return v, nil
}

func decodeYAML(b []byte) (m object, err error) {
	defer guard(&err)
	if b, err = text(b, maxYAML); err != nil {
		return nil, err
	}
	if nesting(b) > maxDepth || indentation(b) > 4*maxDepth {
		return nil, ErrTooDeep
	}
	if bytes.Count(b, []byte(" *"))+bytes.Count(b, []byte("[*"))+bytes.Count(b, []byte(",*")) > 32 {
		return nil, errors.New("file has too many aliases")
	}
	if bytes.Count(b, []byte("&")) > 8 && bytes.Count(b, []byte("*")) > 8 {
		return nil, errors.New("file has too many anchors")
	}
	var v map[string]any
	if err := yaml.Unmarshal(b, &v); err != nil {
		return nil, err
	}
	return v, nil
}

func indentation(b []byte) int {
	deepest := 0
	for line := range bytes.Lines(b) {
		n := len(line) - len(bytes.TrimLeft(line, " -?\t"))
		deepest = max(deepest, n)
	}
	return deepest
}

// plainJSON removes comments and trailing commas, as people write them in
// configuration files, from JSON.
func plainJSON(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c == '"':
			j := i + 1
			for j < len(b) && b[j] != '"' && b[j] != '\n' {
				if b[j] == '\\' {
					j++
				}
				j++
			}
			end := min(j+1, len(b))
			out = append(out, b[i:end]...)
			i = end - 1
		case c == '/' && i+1 < len(b) && b[i+1] == '/', c == '#':
			for i < len(b) && b[i] != '\n' {
				i++
			}
			out = append(out, '\n')
		case c == '/' && i+1 < len(b) && b[i+1] == '*':
			end := bytes.Index(b[i+2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += end + 3
		case c == '}' || c == ']':
			k := len(out)
			for k > 0 && (out[k-1] == ' ' || out[k-1] == '\n' || out[k-1] == '\t' || out[k-1] == '\r') {
				k--
			}
			if k > 0 && out[k-1] == ',' {
				out = append(out[:k-1], out[k:]...)
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

func (o object) str(keys ...string) string {
	for _, k := range keys {
		switch v := o[k].(type) {
		case string:
			if s := short(v); s != "" {
				return s
			}
		case float64, int64, uint64, int:
			return fmt.Sprint(v)
		}
	}
	return ""
}

func (o object) flag(keys ...string) bool {
	for _, k := range keys {
		switch v := o[k].(type) {
		case bool:
			if v {
				return true
			}
		case string:
			if v == "true" {
				return true
			}
		}
	}
	return false
}

func (o object) obj(keys ...string) object {
	for _, k := range keys {
		if m, ok := asObject(o[k]); ok {
			return m
		}
	}
	return nil
}

func (o object) list(keys ...string) []any {
	for _, k := range keys {
		if v, ok := o[k].([]any); ok {
			return v[:min(len(v), maxList)]
		}
	}
	return nil
}

func (o object) objs(keys ...string) []object {
	var out []object
	for _, v := range o.list(keys...) {
		if m, ok := asObject(v); ok {
			out = append(out, m)
		}
	}
	return out
}

func (o object) strs(keys ...string) []string { return asStrings(o.list(keys...)) }

// keys are the members' names, sorted, at most maxList of them.
func (o object) keys() []string {
	out := make([]string, 0, len(o))
	for k := range o {
		out = append(out, k)
	}
	sort.Strings(out)
	return out[:min(len(out), maxList)]
}

func (o object) stringMap(key string) map[string]string {
	m := o.obj(key)
	if len(m) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, k := range m.keys() {
		out[short(k)] = m.str(k)
	}
	return out
}

func asObject(v any) (object, bool) {
	switch m := v.(type) {
	case map[string]any:
		return m, true
	case object:
		return m, true
	case map[any]any:
		out := object{}
		for k, v := range m {
			out[fmt.Sprint(k)] = v
		}
		return out, true
	}
	return nil, false
}

func asStrings(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			if s = short(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// short trims a string and cuts it to what a fact may be long.
func short(s string) string {
	s = strings.TrimSpace(s)
	if strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s) {
		s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")
	}
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}
