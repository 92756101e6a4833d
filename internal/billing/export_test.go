package billing

import (
	"context"
	"time"
)

// UnpaidUntil is for tests of what is asked of Stripe.
func (s *Stripe) UnpaidUntil(ctx context.Context, sub string) (time.Time, error) {
	return s.unpaidUntil(ctx, sub)
}
