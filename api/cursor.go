package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// A cursor says where a page ended and which listing it was a page of. Clients
// get it as base64url text that begins with a checksum under the registry's key.
type cursor struct {
	Kind     byte // whose page: see the kinds
	Category string
	Search   string
	Min      *float64
	Sort     string

	// The place, by what it is sorted by: in the catalog's orders,
	Value int64
	Text  string
	Score int
	Stars int
	Slug  string
	Near  int // how many stood up to there when the cursor was made
	// or in search results,
	Keys []any
	Deep int // how many results came before
	// and for tools, how many of the server's are done.
	Tool int
}

// The kinds of pages that cursors continue.
const (
	kindServers       = 's' // of /api/servers
	kindDiscover      = 'd' // of /api/discover
	kindDiscoverTools = 't' // of /api/discover with level=tool
)

const (
	cursorForm = 1 // the first byte says how the rest is to be read
	sumSize    = 9 // bytes: 12 characters, and no padding
	maxCursor  = 2048
)

// What a cursor has besides its place.
const (
	withMin = 1 << iota
	withSort
	withSearch
)

// strictBase64 takes one spelling of each text only.
var strictBase64 = base64.RawURLEncoding.Strict()

// sealCursor returns c as text.
func (a *API) sealCursor(c cursor) string { return string(a.appendCursor(nil, &c)) }

// appendCursor appends c as text, or nothing if c has numbers that JSON cannot
// hold: no cursor rather than a wrong one.
func (a *API) appendCursor(dst []byte, c *cursor) []byte {
	var room [192]byte
	b := room[:sumSize]
	with := byte(0)
	if c.Min != nil {
		with |= withMin
	}
	if c.Sort != "" {
		with |= withSort
	}
	if c.Search != "" {
		with |= withSearch
	}
	b = append(b, cursorForm, c.Kind, with, byte(1+slices.Index(registry.Categories, c.Category)))
	if c.Min != nil {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(*c.Min))
	}
	if c.Sort != "" {
		s, _ := catalog.ParseSort(c.Sort)
		b = append(b, byte(s))
	}
	if c.Search != "" {
		keys, err := json.Marshal(c.Keys)
		if err != nil {
			return dst
		}
		b = appendCounted(appendCounted(b, c.Search), string(keys))
	}
	for _, n := range [...]int64{c.Value, int64(c.Score), int64(c.Stars), int64(c.Near), int64(c.Deep), int64(c.Tool)} {
		b = binary.AppendVarint(b, n)
	}
	b = append(appendCounted(b, c.Text), c.Slug...)
	sum := a.mac(b[sumSize:])
	copy(b, sum[:])
	return base64.RawURLEncoding.AppendEncode(dst, b)
}

