package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
	"mcpcensus/scorer"
)

const scoreVersion = scorer.Version

func (a *app) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database's schema up to date", Args: none,
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
	return &cobra.Command{
		Use: "rescore", Short: "Compute every score again from the stored facts, without a crawl", Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(db *postgres.DB) error {
				status, err := db.Status(ctx, time.Now())
				if err != nil {
					return err
				}
				p := newProgress(a.stderr, a.log, "rescored", status.Servers)
				seen, changed, err := jobs.Rescore(ctx, db, time.Now(), p.set)
				p.finish()
				if err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%d servers scored with %s, %d scores changed.\n", seen, scoreVersion, changed)
				return nil
			})
		},
	}
}

func (a *app) hideCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "hide SLUG --reason TEXT", Short: "Take a server out of the directory", Args: exactly(1, "the slug of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usageError{fmt.Errorf("give --reason: it is kept with the server")}
			}
			return a.withStore(cmd.Context(), func(db *postgres.DB) error {
				if err := db.Hide(cmd.Context(), args[0], reason); err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%s is hidden. `census unhide %s` brings it back.\n", args[0], args[0])
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the operator's eyes")
	return cmd
}

func (a *app) unhideCommand() *cobra.Command {
	return &cobra.Command{
		Use: "unhide SLUG", Short: "Bring a hidden server back into the directory", Args: exactly(1, "the slug of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd.Context(), func(db *postgres.DB) error {
				if err := db.Unhide(cmd.Context(), args[0]); err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%s is listed again.\n", args[0])
				return nil
			})
		},
	}
}

// healthcheckCommand asks a running census whether it is ready: containers
// without a shell use it.
func (a *app) healthcheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Ask the census on CENSUS_ADDR whether it is ready", Args: none, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			addr := a.config.Addr
			if i := strings.LastIndex(addr, ":"); i >= 0 {
				if host := addr[:i]; host == "" || host == "0.0.0.0" || host == "[::]" {
					addr = "127.0.0.1" + addr[i:]
				}
			}
			req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, "http://"+addr+"/readyz", nil)
			if err != nil {
				return err
			}
			client := http.Client{Timeout: 5 * time.Second}
			resp, err := client.Do(req)
			if err != nil {
				return registry.Wrap(registry.ErrUnavailable, err, "no census answers on "+addr+" (CENSUS_ADDR)")
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s is not ready: %s", addr, resp.Status)
			}
			return nil
		},
	}
}
