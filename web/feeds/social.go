package feeds

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gin-gonic/gin"
	"golang.org/x/image/font/sfnt"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

// The size of a picture in pixels, as recommended by social networks.
const pictureWidth, pictureHeight = 1200, 630

// A card is the content of a server's picture.
type card struct {
	Brand, Name, Description, Path, Foot, Date, Grade string
	Warning                                           string // its risks, "" for none
	Score                                             int    // -1: unknown
}

func (f *Feeds) picture(ctx context.Context, c *gin.Context, v *catalog.View) error {
	slug, ok := strings.CutSuffix(c.Param("file"), ".png")
	if !ok {
		return registry.Errorf(registry.ErrNotFound, "Not found. Pictures end in .png.")
	}
	i, err := record.Find(v, slug)
	if err != nil {
		return err
	}
	if i.Slug() != slug {
		c.Redirect(http.StatusPermanentRedirect, "/social/"+i.Slug()+".png")
		return nil
	}
	card := newCard(f.Brand.Name(), record.Row(i))
	key := card.key()
	const cache = "public, max-age=3600"
	if httpd.NotModified(c, `"`+key+`"`, cache) {
		return nil
	}
	body, err := f.drawn(card, key)
	if err != nil {
		return err
	}
	publicFile(c)
	httpd.Write(c, httpd.Response{Type: "image/png", Tag: `"` + key + `"`, Cache: cache,
		Body: body})
	return nil
}

// drawn returns the picture of a card, which is drawn once: the folder keeps the last one for each
// beginning of a key, 4,096 of about 50 kB.
func (f *Feeds) drawn(c card, key string) ([]byte, error) {
	if f.Folder == "" {
		return c.draw()
	}
	path := filepath.Join(f.Folder, key[:3])
	kept, _ := os.ReadFile(path)
	if body, ok := bytes.CutPrefix(kept, []byte(key)); ok {
		return body, nil
	}
	body, err := c.draw()
	if err != nil || os.MkdirAll(f.Folder, 0o700) != nil {
		return body, err
	}
	if file, err := os.CreateTemp(f.Folder, "new-*"); err == nil { // otherwise drawn again
		_, err = file.Write(slices.Concat([]byte(key), body))
		if errors.Join(err, file.Close()) != nil || os.Rename(file.Name(), path) != nil {
			os.Remove(file.Name())
		}
	}
	return body, nil
}

func (f *Feeds) Picture(i *catalog.Item) ([]byte, error) {
	return newCard(f.Brand.Name(), record.Row(i)).draw()
}

// newCard returns the content of a server's picture. If the fonts lack the
// characters of its name, the name of the repository is used.
func newCard(brand string, s *registry.Server) card {
	c := card{Brand: cmp.Or(drawable(brand), "MCP servers"), Name: drawable(s.Name),
		Description: drawable(s.Description), Score: -1}
	if s.Repo.Owner != "" {
		c.Path = drawable(s.Repo.FullName())
	}
	if letters(c.Name) < (letters(s.Name)+1)/2 || letters(c.Name) == 0 {
		if c.Name = drawable(s.Repo.Name); letters(c.Name) == 0 {
			c.Name = s.Slug
		}
	}
	if letters(c.Description)*2 < letters(s.Description) { // too little is left
		c.Description = ""
	}
	if s.Health.Score != nil {
		c.Score, c.Grade = *s.Health.Score, registry.GradeOf(*s.Health.Score)
	}
	foot := []string{format.Category(s.Category)}
	if s.Stars != nil {
		foot = append(foot, format.Compact(int64(*s.Stars))+" stars")
	}
	if s.Downloads != nil {
		foot = append(foot, format.Compact(*s.Downloads)+" downloads")
	}
	if at := asOf(s); !at.IsZero() {
		c.Date = "as of " + text.Day(at)
	}
	c.Foot = strings.Join(foot, "  ·  ")
	if labels := record.RiskLabels(s); labels != nil {
		c.Warning = "Warning: " + strings.Join(labels, ", ")
	}
	return c
}

// asOf is when the oldest of the facts on a picture was read, zero if that is unknown.
func asOf(s *registry.Server) (oldest time.Time) {
	for _, at := range []*time.Time{s.LastCrawledAt, s.ScoredAt, s.DownloadsAt} {
		if at != nil && (oldest.IsZero() || at.Before(oldest)) {
			oldest = *at
		}
	}
	return oldest
}

// key names the picture of c.
func (c card) key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "3 %#v", c))
	return hex.EncodeToString(sum[:12])
}

// letters counts the letters and digits of a text, up to as many as a picture
// can show.
func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n++; n == 600 {
				break
			}
		}
	}
	return n
}

