package probe

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mcpcensus/internal/registry"
)

// A consent is the cached permission to probe an origin.
type consent struct {
	allowed bool
	until   time.Time
}

const (
	consentPath = "/.well-known/census.json"
	consentTTL  = 24 * time.Hour
	maxConsents = 50_000
)

// allowed reports whether the owner of the endpoint's origin permits probes. Owners opt out
// by publishing {"probe": false} at consentPath. The error is a network error.
func (c *session) allowed(ctx context.Context) (bool, error) {
	origin, now := c.url.Scheme+"://"+c.url.Host, c.opt.Now()
	known, ok := c.consent.Get(origin)
	if ok && now.Before(known.until) {
		return known.allowed, nil
	}
	u, err := c.url.Parse(consentPath)
	if err != nil {
		return true, nil
	}
	resp, err := c.send(ctx, request{method: http.MethodGet, url: u, limit: 4 << 10,
		header: map[string]string{"Accept": "application/json"}})
	switch {
	case errors.Is(err, errRedirect):
		return c.remember(origin, true, now), nil
	case err != nil && networkReason(err) == registry.ReasonTimeout:
		return true, nil // the endpoint itself may respond
	case err != nil:
		return false, err
	}
	defer resp.close()
	var file struct {
		Probe *bool `json:"probe"`
	}
	if ok && (resp.status == http.StatusTooManyRequests || resp.status >= 500) {
		return c.remember(origin, known.allowed, now), nil // the file may still exist
	}
	allowed := resp.status != http.StatusOK || readJSON(resp, &file) != nil ||
		file.Probe == nil || *file.Probe
	return c.remember(origin, allowed, now), nil
}

func (p *Prober) remember(origin string, allowed bool, now time.Time) bool {
	p.consent.Add(origin, consent{allowed, now.Add(consentTTL)})
	return allowed
}
