package mcp

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/install"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxScanned is the maximum number of results that a call of find_servers scans.
const maxScanned = 300

func (s *source) findServers(
	ctx context.Context, in findServersInput,
) (*findServersOutput, error) {
	v, err := s.api.View()
	if err != nil {
		return nil, err
	}
	limit, given := cmp.Or(in.Limit, 5), in.Cursor
	in.Cursor, in.Limit = "", 0 // the rest is what is listed
	from, err := s.resume(given, "find_servers", in)
	if err != nil {
		return nil, err
	}
	q, err := queryOf(in)
	if err != nil {
		return nil, err
	}
	leave, err := httpd.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	matches, err := api.Match(ctx, s.api.Search, q.Text)
	if err != nil {
		return nil, err
	}
	l := v.Query(q, matches.Of(q))
	n, hidden := from, withheld{}
	for i := range l.Total() {
		if l.At(i).HasRisk(catalog.Dangers...) {
			hidden.add(l.At(i))
		}
	}
	var found []serverEntry
	var ends []int // offsets behind the servers of found
	for ; n < l.Total() && len(found) < limit && n-from < maxScanned; n++ {
		if l.At(n).HasRisk(catalog.Dangers...) {
			continue
		}
		r, err := l.At(n).Record()
		if err != nil {
			return nil, err
		}
		if fits(r, in) {
			found, ends = append(found, s.entryOf(r)), append(ends, n+1)
		}
	}
	out := &findServersOutput{Servers: []serverEntry{},
		Warnings: api.EmptyList(append(api.Warnings(matches, q),
			hidden.warnings(text.Count(hidden.count, "result"))...)),
		NextCursor: s.seal("find_servers", in, n)}
	if in.NoCredentials || in.Client != "" { // results are filtered one by one
		if n < l.Total() && len(found) < limit {
			out.Warnings = append(out.Warnings,
				"Not all servers were searched; continue with nextCursor.")
		}
	} else {
		out.Total = new(l.Total() - hidden.count)
	}
	switch k := fit(out, found); {
	case k < len(found):
		found, out.NextCursor = found[:k], s.seal("find_servers", in, ends[k-1])
	case n >= l.Total():
		out.NextCursor = nil
	}
	out.Servers = api.EmptyList(found)
	return out, nil
}

func queryOf(in findServersInput) (q query.Query, err error) {
	words, fault := page.ParseText("query", text.Strip(in.Query), 400)
	if fault != nil {
		return q, fault
	}
	q.Text, q.AllWords = words, in.Match == query.MatchAll
	equal := func(field, value string) {
		if value != "" {
			q.Filters = append(q.Filters, query.Equal(field, value))
		}
	}
	equal("category", in.Category)
	equal("transport", in.Transport)
	equal("sdk", in.SDK)
	if in.RemoteOnly {
		equal("type", query.TypeRemote)
	}
	if in.ReadOnly {
		q.Filters = append(q.Filters, query.Equal("readOnly", true))
	}
	if in.MinScore > 0 {
		q.Filters = append(q.Filters, query.AtLeast("qualityScore", float64(in.MinScore)))
	}
	if q.Text == "" {
		q.Sort = []query.Order{{Field: query.Recommended, Desc: true}}
	}
	return q, nil
}

// fits reports whether a server satisfies the filters that are not part of the query.
func fits(r *registry.Server, in findServersInput) bool {
	if in.NoCredentials && (len(credentialsOf(r)) > 0 || r.Liveness == registry.LivenessGated) {
		return false
	}
	return in.Client == "" || slices.ContainsFunc(install.Clients(r),
		func(s install.Snippet) bool { return s.Client == in.Client })
}

func (s *source) entryOf(r *registry.Server) serverEntry {
	return serverEntry{
		ID: r.Slug, Name: brief(cmp.Or(r.Name, r.Slug), maxName),
		Description:       brief(r.Description, maxDescription),
		DescriptionSource: api.Known(r.DescriptionFrom), Score: r.Health.Score,
		Grade: api.Known(r.Health.Grade), Category: r.Category, Transports: api.EmptyList(r.Transports),
		Tools: weightOf(r), Effect: r.Effect(), EffectGuessed: r.EffectIsGuess(), ScoredAt: second(r.ScoredAt), LastCrawledAt: second(r.LastCrawledAt),
		Credentials: credentialsOf(r), Install: launchOf(r), URL: s.pageURL(r.Slug),
		condition: conditionOf(r),
	}
}

