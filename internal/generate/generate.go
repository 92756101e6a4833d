// Package generate generates realistic servers for tests and benchmarks,
// deterministically from a seed.
package generate

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/scorer"
)

// Epoch is later than every time in a generated server.
var Epoch = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// Servers returns n servers generated from seed. Server i is the same for every n. ID and
// Seq are i+1, slugs are distinct, and each optional fact is unknown for about one server
// in twenty.
func Servers(n int, seed uint64) iter.Seq[registry.Server] {
	return func(yield func(registry.Server) bool) {
		for i := range n {
			if !yield(Server(i, seed)) {
				return
			}
		}
	}
}

// Server returns server i of seed. The first is 0.
func Server(i int, seed uint64) registry.Server {
	g := generator{rand.New(rand.NewPCG(seed, uint64(i)))}
	topic := topics[g.zipf(len(topics))]
	thing := pick(g, topic.things)
	owner := g.owner()
	number := i + 1
	name, repo := g.names(thing)
	org := g.chance(0.3)
	created := Epoch.AddDate(0, 0, -30-g.IntN(700)).Add(-time.Duration(g.IntN(86400)) * time.Second)
	age := Epoch.Sub(created)
	committed := created.Add(time.Duration(float64(age) * math.Sqrt(g.Float64()))).Truncate(time.Second)
	crawled := Epoch.Add(-time.Duration(g.IntN(7*86400)) * time.Second)

	s := registry.Server{
		ID: int64(number), Seq: int64(number),
		Slug:               strings.ToLower(fmt.Sprintf("%s-%s-%d", owner, repo, number)), // as in the store
		Name:               name,
		Title:              name,
		Description:        g.description(topic, thing),
		Category:           topic.category,
		CategoryConfidence: math.Round((0.4+0.6*g.Float64())*100) / 100,
		Tags:               g.tags(topic, thing),
		Status:             registry.StatusActive,
		Official:           g.chance(0.04),
		Verified:           g.chance(0.3),
		CreatedAt:          created,
		UpdatedAt:          crawled,
		ListedAt:           created.Add(10 * 24 * time.Hour),
		LastCommitAt:       &committed,
		LastCrawledAt:      &crawled,
		ScoredAt:           &crawled,
	}
	l := languages[g.zipf(len(languages))]
	s.SDK, s.Framework, s.Language = l.sdk, l.framework, l.name
	if g.chance(0.05) {
		s.SDK, s.Framework = "", ""
	}
	s.License = pick(g, []string{"MIT", "MIT", "MIT", "MIT", "Apache-2.0", "Apache-2.0", "",
		"GPL-3.0", "AGPL-3.0", "BSD-3-Clause", "NOASSERTION", "ISC", "MPL-2.0"})

	stars := int(math.Exp(g.Float64()*g.Float64()*10)) - 1
	s.Stars = g.known(stars)
	s.Forks = g.known(stars / (3 + g.IntN(20)))
	s.OpenIssues = g.known(g.IntN(2 + stars/20))
	s.Contributors = g.known(1 + g.IntN(2+stars/100))

	s.Tools = g.tools(topic, thing)
	if g.chance(0.15) {
		s.Tools = nil
	} else {
		n := len(s.Tools)
		tokens := n * (40 + 4*len(s.Description))
		s.ToolCount, s.ToolTokens, s.ToolsFrom, s.ToolsAt = &n, &tokens, registry.ToolsFromSource, &crawled
	}
	g.published(&s, l, owner, repo, thing)
	g.status(&s)
	s.Health = g.health(&s, crawled)
	s.Popularity = registry.Popularity{Inputs: []string{}}
	if s.Stars != nil {
		p := min(100, int(9*math.Log(1+float64(*s.Stars))))
		s.Popularity = registry.Popularity{Score: &p, Coverage: 0.8, Inputs: []string{"stars", "forks"}}
	}
	s.Sources = []registry.Discovery{{Name: "github", FirstSeenAt: s.ListedAt, LastSeenAt: crawled}}
	if s.RegistryName != "" {
		s.Sources = append(s.Sources,
			registry.Discovery{Name: "official-registry", FirstSeenAt: s.ListedAt, LastSeenAt: crawled})
	}
	s.Repo = registry.Repository{
		Host: registry.GitHub, ID: 100_000_000 + int64(number), NodeID: fmt.Sprintf("R_%08d", number),
		Owner: owner, Name: fmt.Sprintf("%s-%d", repo, number), OwnerType: "User",
		OwnerAvatarURL: fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", 1000+g.IntN(1_000_000)),
		Description:    s.Description, DefaultBranch: "main", Commit: g.hex(40), TreeID: g.hex(40),
		CreatedAt: created, UpdatedAt: crawled, PushedAt: committed, CommittedAt: &committed,
		Archived: s.Status == registry.StatusArchived,
		Stars:    s.Stars, Forks: s.Forks, OpenIssues: s.OpenIssues, Contributors: s.Contributors,
		License: s.License, LicenseKnown: true, Language: s.Language, Topics: s.Tags,
		ObservedAt: crawled,
	}
	if org {
		s.Repo.OwnerType = "Organization"
	}
	if g.chance(0.08) {
		s.Subfolder = "src/" + strings.ReplaceAll(thing, " ", "-")
	}
	s.Readme = g.readme(name, topic, thing, s.Tools)
	return s
}

