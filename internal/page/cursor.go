package page

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// A Cursor is the end of a page, and the list that it is a page of.
type Cursor struct {
	Path   string            `json:"p"`           // of the endpoint
	Params map[string]string `json:"q,omitempty"` // identify the list: see [Params]
	Keys   []any             `json:"k,omitempty"` // of the last result
	Slug   string            `json:"s,omitempty"` // of the last result
	Offset int               `json:"o,omitempty"` // results up to here
	Tool   int               `json:"t,omitempty"` // tools of the last server up to here
}

// Position returns the position of the last result.
func (c *Cursor) Position() query.Position { return query.Position{Keys: c.Keys, Slug: c.Slug} }

// A Sealer encodes cursors as URL-safe text that only it can make.
type Sealer struct{ key []byte }

// NewSealer returns a sealer. All processes of a registry need the same key.
func NewSealer(key []byte) *Sealer {
	sum := sha256.Sum256(key)
	return &Sealer{key: sum[:]}
}

const (
	macSize = 16 // bytes
	// MaxCursor is the longest cursor, in bytes: one may carry filters.
	MaxCursor = 48 << 10
)

// strictBase64 decodes only one spelling of each text.
var strictBase64 = base64.RawURLEncoding.Strict()

func (s *Sealer) mac(payload []byte) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write(payload)
	return h.Sum(nil)[:macSize]
}

// Seal returns c as text. It returns "" if JSON cannot represent the keys.
func (s *Sealer) Seal(c *Cursor) string {
	payload, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(s.mac(payload), payload...))
}

// Open returns the cursor that Seal encoded.
func (s *Sealer) Open(text string) (*Cursor, error) {
	invalid := &registry.Error{
		Kind: registry.ErrInvalid, Code: "invalid_cursor",
		Msg: "cursor must be a nextCursor of this registry, unchanged; start again without it",
		Fields: []registry.FieldError{
			{Field: "cursor", Message: "must be a nextCursor of this registry"},
		},
	}
	b, err := strictBase64.DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") || len(text) > MaxCursor || len(b) < macSize {
		return nil, invalid
	}
	c := new(Cursor)
	if !hmac.Equal(b[:macSize], s.mac(b[macSize:])) || json.Unmarshal(b[macSize:], c) != nil {
		return nil, invalid
	}
	return c, nil
}

// Resume opens a cursor of the endpoint at path and fills its parameters into the request.
// Parameters next to the cursor must be equal to these.
func (s *Sealer) Resume(text, path string, request any) (*Cursor, error) {
	c, err := s.Open(text)
	if err != nil {
		return nil, err
	}
	if c.Path != path {
		return nil, registry.Invalid("cursor", "must be of %s; start again without it", path)
	}
	target := reflect.ValueOf(request).Elem()
	var faults Faults
	var others []string
	for _, f := range fieldsOf(request) {
		if !f.list {
			continue
		}
		given := target.FieldByIndex(f.index)
		was := reflect.New(target.Type()).Elem()
		if text := c.Params[f.name]; text != "" {
			f.set(was, text, &faults)
		}
		value := was.FieldByIndex(f.index)
		if text := canonical(given); text != "" && text != canonical(value) {
			others = append(others, f.name)
			continue
		}
		given.Set(value)
	}
	switch {
	case len(faults) > 0: // the accepted values have changed
		return nil, registry.Invalid("cursor", "is out of date; start again without it")
	case len(others) > 0:
		names := strings.Join(others, ", ")
		return nil, registry.Invalid("cursor",
			"is of a list with another %s; omit %s, or start again without cursor", names, names)
	}
	return c, nil
}

// Params returns the parameters of a request that identify the list, for cursors and links.
func Params(request any) map[string]string {
	out := map[string]string{}
	from := reflect.ValueOf(request).Elem()
	for _, f := range fieldsOf(request) {
		if !f.list {
			continue
		}
		if text := textOf(from.FieldByIndex(f.index)); text != "" {
			out[f.name] = text
		}
	}
	return out
}

// textOf returns a value as the text of a parameter, "" if it is absent.
func textOf(v reflect.Value) string {
	if v.IsZero() {
		return ""
	}
	switch x := v.Interface().(type) {
	case encoding.TextMarshaler:
		b, _ := x.MarshalText() // does not fail
		return string(b)
	case string:
		return x
	case *float64:
		return strconv.FormatFloat(*x, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(x)
	}
	panic("page: parameters of lists must not have type " + v.Type().String())
}

// canonical returns a text that is equal for equal values, "" if the parameter
// is absent.
func canonical(v reflect.Value) string {
	if x, ok := v.Interface().(interface{ Canonical() string }); ok {
		return x.Canonical()
	}
	return textOf(v)
}

// Links writes a Link header: addresses of other pages of a list.
type Links struct {
	Base string // "https://census.example", or ""
	Path string
	text strings.Builder
}

// Add adds the page with these parameters, pairs of a name and a value. It omits empty values,
// and pages whose URL would be too long.
func (l *Links) Add(rel string, params ...string) {
	var query strings.Builder
	for i := 0; i < len(params); i += 2 {
		if params[i+1] == "" {
			continue
		}
		if query.Len() > 0 {
			query.WriteByte('&')
		}
		query.WriteString(params[i] + "=" + url.QueryEscape(params[i+1]))
	}
	address := l.Base + l.Path + "?" + query.String()
	if len(address) > httpd.MaxURL {
		return
	}
	if l.text.Len() > 0 {
		l.text.WriteString(", ")
	}
	l.text.WriteString("<" + address + `>; rel="` + rel + `"`)
}

func (l *Links) String() string { return l.text.String() }
