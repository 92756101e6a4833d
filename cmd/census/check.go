package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mcpcensus/api"
	"mcpcensus/crawler/upstream"
	"mcpcensus/internal/cli"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/jobs"
	"mcpcensus/scorer"
	"mcpcensus/web/record"
)

// checkWithin bounds one check of a repository in the terminal. The reading of a folder has only
// the reader's limits.
const checkWithin = 2 * time.Minute

func (a *app) checkCommand() *cobra.Command {
	var asJSON, color, noColor bool
	cmd := &cobra.Command{
		Use: "check URL|DIR", Short: "Print the health report of a repository or a folder; " +
			"needs no database",
		Long: "Print the health report of a repository; needs no database. A name of the official " +
			"registry is looked up there. A folder that exists, such as ./, is read as the crawl would " +
			"read its repository, without any request.\n\nThe exit status is 0 if a server " +
			"has a score, or the folder contains a server; 3 if there is no MCP server, 4 if there is " +
			"no such repository, and 5 if there is no score, because too little is known or the code " +
			"host withholds the repository. It is 1 after other failures and 2 for wrong usage.",
		Annotations: map[string]string{"log": "none"},
		Args:        exactly(1, "one repository, such as "+registry.ExampleURL()),
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := a.check(cmd.Context(), args[0], !asJSON)
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(a.stdout)
				enc.SetIndent("", "  ")
				all, err := cardsOf(report)
				if err != nil {
					return err
				}
				if err := enc.Encode(all); err != nil {
					return err
				}
			} else {
				printReport(a.stdout, report, color || isTerminal(a.stdout) && !noColor &&
					a.getenv("NO_COLOR") == "")
			}
			if isFolder(args[0]) && len(report.Servers) > 0 {
				return nil // a folder lacks facts that only a code host has
			}
			return outcomeOf(report)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&color, "color", false,
		"print colors even if the output is not a terminal")
	cmd.Flags().BoolVar(&noColor, "no-color", false, "print no colors")
	return cmd
}

// check checks a repository or a folder, with notices for the user if asked for.
func (a *app) check(
	ctx context.Context, address string, notices bool,
) (registry.CheckResult, error) {
	if isFolder(address) {
		return checkFolder(ctx, a, address)
	}
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	up, err := newUpstreams(a.config, a.log, a.reader, nil)
	if err != nil {
		return registry.CheckResult{}, err
	}
	ref, err := findRepository(ctx, up.registry, address)
	if err != nil {
		return registry.CheckResult{}, err
	}
	for _, notice := range up.checks.withoutToken() {
		if notices {
			fmt.Fprintf(a.stderr, "note: %s\n", notice)
		}
	}
	return checkOnce(ctx, a, up, ref)
}

// findRepository returns the repository at an address. It queries the official registry for
// names there; if the registry has no such name or does not respond, a name in a user's
// namespace is taken for the user's repository.
func findRepository(
	ctx context.Context, official *upstream.MCPRegistry, address string,
) (registry.RepoRef, error) {
	ref, err := parseRepository(address)
	name, ok := registry.RegistryName(address)
	if !ok {
		if err != nil {
			err = usageError{err}
		}
		return ref, err
	}
	found, lookupErr := official.Repository(ctx, name)
	switch {
	case lookupErr == nil:
		return found, nil
	case err == nil:
		return ref, nil
	case errors.Is(lookupErr, registry.ErrNotFound):
		return ref, &cli.ExitError{Status: cli.ExitNotFound, Err: lookupErr}
	}
	return ref, lookupErr
}

// outcomeOf returns the error with the exit status of a report without a score, nil if one of
// its servers has a score.
func outcomeOf(r registry.CheckResult) error {
	switch {
	case r.Blocked != "":
		return &cli.ExitError{Status: cli.ExitNoScore}
	case len(r.Servers) == 0:
		return &cli.ExitError{Status: cli.ExitNoServer}
	case !slices.ContainsFunc(r.Servers,
		func(s registry.Scored) bool { return s.Server.Health.Score != nil }):
		return &cli.ExitError{Status: cli.ExitNoScore}
	}
	return nil
}

