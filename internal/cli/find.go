package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	census "mcpcensus/sdk/go"
)

func search(ctx context.Context, c *call) error {
	if c.limit < 1 {
		return usagef("search: --limit must be at least 1, got %d", c.limit)
	}
	p := census.DiscoverParams{
		Search: strings.Join(c.args, " "), Category: c.category, Sort: c.sort,
		Limit: min(c.limit, 100),
	}
	if c.official {
		p.Official = new(true)
	}
	if c.minScore > 0 {
		p.MinScore = new(float64(c.minScore))
	}
	found := []census.Server{}
	for s, err := range c.client.DiscoverAll(ctx, p) {
		if err != nil {
			return err
		}
		if found = append(found, s); len(found) >= c.limit {
			break
		}
	}
	if c.json {
		return c.printJSON(found)
	}
	if len(found) == 0 {
		fmt.Fprintln(c.Stderr, "No servers match.")
		return nil
	}
	t := table{head: []string{"SCORE", "SCORED", "ID", "STARS", "TOOLS", "FROM", "READ", "RISKS",
		"DESCRIPTION"}}
	for _, s := range found {
		from, read := readFrom(s)
		risks, color := kinds(s.Risks), ""
		if len(s.Risks) > 0 {
			color = red
		}
		t.add(cell{score(s.QualityScore, s.Grade), gradeColor(s.QualityScore)}, cell{date(s.ScoredAt), dim},
			cell{s.ID, bold}, cell{number(s.Stars), ""}, cell{number(s.ToolCount), ""}, cell{from, dim},
			cell{date(read), dim}, cell{risks, color}, cell{value(s.Description), ""})
	}
	t.write(c.Stdout, c.style, c.width())
	return nil
}

// readFrom returns the sources of a server's stars and tools, and when the first of them was
// read.
func readFrom(s census.Server) (from string, read *time.Time) {
	if from = hostOf(s.Repository.URL); from != "" {
		read = s.LastCrawledAt
	}
	if l := s.ToolList; l != nil {
		from, read = strings.TrimPrefix(from+", "+l.Source, ", "), earlier(read, l.ReadAt)
	}
	return cmp.Or(from, "–"), read
}

