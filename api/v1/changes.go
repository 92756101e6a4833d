package v1

import (
	"context"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/page"
)

type changesParams struct {
	After  int    `query:"after,min=0,default=0"`
	Limit  int    `query:"limit,min=1,max=100,default=20"`
	Fields string `query:"fields,max=2000"`
}

// changes handles GET /v1/changes. With fields, entries also have id and status, so that
// removals can be told from records.
func (a *API) changes(ctx context.Context, c *gin.Context) error {
	if _, err := need(c, "The change feed with full records requires", changesPlan); err != nil {
		return err
	}
	var p changesParams
	var faults page.Faults
	if err := page.ParseQuery(c.Request.URL.RawQuery, &p, &faults); err != nil {
		return err
	}
	var fields []string
	if p.Fields != "" {
		fields = checkFields(strings.Split(p.Fields, ","), &faults)
		fields = append(fields, "id", "status")
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return a.API.SendChanges(ctx, c, int64(p.After), p.Limit, api.PrivateCache,
		func(i *catalog.Item) (any, error) { return a.record(i, fields) })
}
