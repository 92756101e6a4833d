package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/search"
)

func (a *app) reindexCommand() *cobra.Command {
	return &cobra.Command{
		Use: "reindex", Short: "Rebuild the search index from the database", Args: none,
		Long: "Rebuilds the search index from the database and replaces the old one.\n" +
			"The embedded index is locked while `census serve` runs: stop it first.\n" +
			"With Meilisearch, searches continue during the rebuild.",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := cmd.Context()
			if a.config.MeiliURL == "" && search.InUse(a.searchDir()) {
				return registry.Errorf(registry.ErrConflict,
					"a running `census serve` has locked the search index in %s and keeps it "+
						"current: to rebuild it, stop the server, run `census reindex`, and "+
						"start it again",
					a.searchDir())
			}
			return a.withExisting(ctx, func(db *postgres.DB) (err error) {
				index, closeIndex, err := a.openIndex(ctx, db, roles{api: true})
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, closeIndex()) }()
				status, err := db.Status(ctx, time.Now())
				if err != nil {
					return err
				}
				p := newProgress(a.log, "indexed", status.Servers)
				err = index.Rebuild(ctx, counting{db, p})
				p.finish()
				if err != nil {
					return err
				}
				stats, err := index.Stats(ctx)
				if err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%d servers indexed with %s.\n", stats.Servers, stats.Engine)
				return nil
			})
		},
	}
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
