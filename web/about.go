package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

type pricingPage struct {
	frame
	Plans   []*account.Plan
	Keyless int  // requests to /api per hour without a key
	CanPay  bool // paid plans can be bought here
}

// Extras are what plans hold that is agreed with people, not counted by a program.
func (p pricingPage) Extras() []string {
	return []string{"White label", "Priority support", "Dedicated resources", "Service level agreement"}
}

// Has says whether a plan includes something by its name.
func (p pricingPage) Has(plan *account.Plan, what string) bool {
	return slices.Contains(plan.Includes, what)
}

// pricing answers GET /pricing, from the table that the limits use.
func (s *Site) pricing(_ context.Context, c *gin.Context) error {
	p := pricingPage{frame: s.frame("Pricing", "pricing"), Plans: account.Plans, Keyless: quota.ClientsHourly,
		CanPay: s.People != nil && s.People.Plans.CanPay()}
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
