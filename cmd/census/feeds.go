package main

import (
	"context"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/search"
)

// records is the feed of the read model: server records without READMEs.
type records struct{ *postgres.DB }

func (r records) ServersAfter(
	ctx context.Context, seq int64, limit int,
) ([]registry.Server, []registry.Change, int64, error) {
	return r.RecordsAfter(ctx, seq, limit)
}

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
