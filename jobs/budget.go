package jobs

import (
	"fmt"

	"mcpcensus/internal/registry"
)

// A Need is what keeping the known repositories fresh takes in a day.
type Need struct {
	Points   int // of GraphQL
	Requests int // of REST
}

// The crawl may use this share of a day's rate limit; the rest is for retries, halved
// batches and other uses of the token.
const planShare = 0.8

// DailyNeed returns what known repositories take in a day. It assumes the measured
// rates of such repositories: 0.37 probes and 0.037 changes a day each, 100 probes or
// 20/3 changed repositories per GraphQL point, one REST request per change, and a full
// read every 30 days.
func DailyNeed(known int) Need {
	full := float64(known) * (0.037 + 1.0/30)
	return Need{
		Points:   int(float64(known)*0.37/100 + full*(3.0/20+1.0/10) + 250),
		Requests: int(full),
	}
}

// CheckBudget fails if the daily need of the known repositories exceeds the hourly
// limits of the credential.
func CheckBudget(known, pointsPerHour, requestsPerHour int) error {
	need := DailyNeed(known)
	if float64(need.Points) > planShare*float64(pointsPerHour*24) {
		return registry.Errorf(registry.ErrInvalid,
			"keeping %d repositories fresh takes about %d GraphQL points a day, and GITHUB_TOKEN allows "+
				"%d: use a GitHub App of an enterprise, or fewer sources", known, need.Points,
			pointsPerHour*24)
	}
	if float64(need.Requests) > planShare*float64(requestsPerHour*24) {
		return registry.Errorf(registry.ErrInvalid,
			"keeping %d repositories fresh takes about %d REST requests a day, and GITHUB_TOKEN allows %d: "+
				"use a GitHub App of an enterprise, or fewer sources", known, need.Requests,
			requestsPerHour*24)
	}
	return nil
}

func (p Need) String() string {
	return fmt.Sprintf("%d GraphQL points and %d REST requests a day", p.Points, p.Requests)
}
