package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

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

// validationSeed makes random figures reproducible.
const validationSeed = 20261120

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "validate", Short: "Validate the score model on the stored servers: missing facts, " +
			"weights, hidden sources, discrimination", Args: none,
		Long: "Prints the figures of the model's validation on stored servers, each with its " +
			"target. Figures without enough data are skipped.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(db *postgres.DB) error {
				var trial scorer.Trial
				now := time.Now()
				if err := db.EachFacts(ctx, func(s registry.Scored) error {
					trial.Add(&s.Facts, now)
					return nil
				}); err != nil {
					return err
				}
				for _, f := range trial.Findings(validationSeed) {
					fmt.Fprintln(a.stdout, f)
				}
				return nil
			})
		},
	}
}
