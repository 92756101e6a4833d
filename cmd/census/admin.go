package main

import (
	"fmt"
	"net"
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
		Use: "rescore", Short: "Compute every score again from the stored facts, without a crawl",
		Args: none,
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
				fmt.Fprintf(a.stdout, "%d servers scored with %s, %d scores changed.\n", seen,
					scoreVersion, changed)
				return nil
			})
		},
	}
}

func (a *app) hideCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "hide SLUG --reason TEXT", Short: "Take a server out of the directory", Args: exactly(
			1, "the slug of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usageError{fmt.Errorf("give --reason: it is kept with the server")}
			}
			return a.withExisting(cmd.Context(), func(db *postgres.DB) error {
				if err := db.Hide(cmd.Context(), args[0], reason); err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%s is hidden. `census unhide %s` brings it back.\n", args[0],
					args[0])
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the operator's eyes")
	return a.demoFlag(cmd)
}

func (a *app) unhideCommand() *cobra.Command {
	return a.demoFlag(&cobra.Command{
		Use: "unhide SLUG", Short: "Bring a hidden server back into the directory", Args: exactly(1,
			"the slug of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withExisting(cmd.Context(), func(db *postgres.DB) error {
				if err := db.Unhide(cmd.Context(), args[0]); err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%s is listed again.\n", args[0])
				return nil
			})
		},
	})
}

// healthcheckCommand asks a running census whether it is well: containers
// without a shell use it.
func (a *app) healthcheckCommand() *cobra.Command {
	var worker bool
	cmd := &cobra.Command{
		Use: "healthcheck", Short: "Ask the census on CENSUS_ADDR whether it is ready", Args: none,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, addr, path := "CENSUS_ADDR", a.config.Addr, "/readyz"
			if worker {
				name, addr, path = "CENSUS_METRICS_ADDR", a.config.MetricsAddr, "/healthz"
			}
			if addr == "off" {
				return registry.Errorf(registry.ErrInvalid, "%s is off: nothing answers there",
					name)
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
					"no census answers on "+addr+" ("+name+")")
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
		"ask the one on CENSUS_METRICS_ADDR whether it lives: a worker answers no other requests")
	return cmd
}

// hereAt returns the address at which a server that listens on addr is reached
// from the same machine.
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
