package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
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

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: "What the crawl has done, how fresh everything is, what is failing and why", Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(db *postgres.DB) error {
				s, err := db.Status(ctx, time.Now())
				if err != nil {
					return err
				}
				if asJSON {
					enc := json.NewEncoder(a.stdout)
					enc.SetIndent("", "  ")
					return enc.Encode(s)
				}
				printStatus(a.stdout, s, a.config.GitHubToken != "")
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// printStatus writes the status for people.
func printStatus(w io.Writer, s registry.Status, token bool) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer t.Flush()
	fmt.Fprintf(t, "Listed servers\t%d\n", s.Servers)
	if s.Hidden > 0 {
		fmt.Fprintf(t, "Hidden\t%d\n", s.Hidden)
	}
	var states []string
	total := 0
	for _, state := range slices.Sorted(maps.Keys(s.Repositories)) {
		states = append(states, fmt.Sprintf("%d %s", s.Repositories[state], strings.ReplaceAll(state, "_", " ")))
		total += s.Repositories[state]
	}
	fmt.Fprintf(t, "Repositories\t%d\t%s\n", total, strings.Join(states, ", "))
	fmt.Fprintf(t, "Official registry\t%d entries\n", s.Listings)
	fmt.Fprintf(t, "Queue\t%d due, %d being visited, %d asked for by hand\n", s.Due, s.Leased, s.Forced)
	if s.LagP50 != nil && s.LagP95 != nil {
		fmt.Fprintf(t, "Waiting\thalf of them since %s, the last 5 %% since %s\n", span(*s.LagP50), span(*s.LagP95))
	}
	if s.AgeP50 != nil && s.AgeP95 != nil {
		fmt.Fprintf(t, "Freshness\thalf were looked at in the last %s, 95 %% in the last %s\n", span(*s.AgeP50), span(*s.AgeP95))
	}
	fmt.Fprintf(t, "Packages\t%d, %d to be asked about, %d download counts due\n", s.Packages, s.PackagesDue, s.DownloadsDue)
	need := jobs.DailyNeed(total)
	fmt.Fprintf(t, "Daily need\t%s\n", need)
	if !token {
		fmt.Fprintf(t, "GitHub\tno GITHUB_TOKEN: 60 requests an hour, the most wanted first. A token (no scopes) gives 5,000 and search, so all known repositories are read within hours.\n")
	}
	section := func(title string) { t.Flush(); fmt.Fprintf(w, "\n%s\n", title) }
	if len(s.Sources) > 0 {
		section("Sources")
		for _, src := range s.Sources {
			fmt.Fprintf(t, "  %s\tlast read whole %s\t%d found\t%s\n", src.Name, ago(s.At, src.LastSuccess), src.Found, src.LastError)
		}
	}
	if len(s.Budgets) > 0 {
		section("Upstream budgets")
		for _, b := range s.Budgets {
			fmt.Fprintf(t, "  %s %s\t%d of %d left\tcomes back %s\t%s\n", b.Upstream, b.Resource, b.Remaining, b.Limit, b.ResetAt.UTC().Format(time.RFC3339), b.Problem)
		}
	}
	if len(s.Jobs) > 0 {
		section("Jobs")
		for _, j := range s.Jobs {
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", j.Job, ago(s.At, &j.StartedAt), j.Note, j.Error)
		}
	}
	if len(s.Failing) > 0 {
		section("Failing")
		for _, f := range s.Failing {
			fmt.Fprintf(t, "  %d × %s\t%s\tsuch as %s\n", f.Count, f.Of, f.Error, f.Example)
		}
	}
}

// span returns seconds in words.
func span(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

func ago(now time.Time, t *time.Time) string {
	if t == nil {
		return "never"
	}
	return span(now.Sub(*t).Seconds()) + " ago"
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
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s is not ready: %s", addr, resp.Status)
			}
			return nil
		},
	}
}
