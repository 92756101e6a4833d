package jobs

import (
	"fmt"

	"mcpcensus/internal/registry"
)

// A Plan is what keeping the known repositories fresh needs in a day.
type Plan struct {
	Points   int // of GraphQL
	Requests int // of REST
}

// The crawl may plan for this share of a day's budget; the rest is for
// retries, halved batches and what else the token is used for.
const planShare = 0.8

// DailyNeed returns what known repositories need in a day, by the tiers of
// change rate that repositories of this kind were found to have: 0.37 probes
// and 0.037 changes a day for each, 100 probes and at most 20/3 changed
// repositories for a point, one REST request for each changed one, and every
// repository read whole once in 30 days.
func DailyNeed(known int) Plan {
	full := float64(known) * (0.037 + 1.0/30)
	return Plan{
		Points:   int(float64(known)*0.37/100 + full*(3.0/20+1.0/10) + 250),
		Requests: int(full),
	}
}

// CheckBudget refuses a registry of so many repositories that its daily need
// does not fit into the hourly limits of the credential.
func CheckBudget(known, pointsPerHour, requestsPerHour int) error {
	need := DailyNeed(known)
	if float64(need.Points) > planShare*float64(pointsPerHour*24) {
		return registry.Errorf(registry.ErrInvalid, "keeping %d repositories fresh needs about %d GraphQL points a day, and GITHUB_TOKEN gives %d: use a GitHub App of an enterprise, or fewer sources", known, need.Points, pointsPerHour*24)
	}
	if float64(need.Requests) > planShare*float64(requestsPerHour*24) {
		return registry.Errorf(registry.ErrInvalid, "keeping %d repositories fresh needs about %d REST requests a day, and GITHUB_TOKEN gives %d: use a GitHub App of an enterprise, or fewer sources", known, need.Requests, requestsPerHour*24)
	}
	return nil
}

func (p Plan) String() string {
	return fmt.Sprintf("%d GraphQL points and %d REST requests a day", p.Points, p.Requests)
}
