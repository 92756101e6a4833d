package pages

import (
	"context"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/quota"
	"mcpcensus/web/site"
)

type pricingPage struct {
	site.Frame
	Plans   []*account.Plan
	Keyless int  // requests to /api per hour without a key
	CanPay  bool // paid plans can be bought here
}

// Extras are the parts of plans that are services by people, not enforced by
// the program.
func (p pricingPage) Extras() []string {
	return []string{"White label", "Priority support", "Dedicated resources",
		"Service level agreement"}
}

// Has reports whether a plan includes an extra.
func (p pricingPage) Has(plan *account.Plan, extra string) bool {
	return slices.Contains(plan.Includes, extra)
}

// pricing responds to GET /pricing.
func (p *Pages) pricing(_ context.Context, c *gin.Context) error {
	page := pricingPage{Frame: p.NewFrame("Pricing", "pricing"), Plans: account.Plans,
		Keyless: quota.ClientsHourly, CanPay: p.CanPay != nil && p.CanPay()}
	page.Description = "Prices and limits of the API with keys. The pages and the discovery API " +
		"are free."
	page.Canonical = "/pricing"
	return p.Show(c, http.StatusOK, "pricing", site.ByContent, page)
}

// about responds to GET /about.
func (p *Pages) about(_ context.Context, c *gin.Context) error {
	page := struct{ site.Frame }{p.NewFrame("About", "about")}
	page.Description = "What the registry is, where its data comes from, and what a score means."
	page.Canonical = "/about"
	return p.Show(c, http.StatusOK, "about", site.ByContent, page)
}
