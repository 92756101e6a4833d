package account

import "slices"

// A Plan sets the limits and features of an account on the keyed API.
type Plan struct {
	ID    string // basic, professional or enterprise
	Name  string
	USD   int // price of a month in US dollars; 0: free
	Daily int // requests per UTC day on /v1; 0: unlimited
	// Hourly is the limit of requests per UTC hour on /api; 0: unlimited.
	Hourly   int
	Webhooks int // endpoints that receive events
	// What the plan includes besides lists, records and search.
	Analytics, Bulk, Custom bool
	Includes                []string // for people, besides the limits
}

// IDs of plans.
const (
	Basic        = "basic"
	Professional = "professional"
	Enterprise   = "enterprise"
)

// Plans are all plans, cheapest first.
var Plans = []*Plan{
	{
		ID: Basic, Name: "Basic", Daily: 100, Hourly: 1000, Webhooks: 1,
		Includes: []string{"Server records, lists and search", "Community support"},
	},
	{
		ID: Professional, Name: "Professional", USD: 99, Daily: 10_000, Hourly: 1000, Webhooks: 10,
		Analytics: true,
		Bulk:      true,
		Includes: []string{"Everything in Basic", "Analytics for every server",
			"Up to 100 servers in one request"},
	},
	{
		ID: Enterprise, Name: "Enterprise", USD: 499, Webhooks: 100, Analytics: true, Bulk: true,
		Custom: true,
		Includes: []string{
			"Everything in Professional", "Custom endpoints: saved searches with their own URL",
			"White label", "Priority support", "Dedicated resources", "Service level agreement",
		},
	},
}

// PlanNamed returns the plan with that ID, or nil.
func PlanNamed(id string) *Plan {
	if i := slices.IndexFunc(Plans, func(p *Plan) bool { return p.ID == id }); i >= 0 {
		return Plans[i]
	}
	return nil
}

// PlansWith returns the IDs of the plans for which has returns true, cheapest
// first.
func PlansWith(has func(*Plan) bool) (ids []string) {
	for _, p := range Plans {
		if has(p) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}
