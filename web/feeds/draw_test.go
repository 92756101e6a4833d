package feeds

import (
	"bytes"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font"

	"mcpcensus/internal/registry"
)

func TestNewCard_undrawable_name(t *testing.T) {
	s := registry.Server{Slug: "x", Name: "模型上下文", Repo: registry.Repository{Owner: "octo", Name: "weather-mcp"}}
	if c := newCard("Census", &s); c.Name != "weather-mcp" || c.Path != "octo/weather-mcp" {
		t.Errorf("%+v", c)
	}
}

// TestDate checks that the date of a picture is never shortened.
func TestDate(t *testing.T) {
	read := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	at := func(foot string) (pixels []color.Color) {
		c := newCard("Census", &registry.Server{Slug: "x", LastCrawledAt: &read})
		c.Foot = foot
		b, err := c.draw()
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		for x := 890; x < pictureWidth; x++ {
			for y := 540; y < pictureHeight; y++ {
				pixels = append(pixels, im.At(x, y))
			}
		}
		return pixels
	}
	alone := at("")
	for _, foot := range []string{"Database", strings.Repeat("word ", 40)} {
		if !slices.Equal(at(foot), alone) {
			t.Errorf("the date beside %q differs from the date alone", foot)
		}
	}
}

func TestNewCard_risks(t *testing.T) {
	s := registry.Server{Slug: "x", Status: registry.StatusDeprecated, Copy: &registry.Copy{Kind: registry.CopyOf}}
	if got, want := newCard("Census", &s).Warning, "Warning: deprecated, copy"; got != want {
		t.Errorf("warning %q, want %q", got, want)
	}
	if got := newCard("Census", &registry.Server{Slug: "x"}).Warning; got != "" {
		t.Errorf("warning of a server without risks: %q", got)
	}
}

func TestDrawable(t *testing.T) {
	for in, want := range map[string]string{
		"Ünïcödé Πλάτων Москва": "Ünïcödé Πλάτων Москва",
		"a\u202eb\x00c 天 d":     "a<U+202E>b<U+0000>c d", "😀 ok": "ok",
	} {
		if got := drawable(in); got != want {
			t.Errorf("%q is drawn as %q, want %q", in, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	f, err := newFace(1, 52)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "one", "several words that are broken into lines", strings.Repeat("W", 300), strings.Repeat("word ", 300), "a " + strings.Repeat("long", 40) + " b"} {
		for most := 1; most < 4; most++ {
			lines := wrap(f, text, 400, most)
			if len(lines) > most || len(lines) == 0 {
				t.Errorf("%.20s: %d lines of %d", text, len(lines), most)
			}
			for _, l := range lines {
				if font.MeasureString(f, l).Ceil() > 400 {
					t.Errorf("%q does not fit", l)
				}
			}
		}
	}
}