// drawable returns the characters of a text that the fonts have, in one line.
func drawable(s string) string {
	s = text.Cut(text.OneLine(s), 2000)
	var buf sfnt.Buffer
	f := fonts()[0]
	s = strings.Map(func(r rune) rune {
		if r == ' ' {
			return r
		}
		if g, err := f.GlyphIndex(&buf, r); err != nil || g == 0 {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// badgeColors are the colors of grades, each readable under white text. Badges
// without a grade are gray.
var badgeColors = map[string]string{
	"A": "#1a7f37", "B": "#4d7c0f", "C": "#9a6700", "D": "#bc4c00", "F": "#b62324", "": "#57606a",
}

// A Badge shows the health of a server.
type Badge struct {
	label string // the operator's
	text  string // a grade and a score, or "unknown" and the like
	grade string
	date  string // when it was scored; "" if it was not
	known bool   // whether the server is listed
}

func (f *Feeds) BadgeOf(i *catalog.Item) Badge {
	if i.Score() < 0 {
		return BadgeFor(f.Site, nil)
	}
	b := BadgeFor(f.Site, new(i.Score()))
	if at := i.ScoredAt(); !at.IsZero() {
		b.date = text.Day(at)
	}
	return b
}

// BadgeFor returns the badge of a score; nil means unknown.
func BadgeFor(s *site.Site, score *int) Badge {
	b := Badge{label: s.Brand.BadgeLabel(), text: "unknown", known: true}
	if score != nil {
		b.grade = registry.GradeOf(*score)
		b.text = b.grade + " · " + text.Thousands(*score)
	}
	return b
}

// badge responds to GET /badge/{slug}.svg, and to GET /badge/{slug}.json for
// shields.io.
func (f *Feeds) badge(_ context.Context, c *gin.Context, v *catalog.View) error {
	slug, isSVG := strings.CutSuffix(c.Param("file"), ".svg")
	slug, isJSON := strings.CutSuffix(slug, ".json")
	if isSVG == isJSON {
		return registry.Errorf(registry.ErrNotFound,
			"Not found. Badges end in .svg, or in .json for shields.io.")
	}
	b, status := Badge{label: f.Brand.BadgeLabel(), text: "not listed"}, http.StatusNotFound
	if i, _ := v.Lookup(slug); i != nil {
		f.Counter.Event(meter.EventBadgeView, i.Slug(), c.Request)
		b, status = f.BadgeOf(i), http.StatusOK
	}
	a := httpd.Response{Status: status, Type: "image/svg+xml", Cache: "public, max-age=300",
		Body: b.SVG()}
	if isJSON { // shields.io shows only responses with status 200
		a.Status, a.Type, a.Body = http.StatusOK, "application/json; charset=utf-8", b.JSON()
	}
	a.Tag = httpd.TagOf(a.Body)
	publicFile(c)
	c.Writer.Header().Set("Access-Control-Allow-Origin", "*")
	httpd.Write(c, a)
	return nil
}

// JSON is the badge as the endpoint badge of shields.io reads it.
func (b Badge) JSON() []byte {
	j, err := json.Marshal(struct {
		SchemaVersion int    `json:"schemaVersion"`
		Label         string `json:"label"`
		Message       string `json:"message"`
		Color         string `json:"color"`
		IsError       bool   `json:"isError,omitempty"`
		CacheSeconds  int    `json:"cacheSeconds"`
	}{1, b.label, b.text, badgeColors[b.grade], !b.known, 300})
	if err != nil {
		panic("feeds: " + err.Error()) // strings and numbers always encode
	}
	return append(j, '\n')
}

func (b Badge) Width() int { return textWidth(b.label) + textWidth(b.text) }

// SVG draws the badge. Both texts are stretched to their calculated widths, so that they fit in
// any font.
func (b Badge) SVG() []byte {
	left, right := textWidth(b.label), textWidth(b.text)
	label, text := html.EscapeString(format.XMLText(b.label)), html.EscapeString(b.text)
	title := label + ": " + text
	if b.date != "" {
		title += ", scored " + b.date
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s">`,
		left+right, title)
	fmt.Fprintf(&out, `<title>%s</title><clipPath id="r"><rect width="%d" height="20" rx="4"/></clipPath>`,
		title, left+right)
	fmt.Fprintf(&out, `<g clip-path="url(#r)"><rect width="%d" height="20" fill="#32383f"/>`, left)
	fmt.Fprintf(&out, `<rect x="%d" width="%d" height="20" fill="%s"/></g>`, left, right,
		badgeColors[b.grade])
	out.WriteString(`<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" ` +
		`font-size="11">`)
	const textElement = `<text x="%.1f" y="14" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`
	fmt.Fprintf(&out, textElement, float64(left)/2, left-badgeMargin, label)
	fmt.Fprintf(&out, textElement, float64(left)+float64(right)/2, right-badgeMargin, text)
	out.WriteString(`</g></svg>`)
	return out.Bytes()
}

// badgeMargin is the space beside a text, on both sides together.
const badgeMargin = 12

// verdana are the widths of the ASCII characters of Verdana from the space on,
// in 2048ths of its size.
var verdana = [95]int{
	// space to /
	720, 806, 940, 1676, 1302, 2204, 1488, 550, 930, 930, 1302, 1676, 745, 930, 745, 930,
	// 0 to ?
	1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 930, 930, 1676, 1676, 1676, 1117,
	// @ to O
	2048, 1400, 1404, 1430, 1578, 1295, 1177, 1588, 1539, 862, 931, 1419, 1140, 1726, 1532, 1612,
	// P to _
	1235, 1612, 1424, 1400, 1262, 1499, 1400, 2025, 1403, 1260, 1403, 930, 930, 930, 1676, 1302,
	// ` to o
	1302, 1230, 1276, 1067, 1276, 1220, 720, 1276, 1296, 562, 705, 1212, 562, 1992, 1296, 1243,
	1276, 1276, 874, 1067, 807, 1296, 1212, 1676, 1212, 1212, 1076, 1300, 930, 1300, 1676, // p to ~
}

// textWidth is the width of a text at 11 pixels, with its margin.
func textWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			n += verdana[r-' ']
		case r == '·':
			n += 745
		case r >= 0x1100: // mostly as wide as high
			n += 2048
		default:
			n += 1350
		}
	}
	return (n*11+2047)/2048 + badgeMargin
}
