package feeds

import (
	"strings"
	"testing"

	"golang.org/x/image/font"

	"mcpcensus/internal/registry"
)

func TestNewCard_undrawable_name(t *testing.T) {
	s := registry.Server{Slug: "x", Name: "模型上下文", Repo: registry.Repository{Owner: "octo", Name: "weather-mcp"}}
	if c := newCard("Census", &s); c.Name != "weather-mcp" || c.Path != "octo/weather-mcp" {
		t.Errorf("%+v", c)
	}
}

func TestDrawable(t *testing.T) {
	for in, want := range map[string]string{"Ünïcödé Πλάτων Москва": "Ünïcödé Πλάτων Москва", "a\u202eb\x00c 天 d": "ab c d", "😀 ok": "ok"} {
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
