package site

import (
	"io"
	"mime"
	"net/url"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxForm is the size in bytes of the largest form that is read.
const maxForm = 64 << 10

// ReadForm parses the form in the body of a request. Its texts need not be valid UTF-8.
func ReadForm(c *gin.Context) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if c.Request.Body == nil || kind == "" && c.Request.ContentLength <= 0 {
		return url.Values{}, nil
	}
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, registry.Errorf(registry.ErrMediaType,
			"Forms must be sent as application/x-www-form-urlencoded.")
	}
	b, err := io.ReadAll(io.LimitReader(c.Request.Body, maxForm+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxForm {
		return nil, registry.Errorf(registry.ErrTooLarge, "The form is larger than %d bytes.",
			maxForm)
	}
	form, err := url.ParseQuery(string(b))
	if err != nil {
		return nil, registry.Errorf(registry.ErrInvalid,
			"The form could not be read. Reload the page and try again.")
	}
	return form, nil
}

// OwnForm reads a form of a page of this site. Texts are valid, see [text.Valid].
func (s *Site) OwnForm(c *gin.Context) (url.Values, error) {
	if err := s.OwnPage(c); err != nil {
		return nil, err
	}
	form, err := ReadForm(c)
	for _, values := range form {
		for i, v := range values {
			values[i] = text.Valid(v)
		}
	}
	return form, err
}

// OwnPage returns an error if a page of another site made a browser send the
// request.
func (s *Site) OwnPage(c *gin.Context) error {
	if s.origins.Foreign(c.Request) {
		return &registry.Error{Kind: registry.ErrForbidden, Code: "cross_origin",
			Msg: "This form was sent by another site. Please use the form on this site."}
	}
	return nil
}
