package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/search"
	"mcpcensus/jobs"
	"mcpcensus/scorer"
)

const scoreVersion = scorer.Version

func (a *app) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Migrate the database schema to the current version", Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, closeStore, err := a.openStore(cmd.Context()) // opening migrates
			if err != nil {
				return err
			}
			fmt.Fprintln(a.stdout, "The schema is up to date.")
			return closeStore()
		},
	}
}

func (a *app) rescoreCommand() *cobra.Command {
	return a.demoFlag(&cobra.Command{
		Use: "rescore", Short: "Recompute every score from stored facts, without crawling",
		Args: none,
		RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, _ []string) error {
			status, err := db.Status(ctx, time.Now())
			if err != nil {
				return err
			}
			p := newProgress(a.log, "rescored", status.Servers)
			seen, changed, err := jobs.Rescore(ctx, db, time.Now(), p.set)
			p.finish()
			if err == nil {
				fmt.Fprintf(a.stdout, "%d servers scored with %s, %d scores changed.\n", seen,
					scoreVersion, changed)
			}
			return err
		}),
	})
}

func (a *app) hideCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "hide SLUG --reason TEXT", Short: "Hide a server from the directory",
		Args: exactly(1, "the slug of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usageError{fmt.Errorf("missing --reason, which is stored with the server")}
			}
			return a.withExisting(cmd.Context(), func(db *postgres.DB) error {
				err := db.Hide(cmd.Context(), args[0], reason)
				if err == nil {
					fmt.Fprintf(a.stdout, "%s is hidden. `census unhide %s` lists it again.\n",
						args[0], args[0])
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "",
		"why the server is hidden, visible only to operators")
	return a.demoFlag(cmd)
}

func (a *app) unhideCommand() *cobra.Command {
	return a.demoFlag(&cobra.Command{
		Use: "unhide SLUG", Short: "List a hidden server again",
		Args: exactly(1, "the slug of one server"),
		RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, args []string) error {
			err := db.Unhide(ctx, args[0])
			if err == nil {
				fmt.Fprintf(a.stdout, "%s is listed again.\n", args[0])
			}
			return err
		}),
	})
}

func (a *app) copyCommand() *cobra.Command {
	var not bool
	cmd := &cobra.Command{
		Use: "copy [--not] SLUG", Short: "Decide that a server is not a copy of another one",
		Args: exactly(1, "the slug of one server"),
		RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, args []string) error {
			if err := db.SetNotCopy(ctx, args[0], not, time.Now()); err != nil {
				return err
			}
			if not {
				fmt.Fprintf(a.stdout, "%s is not a copy. `census copy %s` lets the next "+
					"comparison decide again.\n", args[0], args[0])
			} else {
				fmt.Fprintf(a.stdout, "The next comparison decides whether %s is a copy.\n", args[0])
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&not, "not", false, "it is not a copy, whatever comparisons find")
	return a.demoFlag(cmd)
}

// healthcheckCommand requests the health of a running process. It exists for
// containers without a shell.
func (a *app) healthcheckCommand() *cobra.Command {
	var worker bool
	cmd := &cobra.Command{
		Use: "healthcheck", Short: "Check whether the server on CENSUS_ADDR is ready", Args: none,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, addr, path := "CENSUS_ADDR", a.config.Addr, "/readyz"
			if worker {
				name, addr, path = "CENSUS_METRICS_ADDR", a.config.MetricsAddr, "/healthz"
			}
			if addr == "off" {
				return registry.Errorf(registry.ErrInvalid, "%s is off: no server listens there", name)
			}
			addr = hereAt(addr)
			req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet,
				"http://"+addr+path, nil)
			if err != nil {
				return err
			}
			client := http.Client{Timeout: 5 * time.Second}
			resp, err := client.Do(req)
			if err != nil {
				return registry.Wrap(registry.ErrUnavailable, err,
					"no response from census on "+addr+" ("+name+")")
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return registry.Errorf(registry.ErrUnavailable, "the census on %s is not ready: %s",
					addr, resp.Status)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&worker, "worker", false,
		"check liveness on CENSUS_METRICS_ADDR instead, the only address of a worker")
	return cmd
}

// hereAt returns the address that reaches a server listening on addr from the
// same machine.
func hereAt(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

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
			now := time.Now()
			err := db.EachFacts(ctx, func(s registry.Scored) error {
				trial.Add(&s.Facts, now)
				return nil
			})
			if err == nil {
				for _, f := range trial.Findings(validationSeed) {
					fmt.Fprintln(a.stdout, f)
				}
			}
			return err
		}),
	}
}
