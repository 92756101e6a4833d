package pages

import (
	"context"
	"errors"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/record"
)

// An image is a picture of a README; body is nil if there is none.
type image struct {
	body []byte
	kind string
}

const (
	maxImages  = 128 // cached
	imageTTL   = 24 * time.Hour
	noImageTTL = time.Hour
)

// picture responds to GET /servers/{slug}/pictures/{picture}: a picture that the README of the server
// names.
func (p *Pages) picture(ctx context.Context, c *gin.Context, v *catalog.View) error {
	i, err := record.Find(v, c.Param("slug"))
	if err != nil {
		return err
	}
	r, err := record.Of(i)
	if err != nil {
		return err
	}
	address := ""
	if d := p.detailsOf(ctx, v, i, r); d.Readme != nil {
		address = d.Readme.Pictures[c.Param("picture")]
	}
	if address == "" || p.Picture == nil {
		return registry.Errorf(registry.ErrNotFound, "The README has no such picture.")
	}
	found, err := p.images.Get(address, p.Now(), func() (image, time.Duration, error) {
		body, kind, err := p.Picture(context.WithoutCancel(ctx), address)
		if errors.Is(err, registry.ErrNotFound) || errors.Is(err, registry.ErrInvalid) {
			return image{}, noImageTTL, nil
		}
		return image{body, kind}, imageTTL, err
	})
	if err != nil {
		return registry.Wrap(registry.ErrUnavailable, err, "The picture is unavailable right now.")
	}
	if found.body == nil {
		return registry.Errorf(registry.ErrNotFound, "The picture cannot be shown.")
	}
	httpd.Write(c, httpd.Response{Type: found.kind, Tag: httpd.TagOf(found.body),
		Cache: "public, max-age=86400", Body: found.body})
	return nil
}