// weightOf returns the number and tokens of a server's tools, with their source.
func weightOf(r *registry.Server) toolWeight {
	return toolWeight{Count: r.ToolCount, Tokens: r.ToolTokens, Source: api.Known(r.ToolsFrom),
		Version: api.Known(brief(r.ToolsVersion, maxName)), ReadAt: second(r.ToolsAt),
		Complete: r.HasAllTools()}
}

// second returns a time in UTC, truncated to seconds.
func second(t *time.Time) *time.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	return new(t.UTC().Truncate(time.Second))
}

// launchOf returns the command of a server, nil if there is none or the server is harmful.
func launchOf(r *registry.Server) *launch {
	p, ok := install.First(r.Packages)
	if !ok || r.Severity() == registry.SeverityHarmful {
		return nil
	}
	l, ok := install.Of(p)
	if !ok || len(strings.Join(l.Args, " ")) > 1000 {
		return nil
	}
	return &launch{Command: l.Command, Args: api.EmptyList(l.Args)}
}

// credentialsOf returns the names of the secrets that a server accepts: variables, options
// and headers. The list is not nil and has at most ten.
func credentialsOf(r *registry.Server) []string {
	all := []string{}
	add := func(name string) {
		if name = brief(name, maxName); name != "" && len(all) < 10 && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, name := range r.Secrets() {
		add(name)
	}
	for _, b := range install.Blanks(r) {
		if b.IsSecret {
			add(cmp.Or(b.Option, b.Placeholder))
		}
	}
	return all
}

// maxToolServers is the maximum number of servers that a call of find_tools scans.
const maxToolServers = 60

// findTools implements the tool find_tools. It ranks the tools of the best servers for the
// query by the number of matching words.
func (s *source) findTools(
	ctx context.Context, in findToolsInput,
) (*findToolsOutput, error) {
	v, err := s.api.View()
	if err != nil {
		return nil, err
	}
	q, err := queryOf(findServersInput{Query: in.Query})
	if err != nil {
		return nil, err
	}
	q.Limit = maxToolServers
	leave, err := httpd.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := api.Find(ctx, v, s.api.Search, q, nil, "query")
	if err != nil {
		return nil, err
	}
	type ranked struct {
		foundTool
		words int
	}
	var all []ranked
	var hidden withheld
	wanted := wordsOf(q.Text)
	for _, i := range p.Items {
		r, err := i.Record()
		if err != nil {
			return nil, err
		}
		for _, t := range r.Tools {
			n := 2*shared(wanted, t.Name) + shared(wanted, t.Description)
			if n == 0 {
				continue
			}
			if dangerous(r) {
				hidden.add(i)
				break
			}
			all = append(all, ranked{foundTool{
				Tool: r.Slug + "/" + brief(t.Name, maxName), Server: r.Slug,
				Description: brief(t.Description, maxDescription),
				Conditional: conditionalOf(t), Tokens: tokensOf(t),
				Source: api.Known(r.ToolsFrom), ReadAt: second(r.ToolsAt),
				Score: r.Health.Score, ScoredAt: second(r.ScoredAt), condition: conditionOf(r),
			}, n})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return b.words - a.words })
	found := []foundTool{}
	for _, t := range all[:min(len(all), cmp.Or(in.Limit, 10))] {
		found = append(found, t.foundTool)
	}
	out := &findToolsOutput{Tools: []foundTool{}, Warnings: api.EmptyList(append(p.Warnings,
		hidden.warnings("tools of "+text.Count(hidden.count, "server"))...))}
	out.Tools = found[:fit(out, found)]
	return out, nil
}

var word = regexp.MustCompile(`[\p{L}\p{N}]+`)

// wordsOf returns the lower-case words of a text that have at least two letters.
func wordsOf(s string) []string {
	return slices.DeleteFunc(word.FindAllString(strings.ToLower(s), 40),
		func(w string) bool { return len(w) < 2 })
}

// shared returns the number of words that occur in a text or are the prefix of a word in it.
func shared(words []string, s string) (n int) {
	s = strings.ToLower(s)
	for _, w := range words {
		if strings.Contains(s, w) || len(w) > 4 && strings.HasSuffix(w, "s") && strings.Contains(s, w[:len(w)-1]) {
			n++
		}
	}
	return n
}

func tokensOf(t registry.Tool) *int {
	if t.Hash == "" {
		return nil
	}
	return &t.Tokens
}
