package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"time"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/scorer"
)

// enoughForPriors is how many servers a mean of the ecosystem should be from.
const enoughForPriors = 1000

func (a *app) priorsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "priors", Short: "Compute what an unknown check should count as, from the stored facts, for a " +
			"person to commit", Args: none,
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
					fmt.Fprintf(a.stderr, "note: %d servers are too few for figures to commit; %d or more "+
						"are wanted\n", n, enoughForPriors)
				}
				_, err := fmt.Fprint(a.stdout, sample.Table())
				return err
			})
		},
	}
}
