package main

import (
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
		Long: "Rebuilds the search index from the database into a new one and puts it in the place of " +
			"the old.\n" +
			"The embedded index belongs to the census that serves it, which has to be stopped first.\n" +
			"With Meilisearch searches go on meanwhile.",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := cmd.Context()
			if a.config.MeiliURL == "" && search.InUse(a.searchDir()) {
				return registry.Errorf(registry.ErrConflict,
					"a running `census serve` has the search index in %s, and follows the database by "+
						"itself: to build the index anew, stop it, run `census reindex`, and start it again",
					a.searchDir())
			}
			return a.withStore(ctx, func(db *postgres.DB) (err error) {
				index, closeIndex, err := a.openIndex(ctx, db, roles{api: true})
				if err != nil {
					return err
				}
				defer func() { err = join(err, closeIndex()) }()
				status, err := db.Status(ctx, time.Now())
				if err != nil {
					return err
				}
				p := newProgress(a.stderr, a.log, "indexed", status.Servers)
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
