package pages

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

type mcpPage struct {
	site.Frame
	Endpoint string
	Base     string
	Clients  []record.Client
}

// mcp responds to GET /docs/mcp: how to add the registry's own MCP server to clients.
func (p *Pages) mcp(_ context.Context, c *gin.Context) error {
	if p.Static {
		return registry.Errorf(registry.ErrNotFound, "There is nothing at this URL.")
	}
	page := mcpPage{Frame: p.NewFrame("Use "+p.Brand.Name()+" from your assistant", "mcp"),
		Endpoint: p.BaseURL + "/mcp", Base: p.BaseURL}
	page.Clients = record.Connect("census", page.Brand().Name(), page.Endpoint)
	page.Description = "How to add this registry to an MCP client, its tools, and its limits."
	page.Canonical = "/docs/mcp"
	return p.Show(c, http.StatusOK, "mcp", site.ByContent, page)
}
