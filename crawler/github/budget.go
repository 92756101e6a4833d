package github

import (
	"fmt"

	"mcpcensus/internal/registry"
)

// capacityShare is how much of a day's rate limit the crawl may plan with. The
// rest is for retries, halved batches and other uses of the token.
const capacityShare = 0.8

// defaultLimit is the hourly limit of GraphQL points and of REST requests that a
// token until a response contains another one.
const defaultLimit = 5000

// dailyUse returns the GraphQL points and REST requests for known repositories per day. It assumes
// the measured rates of such repositories: 0.37 probes and 0.037 changes a day each, 100 probes or
// 4 changed repositories per GraphQL point, one REST request per change, and a full read every 30
// days.
func dailyUse(known int) (points, requests int) {
	full := float64(known) * (0.037 + 1.0/30)
	return int(float64(known)*0.37/100 + full*(1.0/4+1.0/10) + 250), int(full)
}

// Capacity describes the requests needed to keep a number of known repositories
// current, for users. The error reports that the hourly limits of the token do not
// allow them, as last observed in budgets. Without a token the use is "":
// repositories are read by priority.
func (g *Client) Capacity(known int, budgets []registry.Budget) (use string, err error) {
	if !g.HasToken() {
		return "", nil
	}
	points, requests := dailyUse(known)
	pointLimit, requestLimit := g.hourlyLimits(budgets)
	use = fmt.Sprintf("%d GraphQL points and %d REST requests a day", points, requests)
	if err = checkLimit(known, points, pointLimit, "GraphQL points"); err == nil {
		err = checkLimit(known, requests, requestLimit, "REST requests")
	}
	return use, err
}

// checkLimit returns an error if an hourly limit does not allow the daily use.
func checkLimit(known, use, perHour int, unit string) error {
	if float64(use) <= capacityShare*float64(perHour*24) {
		return nil
	}
	return registry.Errorf(registry.ErrInvalid,
		"keeping %d repositories fresh takes about %d %s a day, and GITHUB_TOKEN allows %d: "+
			"use a GitHub App of an enterprise, or fewer sources", known, use, unit, perHour*24)
}

// hourlyLimits returns the limits of the token as last observed.
func (g *Client) hourlyLimits(budgets []registry.Budget) (points, requests int) {
	points, requests = defaultLimit, defaultLimit
	for _, b := range budgets {
		switch {
		case b.Upstream != host.ID || b.Credential != g.api.Credential() || b.Limit <= 0:
		case b.Resource == graphqlLimit:
			points = b.Limit
		case b.Resource == coreLimit:
			requests = b.Limit
		}
	}
	return points, requests
}
