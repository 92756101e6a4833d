package account

import (
	"fmt"
	"slices"
	"strings"

	"mcpcensus/internal/text"
)

// A Plan sets the limits and features of an account on the keyed API that the program
// enforces. Other promises are in [Offer.Texts].
type Plan struct {
	ID    string // basic, professional or enterprise
	Name  string
	USD   int // monthly price in US dollars; 0: free
	Daily int // requests per UTC day on /v1; 0: unlimited
	// Hourly is the limit of requests per UTC hour on /api; 0: unlimited.
	Hourly   int
	Webhooks int // endpoints that receive events
	// Features besides lists, records and search.
	Analytics, Bulk, Changes, Custom bool
}

// IDs of plans.
const (
	Basic        = "basic"
	Professional = "professional"
	Enterprise   = "enterprise"
)

// Plans are all plans, cheapest first.
//
// A free key can make more requests to /api than a Professional key to /v1, on purpose: /api
// only returns list entries. Paid plans add bulk requests, analytics and the change feed with
// full records.
var Plans = []*Plan{
	{ID: Basic, Name: "Basic", Daily: 100, Hourly: 1000, Webhooks: 1},
	{
		ID: Professional, Name: "Professional", USD: 99, Daily: 10_000, Hourly: 1000, Webhooks: 10,
		Analytics: true, Bulk: true, Changes: true,
	},
	{
		ID: Enterprise, Name: "Enterprise", USD: 499, Webhooks: 100,
		Analytics: true, Bulk: true, Changes: true, Custom: true,
	},
}

// A Feature is a row of the table of plans.
type Feature struct {
	Name string
	Of   func(*Plan) string // value for a plan; "": not included
}

// Features are the rows of the table of plans.
var Features = []Feature{
	{"Requests per day to /v1", func(p *Plan) string { return most(p.Daily) }},
	{"Requests per hour to /api", func(p *Plan) string { return most(p.Hourly) }},
	{"Lists, search and single records", func(*Plan) string { return included }},
	{"Webhook endpoints", func(p *Plan) string { return text.Thousands(p.Webhooks) }},
	{"Analytics with up to a year of history", func(p *Plan) string { return yes(p.Analytics) }},
	{"Bulk requests for up to 100 records", func(p *Plan) string { return yes(p.Bulk) }},
	{"Change feed with full records", func(p *Plan) string { return yes(p.Changes) }},
	{"Custom endpoints: saved searches with their own URL",
		func(p *Plan) string { return yes(p.Custom) }},
}

const included = "yes"

func yes(has bool) string {
	if has {
		return included
	}
	return ""
}

func most(n int) string {
	if n == 0 {
		return "unlimited"
	}
	return text.Thousands(n)
}

// Includes returns, for people, the features that the plan adds to the next cheaper
// one.
func (p *Plan) Includes() []string {
	var list []string
	cheaper := new(Plan)
	if i := slices.Index(Plans, p); i > 0 {
		cheaper = Plans[i-1]
		list = append(list, "Everything in "+cheaper.Name)
	}
	for _, f := range Features {
		if f.Of(p) == included && (cheaper.ID == "" || f.Of(cheaper) == "") {
			list = append(list, f.Name)
		}
	}
	return list
}

// An Offer describes which plans the operator of a registry sells, and what they promise
// with them. The zero Offer has the free plan only.
type Offer struct {
	Online  bool   // paid plans can be bought through the payment provider
	Contact string // where paid plans are available otherwise; "": nowhere
	// Texts are the promises of the operator, such as support, by plan ID.
	Texts map[string][]string
}

// Has reports whether a plan is available.
func (o Offer) Has(p *Plan) bool { return p.USD == 0 || o.Online || o.Contact != "" }

// Plans returns the available plans, cheapest first.
func (o Offer) Plans() []*Plan {
	return slices.DeleteFunc(slices.Clone(Plans), func(p *Plan) bool { return !o.Has(p) })
}

// Includes returns the features of a plan and the promises of the operator, for people.
func (o Offer) Includes(p *Plan) []string {
	return slices.Concat(p.Includes(), o.Texts[p.ID])
}

// A PlanBody is a plan in JSON. A nil limit means unlimited.
type PlanBody struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	PriceUSD int          `json:"priceUsd"` // per month
	Daily    *int         `json:"requestsPerDay"`
	Hourly   *int         `json:"requestsPerHour"`
	Features PlanFeatures `json:"features"`
	Includes []string     `json:"includes"`
	Offered  bool         `json:"offered"` // available here
}

// PlanFeatures are the features of a PlanBody.
type PlanFeatures struct {
	Analytics bool `json:"analytics"`
	Bulk      bool `json:"bulk"`
	Changes   bool `json:"changes"`
	Custom    bool `json:"customEndpoints"`
}

// Body returns a plan for JSON.
func (o Offer) Body(p *Plan) PlanBody {
	return PlanBody{
		ID: p.ID, Name: p.Name, PriceUSD: p.USD, Daily: Limit(p.Daily), Hourly: Limit(p.Hourly),
		Features: PlanFeatures{p.Analytics, p.Bulk, p.Changes, p.Custom},
		Includes: o.Includes(p), Offered: o.Has(p),
	}
}

// Limit returns n, or nil for 0, which means unlimited in a plan.
func Limit(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// Promises returns the texts of all available plans, each once.
func (o Offer) Promises() (all []string) {
	for _, p := range o.Plans() {
		for _, t := range o.Texts[p.ID] {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// ParseTexts parses the operator's promises: lines of a plan ID, a colon and a text.
// It skips empty lines and those that begin with #.
func ParseTexts(file string) (map[string][]string, error) {
	const maxText = 120
	texts, n := map[string][]string{}, 0
	for line := range strings.Lines(file) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		id, promise, _ := strings.Cut(line, ":")
		promise = strings.TrimSpace(promise)
		switch {
		case PlanNamed(id) == nil || promise == "":
			return nil, fmt.Errorf("line %d must be the ID of a plan, a colon and a text, such as "+
				"enterprise: Support by phone", n)
		case len([]rune(promise)) > maxText:
			return nil, fmt.Errorf("line %d: the text has more than %d characters", n, maxText)
		}
		texts[id] = append(texts[id], promise)
	}
	return texts, nil
}

// PlanNamed returns the plan with an ID, or nil.
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
