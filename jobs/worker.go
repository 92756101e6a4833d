package jobs

import "context"

// TakeOver ends the leases of workers that have ended without releasing them.
func (c *Crawler) TakeOver(ctx context.Context) error {
	ended, err := c.Queue.EndDeadLeases(ctx, c.Now())
	if err == nil && ended > 0 {
		c.Log.InfoContext(ctx, "took over the work of workers that have ended", "workers", ended)
	}
	return err
}