type generator struct{ *rand.Rand }

func (g generator) chance(p float64) bool { return g.Float64() < p }

// zipf returns a number below n. Small numbers are far more frequent.
func (g generator) zipf(n int) int {
	return min(n-1, int(math.Pow(float64(n)+1, math.Pow(g.Float64(), 1.4))-1))
}

// known returns v, or nil one time in twenty.
func (g generator) known(v int) *int {
	if g.chance(0.05) {
		return nil
	}
	return &v
}

func (g generator) hex(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[g.IntN(16)]
	}
	return string(b)
}

func pick[T any](g generator, from []T) T { return from[g.IntN(len(from))] }

// coined returns one of 40,000 made-up words with a long-tail distribution.
func (g generator) coined() string { return Coined(g.zipf(40_000)) }

// Coined returns made-up word i, for queries that should find few servers. The first
// 40,000 words are distinct.
func Coined(i int) string {
	a, i := i%len(heads), i/len(heads)
	b, i := i%len(middles), i/len(middles)
	return heads[a] + middles[b] + tails[i%len(tails)]
}

func (g generator) owner() string {
	w := g.coined()
	switch g.IntN(5) {
	case 0:
		return w + "-labs"
	case 1:
		return w + fmt.Sprint(g.IntN(100))
	case 2:
		return upper(w)
	}
	return w
}

// names returns a display name and the name of the repository.
func (g generator) names(thing string) (name, repo string) {
	dashed := strings.ReplaceAll(thing, " ", "-")
	title := upper(thing)
	switch g.IntN(6) {
	case 0:
		return title + " MCP Server", "mcp-server-" + dashed
	case 1:
		return title + " MCP", dashed + "-mcp"
	case 2:
		w := g.coined()
		return upper(w), w
	case 3:
		w := g.coined()
		return upper(w) + " " + title, w + "-" + dashed + "-mcp"
	case 4:
		return "mcp-" + dashed, "mcp-" + dashed
	}
	return title, dashed + "-mcp-server"
}

