package api

import (
	"context"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/text"
)

// Values of Cache-Control. Clients may store responses and must revalidate
// them, which costs a 304.
const (
	sharedCache  = "public, no-cache"
	PrivateCache = "private, no-cache" // for responses to a key
)

// A Response is a finished JSON response. It is immutable, so that it may be
// cached and sent any number of times.
type Response struct {
	Tag   string // entity tag with its quotes
	Cache string // Cache-Control
	Total string // X-Total-Count; "" for none
	Link  string // "" for none
	Body  []byte

	gzip bool // Body is compressed
}

// NewResponse returns a response with v as JSON. An empty tag stands for one
// made of the body.
func NewResponse(v any, tag string) (*Response, error) {
	body, err := text.JSON(v)
	if err != nil {
		return nil, err
	}
	if tag == "" {
		tag = httpd.TagOf(body)
	}
	return &Response{Tag: tag, Cache: sharedCache, Body: body}, nil
}

// Send responds with v as JSON.
func Send(c *gin.Context, v any) error {
	r, err := NewResponse(v, "")
	if err == nil {
		r.Send(c)
	}
	return err
}

// compressed returns r with a gzip body, or r if that would be no smaller.
func (r *Response) compressed() *Response {
	if b := httpd.Zip(r.Body); b != nil {
		z := *r
		z.Body, z.gzip = b, true
		return &z
	}
	return r
}

// Send sends r, compressed if the client accepts gzip, or 304 if the client
// has it.
func (r *Response) Send(c *gin.Context) {
	if r.Total != "" {
		c.Header("X-Total-Count", r.Total)
	}
	if r.Link != "" {
		c.Header("Link", r.Link)
	}
	if !r.gzip && httpd.TakesGzip(c.Request) {
		r = r.compressed()
	}
	a := httpd.Response{Tag: r.Tag, Cache: r.Cache, Body: r.Body}
	if r.gzip {
		a.Zipped = r.Body
	}
	httpd.Write(c, a)
}

// A Key identifies a response. It must determine the response entirely.
type Key struct{ version, request string }

// ItemKey is the key of a response about one server, made of its entity tag.
func ItemKey(i *catalog.Item, tag string) Key { return Key{tag, i.Slug()} }

// NewKey returns the key of a response to a request that depends on nothing but a version
// of its data.
func NewKey(version, request string) Key { return Key{version, request} }

// URLKey is the key of a response that depends on the request's URL and the
// version of the data.
func URLKey(v *catalog.View, c *gin.Context) Key { return Key{v.Tag(), c.Request.RequestURI} }

// Respond sends the response that build returns, from the cache if the same
// key was used before.
func (a *API) Respond(c *gin.Context, key Key, build func() (*Response, error)) error {
	gzip := httpd.TakesGzip(c.Request)
	k := responseKey{key, gzip}
	r, ok := a.responses.Get(k)
	if !ok {
		var err error
		if r, err = build(); err != nil {
			return err
		}
		if gzip {
			r = r.compressed()
		}
		a.responses.Put(k, r)
	}
	r.Send(c)
	return nil
}

// Cached returns a handler that calls h unless the response for the request's
// URL is cached. h calls [API.Respond] with [URLKey].
func (a *API) Cached(h httpd.Handler) httpd.Handler {
	return func(ctx context.Context, c *gin.Context) error {
		if a.Catalog.Ready() {
			k := responseKey{URLKey(a.Catalog.View(), c), httpd.TakesGzip(c.Request)}
			if r, ok := a.responses.Get(k); ok {
				r.Send(c)
				return nil
			}
		}
		return h(ctx, c)
	}
}

type responseKey struct {
	Key
	gzip bool
}

const responseCacheSize = 64 << 20 // bytes
