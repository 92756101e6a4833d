// Package brand holds the operator's name, colours and links, which replace
// those of Census on pages, badges and mails.
package brand

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/registry"
)

// A Brand is the name and the look that an operator gives to the registry. The
// zero value is that of Census.
type Brand struct {
	name string
	Logo string // address of an image: https, or a path on this registry; "": the mark of Census
	// Light and Dark are the colours of links and buttons on light and on dark
	// ground; nil: those of Census.
	Light, Dark *Color
	Links       []BrandLink // at the foot of every page
}

// A BrandLink leads to a page of the operator's.
type BrandLink struct{ Name, URL string }

// defaultName is the name of a registry that was given none.
const defaultName = "Census"

// Name returns the name of the registry, never "".
func (b Brand) Name() string {
	if b.name == "" {
		return defaultName
	}
	return b.name
}

// Own reports whether the operator has given the registry a name.
func (b Brand) Own() bool { return b.Name() != defaultName }

// The grounds that links stand on.
var lightGround, darkGround = Color{255, 255, 255}, Color{0x11, 0x15, 0x1c}

// minContrast is what WCAG 2.2, 1.4.3 wants of text.
const minContrast = 4.5

// ParseBrand reads a brand as it is configured: a name; the address of a logo;
// one colour "#rrggbb" or two, for light and dark ground, with a comma; links
// as "Name=address" with commas. Each may be "". The error of a part is an
// [Error] of kind ErrInvalid about "name", "logo", "colors" or "links".
func ParseBrand(name, logo, colors, links string) (b Brand, err error) {
	b.name = strings.TrimSpace(name)
	if !utf8.ValidString(b.name) || utf8.RuneCountInString(b.name) > 40 || strings.ContainsFunc(b.name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return b, registry.Invalid("name", "must be at most 40 printable characters")
	}
	if b.Logo = strings.TrimSpace(logo); b.Logo != "" && !ownAddress(b.Logo) {
		return b, registry.Invalid("logo", "must be an https address, or a path that begins with /")
	}
	if err := b.colors(colors); err != nil {
		return b, err
	}
	for part := range strings.SplitSeq(links, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, address, _ := strings.Cut(part, "=")
		l := BrandLink{strings.TrimSpace(name), strings.TrimSpace(address)}
		if l.Name == "" || utf8.RuneCountInString(l.Name) > 40 || !ownAddress(l.URL) && !strings.HasPrefix(l.URL, "mailto:") {
			return b, registry.Invalid("links", "must look like Imprint=https://example.com/imprint, Terms=/terms: %q does not", part)
		}
		b.Links = append(b.Links, l)
	}
	if len(b.Links) > 10 {
		return b, registry.Invalid("links", "are more than 10")
	}
	return b, nil
}

func (b *Brand) colors(s string) error {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	light, dark, two := strings.Cut(s, ",")
	c, err := parseColor(light)
	if err != nil {
		return err
	}
	if r := c.contrast(c.Tint(lightGround)); r < minContrast {
		return registry.Invalid("colors", "%s is too pale to read on light ground: the contrast is %.1f, and must be %.1f", c, r, minContrast)
	}
	onLight := c
	b.Light = &onLight
	if two {
		if c, err = parseColor(dark); err != nil {
			return err
		}
		if r := c.contrast(c.Tint(darkGround)); r < minContrast {
			return registry.Invalid("colors", "%s is too dark to read on dark ground: the contrast is %.1f, and must be %.1f", c, r, minContrast)
		}
	}
	for c.contrast(c.Tint(darkGround)) < minContrast {
		c = c.mix(lightGround, .1)
	}
	b.Dark = &c
	return nil
}

// ownAddress reports whether s is an https address or a path.
func ownAddress(s string) bool {
	u, err := url.Parse(s)
	if err != nil || len(s) > 500 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '\'' || r == ';' || r == ',' || r > '~' }) {
		return false
	}
	return u.Scheme == "https" && u.Host != "" && u.User == nil || u.Scheme == "" && u.Host == "" && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//")
}

// LogoOrigin returns where the logo is loaded from, "" if from this registry.
func (b Brand) LogoOrigin() string {
	if u, err := url.Parse(b.Logo); err == nil && u.Host != "" {
		return "https://" + u.Host
	}
	return ""
}

// BadgeLabel returns what stands on the left of badges.
func (b Brand) BadgeLabel() string {
	if !b.Own() {
		return "MCP health"
	}
	return b.Name() + " health"
}

// A Color is red, green and blue.
type Color [3]uint8

func parseColor(s string) (c Color, err error) {
	hex, ok := strings.CutPrefix(strings.TrimSpace(s), "#")
	n, err := strconv.ParseUint(hex, 16, 32)
	if !ok || len(hex) != 6 || err != nil {
		return c, registry.Invalid("colors", "must be one colour such as #1f55cf, or two with a comma, for light and dark ground")
	}
	return Color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// Tint returns a ground with a touch of the colour.
func (c Color) Tint(ground Color) Color { return ground.mix(c, .08) }

// OnLight is the tint of light ground.
func (c Color) OnLight() Color { return c.Tint(lightGround) }

// OnDark is the tint of dark ground.
func (c Color) OnDark() Color { return c.Tint(darkGround) }

func (c Color) mix(with Color, share float64) Color {
	for i := range c {
		c[i] = uint8(math.Round(float64(c[i])*(1-share) + float64(with[i])*share))
	}
	return c
}

// contrast is that of WCAG 2.2: from 1 to 21.
func (c Color) contrast(d Color) float64 {
	l := []float64{c.luminance(), d.luminance()}
	slices.Sort(l)
	return (l[1] + .05) / (l[0] + .05)
}

func (c Color) luminance() float64 {
	part := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= .04045 {
			return f / 12.92
		}
		return math.Pow((f+.055)/1.055, 2.4)
	}
	return .2126*part(c[0]) + .7152*part(c[1]) + .0722*part(c[2])
}
