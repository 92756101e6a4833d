package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// compared lists the rows of a comparison. Unknown values are "". A row with a date requires
// the row of that name; the row lastRead dates all other facts.
var compared = []struct {
	name, date string
	value      func(*registry.Server) string
}{
	{lastRead, "", func(r *registry.Server) string { return day(r.LastCrawledAt) }},
	{"name", "", func(r *registry.Server) string { return brief(cmp.Or(r.Name, r.Slug), maxName) }},
	{"description", "", func(r *registry.Server) string { return brief(r.Description, maxSentence) }},
	{"category", "", func(r *registry.Server) string { return r.Category }},
	{"health score", "scored", func(r *registry.Server) string { return number(r.Health.Score) }},
	{"grade", "scored", func(r *registry.Server) string { return r.Health.Grade }},
	{"confidence", "scored", func(r *registry.Server) string { return r.Health.Confidence }},
	{"scored", "", func(r *registry.Server) string { return day(r.ScoredAt) }},
	{"status", "", func(r *registry.Server) string { return r.Status }},
	{"official", "", func(r *registry.Server) string { return strconv.FormatBool(r.Official) }},
	{"verified", "", func(r *registry.Server) string { return strconv.FormatBool(r.Verified) }},
	{"owner", "", func(r *registry.Server) string { return r.Repo.Owner }},
	{"license", "license source", func(r *registry.Server) string { return brief(r.License, maxName) }},
	{"license source", "", func(r *registry.Server) string { return r.LicenseFrom }},
	{"language", "", func(r *registry.Server) string { return r.Language }},
	{"SDK", "", func(r *registry.Server) string { return r.SDK }},
	{"transports", "", func(r *registry.Server) string { return strings.Join(r.Transports, ", ") }},
	{"hosted", "", func(r *registry.Server) string { return strconv.FormatBool(len(r.Remotes) > 0) }},
	{"endpoint", "endpoint checked", func(r *registry.Server) string { return r.Liveness }},
	{"endpoint uptime", "endpoint checked", func(r *registry.Server) string {
		if l := r.BestEndpoint(); l != nil {
			return text.Uptime(l.Uptime30, l.Probes)
		}
		return ""
	}},
	{"endpoint checked", "", func(r *registry.Server) string {
		if l := r.BestEndpoint(); l != nil {
			return day(&l.CheckedAt)
		}
		return ""
	}},
	{"copy of", "copy found", func(r *registry.Server) string { return r.OriginalOf(registry.CopyOf) }},
	{"look-alike of", "copy found", func(r *registry.Server) string { return r.OriginalOf(registry.LookAlike) }},
	{"copy found", "", func(r *registry.Server) string {
		if r.Copy != nil {
			return day(&r.Copy.Since)
		}
		return ""
	}},
	{"install command", "", func(r *registry.Server) string { return brief(r.OfferedCommand(), maxDescription) }},
	{"sandbox runs", "", func(r *registry.Server) string {
		var all []string
		for _, p := range registry.InspectionsOf(r.Packages) {
			all = append(all, p.RegistryType+" "+p.Inspection.Outcome+" "+day(&p.Inspection.At))
		}
		return brief(strings.Join(all, ", "), maxDescription)
	}},
	{"credentials", "", func(r *registry.Server) string { return strings.Join(credentialsOf(r), ", ") }},
	{"tools", "tools source", (*registry.Server).NumberOfTools},
	{"effect", "tools source", func(r *registry.Server) string {
		if r.EffectIsGuess() {
			return r.Effect() + " (guessed)"
		}
		return r.Effect()
	}},
	{"can be read-only", "tools source", func(r *registry.Server) string {
		if can := r.CanReadOnly(); can != nil {
			return strconv.FormatBool(*can)
		}
		return ""
	}},
	{"tool tokens", "tools source", func(r *registry.Server) string { return number(r.ToolTokens) }},
	{"tools source", "", func(r *registry.Server) string {
		return strings.Join(strings.Fields(r.ToolsFrom+" "+brief(r.ToolsVersion, maxName)+" "+day(r.ToolsAt)), " ")
	}},
	{"stars", "", func(r *registry.Server) string { return number(r.Stars) }},
	{"downloads in 30 days", "downloads counted", func(r *registry.Server) string { return number(r.Downloads) }},
	{"downloads counted", "", func(r *registry.Server) string { return day(r.DownloadsAt) }},
	{"contributors", "", func(r *registry.Server) string { return number(r.Contributors) }},
	{"open issues", "", func(r *registry.Server) string { return number(r.OpenIssues) }},
	{"latest version", "latest version source", func(r *registry.Server) string {
		return brief(r.LatestVersion, maxName)
	}},
	{"latest version source", "", func(r *registry.Server) string {
		return strings.TrimSpace(r.VersionFrom + " " + day(r.VersionAt))
	}},
	{"released", "", func(r *registry.Server) string { return day(r.ReleasedAt) }},
	{"last commit by a person", "", func(r *registry.Server) string { return day(r.LastCommitAt) }},
}

// lastRead is a row of all comparisons: the date of facts without a separate date.
const lastRead = "repository read"

func number[N int | int64](n *N) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

func (s *source) compareServers(
	ctx context.Context, in compareServersInput,
) (*compareServersOutput, error) {
	out := &compareServersOutput{IDs: []string{}, Rows: []comparisonRow{},
		Risks: []serverRisk{}, Warnings: []string{}}
	var records []*registry.Server
	for _, id := range in.IDs {
		r, warnings, err := s.find(ctx, id)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out.IDs, r.Slug) {
			return nil, registry.Invalid("ids", "must be different servers, got %s twice", r.Slug)
		}
		records, out.IDs = append(records, r), append(out.IDs, r.Slug)
		for _, risk := range risksOf(r) {
			out.Risks = append(out.Risks, serverRisk{ID: r.Slug, Risk: risk})
		}
		for _, w := range warnings {
			out.Warnings = append(out.Warnings, r.Slug+": "+w)
		}
	}
	rows := map[string]comparisonRow{}
	shown := map[string]bool{lastRead: true}
	for _, c := range compared {
		row := comparisonRow{Name: c.name}
		for _, r := range records {
			row.Values = append(row.Values, c.value(r))
		}
		rows[c.name] = row
		if slices.ContainsFunc(row.Values, func(v string) bool { return v != row.Values[0] }) {
			shown[c.name], shown[c.date] = true, true
		}
	}
	for _, c := range compared {
		if shown[c.name] {
			out.Rows = append(out.Rows, rows[c.name])
		}
	}
	all := out.Rows
	out.Rows = []comparisonRow{}
	out.Rows = all[:fit(out, all)]
	return out, nil
}

func (s *source) explainScore(ctx context.Context, in explainScoreInput) (*document, error) {
	r, warnings, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	for i := range r.Health.Categories {
		c := &r.Health.Categories[i]
		c.Checks = slices.DeleteFunc(c.Checks,
			func(k registry.Check) bool { return k.Result == "notApplicable" })
		for j := range c.Checks {
			if c.Checks[j].Result == "pass" {
				c.Checks[j].Fix = ""
			}
		}
	}
	report, err := s.api.Encoder().Health(r)
	if err != nil {
		return nil, err
	}
	out := document{"id": r.Slug, "docs": s.api.BaseURL + "/docs/scoring", "warnings": warnings}
	err = out.add(report, append([]string{"status", "scoreLow", "scoreHigh", "coverage",
		"commitChance", "scoreVersion", "breakdown"}, healthMembers...), room-200)
	return &out, err
}
