package picture

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

func encoded(t *testing.T, format string, w, h int) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	err := errors.New("no such format")
	switch format {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFetch requests pictures of a server under a public name, as far as the guard allows it.
func TestFetch(t *testing.T) {
	files := map[string][]byte{
		"/logo.png": encoded(t, "png", 40, 20), "/wide.gif": encoded(t, "gif", 2560, 100),
		"/photo.jpg": encoded(t, "jpeg", 30, 30), "/huge.png": encoded(t, "png", 4000, 4000),
		"/drawing.svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"/cut.png":     encoded(t, "png", 40, 20)[:60], "/long": make([]byte, maxBytes+1),
		"/page.png": []byte("<html><script>alert(1)</script>"),
	}
	redirects := map[string]string{
		"/moved.png": "/logo.png", "/elsewhere": "https://cdn.example.com/logo.png", "/loop": "/loop",
		"/inside": "https://inside.example.com/logo.png", "/plain": "http://pictures.example.com/logo.png",
		"/metadata": "https://169.254.169.254/latest", "/file": "file:///etc/passwd",
		"/port": "https://pictures.example.com:8443/logo.png",
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := redirects[r.URL.Path]; to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		} else if body, ok := files[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "image/png") // whatever it is
			_, _ = w.Write(body)
		} else {
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	c := New(transport.Guard{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			if host == "inside.example.com" {
				return []netip.Addr{netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("10.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
		},
		Connect: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
		Roots: rootsOf(server),
	}, "census")
	for address, want := range map[string]struct {
		kind string
		w, h int
		err  error
	}{
		"https://pictures.example.com/logo.png":    {"image/png", 40, 20, nil},
		"https://pictures.example.com/photo.jpg":   {"image/jpeg", 30, 30, nil},
		"https://pictures.example.com/wide.gif":    {"image/png", 1280, 50, nil},
		"https://pictures.example.com/moved.png":   {"image/png", 40, 20, nil},
		"https://pictures.example.com/elsewhere":   {"image/png", 40, 20, nil},
		"https://pictures.example.com/none.png":    {err: registry.ErrNotFound},
		"https://pictures.example.com/drawing.svg": {err: registry.ErrInvalid},
		"https://pictures.example.com/page.png":    {err: registry.ErrInvalid},
		"https://pictures.example.com/cut.png":     {err: registry.ErrInvalid},
		"https://pictures.example.com/huge.png":    {err: registry.ErrInvalid},
		"https://pictures.example.com/long":        {err: registry.ErrInvalid},
		"https://pictures.example.com/loop":        {err: registry.ErrInvalid},
		"https://pictures.example.com/plain":       {err: registry.ErrInvalid},
		"https://pictures.example.com/file":        {err: registry.ErrInvalid},
		"https://pictures.example.com/port":        {err: registry.ErrInvalid},
		"https://pictures.example.com/inside":      {err: registry.ErrNotFound},
		"https://pictures.example.com/metadata":    {err: registry.ErrNotFound},
		"https://inside.example.com/logo.png":      {err: registry.ErrNotFound},
		"https://127.0.0.1/logo.png":               {err: registry.ErrNotFound},
		"https://[::1]/logo.png":                   {err: registry.ErrNotFound},
		"http://pictures.example.com/logo.png":     {err: registry.ErrInvalid},
		"https://a:b@pictures.example.com/l.png":   {err: registry.ErrInvalid},
		"data:image/png;base64,AA":                 {err: registry.ErrInvalid},
	} {
		body, kind, err := c.Fetch(t.Context(), address)
		if kind != want.kind || !errors.Is(err, want.err) || (err == nil) != (want.err == nil) {
			t.Errorf("%s: %q, %v", address, kind, err)
			continue
		}
		if err != nil {
			continue
		}
		got, format, err := image.DecodeConfig(bytes.NewReader(body))
		if err != nil || "image/"+format != kind || got.Width != want.w || got.Height != want.h {
			t.Errorf("%s: %s of %d × %d, %v", address, format, got.Width, got.Height, err)
		}
	}
}

// rootsOf returns the certificate of a test server, which is for *.example names, too.
func rootsOf(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Add([]byte("GIF89a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		body, kind, err := encode(data)
		if err == nil && (len(body) > maxBytes || kind != "image/png" && kind != "image/jpeg") {
			t.Errorf("%d bytes of %q", len(body), kind)
		}
	})
}
