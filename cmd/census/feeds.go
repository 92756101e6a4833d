package main

import (
	"context"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/search"
)

// counting is a feed that shows the progress of reading it.
type counting struct {
	search.Feed
	progress *progress
}

func (c counting) ServersAfter(
	ctx context.Context, seq int64, limit int,
) ([]registry.Server, []registry.Change, int64, error) {
	servers, removed, last, err := c.Feed.ServersAfter(ctx, seq, limit)
	c.progress.add(len(servers))
	return servers, removed, last, err
}