// kinds lists the kinds of risks, each once; "none" without risks.
func kinds(risks []census.Risk) string {
	var all []string
	for _, r := range risks {
		if kind := oneLine(r.Kind); !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

func show(ctx context.Context, c *call) error {
	r, err := c.record(ctx, c.args[0])
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(r)
	}
	c.heading(r.Name, r.ID)
	if r.Description != nil {
		fmt.Fprintln(c.Stdout, oneLine(*r.Description))
	}
	fmt.Fprintln(c.Stdout)
	c.facts([][2]string{
		{"Health", c.healthLine(r.Health)}, {"Repository read", date(r.LastCrawledAt)},
		{"Category", r.fromHost(r.Category)}, {"Licence", r.licenseLine()},
		{"Version", dated(r.sourcedVersion(), "read", r.versionRead())},
		{"Stars", r.fromHost(r.stars())},
		{"Downloads", dated(downloads(r.Downloads), "counted", r.DownloadsAt)},
		{"Tools", number(r.ToolCount)}, {"Tool tokens", tokens(r.ToolTokens)},
		{"Tools from", dated(r.toolSource(), "read", r.toolsRead())},
		{"Suspicious text", strings.Join(r.SuspiciousRules, ", ")},
		{"Endpoint", r.endpointLine()}, {"Official", r.fromHost(yes(r.Official))},
		{"Linked", r.fromHost(yes(r.Verified))},
		{"Copy of", dated(value(r.CopyOf), "found", r.CopySince)},
		{"Looks like", dated(value(r.LookAlikeOf), "found", r.CopySince)},
		{"Repository", value(r.Repository.URL)},
		{"Page", c.client.BaseURL() + r.Links.HTML}, {"Start", value(r.Command)},
		{"Start from", r.startFrom()}, {"No command", value(r.Reason)},
	})
	c.printRisks(r.Health)
	c.printSuspicious(r.Health)
	c.printInspections(r.Health)
	c.printImprovements(r.Health)
	return nil
}

func (c *call) heading(name, id string) {
	fmt.Fprintf(c.Stdout, "%s  %s\n", c.style.paint(bold, oneLine(name)),
		c.style.paint(dim, oneLine(id)))
}

// facts writes names and values; empty values are left out.
func (c *call) facts(all [][2]string) {
	var t table
	for _, f := range all {
		if f[1] != "" && f[1] != "–" {
			t.add(cell{f[0], dim}, cell{f[1], ""})
		}
	}
	t.write(c.Stdout, c.style, 0)
}

func (c *call) healthLine(h *census.Health) string {
	if h.Score == nil {
		return dated("no score ("+h.Status+")", "checked", h.ComputedAt)
	}
	line := score(h.Score, h.Grade)
	if h.ScoreLow != nil && h.ScoreHigh != nil && *h.ScoreLow != *h.ScoreHigh {
		line += fmt.Sprintf(", could be %d–%d", *h.ScoreLow, *h.ScoreHigh)
	}
	return dated(line, "scored", h.ComputedAt)
}

func tokens(n *int64) string {
	if n == nil {
		return ""
	}
	return "about " + number(n)
}

func downloads(n *int64) string {
	if n == nil {
		return ""
	}
	return number(n) + " in 30 days, from package registries"
}

// dated returns a fact with its date; "" for an unknown fact.
func dated(fact, verb string, at *time.Time) string {
	if fact == "" || at == nil {
		return fact
	}
	return fact + ", " + verb + " " + date(at)
}

// date writes a day; "" if it is unknown.
func date(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2 Jan 2006")
}

// earlier returns the earlier of two times, of which either may be unknown.
func earlier(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

// toolSource returns the source of the tools and the version that has them.
func (r *record) toolSource() string {
	if r.ToolList == nil {
		return ""
	}
	return strings.TrimSpace(r.ToolList.Source + " " + value(r.ToolList.Version))
}

// versionSource returns the source of the latest version, "" if it is unknown.
func (r *record) versionSource() string {
	if r.Health.LatestVersionSource == nil {
		return ""
	}
	return install.RegistryName(r.Health.LatestVersionSource.Source)
}

func (r *record) versionRead() *time.Time {
	if r.Health.LatestVersionSource == nil {
		return nil
	}
	return r.Health.LatestVersionSource.ReadAt
}

// sourcedVersion returns the latest version with its source.
func (r *record) sourcedVersion() string {
	version := value(r.Version)
	if from := r.versionSource(); version != "" && from != "" {
		version += ", from " + from
	}
	return version
}

func (r *record) toolsRead() *time.Time {
	if r.ToolList == nil {
		return nil
	}
	return r.ToolList.ReadAt
}

func (r *record) endpointLine() string {
	line := dated(value(r.Liveness), "checked", r.checkedAt())
	if up := r.uptime(); up != "" {
		line += ", up " + up
	}
	return line
}

func (r *record) checkedAt() *time.Time {
	if l := r.endpoint(); l != nil {
		return l.CheckedAt
	}
	return nil
}

func (r *record) uptime() string {
	if l := r.endpoint(); l != nil {
		return text.Uptime(l.Uptime30, int(l.Probes))
	}
	return ""
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func (c *call) printRisks(h *census.Health) {
	for i, r := range risksOf(h) {
		if i == 0 {
			fmt.Fprintln(c.Stdout)
		}
		fmt.Fprintf(c.Stdout, "%s %s%s\n", c.style.paint(red, "!"), r.Text,
			c.style.paint(dim, sourced(r.Source, r.At)))
	}
}

// sourced returns " (source, date)" without the unknown parts.
func sourced(source *string, at *time.Time) string {
	var parts []string
	if s := oneLine(value(source)); s != "" {
		parts = append(parts, s)
	}
	if at != nil && !at.IsZero() {
		parts = append(parts, date(at))
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// printSuspicious quotes suspicious texts. The registry makes invisible characters visible.
func (c *call) printSuspicious(h *census.Health) {
	for i, s := range h.SuspiciousTexts {
		if i == 0 {
			fmt.Fprintf(c.Stdout, "\n%s\n", c.style.paint(bold, "Suspicious texts"))
		}
		fmt.Fprintf(c.Stdout, "  %s, %s of %s: %s%s\n", oneLine(s.Rule), oneLine(s.Field), oneLine(s.Tool),
			oneLine(s.Quote), c.style.paint(dim, sourced(&s.Source, &s.ReadAt)))
	}
}

// inspectionOf returns an inspection as the registry has it.
func inspectionOf(i census.Inspection) *registry.Inspection {
	shown := registry.Inspection{Outcome: i.Outcome, Detail: i.Detail, Version: i.Version}
	if i.At != nil {
		shown.At = *i.At
	}
	return &shown
}

// printInspections writes what happened when packages were started in a sandbox.
func (c *call) printInspections(h *census.Health) {
	for i, p := range h.Inspections {
		if i == 0 {
			fmt.Fprintf(c.Stdout, "\n%s\n", c.style.paint(bold, "Packages in a sandbox"))
		}
		line := install.RegistryName(p.RegistryType) + " " + p.Identifier + ": " + inspectionOf(p.Inspection).Sentence()
		if p.Inspection.Outcome != census.InspectionOutcomeListed && p.Inspection.Detail != "" {
			line += " " + p.Inspection.Detail
		}
		fmt.Fprintf(c.Stdout, "  %s\n", oneLine(line))
	}
}

func (c *call) printImprovements(h *census.Health) {
	for i, x := range h.Improve {
		if x.Gain < 0.5 || i == 5 {
			break
		}
		if i == 0 {
			fmt.Fprintf(c.Stdout, "\n%s\n", c.style.paint(bold, "How to raise the score"))
		}
		fmt.Fprintf(c.Stdout, "  +%.0f  %s\n", x.Gain, oneLine(x.Text))
	}
}

// checkWithin bounds the wait for a check.
const checkWithin = 2 * time.Minute

func check(ctx context.Context, c *call) error {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	h, err := c.client.Health(ctx, census.HealthParams{GithubURL: c.args[0]})
	if err != nil {
		return err
	}
	if c.json {
		if err := c.printJSON(h); err != nil {
			return err
		}
		return outcome(h)
	}
	c.heading(cmp.Or(value(h.GithubURL), c.args[0]), value(h.Server))
	fmt.Fprintf(c.Stdout, "%s\n", c.style.paint(gradeColor(h.Score), c.healthLine(h)))
	for _, w := range h.Warnings {
		fmt.Fprintln(c.Stdout, oneLine(w))
	}
	if h.Reason != "" {
		fmt.Fprintln(c.Stdout, oneLine(h.Reason))
	}
	for _, category := range h.Breakdown {
		fmt.Fprintf(c.Stdout, "\n%s  %s\n", c.style.paint(bold, oneLine(category.Category)),
			c.style.paint(dim, sourcesOf(category.Checks)))
		var t table
		for _, k := range category.Checks {
			t.add(cell{"  " + k.Result, resultColors[k.Result]}, cell{k.Name, ""}, cell{k.Reason, ""})
		}
		t.write(c.Stdout, c.style, c.width())
	}
	c.printRisks(h)
	c.printSuspicious(h)
	c.printInspections(h)
	model := "model " + value(h.ScoreVersion)
	for i, limit := range h.Caps {
		if i == 0 {
			fmt.Fprintln(c.Stdout)
		}
		origin := sourced(limit.Source, limit.At)
		if limit.Source == nil {
			origin = sourced(&model, h.ComputedAt)
		}
		fmt.Fprintf(c.Stdout, "%s at most %d: %s%s\n", c.style.paint(red, "!"), limit.Max,
			oneLine(limit.Reason), c.style.paint(dim, origin))
	}
	c.printImprovements(h)
	return outcome(h)
}

// sourcesOf lists the sources of checks with the date of each.
func sourcesOf(checks []census.Check) string {
	var all []string
	for _, k := range checks {
		if s := oneLine(dated(value(k.Source), "read", k.ObservedAt)); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return strings.Join(all, "; ")
}

var resultColors = map[string]string{
	census.CheckResultPass: green, census.CheckResultPartial: yellow, census.CheckResultFail: red,
	census.CheckResultUnknown: dim, census.CheckResultNotApplicable: dim,
}

// outcome returns the exit status of a report.
func outcome(h *census.Health) error {
	switch {
	case h.IsMCPServer != nil && !*h.IsMCPServer:
		return &ExitError{Status: ExitNoServer}
	case h.Score == nil:
		return &ExitError{Status: ExitNoScore}
	}
	return nil
}

// isMissing reports whether the registry has no such server.
func isMissing(err error) bool {
	var missing *census.NotFoundError
	var gone *census.GoneError
	return errors.As(err, &missing) || errors.As(err, &gone)
}