func appendCounted(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// A cursorReader takes a cursor apart. What is not there is an error that
// remains.
type cursorReader struct {
	rest string
	bad  bool
}

// cut returns the next n bytes, n of zero if they are not there.
func (r *cursorReader) cut(n uint64) string {
	if r.bad = r.bad || n > uint64(len(r.rest)); r.bad {
		return noBytes[:min(n, uint64(len(noBytes)))]
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

const noBytes = "\x00\x00\x00\x00\x00\x00\x00\x00"

func (r *cursorReader) number() int64 {
	v, n := binary.Varint([]byte(r.rest))
	if r.bad = r.bad || n <= 0; r.bad {
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *cursorReader) counted() string {
	v, n := binary.Uvarint([]byte(r.rest))
	if r.bad = r.bad || n <= 0; r.bad {
		return ""
	}
	r.rest = r.rest[n:]
	if s := r.cut(v); !r.bad {
		return s
	}
	return ""
}

// read returns the cursor in r. One with a sound checksum is one that
// sealCursor wrote, though maybe that of another version of the program.
func (r *cursorReader) read() (c cursor, ok bool) {
	head := r.cut(4)
	if r.bad || head[0] != cursorForm || int(head[3]) > len(registry.Categories) {
		return c, false
	}
	c.Kind = head[1]
	with := head[2]
	if head[3] > 0 {
		c.Category = registry.Categories[head[3]-1]
	}
	if with&withMin != 0 {
		m := math.Float64frombits(binary.BigEndian.Uint64([]byte(r.cut(8))))
		c.Min = &m
	}
	if with&withSort != 0 {
		if c.Sort = catalog.Sort(r.cut(1)[0]).String(); c.Sort == "" {
			return c, false
		}
	}
	if with&withSearch != 0 {
		c.Search = r.counted()
		var keys []any // apart from c, which need not be on the heap
		if err := json.Unmarshal([]byte(r.counted()), &keys); err != nil {
			return c, false
		}
		c.Keys = keys
	}
	c.Value, c.Score, c.Stars = r.number(), int(r.number()), int(r.number())
	c.Near, c.Deep, c.Tool = int(r.number()), int(r.number()), int(r.number())
	c.Text = r.counted()
	c.Slug = r.rest
	return c, !r.bad
}

// mac is a checksum that only who has the key can make. It is cut short, so
// that the hash of the key and the text in one needs no HMAC around it: what is
// left does not let anyone go on hashing.
func (a *API) mac(b []byte) [sumSize]byte {
	var room [256]byte
	s := sha256.Sum256(append(append(room[:0], a.CursorKey...), b...))
	return [sumSize]byte(s[:])
}

// openCursor returns what sealCursor was given.
func (a *API) openCursor(s string) (c cursor, err error) {
	var room [256]byte
	if len(s) > maxCursor || strings.ContainsAny(s, "\r\n") { // which base64 passes over
		return c, errCursor()
	}
	b, err := strictBase64.AppendDecode(room[:0], []byte(s))
	if err != nil || len(b) < sumSize {
		return c, errCursor()
	}
	if sum := a.mac(b[sumSize:]); subtle.ConstantTimeCompare(b[:sumSize], sum[:]) == 0 {
		return c, errCursor()
	}
	r := cursorReader{rest: string(b[sumSize:])}
	c, ok := r.read()
	if !ok {
		return cursor{}, errCursor()
	}
	return c, nil
}

func errCursor() error {
	return &registry.Error{
		Kind: registry.ErrInvalid, Code: "invalid_cursor", Msg: "cursor is not one that this registry gave, or it was changed; start again without it",
		Fields: []registry.FieldError{{Field: "cursor", Message: "is not a cursor of this registry"}},
	}
}

// resume puts the cursor's listing into l. The cursor must be of the same
// endpoint, and filters that are given beside it those that it was made with.
func (a *API) resume(l *listing) error {
	if l.cursor == "" {
		return nil
	}
	c, err := a.openCursor(l.cursor)
	if err != nil {
		return err
	}
	switch {
	case l.path == serversPath && c.Kind == kindServers:
	case l.path == discoverPath && (c.Kind == kindDiscover || c.Kind == kindDiscoverTools):
	default:
		return registry.Invalid("cursor", "is of another endpoint than %s; start again without it", l.path)
	}
	var others []string
	differs := func(field string, given, same bool) {
		if given && !same {
			others = append(others, field)
		}
	}
	differs("category", l.category != "", l.category == c.Category)
	differs("search", l.search != "", l.search == c.Search)
	differs("minScore", l.min >= 0, c.Min != nil && *c.Min == l.minScore)
	differs("sort", l.sorted, l.sort.String() == c.Sort)
	differs("level", l.tools, c.Kind == kindDiscoverTools)
	if len(others) > 0 {
		names := strings.Join(others, ", ")
		return registry.Invalid("cursor", "is of a listing with another %s; leave %s out, or start again without cursor", names, names)
	}
	l.category, l.search = c.Category, c.Search
	if c.Min != nil {
		l.minScore, l.min = *c.Min, int(math.Ceil(*c.Min))
	}
	if c.Sort != "" {
		l.sort, _ = catalog.ParseSort(c.Sort)
		l.sorted = true
	}
	if c.Kind == kindDiscoverTools {
		l.tools, l.mcp = true, true
	}
	l.from, l.resumed = c, true
	return nil
}

// cursorOf starts a cursor with what l asks for.
func (l *listing) cursorOf() cursor {
	c := cursor{Kind: kindDiscover, Category: l.category, Search: l.search}
	switch {
	case l.path == serversPath:
		c.Kind = kindServers
	case l.tools:
		c.Kind = kindDiscoverTools
	}
	if l.min >= 0 {
		m := l.minScore
		c.Min = &m
	}
	if l.sorted || l.search == "" {
		c.Sort = l.sort.String()
	}
	return c
}

func (c *cursor) at(p catalog.Position, near int) {
	c.Value, c.Text, c.Score, c.Stars, c.Slug, c.Near = p.Value, p.Text, p.Score, p.Stars, p.Slug, near
}

func (c *cursor) position() catalog.Position {
	return catalog.Position{Value: c.Value, Text: c.Text, Score: c.Score, Stars: c.Stars, Slug: c.Slug}
}

func (c *cursor) searchPosition() *query.Position {
	return &query.Position{Slug: c.Slug, Keys: c.Keys}
}
