package api

import (
	"context"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
)

// categoryTexts are the names and descriptions of the categories.
var categoryTexts = map[string][2]string{
	"database":      {"Database", "Servers that query, manage or administer databases and data warehouses."},
	"tools":         {"Tools", "Developer tools, file systems, shells, and what fits no other category."},
	"communication": {"Communication", "Mail, chat, calls and social networks."},
	"integration":   {"Integration", "Bridges to other products and platforms, and gateways to several of them."},
	"api":           {"API", "Access to particular web services and their data."},
	"security":      {"Security", "Scanning, identity, secrets and threat analysis."},
	"analytics":     {"Analytics", "Metrics, monitoring, reports and business intelligence."},
	"automation":    {"Automation", "Control of browsers, workflows, devices and infrastructure."},
	"data":          {"Data", "Sources of knowledge and data sets, their retrieval and conversion."},
	"productivity":  {"Productivity", "Notes, documents, calendars, tasks and projects."},
}

// categories handles GET /api/categories.
func (a *API) categories(_ context.Context, c *gin.Context) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	v, err := a.View()
	if err != nil {
		return err
	}
	return a.Respond(c, URLKey(v, c), func() (*Response, error) {
		body := categoriesBody{Total: v.Len()}
		for i, n := range v.CategoryCounts() {
			id := registry.Categories[i]
			body.Categories = append(body.Categories, categoryBody{
				ID: id, Name: categoryTexts[id][0], Description: categoryTexts[id][1], Count: n,
			})
		}
		return NewResponse(body, v.Tag())
	})
}
