package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A kind is a type of JSON value.
type kind int

const (
	null kind = iota
	boolean
	number
	str
	array
	object
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// A node is a JSON value in the file.
type node struct {
	kind
	start, end int      // offsets in the file
	text       string   // of a string
	truth      bool     // of a boolean
	names      []string // of an object's members, without repetition
	values     []*node  // of an object, in the order of names, or of an array
}

// value returns the value in the form that package jsonschema validates. Numbers are 0
// because no schema of server.json has numbers.
func (n *node) value() any {
	switch n.kind {
	case boolean:
		return n.truth
	case number:
		return 0.0
	case str:
		return n.text
	case array:
		all := make([]any, len(n.values))
		for i, v := range n.values {
			all[i] = v.value()
		}
		return all
	case object:
		all := make(map[string]any, len(n.names))
		for i, v := range n.values {
			all[n.names[i]] = v.value()
		}
		return all
	}
	return nil
}

// parse reads the file.
func (c *checker) parse() (*node, error) {
	switch {
	case len(c.data) > MaxSize:
		return nil, &unreadableError{0, "too-large",
			fmt.Sprintf("the file has %d bytes, the limit is %d", len(c.data), MaxSize)}
	case len(bytes.TrimSpace(c.data)) == 0:
		return nil, &unreadableError{0, "empty", "the file is empty"}
	case bytes.HasPrefix(c.data, []byte("\uFEFF")):
		return nil, &unreadableError{0, "byte-order-mark",
			"the file begins with a byte order mark, which JSON does not allow"}
	case !utf8.Valid(c.data):
		return nil, &unreadableError{invalidByte(c.data), "not-utf8", "the file is not valid UTF-8"}
	}
	var whole json.RawMessage // Unmarshal's errors have offsets in the file
	if err := json.Unmarshal(c.data, &whole); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(c.data))
	d.UseNumber() // keeps 1e999 from being an error
	return c.read(d, "", 0)
}

// invalidByte returns the offset of the first byte that is not UTF-8.
func invalidByte(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return 0
}

// token returns the next token and its offset.
func (c *checker) token(d *json.Decoder) (t json.Token, start int, err error) {
	start = int(d.InputOffset())
	start += len(c.data[start:]) - len(bytes.TrimLeft(c.data[start:], " \t\r\n,:"))
	t, err = d.Token()
	return t, start, err
}

// read reads the value at a path.
func (c *checker) read(d *json.Decoder, path string, depth int) (*node, error) {
	t, start, err := c.token(d)
	if err != nil {
		return nil, err
	}
	c.values++
	n := &node{start: start}
	switch t := t.(type) {
	case bool:
		n.kind, n.truth = boolean, t
	case json.Number:
		n.kind = number
	case string:
		n.kind, n.text = str, t
		if at := unpaired(c.data[start:d.InputOffset()]); at >= 0 {
			return nil, &unreadableError{start + at, "unpaired-surrogate",
				"the string contains an unpaired UTF-16 surrogate"}
		}
	case json.Delim:
		if depth == MaxDepth {
			return nil, &unreadableError{start, "too-deep",
				fmt.Sprintf("the file is nested more than %d levels deep", MaxDepth)}
		}
		n.kind = array
		if t == '{' {
			n.kind = object
		}
		if err := c.children(d, place{node: n, path: path}, depth); err != nil {
			return nil, err
		}
	}
	if c.values > maxValues {
		return nil, &unreadableError{start, "too-many-values",
			fmt.Sprintf("the file has more than %d values", maxValues)}
	}
	n.end = int(d.InputOffset())
	return n, nil
}

// children reads the values of an array or an object, and its end. The last member with a
// name wins.
func (c *checker) children(d *json.Decoder, p place, depth int) error {
	index := map[string]int{}
	for d.More() {
		i, path := len(p.values), p.index(len(p.values))
		if p.kind == object {
			t, start, err := c.token(d)
			if err != nil {
				return err
			}
			name := t.(string)
			path = p.join(name)
			if first, twice := index[name]; twice {
				i = first
				c.add(place{node: &node{start: start}, path: path}, TypeJSON, Warning, "duplicate-member",
					"Duplicate member %s: most parsers use the last one, some the first.",
					quote(name))
			} else {
				index[name] = i
				p.names = append(p.names, name)
			}
		}
		v, err := c.read(d, path, depth+1)
		if err != nil {
			return err
		}
		if i < len(p.values) {
			p.values[i] = v
		} else {
			p.values = append(p.values, v)
		}
	}
	_, err := d.Token()
	return err
}

// unpaired returns the offset of the first escaped surrogate without its other half in a
// string literal, -1 if there is none.
func unpaired(raw []byte) int {
	escape := func(i int) rune {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return -1
		}
		n, _ := strconv.ParseUint(string(raw[i+2:i+6]), 16, 32)
		return rune(n)
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch r := escape(i); {
		case r < 0:
			i++
		case !utf16.IsSurrogate(r):
			i += 5
		case utf16.DecodeRune(r, escape(i+6)) == utf8.RuneError:
			return i
		default:
			i += 11
		}
	}
	return -1
}

// A place is a path in the file and its value. The node is nil if the value is missing.
type place struct {
	*node
	path   string
	parent *node
}

// is reports whether there is a value of a kind.
func (p place) is(k kind) bool { return p.node != nil && p.node.kind == k }

// member returns the first member of p with one of the alternative names, or a place
// without a value.
func (p place) member(names ...string) place {
	if p.is(object) {
		for _, name := range names {
			if i := slices.Index(p.names, name); i >= 0 {
				return p.at(i)
			}
		}
	}
	return place{path: p.join(names[0]), parent: p.node}
}

// at returns the i-th member of an object or value of an array.
func (p place) at(i int) place {
	path := p.index(i)
	if p.kind == object {
		path = p.join(p.names[i])
	}
	return place{node: p.values[i], path: path, parent: p.node}
}

func (p place) index(i int) string { return p.path + "[" + strconv.Itoa(i) + "]" }

func (p place) join(name string) string {
	if p.path == "" {
		return name
	}
	return p.path + "." + name
}

// all returns the values of an array or an object.
func (p place) all() []place {
	if p.node == nil {
		return nil
	}
	out := make([]place, len(p.values))
	for i := range p.values {
		out[i] = p.at(i)
	}
	return out
}

// string returns the value of a string, "" for other values.
func (p place) string() string {
	if p.is(str) {
		return p.text
	}
	return ""
}

func (p place) flag() bool { return p.is(boolean) && p.truth }
