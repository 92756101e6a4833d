// Package avatar fetches the avatars of owners from their code host and re-encodes
// them, so that only the pixels of a small image are stored.
package avatar

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/url"

	"golang.org/x/image/draw"

	"mcpcensus/crawler/picture"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

const (
	// Size is the width and height of stored avatars in pixels.
	Size = 64

	maxBytes  = 1 << 20 // of a response
	maxPixels = 1 << 22 // of an image
)

// Options configure a [Client].
type Options struct {
	Public    string // URL of the host's avatars, [registry.Host.Avatars]
	Base      string // URL from which they are read; "" means Public
	UserAgent string
	Transport http.RoundTripper // nil means a new one
	Observe   func(transport.Event)
	Log       *slog.Logger
}

// A Client fetches avatars. It is safe for concurrent use.
type Client struct {
	api          *transport.Client
	public, base *url.URL
}

// New returns a client for the avatars of one code host.
func New(o Options) (*Client, error) {
	o.Base = cmp.Or(o.Base, o.Public)
	api, err := transport.New(transport.Options{
		Upstream: "avatars", BaseURL: o.Base, UserAgent: o.UserAgent, MaxBody: maxBytes,
		PerMinute: map[string]int{"core": 300}, Base: o.Transport, Observe: o.Observe, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(o.Base)
	if err != nil {
		return nil, err
	}
	public, err := url.Parse(o.Public)
	if err != nil {
		return nil, err
	}
	return &Client{api: api, public: public, base: base}, nil
}

// Fetch returns the avatar at a URL of the code host as a PNG of [Size] pixels. The
// error is of kind [registry.ErrNotFound] if the avatar is missing or at another host,
// and of kind [registry.ErrInvalid] if [Normalize] rejects it.
func (c *Client) Fetch(ctx context.Context, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host != c.public.Host && u.Host != c.base.Host {
		return nil, registry.Errorf(registry.ErrNotFound, "the avatar is not at the code host")
	}
	at := c.base.JoinPath(u.Path)
	query := u.Query()
	query.Set("s", fmt.Sprint(2*Size))
	at.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err, "the avatar's URL is malformed")
	}
	resp, err := c.api.HTTP().Do(req)
	if err != nil {
		return nil, fmt.Errorf("avatar: %w", err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return nil, registry.Errorf(registry.ErrNotFound, "there is no avatar")
	default:
		return nil, fmt.Errorf("avatar: %w", c.api.StatusError(resp))
	}
	data, err := io.ReadAll(resp.Body)
	if errors.Is(err, transport.ErrBodyTooLarge) {
		return nil, registry.Wrap(registry.ErrInvalid, err, "the avatar is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("avatar: %w", err)
	}
	return Normalize(data)
}

// Normalize converts a PNG, JPEG, GIF or WebP to a PNG of [Size] pixels without
// metadata. For other formats, such as SVG, corrupt files and very large images, the
// error is of kind [registry.ErrInvalid].
func Normalize(data []byte) ([]byte, error) {
	from, _, err := picture.Decode(data, maxPixels)
	if err != nil {
		return nil, err
	}
	to := image.NewNRGBA(image.Rect(0, 0, Size, Size))
	draw.CatmullRom.Scale(to, to.Bounds(), from, from.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err, "the avatar cannot be encoded")
	}
	return out.Bytes(), nil
}
