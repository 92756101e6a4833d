package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// A cursor says where a page ended and which listing it was a page of. Clients
// get it as base64url text that ends in a checksum under the registry's key.
type cursor struct {
	Kind     string   `json:"k"` // whose page: see the kinds
	Category string   `json:"c,omitempty"`
	Search   string   `json:"q,omitempty"`
	Min      *float64 `json:"m,omitempty"`
	Sort     string   `json:"o,omitempty"`

	// The place, by what it is sorted by: in the catalog's orders,
	Value int64  `json:"v,omitempty"`
	Text  string `json:"t,omitempty"`
	Score int    `json:"h"`
	Stars int    `json:"r"`
	Slug  string `json:"s"`
	// or in search results,
	Keys []any `json:"y,omitempty"`
	Deep int   `json:"d,omitempty"` // how many results came before
	// and for tools, how many of the server's are done.
	Tool int `json:"n,omitempty"`
}

// The kinds of pages that cursors continue.
const (
	kindServers       = "s" // of /api/servers
	kindDiscover      = "d" // of /api/discover
	kindDiscoverTools = "t" // of /api/discover with level=tool
)

const (
	sumSize   = 9 // bytes: 12 characters, and no padding
	maxCursor = 2048
)

// sealCursor returns c as text.
func (a *API) sealCursor(c cursor) string {
	b, err := json.Marshal(c)
	if err != nil {
		return "" // numbers that JSON cannot hold: no cursor rather than a wrong one
	}
	return base64.RawURLEncoding.EncodeToString(append(a.sum(b), b...))
}

// sum is a checksum that only who has the key can make. It is cut short, so
// that the hash of the key and the text in one needs no HMAC around it: what is
// left does not let anyone go on hashing.
func (a *API) sum(b []byte) []byte {
	s := sha256.Sum256(append(a.CursorKey[:len(a.CursorKey):len(a.CursorKey)], b...))
	return s[:sumSize:sumSize]
}

// openCursor returns what sealCursor was given.
func (a *API) openCursor(s string) (c cursor, err error) {
	bad := &registry.Error{
		Kind: registry.ErrInvalid, Code: "invalid_cursor", Msg: "cursor is not one that this registry gave, or it was changed; start again without it",
		Fields: []registry.FieldError{{Field: "cursor", Message: "is not a cursor of this registry"}},
	}
	if len(s) > maxCursor {
		return c, bad
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) < sumSize || !hmac.Equal(b[:sumSize], a.sum(b[sumSize:])) {
		return c, bad
	}
	if err := json.Unmarshal(b[sumSize:], &c); err != nil {
		return c, bad
	}
	return c, nil
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
	l.after = &c
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

func (c *cursor) at(p catalog.Position) {
	c.Value, c.Text, c.Score, c.Stars, c.Slug = p.Value, p.Text, p.Score, p.Stars, p.Slug
}

func (c *cursor) position() catalog.Position {
	return catalog.Position{Value: c.Value, Text: c.Text, Score: c.Score, Stars: c.Stars, Slug: c.Slug}
}

func (c *cursor) searchPosition() *registry.Position {
	return &registry.Position{Slug: c.Slug, Keys: c.Keys}
}
