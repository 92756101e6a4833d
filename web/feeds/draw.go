package feeds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
)

// The fonts are part of the program; both have the letters of Latin, Greek and
// Cyrillic writing.
var fonts = sync.OnceValue(func() (f [2]*opentype.Font) {
	for n, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		var err error
		if f[n], err = opentype.Parse(ttf); err != nil {
			panic("feeds: " + err.Error()) // they are constants
		}
	}
	return f
})

// newFace returns a font, which is bold if bold is 1, in a size in pixels.
func newFace(bold int, size float64) (font.Face, error) {
	return opentype.NewFace(fonts()[bold],
		&opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
}

// The colors of a picture.
var (
	socialGround = color.RGBA{0x11, 0x15, 0x1c, 0xff}
	socialText   = color.RGBA{0xf2, 0xf5, 0xf9, 0xff}
	socialQuiet  = color.RGBA{0xa9, 0xb4, 0xc2, 0xff}
	socialTrack  = color.RGBA{0x2b, 0x33, 0x3f, 0xff}
	gradeColors  = map[string]color.RGBA{
		"A": {0x3f, 0xb9, 0x50, 0xff}, "B": {0x8b, 0xc3, 0x4a, 0xff}, "C": {0xd2, 0x99, 0x22, 0xff},
		"D": {0xf0, 0x88, 0x3e, 0xff}, "F": {0xf8, 0x5e, 0x57, 0xff}, "": {0x8b, 0x94, 0x9e, 0xff},
	}
)

// A canvas is a picture that is being drawn.
type canvas struct{ *image.RGBA }

// text writes s with its baseline at y: starting at x, ending at x, or centered
// on x.
func (c *canvas) text(f font.Face, col color.Color, x, y int, align string, s string) {
	at := fixed.I(x)
	switch align {
	case "end":
		at -= font.MeasureString(f, s)
	case "middle":
		at -= font.MeasureString(f, s) / 2
	}
	d := font.Drawer{Dst: c.RGBA, Src: image.NewUniform(col), Face: f,
		Dot: fixed.Point26_6{X: at, Y: fixed.I(y)}}
	d.DrawString(s)
}

// ring draws the part of a ring from the top on, clockwise; share is 0 to 1.
func (c *canvas) ring(x, y, outer, inner float64, share float64, col color.Color) {
	z := vector.NewRasterizer(pictureWidth, pictureHeight)
	const steps = 180
	n := int(math.Ceil(steps * share))
	if n == 0 {
		return
	}
	point := func(radius float64, step int) (float32, float32) {
		a := 2 * math.Pi * share * float64(step) / float64(n)
		return float32(x + radius*math.Sin(a)), float32(y - radius*math.Cos(a))
	}
	z.MoveTo(point(outer, 0))
	for s := 1; s <= n; s++ {
		z.LineTo(point(outer, s))
	}
	for s := n; s >= 0; s-- {
		z.LineTo(point(inner, s))
	}
	z.ClosePath()
	z.Draw(c.RGBA, c.Bounds(), image.NewUniform(col), image.Point{})
}

func (c card) draw() ([]byte, error) {
	im := &canvas{image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))}
	draw.Draw(im, im.Bounds(), image.NewUniform(socialGround), image.Point{}, draw.Src)
	accent := gradeColors[c.Grade]
	draw.Draw(im, image.Rect(0, 0, pictureWidth, 12), image.NewUniform(accent), image.Point{},
		draw.Src)
	const left, right, wide = 72, 1128, 720
	var faces []font.Face
	for _, f := range []struct {
		bold int
		size float64
	}{{1, 34}, {1, 72}, {1, 52}, {0, 34}, {0, 30}, {1, 92}, {0, 32}} {
		face, err := newFace(f.bold, f.size)
		if err != nil {
			return nil, err
		}
		faces = append(faces, face)
	}
	brand, big, small, text, quiet, score, grade := faces[0], faces[1], faces[2], faces[3],
		faces[4], faces[5], faces[6]

	for n, h := range []int{14, 24, 34} { // the logo
		draw.Draw(im, image.Rect(left+n*14, 98-h, left+n*14+9, 98), image.NewUniform(accent),
			image.Point{}, draw.Src)
	}
	im.text(brand, socialText, left+56, 98, "start", fit(brand, c.Brand, wide))

	y := 210
	title, step := big, 84
	lines := wrap(big, c.Name, wide, 2)
	if strings.HasSuffix(lines[len(lines)-1], "…") {
		title, step = small, 62
		lines = wrap(small, c.Name, wide, 3)
	}
	for _, l := range lines {
		im.text(title, socialText, left, y, "start", l)
		y += step
	}
	if c.Path != "" {
		y += 44 - step + 12
		im.text(quiet, socialQuiet, left, y, "start", fit(quiet, c.Path, wide))
		y += 40
	}
	y += 20
	if c.Warning != "" {
		im.text(text, gradeColors["F"], left, y, "start", fit(text, c.Warning, wide))
		y += 46
	}
	if c.Description != "" {
		for _, l := range wrap(text, c.Description, wide, max(1, min(3, (540-y)/46+1))) {
			im.text(text, socialText, left, y, "start", l)
			y += 46
		}
	}
	im.text(quiet, socialQuiet, right, 582, "end", c.Date)
	room := right - left - font.MeasureString(quiet, c.Date).Ceil() - 40
	im.text(quiet, socialQuiet, left, 582, "start", fit(quiet, c.Foot, room))

	const cx, cy, outer, inner = 970, 320, 150, 122
	im.ring(cx, cy, outer, inner, 1, socialTrack)
	if c.Score >= 0 {
		im.ring(cx, cy, outer, inner, float64(c.Score)/100, accent)
		im.text(score, socialText, cx, cy+24, "middle", fmt.Sprint(c.Score))
		im.text(grade, socialQuiet, cx, cy+70, "middle", "grade "+c.Grade)
		im.text(quiet, socialQuiet, cx, cy+outer+54, "middle", "MCP health")
	} else {
		im.text(score, socialQuiet, cx, cy+24, "middle", "?")
		im.text(quiet, socialQuiet, cx, cy+outer+54, "middle", "no score yet")
	}
	var b bytes.Buffer
	if err := png.Encode(&b, im.RGBA); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// wrap breaks s into lines of at most width pixels, and returns the first most of
