package github

import (
	"fmt"

	"mcpcensus/internal/registry"
)

// capacityShare is the share of the daily rate limit that the crawl may use. The rest is for
// retries, split batches and other uses of the token.
const capacityShare = 0.8

// defaultLimit is the assumed hourly limit of GraphQL points until a response reports it.
const defaultLimit = 5000

// dailyUse returns the GraphQL points per day for known repositories. It assumes the measured
// rates: 0.37 probes and 0.037 changes per repository and day, and a full read every 30 days.
// Batches are half full. Issues are read with what is left.
func dailyUse(known int) (points int) {
	full := float64(known) * (0.037 + 1.0/30)
	return int(2*(float64(known)*0.37/(probeIDs*probeFields)+full/fullRepos) + 250)
}

// Capacity describes the requests that keep a number of known repositories current. It fails if
// the hourly limit of the token, as last observed in budgets, does not allow them. Without a token
// the result is "": repositories are then read by priority.
func (g *Client) Capacity(known int, budgets []registry.Budget) (use string, err error) {
	if !g.HasToken() {
		return "", nil
	}
	points, perHour := dailyUse(known), defaultLimit
	for _, b := range budgets {
		if b.Upstream == host.ID && b.Credential == g.api.Credential() && b.Limit > 0 &&
			b.Resource == graphqlLimit {
			perHour = b.Limit
		}
	}
	use = fmt.Sprintf("%d GraphQL points a day", points)
	if float64(points) <= capacityShare*float64(perHour*24) {
		return use, nil
	}
	return use, registry.Errorf(registry.ErrInvalid,
		"keeping %d repositories current requires about %d GraphQL points a day, but GITHUB_TOKEN "+
			"allows %d: use an enterprise GitHub App or fewer sources", known, points, perHour*24)
}
