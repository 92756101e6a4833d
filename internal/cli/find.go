package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/client"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

func search(ctx context.Context, c *call) error {
	if c.limit < 1 {
		return usagef("search: --limit must be at least 1, got %d", c.limit)
	}
	q := client.Query{
		Words: strings.Join(c.args, " "), Category: c.category, Sort: c.sort, Official: c.official,
		MinScore: c.minScore, Limit: c.limit,
	}
	found := []client.Server{}
	for s, err := range c.client.Discover(ctx, q) {
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
	t := table{head: []string{"SCORE", "STARS", "TOOLS", "CAN", "RISKS", "ID"}}
	for _, s := range found {
		risks, color := kinds(s.Risks), ""
		if len(s.Risks) > 0 {
			color = red
		}
		t.add(cell{score(s.QualityScore, s.Grade), gradeColor(s.QualityScore)}, cell{number(s.Stars), ""},
			cell{toolCount(&s), ""}, can(s), cell{risks, color}, cell{s.ID, bold})
	}
	var rows strings.Builder
	t.write(&rows, c.style, 0)
	for i, row := range strings.Split(strings.TrimSpace(rows.String()), "\n") {
		if fmt.Fprintln(c.Stdout, row); i > 0 && found[i-1].Description != "" {
			about := text.Fit(oneLine(found[i-1].Description), cmp.Or(c.width(), 100)-2)
			fmt.Fprintln(c.Stdout, c.style.paint(dim, "  "+about))
		}
	}
	return nil
}

// can says what the most severe tools of a server do, as far as known, with a question mark if that
// is guessed.
func can(s client.Server) cell {
	color := map[string]string{registry.EffectExecute: red, registry.EffectUnknown: dim}[s.Effect]
	first, words, _ := strings.Cut(registry.EffectWords[s.Effect], " ") // "can"
	words = cmp.Or(words, first, registry.EffectUnknown)
	if s.EffectGuessed {
		words += "?"
	}
	return cell{words, color}
}

// kinds lists the kinds of risks, each once; "none" without risks.
func kinds(risks []risk) string {
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
	if err == nil {
		r.health, err = c.client.ServerHealth(ctx, r.ID)
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(r)
	}
	c.heading(r.Name, r.ID)
	if r.Description != "" {
		fmt.Fprintln(c.Stdout,
			registry.MarkedDescription(oneLine(r.Description), r.DescriptionSource))
	}
	fmt.Fprintln(c.Stdout)
	c.facts([][2]string{
		{"Health", c.healthLine(r.health)}, {"Repository read", date(r.LastCrawledAt)},
		{"Kind", r.fromHost(r.Kind)}, {"Category", r.fromHost(r.Category)}, {"License", r.licenseLine()},
		{"Version", r.versionLine()},
		{"Stars", r.starsLine()},
		{"Downloads", dated(downloads(r.Downloads), "counted", r.DownloadsAt)},
		{"Tools", toolCount(&r.Server)}, {"Tool tokens", tokens(r.ToolTokens)},
		{"Tools from", r.toolsLine()}, {"What it can do", r.Capabilities.String()},
		{"Access", accessOf(r.Capabilities.ReadOnly)},
		{"Requires", r.requires()}, {"Secrets", strings.Join(r.Capabilities.Secrets, ", ")},
		{"Suspicious text", strings.Join(r.SuspiciousRules, ", ")},
		{"Endpoint", r.endpointLine()}, {"Official", r.fromHost(yes(r.Official))},
		{"Linked", r.fromHost(yes(r.Verified))},
		{"Copy of", dated(r.CopyOf, "found", r.CopySince)},
		{"Looks like", dated(r.LookAlikeOf, "found", r.CopySince)},
		{"Repository", r.Repository.URL},
		{"Page", c.client.BaseURL() + r.Links.HTML}, {"Start", r.command},
		{"Start from", r.startFrom()}, {"No command", r.reason},
		{"Notes", strings.Join(r.Install.Notes, " ")},
	})
	c.printTools(r.Tools)
	c.printRisks(r.health)
	c.printSuspicious(r.health)
	c.printInspections(r.health)
	c.printImprovements(r.health)
	return nil
}

// accessOf says how a server is made read-only, "" if that is not known.
func accessOf(s *registry.ReadOnlySwitch) string {
	if s == nil {
		return ""
	}
	return s.Words() + " " + oneLine(s.Setting())
}

// printTools writes the names of the tools by what they can do, the most severe first.
func (c *call) printTools(tools []client.Tool) {
	if len(tools) > 0 {
		fmt.Fprintf(c.Stdout, "\n%s\n", c.style.paint(bold, "Tools"))
	}
	for _, effect := range slices.Backward(registry.Effects) {
		var names []string
		for _, t := range tools {
			if cmp.Or(t.Effect.Effect, registry.EffectUnknown) == effect {
				names = append(names, oneLine(t.Name))
			}
		}
		if names != nil {
			fmt.Fprintf(c.Stdout, "  %s: %s\n", registry.EffectWords[effect], strings.Join(names, ", "))
		}
	}
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

func (c *call) healthLine(h *client.Health) string {
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
	return text.Day(*t)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func (c *call) printRisks(h *client.Health) {
	for i, r := range h.Risks {
		if i == 0 {
			fmt.Fprintln(c.Stdout)
		}
		fmt.Fprintf(c.Stdout, "%s %s%s\n", c.style.paint(red, "!"), oneLine(r.String()),
			c.style.paint(dim, sourced(r.Source, r.At)))
	}
}

// sourced returns " (source, date)" without the unknown parts.
func sourced(source *string, at *time.Time) string {
	var parts []string
	if source != nil && *source != "" {
		parts = append(parts, oneLine(*source))
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
func (c *call) printSuspicious(h *client.Health) {
	for i, s := range h.SuspiciousTexts {
		if i == 0 {
			fmt.Fprintf(c.Stdout, "\n%s\n", c.style.paint(bold, "Suspicious texts"))
		}
		fmt.Fprintf(c.Stdout, "  %s, %s of %s: %s%s\n", oneLine(s.Rule), oneLine(s.Field), oneLine(s.Tool),
			oneLine(s.Quote), c.style.paint(dim, sourced(&s.Source, s.ReadAt)))
	}
}

// printInspections writes what happened when packages were started in a sandbox.
func (c *call) printInspections(h *client.Health) {
	for i, p := range h.Inspections {
		if i == 0 {
			fmt.Fprintf(c.Stdout, "\n%s\n", c.style.paint(bold, "Packages in a sandbox"))
		}
		line := install.RegistryName(p.RegistryType) + " " + p.Identifier + ": " + p.Inspection.Sentence()
		if p.Inspection.Outcome != registry.InspectionListed && p.Inspection.Detail != "" {
			line += " " + p.Inspection.Detail
		}
		fmt.Fprintf(c.Stdout, "  %s\n", oneLine(line))
	}
}

func (c *call) printImprovements(h *client.Health) {
	for i, x := range h.Improve {
		if x.Gain < 0.5 && i > 0 || i == 5 {
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
	h, err := c.client.RepositoryHealth(ctx, c.args[0])
	if err != nil {
		return err
	}
	if c.json {
		if err := c.printJSON(h); err != nil {
			return err
		}
		return outcome(h)
	}
	c.heading(cmp.Or(h.GithubURL, c.args[0]), h.Server)
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
	model := "model " + h.ScoreVersion
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
func sourcesOf(checks []client.Check) string {
	var all []string
	for _, k := range checks {
		if s := oneLine(dated(k.Source, "read", k.ObservedAt)); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return strings.Join(all, "; ")
}

var resultColors = map[string]string{
	"pass": green, "partial": yellow, "fail": red, "unknown": dim, "notApplicable": dim,
}

// outcome returns the exit status of a report.
func outcome(h *client.Health) error {
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
	return hasStatus(err, http.StatusNotFound) || hasStatus(err, http.StatusGone)
}

func hasStatus(err error, status int) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Status == status
}
