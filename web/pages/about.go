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
	Offer   account.Offer
	Keyless int // requests to /api per hour without a key
}

// Features are the rows of the table that the program enforces.
func (p pricingPage) Features() []account.Feature { return account.Features }

// Promised reports whether the operator promises a text for a plan or a cheaper one.
func (p pricingPage) Promised(plan *account.Plan, text string) bool {
	for _, x := range account.Plans {
		if x.USD <= plan.USD && slices.Contains(p.Offer.Texts[x.ID], text) {
			return true
		}
	}
	return false
}

// pricing responds to GET /pricing.
func (p *Pages) pricing(_ context.Context, c *gin.Context) error {
	page := pricingPage{Frame: p.NewFrame("Pricing", "pricing"), Offer: p.Offer(),
		Keyless: quota.ClientsHourly}
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
