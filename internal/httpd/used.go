package httpd

import (
	"context"
	"strings"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/quota"
)

// Calls are the counted calls of accounts.
type Calls interface {
	// Calls returns the calls of an account on UTC days, both ends included.
	Calls(ctx context.Context, account int64, from, to time.Time) ([]meter.DayCalls, error)
}

// UsedToday returns how many requests to /v1 an account has made today and how many remain, nil
// if unknown. For plans without a limit these are the stored calls, which are some seconds old.
func UsedToday(
	ctx context.Context, l Limiter, calls Calls, id int64, plan *account.Plan, now time.Time,
) (used, left *int64) {
	var n int64
	if plan.Daily > 0 {
		if l == nil {
			return nil, nil
		}
		count, err := l.Peek(ctx, quota.Subject{Of: quota.AccountDay, ID: uint64(id)}, plan.Daily)
		if err != nil {
			return nil, nil
		}
		rest := int64(count.Remaining)
		n = int64(plan.Daily) - rest
		return &n, &rest
	}
	if calls == nil {
		return nil, nil
	}
	day := now.UTC().Truncate(24 * time.Hour)
	all, err := calls.Calls(ctx, id, day, day)
	if err != nil {
		return nil, nil
	}
	for _, c := range all {
		if strings.HasPrefix(c.Endpoint, "/v1") { // /api has its own limit
			n += c.Calls
		}
	}
	return &n, nil
}
