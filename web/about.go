package web

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

type pricingPage struct {
	frame
	Plans   []*registry.Plan
	Keyless int // requests to /api per hour without a key
}

// pricing answers GET /pricing, from the table that the limits use.
func (s *Site) pricing(_ context.Context, c *gin.Context) error {
	p := pricingPage{frame: s.frame("Pricing", "pricing"), Plans: registry.Plans, Keyless: registry.ClientsHourly}
	p.Description = "What the keyed API costs and includes. The pages and the discovery API are free."
	p.Canonical = "/pricing"
	return s.show(c, http.StatusOK, "pricing", byContent, p)
}

type aboutPage struct {
	frame
	Categories []string
}

// about answers GET /about.
func (s *Site) about(_ context.Context, c *gin.Context) error {
	p := aboutPage{frame: s.frame("About", "about"), Categories: registry.Categories}
	p.Description = "What the registry is, where its facts come from, and what a score means."
	p.Canonical = "/about"
	return s.show(c, http.StatusOK, "about", byContent, p)
}
