package pages

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
)

type comparedGroup struct {
	Name string
	Rows []comparedRow
}

// A comparedRow is one fact about each server.
type comparedRow struct {
	Name    string
	Cells   []cell // one if all are equal
	Differs bool
}

type cell struct {
	Text, Time string // Time: as RFC 3339, if Text is a date
	List       []string
	Marks      []record.Mark
	More       int      // entries that are not in List
	Of         *float64 // of 100, for a bar
	Unknown    bool
	Best       string // "highest" or "latest"; "" for all others

	rank *int64 // the highest is the best; nil: cells are not ranked
}

// maxListed is the maximum number of entries of a list in a cell.
const maxListed = 30

// equal reports whether two cells show the same.
func (c cell) equal(d cell) bool {
	return c.Text == d.Text && c.Unknown == d.Unknown && c.More == d.More &&
		slices.Equal(c.List, d.List) && slices.Equal(c.Marks, d.Marks)
}

func textCell(s string) cell { return cell{Text: s, Unknown: s == ""} }

func numberCell(n *int64) cell {
	if n == nil {
		return cell{Unknown: true}
	}
	return cell{Text: text.Thousands(*n), rank: n}
}

func dayCell(t *time.Time) cell {
	if t == nil || t.IsZero() {
		return cell{Unknown: true}
	}
	n := t.Truncate(24 * time.Hour).Unix()
	return cell{Text: text.Day(*t), Time: t.UTC().Format(time.RFC3339), rank: &n}
}

// listCell returns a cell with names, or with a text without names.
func listCell(names []string, none string) cell {
	if len(names) == 0 {
		return cell{Text: none}
	}
	return cell{List: names[:min(len(names), maxListed)], More: max(0, len(names)-maxListed)}
}

// verdictCell returns the verdict without links, which differ between servers.
func verdictCell(r record.Record) cell {
	c := cell{Marks: r.Verdict()}
	for i := range c.Marks {
		c.Marks[i].Link = ""
	}
	return c
}

func risksCell(r record.Record) cell {
	var all []string
	for _, risk := range r.Risks() {
		all = append(all, risk.String())
	}
	return textCell(cmp.Or(strings.Join(all, " "), "none known"))
}

func (c cell) unranked() cell {
	c.rank = nil
	return c
}

// A fact is a row of the table before the servers are known.
type fact struct {
	name string
	cell func(r record.Record) cell
}

// A comparedTable is a table with a column for each server.
type comparedTable struct {
	Servers []compared
	Groups  []comparedGroup
}

// compareAll returns the deciding facts about servers and the others.
func compareAll(servers []compared) (deciding, others comparedTable) {
	deciding.Servers, others.Servers = servers, servers
	if len(servers) == 0 {
		return deciding, others
	}
	deciding.add("What decides", decidingFacts)
	others.add("Health", healthFacts(servers[0].Record))
	others.add("Use", useFacts)
	others.add("What it is", natureFacts)
	others.add("Tools", toolFacts(servers))
	return deciding, others
}

func (t *comparedTable) add(name string, facts []fact) {
	group := comparedGroup{Name: name}
	for _, f := range facts {
		group.Rows = append(group.Rows, f.row(t.Servers))
	}
	t.Groups = append(t.Groups, group)
}

// decidingFacts are the verdict and the facts that decide between servers.
var decidingFacts = []fact{
	{"Verdict", verdictCell},
	{"Risks", risksCell},
	{"What it can do", func(r record.Record) cell { return textCell(r.Capabilities().String()) }},
	{"Official", func(r record.Record) cell { return yesOrNo(r.Official) }},
	{"Alive", func(r record.Record) cell {
		for _, risk := range r.Risks() {
			if risk.Kind == "dead" || risk.Kind == registry.RiskEndpointDown {
				return textCell("no: " + risk.Label())
			}
		}
		if name := format.Liveness(r.Liveness); len(r.Remotes) > 0 && r.Liveness != registry.LivenessUnknown {
			return textCell(name)
		}
		return textCell(format.Capital(r.Status))
	}},
	{"Chance of a commit in 90 days", func(r record.Record) cell {
		if r.Health.CommitChance == nil {
			return cell{Unknown: true}
		}
		n := int64(math.Round(*r.Health.CommitChance * 100))
		return cell{Text: format.Percent(*r.Health.CommitChance), rank: &n}
	}},
	tokensFact,
}

