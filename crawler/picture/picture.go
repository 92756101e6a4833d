// Package picture fetches pictures that READMEs name from untrusted hosts and re-encodes them, so
// that only their pixels are served.
package picture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/gif" // a format of pictures, of which the first image is read
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // a format of pictures

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

const (
	maxWidth     = 1280      // of a served picture; wider ones are scaled
	maxHeight    = 4096      // of a served picture; higher ones are scaled
	maxBytes     = 5 << 20   // of a response
	maxPixels    = 9_000_000 // of a fetched picture
	maxEncoded   = 768 << 10 // of a served picture; larger ones become JPEG
	maxRedirects = 3
	timeout      = 8 * time.Second
	atOnce       = 3 // pictures that are fetched and decoded at the same time
)

// A Client fetches pictures. It is safe for concurrent use.
type Client struct {
	guard transport.Guard
	agent string
	turns chan struct{}
}

// New returns a client that connects through guard.
func New(guard transport.Guard, userAgent string) *Client {
	return &Client{guard: guard, agent: userAgent, turns: make(chan struct{}, atOnce)}
}

// Fetch returns the picture at an https URL as PNG or JPEG, and its media type. It connects to
// public addresses only, also after redirects. The error is of kind [registry.ErrNotFound] if
// there is no picture, and of kind [registry.ErrInvalid] if it is refused.
func (c *Client) Fetch(ctx context.Context, address string) (body []byte, kind string, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	for range maxRedirects + 1 {
		data, next, err := c.get(ctx, address)
		if err != nil {
			return nil, "", err
		}
		if next == "" {
			return encode(data)
		}
		address = next
	}
	return nil, "", registry.Errorf(registry.ErrInvalid, "the picture redirects too often")
}

// get returns the response of one request, or the URL that it redirects to.
func (c *Client) get(ctx context.Context, address string) (data []byte, next string, err error) {
	u, err := parse(address)
	if err != nil {
		return nil, "", err
	}
	addrs, err := c.guard.Resolve(ctx, u.Hostname())
	if err != nil {
		return nil, "", registry.Wrap(registry.ErrNotFound, err, "the picture's host is not reachable")
	}
	connection := c.guard.Open(u.Hostname(), addrs)
	defer connection.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, "", registry.Wrap(registry.ErrInvalid, err, "the picture's URL is malformed")
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "image/png, image/jpeg, image/webp, image/gif")
	resp, err := connection.RoundTrip(req)
	if err != nil {
		return nil, "", fmt.Errorf("picture: %w", err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusOK:
	case resp.StatusCode/100 == 3 && resp.Header.Get("Location") != "":
		to, err := u.Parse(resp.Header.Get("Location"))
		if err != nil {
			return nil, "", registry.Wrap(registry.ErrInvalid, err, "the picture redirects to no URL")
		}
		return nil, to.String(), nil
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return nil, "", registry.Errorf(registry.ErrUnavailable, "picture: status %d", resp.StatusCode)
	default:
		return nil, "", registry.Errorf(registry.ErrNotFound, "picture: status %d", resp.StatusCode)
	}
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = registry.Errorf(registry.ErrInvalid, "the picture is too large")
	}
	return data, "", err
}

// parse returns the URL of a picture if it may be requested.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" && u.Port() != "443" {
		return nil, registry.Errorf(registry.ErrInvalid, "the picture's URL is not allowed")
	}
	return u, nil
}

// Decode decodes a PNG, JPEG, GIF or WebP. For other formats, such as SVG, corrupt files and
// images of more than maxPixels pixels, the error is of kind [registry.ErrInvalid].
func Decode(data []byte, maxPixels int) (img image.Image, format string, err error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, "", registry.Wrap(registry.ErrInvalid, err, "not a PNG, JPEG, GIF or WebP")
	}
	if w, h := config.Width, config.Height; w < 1 || h < 1 || w > maxPixels/h {
		return nil, "", registry.Errorf(registry.ErrInvalid, "an image of %d × %d pixels", w, h)
	}
	if img, _, err = image.Decode(bytes.NewReader(data)); err != nil {
		return nil, "", registry.Wrap(registry.ErrInvalid, err, "a corrupt "+strings.ToUpper(format))
	}
	return img, format, nil
}

// encode scales a picture down to the maximum size and encodes it: photographs, and what would be
// too large otherwise, as JPEG, the rest as PNG.
func encode(data []byte) (body []byte, kind string, err error) {
	img, format, err := Decode(data, maxPixels)
	if err != nil {
		return nil, "", err
	}
	from := img.Bounds()
	factor := min(1, maxWidth/float64(from.Dx()), maxHeight/float64(from.Dy()))
	to := image.NewNRGBA(image.Rect(0, 0, max(1, int(factor*float64(from.Dx()))), max(1, int(factor*float64(from.Dy())))))
	draw.ApproxBiLinear.Scale(to, to.Bounds(), img, from, draw.Src, nil)
	var out bytes.Buffer
	if format != "jpeg" {
		if err := png.Encode(&out, to); err == nil && out.Len() <= maxEncoded {
			return out.Bytes(), "image/png", nil
		}
		out.Reset()
	}
	white := image.NewRGBA(to.Bounds())
	draw.Draw(white, white.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(white, white.Bounds(), to, image.Point{}, draw.Over)
	if err := jpeg.Encode(&out, white, &jpeg.Options{Quality: 80}); err != nil || out.Len() > maxBytes {
		return nil, "", registry.Wrap(registry.ErrInvalid, err, "the picture cannot be encoded")
	}
	return out.Bytes(), "image/jpeg", nil
}
