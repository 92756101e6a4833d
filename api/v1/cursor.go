package v1

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// Kinds of cursors: what /v1/servers gave for a listing, and what a search
// gave, anywhere. They are part of the seal.
const (
	listKind   = "v1 list"
	searchKind = "v1 search"
	// maxCursor is longer than any cursor: a search carries its filters.
	maxCursor = 32 << 10
)

// A place is where a page of /v1/servers ended, and what it was a page of.
type place struct {
	category, sdk string
	score, stars  int
	near          int // the index behind it, when the page was made
	slug          string
}

func placeOf(l *listing, i *catalog.Item, near int) place {
	return place{l.category, l.sdk, i.Score(), i.Stars(), near, i.Slug()}
}

func (p *place) position() catalog.Position {
	return catalog.Position{Value: int64(p.score), Score: p.score, Stars: p.stars, Slug: p.slug}
}

// append appends the place in a form that read understands.
func (p *place) append(b []byte) []byte {
	b = append(b, byte(1+slices.Index(registry.Categories, p.category)), byte(1+slices.Index(registry.SDKs, p.sdk)))
	for _, n := range [...]int{p.score, p.stars, p.near} {
		b = binary.AppendVarint(b, int64(n))
	}
	return append(b, p.slug...)
}

func (p *place) read(b []byte) bool {
	if len(b) < 4 || int(b[0]) > len(registry.Categories) || int(b[1]) > len(registry.SDKs) {
		return false
	}
	if b[0] > 0 {
		p.category = registry.Categories[b[0]-1]
	}
	if b[1] > 0 {
		p.sdk = registry.SDKs[b[1]-1]
	}
	b = b[2:]
	for _, to := range [...]*int{&p.score, &p.stars, &p.near} {
		v, n := binary.Varint(b)
		if n <= 0 {
			return false
		}
		*to, b = int(v), b[n:]
	}
	p.slug = string(b)
	return p.slug != ""
}

// resume puts the cursor's listing into l. What is given beside the cursor
// must be what it was made with.
func (a *API) resume(l *listing) error {
	if l.cursor == "" {
		return nil
	}
	b, err := a.API.Unseal(listKind, l.cursor)
	if err != nil {
		return err
	}
	var p place
	if !p.read(b) {
		return registry.Invalid("cursor", "cannot be read any more; start again without it")
	}
	if l.category != "" || l.sdk != "" {
		if err := sameAs([][3]string{{"category", l.category, p.category}, {"sdk", l.sdk, p.sdk}}); err != nil {
			return err
		}
	}
	l.category, l.sdk, l.from, l.resumed = p.category, p.sdk, p, true
	return nil
}

// sameAs refuses a cursor beside other parameters: each is a name, what is
// given, and what the cursor was made with.
func sameAs(params [][3]string) error {
	var others []string
	for _, p := range params {
		if p[1] != "" && p[1] != p[2] {
			others = append(others, p[0])
		}
	}
	if len(others) == 0 {
		return nil
	}
	names := strings.Join(others, ", ")
	return registry.Invalid("cursor", "is of a listing with another %s; leave %s out, or start again without cursor", names, names)
}

// A searchCursor is where a page of a search ended, and what it was a page of.
type searchCursor struct {
	Where   string `json:"w"` // the endpoint, or the name of the saved search
	Text    string `json:"q,omitempty"`
	Filters string `json:"f,omitempty"` // as [canonical] writes them
	Sort    string `json:"o,omitempty"`

	Deep int    `json:"d,omitempty"` // how many results came before
	Slug string `json:"s"`
	Keys []any  `json:"y"` // what the results are sorted by
}

func (a *API) sealSearch(s *searchCursor) string {
	text, err := json.Marshal(s)
	if err != nil {
		return "" // numbers that JSON cannot hold: no cursor rather than a wrong one
	}
	if len(text) <= plainCursor {
		return a.API.Seal(searchKind, append([]byte{plainForm}, text...))
	}
	var b bytes.Buffer
	b.WriteByte(flateForm)
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(text) // a bytes.Buffer takes everything
	_ = w.Close()
	return a.API.Seal(searchKind, b.Bytes())
}

// The first byte of a search's cursor says how the rest is written. Short
// ones gain nothing from compression, which takes longer than the search.
const (
	plainForm, flateForm = 1, 2
	plainCursor          = 600
)

// openSearch returns what sealSearch was given, if it was for this endpoint.
func (a *API) openSearch(where, cursor string) (*searchCursor, error) {
	b, err := a.API.Unseal(searchKind, cursor)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		b = []byte{0}
	}
	text := b[1:]
	if b[0] == flateForm {
		text, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(text)), 256<<10))
	}
	var s searchCursor
	if err != nil || json.Unmarshal(text, &s) != nil || s.Slug == "" || s.Deep < 0 {
		return nil, registry.Invalid("cursor", "cannot be read any more; start again without it")
	}
	if s.Where != where {
		return nil, registry.Invalid("cursor", "is of another endpoint or saved search; start again without it")
	}
	return &s, nil
}
