// Package brand parses the operator's name, colors and links for pages, badges and mail.
package brand

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A Brand is the name and look of the registry. The zero value is the Census brand.
type Brand struct {
	name string
	Logo string // URL of an image: https, or a path of this registry; "": the logo of Census
	// Light and Dark are the colors of links and buttons on light and dark
	// backgrounds; nil: those of Census.
	Light, Dark *Color
	Links       []Link // in the footer of every page
}

// A Link is a link to a page of the operator.
type Link struct{ Name, URL string }

const (
	defaultName = "Census"
	maxText     = 40 // characters of a name
	maxURL      = 500
	maxLinks    = 10
)

// Name returns the name of the registry, never "".
func (b Brand) Name() string {
	return cmp.Or(b.name, defaultName)
}

// Own reports whether the operator has set a name.
func (b Brand) Own() bool { return b.Name() != defaultName }

// The background colors of pages.
var lightGround, darkGround = Color{255, 255, 255}, Color{0x11, 0x15, 0x1c}

// minContrast is the minimum contrast of text, by WCAG 2.2, 1.4.3.
const minContrast = 4.5

// Parse parses the configuration of a brand: a name, the URL of a logo, one or
// two colors "#rrggbb" (for light and dark backgrounds), and links
// "Name=URL", both separated by commas. Each may be "". Errors are of kind
// registry.ErrInvalid and name the field "name", "logo", "colors" or "links".
func Parse(name, logo, colors, links string) (b Brand, err error) {
	b.name = strings.TrimSpace(name)
	if utf8.RuneCountInString(b.name) > maxText || !text.IsLine(b.name) {
		return b, registry.Invalid("name", "must be at most 40 printable characters")
	}
	if b.Logo = strings.TrimSpace(logo); b.Logo != "" && !isURL(b.Logo) {
		return b, registry.Invalid("logo", "must be an https URL, or a path that starts with /")
	}
	if err := b.colors(colors); err != nil {
		return b, err
	}
	for part := range strings.SplitSeq(links, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, address, _ := strings.Cut(part, "=")
		l := Link{strings.TrimSpace(name), strings.TrimSpace(address)}
		validURL := isURL(l.URL) || strings.HasPrefix(l.URL, "mailto:")
		if l.Name == "" || utf8.RuneCountInString(l.Name) > maxText || !validURL {
			return b, registry.Invalid("links",
				"must look like Imprint=https://example.com/imprint, Terms=/terms; %q does not", part)
		}
		b.Links = append(b.Links, l)
	}
	if len(b.Links) > maxLinks {
		return b, registry.Invalid("links", "must be at most %d", maxLinks)
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
		return registry.Invalid("colors",
			"%s is too pale on light backgrounds: its contrast is %.1f, and must be at least %.1f", c, r, minContrast)
	}
	b.Light = new(c)
	if two {
		if c, err = parseColor(dark); err != nil {
			return err
		}
		if r := c.contrast(c.Tint(darkGround)); r < minContrast {
			return registry.Invalid("colors",
				"%s is too dark on dark backgrounds: its contrast is %.1f, and must be at least %.1f",
				c, r, minContrast)
		}
	}
	for c.contrast(c.Tint(darkGround)) < minContrast {
		c = c.mix(lightGround, .1)
	}
	b.Dark = &c
	return nil
}

// isURL reports whether s is an https URL or a path, without special characters of HTML
// attributes or the Content-Security-Policy header.
func isURL(s string) bool {
	special := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"';,", r) }
	u, err := url.Parse(s)
	switch {
	case err != nil || len(s) > maxURL || strings.ContainsFunc(s, special):
		return false
	case u.Scheme == "https":
		return u.Host != "" && u.User == nil
	}
	return u.Scheme == "" && u.Host == "" && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//")
}

// LogoOrigin returns the origin of the logo, "" if that is this registry.
func (b Brand) LogoOrigin() string {
	if u, err := url.Parse(b.Logo); err == nil && u.Host != "" {
		return "https://" + u.Host
	}
	return ""
}

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
		return c, registry.Invalid("colors",
			"must be one color such as #1f55cf, or two for light and dark backgrounds, separated by a comma")
	}
	return Color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// Tint returns a background slightly tinted with the color.
func (c Color) Tint(ground Color) Color { return ground.mix(c, .08) }

// OnLight is the tint of light backgrounds.
func (c Color) OnLight() Color { return c.Tint(lightGround) }

// OnDark is the tint of dark backgrounds.
func (c Color) OnDark() Color { return c.Tint(darkGround) }

func (c Color) mix(with Color, share float64) Color {
	for i := range c {
		c[i] = uint8(math.Round(float64(c[i])*(1-share) + float64(with[i])*share))
	}
	return c
}

// contrast is the contrast ratio of WCAG 2.2, from 1 to 21.
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