func yesOrNo(b bool) cell {
	if b {
		return textCell("yes")
	}
	return textCell("no")
}

var tokensFact = fact{"Tokens (about)", func(r record.Record) cell {
	c := numberCell(wide(r.ToolTokens)).unranked()
	if r.LeastTokens() && !c.Unknown {
		c.Text = "at least " + c.Text
	}
	return c
}}

// row returns the row of a fact. It marks the best cell if there is exactly one.
func (f fact) row(servers []compared) comparedRow {
	r := comparedRow{Name: f.name}
	var best []int
	for i, s := range servers {
		c := f.cell(s.Record)
		r.Cells = append(r.Cells, c)
		r.Differs = r.Differs || !c.equal(r.Cells[0])
		switch {
		case c.rank == nil:
		case len(best) == 0 || *c.rank > *r.Cells[best[0]].rank:
			best = []int{i}
		case *c.rank == *r.Cells[best[0]].rank:
			best = append(best, i)
		}
	}
	if !r.Differs {
		r.Cells = r.Cells[:1]
	} else if len(best) == 1 {
		c := &r.Cells[best[0]]
		if c.Best = "highest"; c.Time != "" {
			c.Best = "latest"
		}
	}
	return r
}

// healthFacts are the score and its categories, which are those of the first
// server.
func healthFacts(first record.Record) []fact {
	facts := []fact{
		{"Score", func(r record.Record) cell {
			c := numberCell(wide(r.Health.Score))
			if low, high := r.Health.Low, r.Health.High; !c.Unknown && low != nil && high != nil && *low != *high {
				c.Text += fmt.Sprintf(" (%d–%d)", *low, *high)
			}
			return c
		}},
	}
	for n, c := range first.Health.Categories {
		facts = append(facts, fact{format.Capital(c.Category), func(r record.Record) cell {
			if n >= len(r.Health.Categories) || r.Health.Categories[n].Score == nil {
				return cell{Unknown: true}
			}
			score := r.Health.Categories[n].Score
			c := numberCell(new(int64(*score + .5)))
			c.Of = score
			return c
		}})
	}
	return facts
}

var useFacts = []fact{
	{"Stars", func(r record.Record) cell { return numberCell(wide(r.Stars)) }},
	{"Downloads in 30 days", func(r record.Record) cell { return numberCell(r.Downloads) }},
	{"Popularity", func(r record.Record) cell { return numberCell(wide(r.Popularity.Score)) }},
	{"Contributors", func(r record.Record) cell { return numberCell(wide(r.Contributors)) }},
	{"Open issues", func(r record.Record) cell { return numberCell(wide(r.OpenIssues)).unranked() }},
	{"Last commit", func(r record.Record) cell { return dayCell(r.LastCommitAt) }},
	{"Latest version", func(r record.Record) cell {
		if from := format.VersionSource(r.VersionFrom); r.LatestVersion != "" && from != "" {
			return textCell(r.LatestVersion + " (" + from + ")")
		}
		return textCell(r.LatestVersion)
	}},
	{"Last release", func(r record.Record) cell { return dayCell(r.ReleasedAt) }},
	{"Repository since", func(r record.Record) cell { return dayCell(&r.CreatedAt).unranked() }},
}