// checkOnce reads a repository from the code host and its packages from the
// package services, and scores the servers it contains.
func checkOnce(
	ctx context.Context, a *app, up *upstreams, ref registry.RepoRef,
) (registry.CheckResult, error) {
	in := jobs.Ingester{Facts: jobs.NoFacts{}, SDK: up.packages.SDK, Hosts: up.checks.hosts(),
		Reader: up.reader, Log: a.log, Now: time.Now}
	report, err := jobs.CheckOnce(ctx, &in, up.packages, ref)
	if e, ok := errors.AsType[*registry.Error](err); ok { // its cause has requests
		return report, registry.Errorf(e.Kind, "%s", e.Msg)
	} else if err != nil {
		return report, err
	}
	if report.Status == registry.CheckNotFound {
		return report, &cli.ExitError{Status: cli.ExitNotFound, Err: registry.Errorf(registry.ErrNotFound,
			"%s has no public repository %s.", registry.HostOf(ref.Host).Name, ref.FullName())}
	}
	return ofFolder(report), nil
}

// ofFolder limits a report to the folder in its address.
func ofFolder(r registry.CheckResult) registry.CheckResult {
	folders := make([]string, len(r.Servers))
	for i := range r.Servers {
		folders[i] = r.Servers[i].Server.Subfolder
	}
	at, folder := r.Ref.Among(folders)
	_, asked := r.Ref.Among([]string{""})
	switch {
	case asked == "" || len(r.Servers) == 0:
	case at < 0:
		r.Reason = fmt.Sprintf("no server in %s, but %d in other folders: %s", folder,
			len(folders), strings.Join(folders[:min(len(folders), 10)], ", "))
		r.Servers = nil
	default:
		r.Servers = r.Servers[at : at+1]
		if folder != "" {
			r.Warnings = append(r.Warnings,
				"the repository has no separate server in "+folder)
		}
	}
	return r
}

// A card is one server of a report, as JSON.
type card struct {
	Repository string              `json:"repository"`
	Subfolder  string              `json:"subfolder,omitempty"`
	Name       string              `json:"name"`
	Kind       string              `json:"kind,omitempty"` // one of registry.ServerKinds
	Health     registry.Health     `json:"health"`
	Popularity registry.Popularity `json:"popularity"`
	// PopularityUnknown lists the unknown inputs of popularity, which were not
	// counted.
	PopularityUnknown []string `json:"popularityUnknown"`
	// Server is the API's record, without the members that only listed servers have.
	Server map[string]json.RawMessage `json:"server"`
}

type cards struct {
	Repository  string `json:"repository"`
	IsMCPServer *bool  `json:"isMcpServer"` // nil if the host has blocked the repository
	Reason      string `json:"reason"`
	// Kind is that of a repository without a server, such as "client"; "" if unknown.
	Kind     string   `json:"kind,omitempty"`
	Warnings []string `json:"warnings"`
	Servers  []card   `json:"servers"`
}

func cardsOf(r registry.CheckResult) (cards, error) {
	out := cards{Repository: r.Ref.URL(), Reason: r.Reason, Kind: r.Kind,
		Warnings: append([]string{}, r.Warnings...), Servers: []card{}}
	if is := len(r.Servers) > 0; r.Blocked == "" {
		out.IsMCPServer = &is
	}
	for _, scored := range r.Servers {
		s := &scored.Server
		record, err := unlistedRecord(s)
		if err != nil {
			return out, err
		}
		out.Servers = append(out.Servers, card{out.Repository, s.Subfolder, s.Name, s.Kind,
			s.Health, s.Popularity, unknownInputs(s.Popularity), record})
	}
	return out, nil
}

// unlistedRecord returns the members of the API's record that do not depend on a listing.
func unlistedRecord(s *registry.Server) (members map[string]json.RawMessage, err error) {
	record, err := api.NewEncoder("", nil).Detail(s)
	if err == nil {
		err = json.Unmarshal(record, &members)
	}
	for _, name := range []string{"id", "slug", "sources", "createdAt", "updatedAt", "links"} {
		delete(members, name)
	}
	return members, err
}

// unknownInputs returns the inputs of popularity that did not count.
func unknownInputs(p registry.Popularity) []string {
	unknown := []string{}
	for _, in := range scorer.Model().Popularity {
		if !slices.Contains(p.Inputs, in.ID) {
			unknown = append(unknown, in.ID)
		}
	}
	return unknown
}

// inputsOf describes the known and missing inputs of a popularity score.
func inputsOf(p registry.Popularity) string {
	unknown := unknownInputs(p)
	if len(unknown) == 0 {
		return "of " + listed(p.Inputs)
	}
	return "of " + listed(p.Inputs) + "; unknown here: " + listed(unknown) +
		". The registry's score may differ once they are known"
}

