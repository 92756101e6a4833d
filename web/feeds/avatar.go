package feeds

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"html"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
)

// Avatars returns the stored avatars of owners.
type Avatars interface {
	// Avatar returns a PNG. The error is of kind [registry.ErrNotFound] if there is
	// none.
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
		if f.avatars == nil {
			return nil, avatarTTL, nil
		}
		image, err := f.avatars.Avatar(ctx, host, owner)
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
