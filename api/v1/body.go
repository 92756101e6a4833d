package v1

import (
	"github.com/gin-gonic/gin"

	"mcpcensus/internal/page"
)

// The longest bodies, in bytes.
const (
	maxSearchBody = 96 << 10 // filters and a cursor that carries them
	maxBulkBody   = 128 << 10
	maxCustomBody = 64 << 10

	maxWebhookBody = 64 << 10
)

// parseBody reads the body of a request, which must be a JSON object, and
// refuses parameters.
func parseBody(c *gin.Context, limit int64, request any, faults *page.Faults) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	return page.ReadBody(c.Writer, c.Request, limit, request, faults)
}
