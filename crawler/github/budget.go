package github

import (
	"fmt"

	"mcpcensus/internal/registry"
)

// capacityShare is the share of the daily rate limit that the crawl may use. The rest is for
// retries, split batches and other uses of the token.
const capacityShare = 0.8

// defaultLimit is the assumed hourly limit of GraphQL points and of REST requests until a
// response reports the actual limit.
const defaultLimit = 5000

// dailyUse returns the GraphQL points and REST requests per day for known repositories. It
// assumes the measured rates: 0.37 probes and 0.037 changes per repository and day, 100 probes or
// 4 changed repositories per GraphQL point, one REST request per change, and a full read every 30
// days.
func dailyUse(known int) (points, requests int) {
	full := float64(known) * (0.037 + 1.0/30)
	return int(float64(known)*0.37/100 + full*(1.0/4+1.0/10) + 250), int(full)
}

// Capacity describes the requests that keep a number of known repositories current. It fails if
// the hourly limits of the token, as last observed in budgets, do not allow them. Without a token
// the result is "": repositories are then read by priority.
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
		"keeping %d repositories current requires about %d %s a day, but GITHUB_TOKEN allows %d: "+
			"use an enterprise GitHub App or fewer sources", known, use, unit, perHour*24)
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
