package avatar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func drawn(w, h int) image.Image {
	m := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
	m.SetColorIndex(w/2, h/2, 1)
	return m
}

func encoded(encode func(*bytes.Buffer) error) []byte {
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func pngOf(w, h int) []byte {
	return encoded(func(b *bytes.Buffer) error { return png.Encode(b, drawn(w, h)) })
}

// webpDot is a lossless WebP of one pixel.
var webpDot = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00" +
	"\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")

// bomb returns a PNG whose header announces very many pixels.
func bomb() []byte {
	b := pngOf(1, 1)
	binary.BigEndian.PutUint32(b[16:], 60_000)
	binary.BigEndian.PutUint32(b[20:], 60_000)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

const public = "https://avatars.example/"

func TestNormalize(t *testing.T) {
	secret := "a comment with a secret"
	withText := append(pngOf(10, 10), secret...)
	tests := map[string]struct {
		data []byte
		ok   bool
	}{
		"png":          {pngOf(460, 460), true},
		"wide":         {pngOf(900, 20), true},
		"jpeg":         {encoded(func(b *bytes.Buffer) error { return jpeg.Encode(b, drawn(200, 200), nil) }), true},
		"gif":          {encoded(func(b *bytes.Buffer) error { return gif.Encode(b, drawn(50, 50), nil) }), true},
		"webp":         {webpDot, true},
		"webp, cut":    {webpDot[:20], false},
		"data behind":  {withText, true},
		"bomb":         {bomb(), false},
		"svg":          {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), false},
		"html":         {[]byte("<html>"), false},
		"cut short":    {pngOf(100, 100)[:60], false},
		"empty":        {nil, false},
		"only a magic": {[]byte("\x89PNG\r\n\x1a\n"), false},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Normalize(c.data)
			if !c.ok {
				if !errors.Is(err, registry.ErrInvalid) {
					t.Fatalf("got %d bytes and %v, want a refusal", len(got), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			m, format, err := image.Decode(bytes.NewReader(got))
			if err != nil || format != "png" || m.Bounds() != image.Rect(0, 0, Size, Size) {
				t.Errorf("%s %v %v", format, m.Bounds(), err)
			}
			if bytes.Contains(got, []byte(secret)) {
				t.Error("what is not pixels was kept")
			}
		})
	}
}

func TestFetch(t *testing.T) {
	var asked string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		switch {
		case strings.HasPrefix(r.URL.Path, "/u/1"):
			_, _ = w.Write(pngOf(128, 128))
		case strings.HasPrefix(r.URL.Path, "/u/2"):
			_, _ = w.Write(bytes.Repeat([]byte{1}, maxBytes+1))
		case strings.HasPrefix(r.URL.Path, "/u/3"):
			w.WriteHeader(http.StatusBadGateway)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	c, err := New(Options{Public: public, Base: s.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]error{
		public + "u/1?v=4":              nil,
		public + "u/2?v=4":              registry.ErrInvalid,
		public + "u/9?v=4":              registry.ErrNotFound,
		"https://evil.example/u/1":      registry.ErrNotFound,
		"http://169.254.169.254/latest": registry.ErrNotFound,
		"javascript:alert(1)":           registry.ErrNotFound,
	} {
		if _, err := c.Fetch(t.Context(), address); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
	_, err = c.Fetch(t.Context(), public+"u/3")
	if err == nil || errors.Is(err, registry.ErrNotFound) || errors.Is(err, registry.ErrInvalid) {
		t.Errorf("a failure of the host: %v, want an error that is worth a retry", err)
	}
	if _, err = c.Fetch(t.Context(), public+"u/1?v=4"); err != nil || asked != "/u/1?s=128&v=4" {
		t.Errorf("requested %s, %v", asked, err)
	}
}