// them. Longer words are broken, and omitted text is marked by an ellipsis.
func wrap(f font.Face, s string, width, most int) []string {
	limit := fixed.I(width)
	var lines []string
	line := ""
	words := strings.Fields(s)
	for n := 0; n < len(words); n++ {
		longer := strings.TrimSpace(line + " " + words[n])
		if font.MeasureString(f, longer) <= limit {
			line = longer
			continue
		}
		if len(lines) == most-1 {
			return append(lines, fit(f, strings.TrimSpace(line+" "+strings.Join(words[n:], " ")),
				width))
		}
		if line != "" {
			lines, line = append(lines, line), ""
			n--
			continue
		}
		rs, end := []rune(words[n]), 1 // it is alone on its line and does not fit
		for end < len(rs) && font.MeasureString(f, string(rs[:end+1])) <= limit {
			end++
		}
		lines, words[n] = append(lines, string(rs[:end])), string(rs[end:])
		n--
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// fit shortens a text to a width, with an ellipsis.
func fit(f font.Face, s string, width int) string {
	limit := fixed.I(width)
	if font.MeasureString(f, s) <= limit {
		return s
	}
	rs := []rune(s)
	low, high := 0, len(rs) // low runes fit, high do not
	for high-low > 1 {
		mid := (low + high) / 2
		if font.MeasureString(f, string(rs[:mid])+"…") <= limit {
			low = mid
		} else {
			high = mid
		}
	}
	return strings.TrimSpace(string(rs[:low])) + "…"
}

// Avatars returns the stored avatars of owners, as postgres.DB does.
type Avatars interface {
	Avatar(ctx context.Context, host, owner string) ([]byte, error)
}

const (
	maxAvatars = 4000 // cached
	avatarTTL  = time.Hour
)

// avatar responds to GET /avatars/{host}/{owner}.png with the avatar of an owner,
// or with the first letter of its name.
func (f *Feeds) avatar(ctx context.Context, c *gin.Context) error {
	host := c.Param("host")
	owner, isPNG := strings.CutSuffix(strings.ToLower(c.Param("file")), ".png")
	if !isPNG || owner == "" || len(owner) > browse.MaxLength || len(host) > 40 {
		return registry.Errorf(registry.ErrNotFound, "Not found. Avatars end in .png.")
	}
	image, err := f.faces.Get(host+"/"+owner, f.Now(), func() ([]byte, time.Duration, error) {
		image, err := f.Avatars.Avatar(ctx, host, owner)
		if errors.Is(err, registry.ErrNotFound) {
			err = nil
		}
		return image, avatarTTL, err
	})
	answer := httpd.Response{Status: http.StatusOK, Type: "image/png", Body: image,
		Cache: "public, max-age=86400"}
	if err != nil || len(image) == 0 {
		answer.Type, answer.Body, answer.Cache = "image/svg+xml", Letter(owner), "public, max-age=3600"
	}
	answer.Tag = httpd.TagOf(answer.Body)
	publicFile(c)
	httpd.Write(c, answer)
	return nil
}

// Letter returns the first letter of a name as SVG, for owners without an avatar.
func Letter(name string) []byte {
	first, _ := utf8.DecodeRuneInString(strings.ToUpper(name))
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">`+
		`<rect width="64" height="64" fill="hsl(%d 35%% 40%%)"/><text x="32" y="44" fill="#fff" font-size="34" `+
		`font-family="sans-serif" text-anchor="middle">%s</text></svg>`,
		h.Sum32()%360, html.EscapeString(string(first)))
}
