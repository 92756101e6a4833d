package feeds

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/gin-gonic/gin"
	"golang.org/x/image/font/sfnt"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
)

// The size of a picture in pixels, as recommended by social networks.
const pictureWidth, pictureHeight = 1200, 630

const (
	maxPictures = 400 // cached, about 50 kB each
	pictureWait = 3 * time.Second
)

// A card is the content of a server's picture.
type card struct {
	Brand, Name, Description, Path, Foot, Date, Grade string
	Warning                                           string // its risks, "" for none
	Score                                             int    // -1: unknown
}

// picture responds to GET /social/{slug}.png.
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
	body, err := f.pictures.Get(key, f.Now(), func() ([]byte, time.Duration, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pictureWait)
		defer cancel()
		if f.drawing.Acquire(ctx, 1) != nil {
			return nil, 0, &registry.Error{Kind: registry.ErrUnavailable,
				RetryAfter: 5 * time.Second,
				Msg:        "Too many pictures are being drawn. Please try again in a moment."}
		}
		defer f.drawing.Release(1)
		body, err := card.draw()
		return body, 24 * time.Hour, err
	})
	if err != nil {
		return err
	}
	publicFile(c)
	httpd.Write(c, httpd.Response{Type: "image/png", Tag: `"` + key + `"`, Cache: cache,
		Body: body})
	return nil
}

// Picture returns the picture of a server as PNG.
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