func (g generator) description(t topic, thing string) string {
	verb, object, other := pick(g, t.verbs), pick(g, t.objects), pick(g, t.objects)
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("An MCP server for %s: %s %s and %s.", thing, verb, object, other)
	case 1:
		return fmt.Sprintf("Model Context Protocol server that lets AI assistants %s %s in %s.", verb, object, thing)
	case 2:
		return fmt.Sprintf("%s %s with %s through natural language. Works with %s.", upper(verb), object, thing, g.coined())
	case 3:
		return fmt.Sprintf("Connects %s to your agent. Supports %s, %s and %s.", thing, object, other, pick(g, common))
	case 4:
		return fmt.Sprintf("%s integration to %s %s, %s and more.", upper(thing), verb, object, other)
	}
	return fmt.Sprintf("%s: %s %s for %s", upper(g.coined()), verb, object, thing)
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (g generator) tags(t topic, thing string) []string {
	seen := map[string]bool{}
	out := []string{}
	for _, w := range []string{"mcp", strings.ReplaceAll(thing, " ", "-"), t.category,
		pick(g, t.objects), pick(g, t.objects), pick(g, common), g.coined()} {
		w = synonyms.FoldTag(strings.ReplaceAll(w, " ", "-"))
		if !seen[w] && g.chance(0.7) {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

func (g generator) tools(t topic, thing string) []registry.Tool {
	n := g.IntN(4) + g.IntN(4) + g.IntN(14)
	out := make([]registry.Tool, 0, n)
	seen := map[string]bool{}
	for range n {
		verb, object := pick(g, t.verbs), pick(g, t.objects)
		name := strings.ReplaceAll(verb+"_"+object, " ", "_")
		if g.chance(0.3) {
			name = strings.ReplaceAll(strings.ReplaceAll(thing, " ", "_"), "-", "_") + "_" + name
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		out = append(out, registry.Tool{Name: name,
			Description: fmt.Sprintf("%s %s of %s, %s.", upper(verb), object, thing, pick(g, common))})
	}
	return out
}

func (g generator) published(s *registry.Server, l language, owner, repo, thing string) {
	s.Transports = []string{registry.TransportStdio}
	version := fmt.Sprintf("%d.%d.%d", g.IntN(3), g.IntN(20), g.IntN(10))
	if g.chance(0.6) {
		s.Variables = []registry.Variable{{
			Name:       strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(thing)) + "_API_KEY",
			IsRequired: true, IsSecret: true, Description: "Key of your " + thing + " account",
		}}
	}
	if l.registry != "" && g.chance(0.65) {
		id := repo
		if l.registry == "npm" && g.chance(0.5) {
			id = "@" + strings.ToLower(owner) + "/" + repo
		}
		s.Packages = []registry.Package{{
			RegistryType: l.registry, Identifier: id, Version: version, RuntimeHint: l.runner,
			Transport:            registry.PackageTransport{Type: registry.TransportStdio},
			EnvironmentVariables: s.Variables,
		}}
		s.InstallCommand = strings.TrimSpace(fmt.Sprintf(l.install, id, version))
		s.LatestVersion = version
		s.ReleasedAt = new(s.LastCommitAt.Add(-time.Hour))
		if !g.chance(0.1) {
			d := int64(math.Exp(g.Float64() * g.Float64() * 14))
			s.Downloads = &d
			s.DownloadsBy = map[string]int64{l.registry: d}
		}
	}
	if g.chance(0.15) {
		kind := registry.TransportHTTP
		if g.chance(0.2) {
			kind = registry.TransportSSE
		}
		s.Remotes = []registry.Remote{{Type: kind, URL: "https://mcp." + strings.ToLower(owner) + ".alt/mcp"}}
		// Derived from the name, so that later random values do not change.
		s.Liveness = registry.Livenesses[(len(owner)+len(repo))%len(registry.Livenesses)]
		s.Transports = append(s.Transports, kind)
	}
	if g.chance(0.2) {
		s.RegistryName = "io.github." + strings.ToLower(owner) + "/" + repo
	}
}

func (g generator) status(s *registry.Server) {
	switch {
	case g.chance(0.05):
		s.Status, s.StatusMessage = registry.StatusArchived, "The repository is archived."
	case g.chance(0.02):
		s.Status, s.StatusMessage = registry.StatusDeprecated, "Its README says that it is no longer maintained."
	case g.chance(0.01):
		s.Status, s.StatusMessage = registry.StatusUnreachable, "The code host returned 404 at the last visit."
	}
}

// readme returns the text of a README of about 200 words: common words, words of the topic,
// and made-up words.
func (g generator) readme(name string, t topic, thing string, tools []registry.Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", name)
	words := 0
	for words < 170 {
		n := 6 + g.IntN(12)
		for j := range n {
			var w string
			switch k := g.IntN(20); {
			case k < 11:
				w = common[g.zipf(len(common))]
			case k < 13:
				w = pick(g, t.objects)
			case k < 14:
				w = pick(g, t.verbs)
			case k < 15:
				w = thing
			case k < 16:
				w = pick(g, topics[g.IntN(len(topics))].objects)
			default:
				w = g.coined()
			}
			if j == 0 {
				w = upper(w)
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		words += n
		b.WriteString(". ")
	}
	b.WriteString("\n\nTools\n")
	for _, tool := range tools {
		fmt.Fprintf(&b, "%s: %s\n", tool.Name, tool.Description)
	}
	return b.String()
}

// An Index is a search engine for tests. It scans the names, descriptions and tags of all
// servers. Results are not ranked by relevance.
type Index struct {
	Servers func() iter.Seq[*registry.Server]
	Down    bool // results are marked as degraded
}

// Match returns the servers that contain all words of a text. It never fails.
func (x Index) Match(_ context.Context, typed string) (query.Matches, error) {
	words := strings.Fields(strings.ToLower(typed))
	var hits []*query.Values
	for s := range x.Servers() {
		text := strings.ToLower(s.Name + " " + s.Description + " " + strings.Join(s.Tags, " "))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			hits = append(hits, query.ValuesOf(s))
		}
	}
	slices.SortFunc(hits, query.Comparer((&query.Query{Text: typed}).Orders()))
	m := query.Matches{Degraded: x.Down}
	for _, v := range hits {
		m.Slugs = append(m.Slugs, v.Slug())
	}
	m.All = len(m.Slugs)
	return m, nil
}

// A sum adds up the points of the checks of a generated score.
type sum struct {
	points, low, high, measured float64
}

// health returns a score with every check of the model, whose points add up to it.
func (g generator) health(s *registry.Server, now time.Time) registry.Health {
	model := scorer.Model()
	h := registry.Health{
		Status: registry.HealthScored, Version: model.Version, ComputedAt: now,
		Categories: []registry.HealthSection{}, Improve: []registry.Improvement{},
		Caps: []registry.Cap{}, Flags: []string{},
	}
	if g.chance(0.03) {
		h.Status, h.Confidence, h.Coverage = registry.HealthInsufficientData, "low", 0.2
		return h
	}
	level := 0.15 + 0.8*math.Sqrt(g.Float64())
	var t sum
	for _, c := range model.Categories {
		h.Categories = append(h.Categories, g.section(&h, &t, c, model.Checks, level))
	}
	h.Coverage = math.Round(t.measured) / 100
	h.Confidence = "medium"
	if h.Coverage >= 0.85 {
		h.Confidence = "high"
	}
	h.Uncapped = math.Round(t.points*100) / 100
	score := int(t.points)
	if s.Status == registry.StatusArchived || s.Status == registry.StatusDeprecated {
		h.Caps = append(h.Caps, registry.Cap{
			ID: "archived", Max: 29, Reason: "The repository is archived.", Applied: score > 29,
		})
		score = min(score, 29)
	}
	lo, hi := max(0, min(score, int(t.points+t.low))), min(100, max(score, int(t.points+t.high)))
	h.Score, h.Low, h.High, h.Grade = &score, &lo, &hi, registry.GradeOf(score)
	return h
}

// section returns a category with its checks. On average they get the share level of their
// points.
func (g generator) section(
	h *registry.Health, t *sum, category scorer.CategorySpec, checks []scorer.CheckSpec, level float64,
) registry.HealthSection {
	out := registry.HealthSection{Category: category.ID, Weight: category.Weight}
	var got, known float64
	for _, spec := range checks {
		if spec.Category != category.ID {
			continue
		}
		share := math.Round(min(1, max(0, level+0.5*(g.Float64()-0.5)))*100) / 100
		c := g.check(spec, share, h.ComputedAt)
		if c.State == scorer.StateOK {
			known += spec.Weight
		} else {
			share = scorer.UnknownValue
			t.high += spec.Weight / 2
			t.low -= spec.Weight / 2
		}
		c.Points = math.Round(share*spec.Weight*100) / 100
		got += c.Points
		out.Checks = append(out.Checks, c)
		if c.Fix != "" && len(h.Improve) < 5 && share < 0.5 {
			gain := math.Round((spec.Weight-c.Points)*100) / 100
			h.Improve = append(h.Improve, registry.Improvement{Check: spec.ID, Gain: gain, Text: spec.Fix})
		}
	}
	out.Score, out.Coverage = new(math.Round(100*got/category.Weight*10)/10), known/category.Weight
	t.points += got
	t.measured += known
	return out
}

// check returns a check that got a share of its points. Some checks are unknown.
func (g generator) check(spec scorer.CheckSpec, share float64, now time.Time) registry.Check {
	c := registry.Check{
		ID: spec.ID, Name: spec.Name, Max: spec.Weight, State: scorer.StateOK,
		Source: scorer.SourceFor(spec.Source, ""), ObservedAt: &now,
		Reason:   fmt.Sprintf("Measured %d for a made-up server.", 1+g.IntN(60)),
		Evidence: []registry.Evidence{{Type: "file", Ref: "README.md"}},
	}
	switch {
	case g.chance(0.06):
		c.State, c.Result = scorer.StateUnknown, scorer.ResultUnknown
		c.Reason, c.Evidence = "The source did not respond.", nil
	case share >= 0.8:
		c.Result = scorer.ResultPass
	case share >= 0.3:
		c.Result, c.Fix = scorer.ResultPartial, spec.Fix
	default:
		c.Result, c.Fix = scorer.ResultFail, spec.Fix
	}
	return c
}
