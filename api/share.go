package api

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// What follows is for the keyed API, which answers with the same records in
// other envelopes.

// A Document is a JSON body that can be made in several forms. What its
// functions return is not used after Write returns.
type Document struct {
	Tag  string        // entity tag with its quotes
	Body func() []byte // plain
	// Zipped, if not nil, makes the body compressed, quickly but not small.
	Zipped func() []byte
	// Answers made of one version of the data are kept in Cache under Key when
	// they are asked for again; "" for those that are one of a kind, or quick to
	// make. Plain says that the plain body is worth keeping too.
	Cache *catalog.Cache
	Key   string
	Plain bool
}

// ForOneKey is the Cache-Control of answers to who has a key.
const ForOneKey = "private, no-cache"

// Write answers c with d, for whoever asked and nobody else.
func (d *Document) Write(c *gin.Context) {
	w := answer{tag: d.Tag, body: d.Body, zipped: d.Zipped, cache: d.Cache, key: d.Key, plain: d.Plain, control: ForOneKey}
	w.write(c)
}

// View returns the current version of the data, or an error of kind
// registry.ErrUnavailable while there is none.
func (a *API) View() (*catalog.View, error) { return a.view() }

// Problem answers c with err.
func (a *API) Problem(c *gin.Context, err error) { a.problem(c, err) }

// Seal returns a payload as a cursor: URL-safe text that only who has the
// registry's key can make. The kind is part of the seal.
func (a *API) Seal(kind string, payload []byte) string {
	return string(a.AppendSealed(nil, kind, payload))
}

// AppendSealed appends what Seal returns.
func (a *API) AppendSealed(dst []byte, kind string, payload []byte) []byte {
	var room [256]byte
	sum := a.mac(appendKinded(room[:0], kind, payload))
	return base64.RawURLEncoding.AppendEncode(dst, append(append(room[:0], sum[:]...), payload...))
}

// Unseal returns the payload of a cursor that Seal made for that kind. The
// error is about "cursor".
func (a *API) Unseal(kind, cursor string) ([]byte, error) {
	b, err := strictBase64.DecodeString(cursor)
	if err != nil || strings.ContainsAny(cursor, "\r\n") || len(b) < sumSize || !a.sealed(b[:sumSize], kind, b[sumSize:]) {
		return nil, &registry.Error{
			Kind: registry.ErrInvalid, Code: "invalid_cursor",
			Msg:    "cursor is not one that this registry gave here: it was changed, or it is of another endpoint; start again without it",
			Fields: []registry.FieldError{{Field: "cursor", Message: "is not a cursor of this endpoint"}},
		}
	}
	return b[sumSize:], nil
}

// sealed reports whether sum is that of the payload.
func (a *API) sealed(sum []byte, kind string, payload []byte) bool {
	var room [256]byte
	want := a.mac(appendKinded(room[:0], kind, payload))
	return hmac.Equal(sum, want[:])
}

// appendKinded puts a kind before a payload in a way that no cursor of /api
// begins.
func appendKinded(b []byte, kind string, payload []byte) []byte {
	b = append(b, 0)
	b = append(b, kind...)
	b = append(b, 0)
	return append(b, payload...)
}

// ParseQuery returns the parameters of a query string. The error names each
// one that is not allowed, is there twice, or is no text.
func ParseQuery(raw string, allowed ...string) (p Params, err error) {
	if raw == "" || p.plain(raw, allowed) {
		return p, nil
	}
	p = Params{}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return p, registry.Errorf(registry.ErrInvalid, "The query string cannot be read: %s. Escape special characters as %%XX.", queryFault(err))
	}
	var wrong []registry.FieldError
	for name, vs := range values {
		switch {
		case !slices.Contains(allowed, name):
			if len(wrong) >= 20 {
				continue
			}
			msg := "is not a parameter here; " + thereAre(allowed)
			if meant := misspelt(name, allowed); meant != "" {
				msg = "is not a parameter; did you mean " + meant + "?"
			}
			wrong = append(wrong, registry.FieldError{Field: printable(name), Message: msg})
		case len(vs) > 1:
			wrong = append(wrong, registry.FieldError{Field: name, Message: "is given more than once"})
		default:
			if fault := textFault(name, vs[0]); fault != "" {
				wrong = append(wrong, registry.FieldError{Field: name, Message: fault})
				continue
			}
			p.set(name, vs[0])
		}
	}
	return p, InvalidFields(wrong)
}

// More reports whether results stand behind a page that begins with the
// offset-th. Behind a cursor, that is only what it was when the cursor was
// made; so where the end seems to be, the index is asked.
func More(ctx context.Context, index Searcher, q query.Query, page query.Results, offset int) (bool, error) {
	n := len(page.Slugs)
	switch {
	case n == 0 || len(page.Positions) != n:
		return false, nil
	case offset+n < page.Total || q.After == nil || n < q.Limit:
		return offset+n < page.Total, nil
	}
	q.After, q.Limit, q.Facets = &page.Positions[n-1], 1, false
	rest, err := index.Search(ctx, q)
	return len(rest.Slugs) > 0, err
}

// AppendWarnings appends the member that a page of a search has while the index
// does not answer, with a comma before it; else nothing.
func AppendWarnings(b []byte, degraded bool) []byte {
	if !degraded {
		return b
	}
	return append(b, `,"warnings":["The search index does not answer at the moment. READMEs and descriptions of tools were not searched, so more servers may match, and their order may differ."]`...)
}

// InvalidFields returns one error for all that is wrong, nil if nothing is.
func InvalidFields(wrong []registry.FieldError) error { return invalid(wrong) }

// Printable returns a form of s, at most 64 bytes, that is safe to repeat in
// an answer.
func Printable(s string) string { return printable(s) }

// TextFault says what is wrong with the text of a parameter, which the answer
// may repeat: it is not valid, has control characters, or holds an API key. ""
// is nothing.
func TextFault(name, s string) string { return textFault(name, s) }

// CleanText reports whether s is valid text without control characters.
func CleanText(s string) bool { return clean(s) }

// Find returns the listed server that has or had a slug or has a name in the
// official registry. The error is one of kind registry.ErrNotFound, with
// candidates, or registry.ErrGone.
func Find(v *catalog.View, name string) (*catalog.Item, error) {
	if len(name) > maxName {
		return nil, &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found",
			Msg: "There is no server of such a long name in the registry."}
	}
	return find(v, name)
}

// FindByAddress returns the listed server that an address on a code host
// means (see [registry.RepoRef.Among]). It returns nil if none is listed, or
// none in the folder of the address.
func FindByAddress(v *catalog.View, ref registry.RepoRef) *catalog.Item {
	i, _ := choose(v.InRepo(ref.Key()), ref)
	return i
}

// Members returns the names of the members of a detail record, in their order.
func Members() []string { return slices.Clone(detailMembers) }

// BasicMembers returns the names of the members of a list entry.
func BasicMembers() []string { return slices.Clone(basicMembers) }

var detailMembers, basicMembers = membersOf[detailBody](), membersOf[basicBody]()

func membersOf[T any]() []string {
	t := reflect.TypeFor[T]()
	out := make([]string, t.NumField())
	for i := range out {
		out[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return out
}

// JSON returns v as the APIs encode it. It panics if v cannot be encoded.
func JSON(v any) json.RawMessage {
	b, err := encode(v)
	if err != nil {
		panic("api: " + err.Error())
	}
	return b
}

// TagOf returns an entity tag of a body.
func TagOf(body []byte) string { return tagOf(body) }
