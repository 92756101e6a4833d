package feeds

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
)

// The size of a picture in pixels, as recommended by social networks.
const pictureWidth, pictureHeight = 1200, 630

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
	if f.folder == "" {
		return c.draw()
	}
	path := filepath.Join(f.folder, key[:3])
	kept, _ := os.ReadFile(path)
	if body, ok := bytes.CutPrefix(kept, []byte(key)); ok {
		return body, nil
	}
	body, err := c.draw()
	if err != nil || os.MkdirAll(f.folder, 0o700) != nil {
		return body, err
	}
	if file, err := os.CreateTemp(f.folder, "new-*"); err == nil { // otherwise drawn again
		_, err = file.Write(slices.Concat([]byte(key), body))
		if errors.Join(err, file.Close()) != nil || os.Rename(file.Name(), path) != nil {
			os.Remove(file.Name())
		}
	}
	return body, nil
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
