package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// reportsShown is the maximum number of reports in the list.
const reportsShown = 500

func (a *app) reportsCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "reports", Short: "List, show and close problem reports from readers",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withExisting(cmd.Context(), func(db *postgres.DB) error {
				list, err := db.Reports(cmd.Context(), all, reportsShown)
				if err != nil {
					return err
				}
				if len(list) == 0 {
					fmt.Fprintln(a.stdout, "No open reports.")
					return nil
				}
				t := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
				fmt.Fprintln(t, "ID\tAT\tSTATE\tSERVER\tREASON\tTEXT")
				for _, c := range list {
					state := "open"
					if c.ClosedAt != nil {
						state = "closed"
					}
					begin := []rune(text.OneLine(c.Text))
					if len(begin) > 60 {
						begin = append(begin[:59], '…')
					}
					fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\n", c.ID, c.At.Format(time.DateOnly),
						state, text.OneLine(c.Slug), c.Reason, string(begin))
				}
				if err := t.Flush(); err != nil {
					return err
				}
				if len(list) == reportsShown {
					fmt.Fprintf(a.stdout, "Only the first %d are shown.\n", reportsShown)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include closed reports, after the open ones")
	cmd.AddCommand(a.reportsShowCommand(), a.reportsCloseCommand())
	return a.demoFlag(cmd)
}

func (a *app) reportsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a report in full", Args: exactly(1,
			"the ID of one report, as `census reports` lists it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := reportID(args[0])
			if err != nil {
				return err
			}
			return a.withExisting(cmd.Context(), func(db *postgres.DB) error {
				c, err := db.Report(cmd.Context(), id)
				if err != nil {
					return err
				}
				t := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
				fmt.Fprintf(t, "Server\t%s\n", text.OneLine(c.Slug))
				fmt.Fprintf(t, "Page\t%s/servers/%s\n", a.config.BaseURL, text.OneLine(c.Slug))
				fmt.Fprintf(t, "Reason\t%s\n", reasonText(c.Reason))
				fmt.Fprintf(t, "Came\t%s\n", c.At.Format(time.DateTime))
				if c.Contact != "" {
					fmt.Fprintf(t, "Contact\t%s\n", text.OneLine(c.Contact))
				}
				if c.ClosedAt != nil {
					fmt.Fprintf(t, "Closed\t%s\n", c.ClosedAt.Format(time.DateTime))
					fmt.Fprintf(t, "Note\t%s\n", text.OneLine(c.Note))
				}
				if err := t.Flush(); err != nil {
					return err
				}
				fmt.Fprintln(a.stdout)
				for line := range strings.Lines(c.Text) {
					fmt.Fprintf(a.stdout, "  %s\n", text.OneLine(line))
				}
				if c.ClosedAt == nil {
					fmt.Fprintf(a.stdout, "\n`census hide %s --reason …` hides the server from "+
						"the directory, `census reports close %d --note …` closes the report.\n",
						text.OneLine(c.Slug), c.ID)
				}
				return nil
			})
		},
	}
}

func (a *app) reportsCloseCommand() *cobra.Command {
	var note string
	cmd := &cobra.Command{
		Use:   "close ID --note TEXT",
		Short: "Close a report and delete the contact of its writer",
		Args:  exactly(1, "the ID of one report, as `census reports` lists it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := reportID(args[0])
			if err != nil {
				return err
			}
			if strings.TrimSpace(note) == "" {
				return usageError{fmt.Errorf("missing --note, which is stored with the report")}
			}
			return a.withExisting(cmd.Context(), func(db *postgres.DB) error {
				if err := db.CloseReport(cmd.Context(), id, note, time.Now()); err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "Report %d is closed.\n", id)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "what was done, visible only to operators")
	return cmd
}

func reportID(s string) (int64, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id < 1 {
		return 0, usageError{fmt.Errorf("%q is not a report ID; see `census reports`", s)}
	}
	return id, nil
}

func reasonText(id string) string {
	for _, r := range registry.ReportReasons {
		if r.ID == id {
			return r.Text
		}
	}
	return id
}
