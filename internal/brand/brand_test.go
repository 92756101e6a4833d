package brand

import (
	"errors"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestParse(t *testing.T) {
	var none Brand
	if none.Name() != "Census" || none.Own() || none.BadgeLabel() != "MCP health" || none.LogoOrigin() != "" {
		t.Errorf("the brand of nobody is %q, %q", none.Name(), none.BadgeLabel())
	}
	b, err := Parse(" Größe & Söhne ", "https://cdn.example:8443/logo.svg?v=1", "#8a1c4a", "Imprint=https://example.com/imprint, Terms=/terms?x=1,Mail=mailto:a@b.example")
	if err != nil || b.Name() != "Größe & Söhne" || !b.Own() || b.LogoOrigin() != "https://cdn.example:8443" || len(b.Links) != 3 || b.Links[1] != (Link{"Terms", "/terms?x=1"}) {
		t.Errorf("%+v, %v", b, err)
	}
	if b.Light.String() != "#8a1c4a" || b.Dark.contrast(b.Dark.OnDark()) < minContrast || b.Light.contrast(b.Light.OnLight()) < minContrast {
		t.Errorf("colours are %v and %v", b.Light, b.Dark)
	}
	if b, err = Parse("", "/logo.svg", "#1f55cf, #8fb0ff", ""); err != nil || b.Dark.String() != "#8fb0ff" || b.LogoOrigin() != "" || b.Own() {
		t.Errorf("%+v, %v", b, err)
	}
	for _, c := range []struct{ name, logo, colors, links, field string }{
		{name: strings.Repeat("x", 41), field: "name"},
		{name: "a\nb", field: "name"},
		{name: "a\xff", field: "name"},
		{logo: "http://example.com/logo.png", field: "logo"},
		{logo: "//example.com/logo.png", field: "logo"},
		{logo: "javascript:alert(1)", field: "logo"},
		{logo: "https://example.com/a b.png", field: "logo"},
		{logo: "https://example.com;script-src *", field: "logo"},
		{logo: "https://user:pass@example.com/logo.png", field: "logo"},
		{colors: "red", field: "colors"},
		{colors: "#12345", field: "colors"},
		{colors: "#ffff00", field: "colors"},
		{colors: "#1f55cf,#000080", field: "colors"},
		{colors: "#1f55cf,#8fb0ff,#ffffff", field: "colors"},
		{links: "https://example.com", field: "links"},
		{links: "Imprint=javascript:alert(1)", field: "links"},
		{links: "=https://example.com", field: "links"},
		{links: strings.Repeat("A=/a,", 11), field: "links"},
	} {
		_, err := Parse(c.name, c.logo, c.colors, c.links)
		e, _ := errors.AsType[*registry.Error](err)
		if e == nil || len(e.Fields) != 1 || e.Fields[0].Field != c.field {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestContrast(t *testing.T) {
	black, white, grey := Color{}, Color{255, 255, 255}, Color{0x76, 0x76, 0x76}
	if c := black.contrast(white); c != 21 {
		t.Errorf("black on white: %v", c)
	}
	if c := grey.contrast(white); c < 4.5 || c > 4.6 { // the palest grey that passes
		t.Errorf("grey on white: %v", c)
	}
}
