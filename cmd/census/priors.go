package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"time"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/scorer"
)

// enoughForPriors is the minimum number of servers for representative means.
const enoughForPriors = 1000

func (a *app) priorsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "priors", Short: "Compute the priors of unknown checks from stored facts", Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(db *postgres.DB) error {
				var sample scorer.PriorSample
				now := time.Now()
				if err := db.EachFacts(ctx, func(s registry.Scored) error {
					sample.Add(&s.Facts, now)
					return nil
				}); err != nil {
					return err
				}
				if n := sample.Servers(); n < enoughForPriors {
					fmt.Fprintf(a.stderr, "note: %d servers are too few for representative "+
						"priors; use at least %d\n", n, enoughForPriors)
				}
				_, err := fmt.Fprint(a.stdout, sample.Table())
				return err
			})
		},
	}
}
