package record

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/tools"
	"mcpcensus/web/format"
)

// ToolsOrigin returns the source and date of the list of tools as a sentence: "Read from
// the source code of version 1.4.0 on 20 Nov 2026." or "Read from the source code of the
// package weather-mcp, version 1.4.0, on 20 Nov 2026."; "" if the source is unknown.
// That a server has no tools follows from its repository.
func (r Record) ToolsOrigin() string {
	if r.ToolsAt == nil {
		return r.ToolsSource()
	}
	return r.toolsOrigin(" on " + text.Day(*r.ToolsAt))
}

// ToolsSource is [Record.ToolsOrigin] without the date.
func (r Record) ToolsSource() string { return r.toolsOrigin("") }

func (r Record) toolsOrigin(on string) string {
	said := format.ToolSource(r.ToolsFrom, r.ToolsPackage)
	if said == "" {
		if said = format.Read(r.Repo.Host, r.LastCrawledAt); said == "" || r.ToolCount == nil || len(r.Tools) > 0 {
			return ""
		}
		return said + "."
	}
	version := cmp.Or(text.Fit(r.ToolsVersion, 40), "unknown")
	switch {
	case r.ToolsFrom == registry.ToolsFromRun:
		if p := r.startedPackage(); p != "" {
			said = "Listed by running the package " + text.Fit(p, 60) + " in a sandbox"
		}
		said += " (version " + version + ")"
	case r.ToolsEndpoint != "":
		said += " " + text.Fit(r.ToolsEndpoint, 100) + " (version " + version + ")"
	case r.ToolsVersion == "":
		said += " (version unknown)"
	case r.ToolsPackage.Identifier != "":
		if said += ", version " + version; on != "" {
			said += ","
		}
	default:
		said += " of version " + version
	}
	said += on
	if r.ToolsPartial {
		return said + ". The list may be incomplete."
	}
	return said + "."
}

// startedPackage returns the package that listed the tools in a sandbox, "" if unknown.
func (r Record) startedPackage() string {
	for _, p := range r.Packages {
		if i := p.Inspection; i != nil && r.ToolsFrom == registry.ToolsFromRun && r.ToolsAt != nil &&
			i.At.Equal(*r.ToolsAt) {
			return p.Identifier
		}
	}
	return ""
}

var textSources = map[string]string{
	registry.ToolsFromManifest: "the manifest",
	registry.ToolsFromSource:   "the source code",
	registry.ToolsFromReadme:   "the README",
}

// Origin names the parts of a tool from other sources than the list: "Description from the
// source code."; "" if there are none.
func (t Tool) Origin() string {
	described, schema := textSources[t.DescriptionFrom], textSources[t.SchemaFrom]
	switch {
	case described == schema && schema != "":
		return "Description and parameters from " + schema + "."
	case described != "" && schema != "":
		return "Description from " + described + ", parameters from " + schema + "."
	case described != "":
		return "Description from " + described + "."
	case schema != "":
		return "Parameters from " + schema + "."
	}
	return ""
}

// A ToolWeight is how much of a model's context the tools of a server use.
type ToolWeight struct {
	Tokens int
	Least  bool // it may be heavier: some definitions are unknown
	Heavy  bool
	// Heaviest are the counted tools with the most tokens, at most five; nil for a single tool.
	Heaviest []HeavyTool
}

// A HeavyTool is a tool with its number of tokens.
type HeavyTool struct {
	Name   string
	Tokens int
}

const maxHeaviest = 5

// Weight returns the weight of a server's tools, nil if it is unknown.
func (r Record) Weight() *ToolWeight {
	if r.ToolTokens == nil {
		return nil
	}
	w := &ToolWeight{Tokens: *r.ToolTokens, Least: r.LeastTokens(), Heavy: r.HeavyTools()}
	counted := registry.DefaultTools(r.Tools)
	if len(counted) < 2 {
		return w
	}
	heaviest := slices.SortedStableFunc(slices.Values(counted), func(a, b registry.Tool) int {
		return cmp.Compare(b.Tokens, a.Tokens)
	})
	for _, t := range heaviest[:min(len(heaviest), maxHeaviest)] {
		if t.Tokens > 0 {
			w.Heaviest = append(w.Heaviest, HeavyTool{text.OneLine(t.Name), t.Tokens})
		}
	}
	return w
}

// LeastTokens reports whether the tools use more tokens than counted: some of them or of their
// input schemas are unknown or only described by the README.
func (r Record) LeastTokens() bool {
	return r.ToolsPartial || r.ToolsFrom == registry.ToolsFromReadme ||
		slices.ContainsFunc(registry.DefaultTools(r.Tools), func(t registry.Tool) bool {
			return len(t.InputSchema) == 0 || t.SchemaFrom == registry.ToolsFromReadme
		})
}

// HeavyTools reports whether the tools use a large part of a model's context.
func (r Record) HeavyTools() bool { return r.ToolTokens != nil && *r.ToolTokens >= tools.Heavy }

// String describes the weight: "247 tokens.", and from [format.Notable] on "12,412 tokens, 6.2% of a
// context window of 200,000."
func (w *ToolWeight) String() string {
	if w.Tokens == 0 {
		return "No tokens."
	}
	line := text.Count(w.Tokens, "token")
	if w.Least {
		line = "At least " + line
	}
	if w.Tokens < format.Notable {
		return line + "."
	}
	share := format.Decimal(100 * float64(w.Tokens) / tools.ContextWindow)
	return line + ", " + share + "% of a context window of " + text.Thousands(tools.ContextWindow) + "."
}

// Condition is the condition under which the server registers the tool, "" for none.
func (t Tool) Condition() string {
	if t.Conditional == nil {
		return ""
	}
	return t.Conditional.String()
}

// ShownTitle is the tool's title, "" if it only repeats the name.
func (t Tool) ShownTitle() string {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" _-.", r) {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	if plain(t.Title) == plain(t.Name) {
		return ""
	}
	return t.Title
}

// A Finding is a suspicious text with its rule.
type Finding struct {
	registry.SuspiciousText
	Title, Meaning string
}

const maxFindings = 10

// Findings are the suspicious texts by their rules, at most ten.
func (r Record) Findings() (shown []Finding) {
	all := slices.Clone(r.Suspicious)
	slices.SortStableFunc(all, func(a, b registry.SuspiciousText) int { return cmp.Compare(a.Rule, b.Rule) })
	for _, s := range all[:min(len(all), maxFindings)] {
		f := Finding{SuspiciousText: s, Title: s.Rule}
		if rule := tools.RuleNamed(s.Rule); rule != nil {
			f.Title, f.Meaning = rule.Title, rule.Text
		}
		shown = append(shown, f)
	}
	return shown
}

// MoreFindings is the number of suspicious texts that [Record.Findings] omits.
func (r Record) MoreFindings() int { return max(0, len(r.Suspicious)-maxFindings) }