var natureFacts = []fact{
	{"Category", func(r record.Record) cell { return textCell(format.Category(r.Category)) }},
	{"SDK", func(r record.Record) cell {
		if r.SDK == "" {
			return cell{Unknown: true}
		}
		return textCell(format.SDK(r.SDK))
	}},
	{"Language", func(r record.Record) cell { return textCell(r.Language) }},
	{"License", func(r record.Record) cell {
		if r.License == "" && r.LastCrawledAt != nil {
			return textCell(r.NoLicence())
		}
		switch {
		case r.License == "" || r.LicenseFrom == "":
			return textCell(r.License)
		case r.LicenseFrom == registry.LicenseFromManifest:
			return textCell(r.License + " (in the manifest)")
		}
		return textCell(r.License + " (" + format.CheckSource(r.LicenseFrom) + ")")
	}},
	{"Transports", func(r record.Record) cell {
		var all []string
		for _, t := range r.Transports {
			all = append(all, format.Transport(t))
		}
		return textCell(strings.Join(all, ", "))
	}},
	{"Packages", func(r record.Record) cell {
		var all []string
		for _, p := range r.Packages {
			all = append(all, p.RegistryType+": "+p.Identifier)
		}
		return listCell(all, "none known")
	}},
	{"Hosted (remote)", func(r record.Record) cell {
		if len(r.Remotes) == 0 {
			return textCell("no")
		}
		said := "yes"
		if r.Liveness != registry.LivenessUnknown && r.Liveness != "" {
			said += ": " + strings.ToLower(format.Liveness(r.Liveness))
		}
		if l := r.BestEndpoint(); l != nil {
			said += ", " + text.Uptime(l.Uptime30, l.Probes)
		}
		return textCell(strings.TrimSuffix(said, ", "))
	}},
	{"Package run in a sandbox", func(r record.Record) cell {
		var latest *registry.Inspection
		for _, p := range r.Packages {
			if i := p.Inspection; i != nil && (latest == nil || i.At.After(latest.At)) {
				latest = i
			}
		}
		return textCell(cmp.Or(latest.Sentence(), "not run"))
	}},
	{"Install command", func(r record.Record) cell {
		if r.OfferedCommand() == "" && len(r.Packages) == 0 && len(r.Remotes) > 0 {
			return textCell("none: hosted only")
		}
		return textCell(r.OfferedCommand())
	}},
	{"Required settings", func(r record.Record) cell {
		var all []string
		for _, v := range r.Variables {
			if v.IsRequired {
				all = append(all, v.Name)
			}
		}
		return listCell(all, "none known")
	}},
}

// toolFacts compare the tools by their names.
func toolFacts(servers []compared) []fact {
	holders := map[string]int{} // number of servers with each name
	for _, s := range servers {
		for _, name := range toolNames(s.Record) {
			holders[name]++
		}
	}
	// those are the tools of a server that so many servers have.
	those := func(r record.Record, from, to int, none string) cell {
		if r.Tools == nil {
			return cell{Unknown: true}
		}
		return listCell(slices.DeleteFunc(toolNames(r), func(name string) bool {
			return holders[name] < from || holders[name] > to
		}), none)
	}
	n := len(servers)
	facts := []fact{{"Number",
		func(r record.Record) cell {
			c := numberCell(wide(r.ToolCount)).unranked()
			if n := r.NumberOfTools(); r.ToolCount == nil && n != "" {
				c.Text, c.Unknown = n, false
			}
			return c
		}},
		{"Source", func(r record.Record) cell { return textCell(r.ToolsOrigin()) }}}
	if n > 1 {
		shared := slices.DeleteFunc(toolNames(servers[0].Record),
			func(name string) bool { return holders[name] < n })
		facts = append(facts, fact{"In all", func(record.Record) cell { return listCell(shared, "none") }})
	}
	facts = append(facts, fact{"Unique",
		func(r record.Record) cell { return those(r, 1, 1, "none") }})
	if n > 2 {
		facts = append(facts, fact{"Shared by some",
			func(r record.Record) cell { return those(r, 2, n-1, "none") }})
	}
	return facts
}

func toolNames(r record.Record) []string {
	var names []string
	for _, t := range r.Tools {
		if name := text.OneLine(t.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
