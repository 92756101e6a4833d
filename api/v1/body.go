package v1

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
)

// The longest bodies, in bytes.
const (
	maxSearchBody = 96 << 10 // filters and a cursor that carries them
	maxBulkBody   = 128 << 10
	maxCustomBody = 64 << 10
)

// parseBody reads the body of a request, which must be a JSON object, and
// refuses parameters.
func parseBody(c *gin.Context, limit int64, request any, faults *page.Faults) error {
	if err := noParams(c); err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || len(c.Request.Header["Content-Type"]) != 1 || kind != "application/json" ||
		params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return registry.Errorf(registry.ErrMediaType,
			"The body must be JSON in UTF-8, sent with Content-Type: application/json.")
	}
	if e := c.GetHeader("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return registry.Errorf(registry.ErrMediaType, "The body must not be compressed.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, limit))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", limit)
	}
	if err != nil {
		return err
	}
	return page.ParseBody(body, request, faults)
}