// listed joins words with commas and "and".
func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// paint returns a function that colors text, or returns it unchanged if on is
// false.
func paint(on bool) func(code, s string) string {
	return func(code, s string) string {
		if !on {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
}

// The colors of grades and results.
var gradeColor = map[string]string{"A": "1;32", "B": "32", "C": "33", "D": "31", "F": "1;31"}

var resultMark = map[string][2]string{
	"pass": {"32", "✓"}, "partial": {"33", "~"}, "fail": {"31", "✗"}, "unknown": {"90", "?"},
	"notApplicable": {"90", "–"},
}

func printReport(w io.Writer, r registry.CheckResult, color bool) {
	p := paint(color)
	if r.Blocked != "" {
		fmt.Fprintf(w, "%s: %s\n", r.Ref, text.OneLine(r.Reason))
	} else if len(r.Servers) == 0 {
		fmt.Fprintf(w, "%s contains no MCP server: %s\n", r.Ref, text.OneLine(r.Reason))
	}
	if len(r.Servers) > 1 {
		printMembers(w, r, p)
	}
	for i, s := range r.Servers {
		if i > 0 {
			fmt.Fprintln(w)
		}
		printCard(w, s.Server, p)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "\n%s %s\n", p("33", "note:"), text.OneLine(warning))
	}
}

// printMembers writes a table of the servers of a repository.
func printMembers(w io.Writer, r registry.CheckResult, p func(code, text string) string) {
	fmt.Fprintf(w, "%s contains %d MCP servers:\n\n", r.Ref.FullName(), len(r.Servers))
	name, folder := 0, 0
	for _, s := range r.Servers {
		name = max(name, utf8.RuneCountInString(text.OneLine(s.Server.Name)))
		folder = max(folder, utf8.RuneCountInString(text.OneLine(s.Server.Subfolder)))
	}
	for _, s := range r.Servers {
		score := scoreText(&s.Server.Health, "%3d %s", p)
		fmt.Fprintf(w, "  %-*s  %-*s  %s\n", name, text.OneLine(s.Server.Name), folder,
			text.OneLine(s.Server.Subfolder), score)
	}
	fmt.Fprintln(w)
}

// scoreText returns a score and its grade in a format, or the status of a report without
// one.
func scoreText(h *registry.Health, format string, p func(code, text string) string) string {
	if h.Score == nil {
		return strings.ReplaceAll(h.Status, "_", " ")
	}
	return p(gradeColor[h.Grade], fmt.Sprintf(format, *h.Score, h.Grade))
}

func printCard(w io.Writer, s registry.Server, p func(code, text string) string) {
	title := text.OneLine(cmp.Or(s.Title, s.Name))
	place := s.Repo.FullName()
	if s.Subfolder != "" {
		place += "/" + s.Subfolder
	}
	h := s.Health
	score := scoreText(&h, "%d %s", p)
	if h.Score != nil && h.Low != nil && h.High != nil && *h.Low != *h.High {
		score += fmt.Sprintf("  (%d to %d)", *h.Low, *h.High)
	}
	fmt.Fprintf(w, "%s  %s\n%s\n\n", p("1", title), text.OneLine(place),
		registry.MarkedDescription(text.OneLine(s.Description), s.DescriptionFrom))
	if s.Kind != "" {
		fmt.Fprintf(w, "  Kind        %s\n", s.Kind)
	}
	model := sourced("model "+h.Version, &h.ComputedAt)
	fmt.Fprintf(w, "  Health      %s   %s confidence, %.0f%% measured%s\n", score, h.Confidence,
		h.Coverage*100, model)
	if h.CommitChance != nil {
		fmt.Fprintf(w, "  Activity    %.0f%% of servers like this had a commit in the next 90 days%s\n",
			100**h.CommitChance, model)
	}
	if s.Popularity.Score != nil {
		fmt.Fprintf(w, "  Popularity  %d   %s\n", *s.Popularity.Score, inputsOf(s.Popularity))
	}
	if s.ToolsFrom != "" {
		fmt.Fprintf(w, "  Tools       %s\n", toolsText(&s))
	}
	if how := cmp.Or(s.OfferedCommand(), install.Missing(&s)); how != "" {
		fmt.Fprintf(w, "  Install     %s\n", text.OneLine(how))
	}
	for _, note := range install.Notes(&s) {
		fmt.Fprintf(w, "              %s\n", text.OneLine(note))
	}
	if len(s.Variables) > 0 {
		fmt.Fprintf(w, "  Settings    %s\n", settingsText(s.Variables))
	}
	for _, c := range h.Caps {
		if c.Applied {
			from := model
			if source, at := s.CapOrigin(c); source != "" {
				from = sourced(source, at)
			}
			fmt.Fprintf(w, "  %s at most %d: %s%s\n", p("31", "Capped"), c.Max, text.OneLine(c.Reason), from)
		}
	}
	for _, r := range s.Risks() {
		source := ""
		if r.Source != nil {
			source = *r.Source
		}
		fmt.Fprintf(w, "  %s %s%s\n", p("31", "Risk"), text.OneLine(r.String()), sourced(source, r.At))
	}
	printAbilities(w, s, p)
	printChecks(w, h.Categories, p)
	if len(h.Improve) > 0 {
		fmt.Fprintf(w, "\n  %s\n", p("1", "How to improve the score"))
		for _, i := range h.Improve[:min(5, len(h.Improve))] {
			fmt.Fprintf(w, "    +%.1f  %s\n", i.Gain, text.OneLine(i.Text))
		}
	}
}

// toolsText returns the number of tools that a start with the default settings registers, the
// source of the list, and the first names, with the conditions of the tools.
func toolsText(s *registry.Server) string {
	const shown = 8
	var names []string
	for _, t := range s.Tools[:min(len(s.Tools), shown)] {
		name := text.OneLine(t.Name)
		if t.Conditional != nil {
			name += " (" + text.OneLine(t.Conditional.String()) + ")"
		}
		names = append(names, name)
	}
	number := cmp.Or(s.NumberOfTools(), "number unknown,")
	out := fmt.Sprintf("%s from %s: %s", number, s.ToolsFrom, strings.Join(names, ", "))
	if len(s.Tools) > shown {
		out += ", …"
	}
	return out
}

// settingsText returns the number of environment variables, and the names of those that are
// required, with "(secret)".
func settingsText(all []registry.Variable) string {
	var required []string
	for _, v := range all {
		switch name := text.OneLine(v.Name); {
		case v.IsRequired && v.IsSecret:
			required = append(required, name+" (secret)")
		case v.IsRequired:
			required = append(required, name)
		}
	}
	out := text.Count(len(all), "environment variable")
	if required == nil {
		return out + ", none required"
	}
	return fmt.Sprintf("%s, %d required: %s", out, len(required), listed(required))
}

// printAbilities writes the box "What it can do" of the server's page.
func printAbilities(w io.Writer, s registry.Server, p func(code, text string) string) {
	fmt.Fprintf(w, "\n  %s\n", p("1", "What it can do"))
	for _, a := range record.New(&s).Abilities() {
		line := a.Text
		if a.Names != nil {
			line += ": " + strings.Join(a.Names, ", ")
		}
		if a.More > 0 {
			line += fmt.Sprintf(" and %d more", a.More)
		}
		if a.Note != "" {
			line += p("90", " ("+text.OneLine(a.Note)+")")
		}
		fmt.Fprintf(w, "    %s\n", line)
	}
}

// sourced returns " (source, date)", without a date if it is unknown.
func sourced(source string, at *time.Time) string {
	if at != nil && !at.IsZero() {
		source = strings.TrimPrefix(source+", "+text.Day(*at), ", ")
	}
	if source == "" {
		return ""
	}
	return " (" + source + ")"
}

func printChecks(w io.Writer, all []registry.HealthSection, p func(code, text string) string) {
	width, estimated := 0, false
	for _, section := range all {
		for _, c := range section.Checks {
			width = max(width, len(c.Name))
		}
	}
	for _, section := range all {
		sectionScore := "–"
		if section.Score != nil {
			sectionScore = fmt.Sprintf("%.0f", *section.Score)
		}
		fmt.Fprintf(w, "\n  %s  %s\n",
			p("1", strings.ToUpper(section.Category[:1])+section.Category[1:]), sectionScore)
		for _, c := range section.Checks {
			mark := resultMark[c.Result]
			points := fmt.Sprintf("%4.1f of %4.1f", c.Points, c.Max)
			if c.Max == 0 {
				points = strings.Repeat(" ", len(points))
			}
			reason, ok := strings.CutSuffix(c.Reason, scorer.NotMeasured)
			estimated = estimated || ok
			fmt.Fprintf(w, "    %s %s  %-*s %s\n", p(mark[0], mark[1]), points, width, c.Name,
				text.OneLine(reason))
		}
	}
	if estimated {
		fmt.Fprintf(w, "\n  %s %s\n", p("90", "?"), scorer.NotMeasured)
	}
}
