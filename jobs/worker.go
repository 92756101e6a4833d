package jobs

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// WorkerName returns the name of this process in leases: host and process ID.
func WorkerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + "/" + strconv.Itoa(os.Getpid())
}

// TakeOver ends the leases of dead workers on this machine, and of an earlier process with our
// own name. Leases of dead workers on other machines expire.
func (c *Crawler) TakeOver(ctx context.Context) error {
	holders, err := c.Queue.LeaseHolders(ctx, c.Now())
	if err != nil {
		return err
	}
	host, _, _ := strings.Cut(c.Worker, "/")
	var dead []string
	for _, h := range holders {
		their, number, ok := strings.Cut(h, "/")
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || their != host || pid <= 0 {
			continue
		}
		if h == c.Worker || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			dead = append(dead, h)
		}
	}
	if len(dead) == 0 {
		return nil
	}
	n, err := c.Queue.EndLeases(ctx, dead)
	if err == nil && n > 0 {
		c.Log.InfoContext(ctx, "took over the work of workers that have ended", "workers", dead,
			"repositories", n)
	}
	return err
}
