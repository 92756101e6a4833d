package main

import (
	"context"
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
		RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, _ []string) error {
			var sample scorer.PriorSample
			if err := eachFacts(ctx, db, sample.Add); err != nil {
				return err
			}
			if n := sample.Servers(); n < enoughForPriors {
				fmt.Fprintf(a.stderr, "note: %d servers are too few for representative "+
					"priors; use at least %d\n", n, enoughForPriors)
			}
			_, err := fmt.Fprint(a.stdout, sample.Table())
			return err
		}),
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
		RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, _ []string) error {
			var trial scorer.Trial
			err := eachFacts(ctx, db, trial.Add)
			if err == nil {
				for _, f := range trial.Findings(validationSeed) {
					fmt.Fprintln(a.stdout, f)
				}
			}
			return err
		}),
	}
}

// eachFacts calls add with the facts of each stored server, and the time now.
func eachFacts(
	ctx context.Context, db *postgres.DB, add func(*registry.Facts, time.Time),
) error {
	now := time.Now()
	return db.EachFacts(ctx, func(s registry.Scored) error {
		add(&s.Facts, now)
		return nil
	})
}
