package untyped

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

const (
	// MaxSize is the largest document that is decoded, in bytes.
	MaxSize = 256 << 10
	// MaxDepth is the deepest nesting that is decoded.
	MaxDepth = 64

	maxYAML = 64 << 10
)

// Errors of the decoders.
var (
	ErrTooLarge = errors.New("file is too large to read")
	ErrTooDeep  = errors.New("file is nested too deeply")
	ErrBinary   = errors.New("file is not text")
	// ErrTooManyNodes is the error of YAML whose aliases stand for too many values.
	ErrTooManyNodes = errors.New("file has too many values")
)

// JSON decodes a JSON object. It accepts comments and trailing commas. Numbers are
// [json.Number] values.
func JSON(b []byte) (Object, error) {
	b, err := Text(b, MaxSize)
	if err != nil {
		return nil, err
	}
	if Nesting(b) > MaxDepth {
		return nil, ErrTooDeep
	}
	m, err := decodeJSON(b)
	if err != nil {
		b = slices.Concat(b, []byte("\n")) // hujson requires one after a comment
		if standard, jwccErr := hujson.Standardize(b); jwccErr == nil {
			return decodeJSON(standard)
		}
	}
	return m, err
}

func decodeJSON(b []byte) (m Object, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	if _, err := d.Token(); m == nil || !errors.Is(err, io.EOF) {
		return nil, errors.New("file is not one JSON object")
	}
	return m, nil
}

// TOML decodes a TOML document.
func TOML(b []byte) (m Object, err error) {
	defer Guard(&err)
	if b, err = Text(b, MaxSize); err != nil {
		return nil, err
	}
	if Nesting(b) > MaxDepth {
		return nil, ErrTooDeep
	}
	var v map[string]any
	if err := toml.Unmarshal(b, &v); err != nil {
		return nil, err
	}
	return v, nil
}

// YAML decodes a YAML document that is a mapping.
func YAML(b []byte) (m Object, err error) {
	defer Guard(&err)
	if b, err = Text(b, maxYAML); err != nil {
		return nil, err
	}
	if indentation(b) > 4*MaxDepth {
		return nil, ErrTooDeep
	}
	tokens := lexer.Tokenize(string(fewerBlanks(b)))
	if flowDepth(tokens) > MaxDepth {
		return nil, ErrTooDeep
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, err
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		c := &yamlCount{anchors: map[string]int{}}
		if c.node(doc.Body); c.nodes > maxNodes {
			return nil, ErrTooManyNodes
		}
		err := yaml.NodeToValue(doc.Body, &m)
		return m, err
	}
	return nil, nil
}

// maxBlanks is how many consecutive blank lines of YAML are read: the lexer takes quadratic time.
const maxBlanks = 20

// fewerBlanks returns a text with at most [maxBlanks] consecutive blank lines.
func fewerBlanks(b []byte) []byte {
	out, blanks := make([]byte, 0, len(b)), 0
	for line := range bytes.Lines(b) {
		if blanks++; len(bytes.TrimSpace(line)) > 0 {
			blanks = 0
		}
		if blanks <= maxBlanks {
			out = append(out, line...)
		}
	}
	return out
}

// maxNodes is the maximum number of values of a YAML document, with each alias replaced by the
// value of its anchor.
const maxNodes = 50_000

// yamlCount counts the values of a document.
type yamlCount struct {
	nodes   int
	anchors map[string]int // values of anchors by name
}

// node counts the values below a node. It stops above the maximum.
func (c *yamlCount) node(n ast.Node) {
	if c.nodes++; c.nodes > maxNodes {
		return
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		before := c.nodes
		c.node(n.Value)
		c.anchors[n.Name.GetToken().Value] = c.nodes - before
	case *ast.AliasNode:
		c.nodes += c.anchors[n.Value.GetToken().Value]
	case *ast.TagNode:
		c.node(n.Value)
	case *ast.MappingValueNode:
		c.node(n.Key)
		c.node(n.Value)
	case *ast.MappingNode:
		for _, v := range n.Values {
			c.node(v)
		}
	case *ast.SequenceNode:
		for _, v := range n.Values {
			c.node(v)
		}
	}
}

// flowDepth returns the deepest nesting of brackets in YAML.
func flowDepth(tokens token.Tokens) int {
	depth, deepest := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
			deepest = max(deepest, depth)
		case token.MappingEndType, token.SequenceEndType:
			depth--
		}
	}
	return deepest
}

// Guard turns a panic of a third-party parser into an error. Callers defer it.
func Guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("file could not be parsed: %v", r)
	}
}

// Text checks that a file is text of at most limit bytes, and cleans it.
func Text(b []byte, limit int) ([]byte, error) {
	if len(b) > limit {
		return nil, ErrTooLarge
	}
	isUTF16 := bytes.HasPrefix(b, bigEndian) || bytes.HasPrefix(b, littleEndian)
	if n := bytes.Count(b, []byte{0}); n > 64 && n*4 > len(b) && !isUTF16 {
		return nil, ErrBinary
	}
	return Clean(b), nil
}

// The byte order marks of UTF-16.
var bigEndian, littleEndian = []byte{0xFE, 0xFF}, []byte{0xFF, 0xFE}

// Clean returns b as valid UTF-8 with lines that end in "\n", without a byte order mark, and
// with U+FFFD instead of control characters other than tabs and line breaks, which parsers
// reject. It converts UTF-16 that has a byte order mark.
func Clean(b []byte) []byte {
	switch {
	case bytes.HasPrefix(b, bigEndian):
		b = fromUTF16(b[2:], binary.BigEndian)
	case bytes.HasPrefix(b, littleEndian):
		b = fromUTF16(b[2:], binary.LittleEndian)
	}
	b = bytes.TrimPrefix(b, []byte{0xEF, 0xBB, 0xBF})
	if utf8.Valid(b) && !bytes.ContainsFunc(b, isControl) {
		return b
	}
	b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
	return bytes.Map(func(r rune) rune {
		if isControl(r) {
			return utf8.RuneError
		}
		return r
	}, b)
}

func isControl(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r == 0x7F }

func fromUTF16(b []byte, order binary.ByteOrder) []byte {
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = order.Uint16(b[2*i:])
	}
	return []byte(string(utf16.Decode(u)))
}

// Nesting returns the deepest nesting of brackets outside double quotes and comments as in
// JavaScript.
func Nesting(b []byte) int {
	depth, deepest := 0, 0
	quoted := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '/' && !quoted && bytes.HasPrefix(b[i:], []byte("/*")):
			if end := bytes.Index(b[i+2:], []byte("*/")); end >= 0 {
				i += end + 3
			}
		case c == '/' && !quoted && bytes.HasPrefix(b[i:], []byte("//")):
			if end := bytes.IndexByte(b[i:], '\n'); end >= 0 {
				i += end
			}
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

// indentation returns the deepest indentation of b in bytes.
func indentation(b []byte) int {
	deepest := 0
	for line := range bytes.Lines(b) {
		deepest = max(deepest, len(line)-len(bytes.TrimLeft(line, " -?\t")))
	}
	return deepest
}
