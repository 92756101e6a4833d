package github

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// Queries are the default queries of SearchSource: topics of servers, and words in the name,
// description or README of servers without topics.
var Queries = []string{
	"topic:mcp-server", "topic:mcp-servers", "topic:mcp", "topic:model-context-protocol",
	"topic:modelcontextprotocol", "topic:mcp-tools", "topic:fastmcp",
	"mcp in:name", `"model context protocol" in:description`, "mcp-server in:readme",
}

const (
	// maxSlice is the maximum number of results of a slice: GitHub returns only the first 1,000.
	maxSlice = 900
	// sliceRetries is the number of retries of a slice with incomplete results.
	sliceRetries = 3
	sweepEvery   = 7 * 24 * time.Hour
	// resumeWithin is the maximum age of an interrupted run that is continued.
	resumeWithin = 48 * time.Hour
	// searchTries is the number of tries of a failing slice in a run, and searchesDown
	// the number of different queries that fail in a row before a run ends.
	searchTries  = 3
	searchesDown = 5
)

// epoch is before the first repository on GitHub.
var epoch = time.Date(2007, 10, 1, 0, 0, 0, 0, time.UTC)

// starBands split a day that has too many results. They overlap, because stars
// change while the results are read.
var starBands = []string{"stars:0", "stars:1", "stars:1..5", "stars:4..20", "stars:18..100",
	"stars:>=95"}

// SearchSource finds repositories by GitHub's search. A weekly full sweep runs every query, split
// into ranges of creation dates with fewer than 900 results each. The runs in between find
// repositories created or pushed since the last run.
type SearchSource struct {
	github  *Client
	queries []string
}

// NewSearchSource returns a source that searches with g, which needs a token. With no
// queries it uses [Queries].
func NewSearchSource(g *Client, queries ...string) *SearchSource {
	if len(queries) == 0 {
		queries = Queries
	}
	return &SearchSource{github: g, queries: queries}
}

// Name returns "github".
func (s *SearchSource) Name() string { return host.ID }

// A searchState is the progress of the search.
type searchState struct {
	LastFull *time.Time `json:"lastFull,omitempty"` // start of the last complete sweep
	LastRun  *time.Time `json:"lastRun,omitempty"`  // start of the last complete run
	Run      *searchRun `json:"run,omitempty"`      // the run in progress
	// Failed are the slices that failed in the last run. The next run retries them.
	Failed []searchSlice `json:"failed,omitempty"`
}

type searchRun struct {
	Started time.Time     `json:"started"`
	Full    bool          `json:"full,omitempty"`
	Pending []searchSlice `json:"pending"`
	Failed  []searchSlice `json:"failed,omitempty"`
}

// A searchSlice is one query over one inclusive range of creation dates.
type searchSlice struct {
	Query string    `json:"q"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Stars string    `json:"stars,omitempty"`
	Tries int       `json:"tries,omitempty"` // failed, including those of the slice it was split from
}

func (s searchSlice) String() string {
	const form = "2006-01-02T15:04:05Z"
	q := s.Query + " created:" + s.From.UTC().Format(form) + ".." + s.To.UTC().Format(form)
	if s.Stars != "" {
		q += " " + s.Stars
	}
	return q + " is:public"
}

// split splits a slice with too many results, nil if it cannot be split.
func (s searchSlice) split() []searchSlice {
	span := s.To.Sub(s.From)
	if span < 24*time.Hour && s.Stars == "" {
		var out []searchSlice
		for _, band := range starBands {
			part := s
			part.Stars = band
			out = append(out, part)
		}
		return out
	}
	if span < 2*time.Minute {
		return nil
	}
	a, b := s, s
	a.To = s.From.Add(span / 2).Truncate(time.Second)
	if span > 48*time.Hour {
		a.To = a.To.Truncate(24 * time.Hour).Add(-time.Second) // whole days
	}
	b.From = a.To.Add(time.Second)
	return []searchSlice{a, b}
}

// Discover implements the crawler's Source.
func (s *SearchSource) Discover(
	ctx context.Context, state []byte, yield func([]registry.Candidate, []byte) error,
) error {
	var st searchState
	if len(state) > 0 {
		if err := json.Unmarshal(state, &st); err != nil {
			st = searchState{} // of another version: start over
		}
	}
	now := s.github.opt.Now().UTC().Truncate(time.Second)
	if st.Run == nil || now.Sub(st.Run.Started) > resumeWithin {
		st.Run = s.plan(st, now)
	}
	failing := map[string]error{} // by query, since the last success
	for len(st.Run.Pending) > 0 {
		slice := st.Run.Pending[0]
		found, parts, err := s.read(ctx, slice)
		if err != nil {
			failing[slice.Query] = err
			if stops(err) || ctx.Err() != nil || len(failing) >= searchesDown {
				return err
			}
			s.github.opt.Log.Warn("a search failed", "query", slice.String(), "err", err)
			st.Run.postpone(slice, err)
			continue
		}
		clear(failing)
		for i := range parts {
			parts[i].Tries = 0
		}
		st.Run.Pending = append(parts, st.Run.Pending[1:]...)
		if err := save(yield, found, st); err != nil {
			return err
		}
	}
	started := st.Run.Started
	if st.Run.Full {
		st.LastFull = &started
	}
	failed := st.Run.Failed
	st.LastRun, st.Failed, st.Run = &started, failed, nil
	if err := save(yield, nil, st); err != nil || len(failed) == 0 {
		return err
	}
	return registry.Errorf(registry.ErrUnavailable,
		"%d GitHub searches failed and will be retried in the next run, such as %s", len(failed),
		failed[0])
}

// postpone moves the first slice, which failed, to the end, split if it may be too large. After
// searchTries it is left for the next run.
func (r *searchRun) postpone(slice searchSlice, cause error) {
	r.Pending = r.Pending[1:]
	slice.Tries++
	if slice.Tries >= searchTries {
		slice.Tries = 0
		r.Failed = append(r.Failed, slice)
		return
	}
	parts := []searchSlice{slice}
	if over, ok := errors.AsType[*overload](cause); ok && !over.silent {
		if cut := slice.split(); cut != nil {
			parts = cut
		}
	}
	r.Pending = append(r.Pending, parts...)
}

func save(
	yield func([]registry.Candidate, []byte) error, found []registry.Candidate, st any,
) error {
	raw, err := json.Marshal(st)
	if err != nil {
		return err
	}
	return yield(found, raw)
}

func (s *SearchSource) plan(st searchState, now time.Time) *searchRun {
	run := &searchRun{Started: now}
	run.Full = st.LastFull == nil || st.LastRun == nil || now.Sub(*st.LastFull) >= sweepEvery
	for _, q := range s.queries {
		if run.Full {
			run.Pending = append(run.Pending, searchSlice{Query: q, From: epoch, To: now})
			continue
		}
		// A day of overlap: the index lags.
		since := st.LastRun.Add(-24 * time.Hour)
		run.Pending = append(run.Pending,
			searchSlice{Query: q, From: since, To: now},
			searchSlice{Query: q + " pushed:>=" + since.Format(time.DateOnly), From: epoch,
				To: since.Add(-time.Second)})
	}
	if !run.Full {
		run.Pending = append(run.Pending, st.Failed...)
	}
	return run
}

// read returns the results of a slice, or the parts to split it into.
func (s *SearchSource) read(
	ctx context.Context, slice searchSlice,
) (found []registry.Candidate, parts []searchSlice, err error) {
	seen := map[int64]bool{}
	for try := 0; ; try++ {
		complete := true
		cursor, total := "", 0
		for page := 0; page < 10; page++ {
			p, err := s.page(ctx, slice.String(), cursor)
			if err != nil {
				return nil, nil, err
			}
			if page == 0 && p.total > maxSlice {
				if parts := slice.split(); parts != nil {
					return nil, parts, nil
				}
			}
			total = max(total, p.total)
			complete = complete && !p.incomplete
			for _, c := range p.found {
				if !seen[c.HostID] {
					seen[c.HostID] = true
					found = append(found, c)
				}
			}
			if cursor = p.next; cursor == "" {
				break
			}
		}
		if complete && len(seen) >= min(total, 1000) {
			return found, nil, nil
		}
		if try >= sliceRetries {
			s.github.opt.Log.Warn("search results are missing", "query", slice.String(), "seen",
				len(seen), "of", total)
			return found, nil, nil
		}
	}
}

type searchPage struct {
	total      int
	incomplete bool
	found      []registry.Candidate
	next       string
}

// page requests 100 results. Temporary failures are retried three times.
func (s *SearchSource) page(ctx context.Context, query, cursor string) (searchPage, error) {
	ctx = transport.WithMaxWait(ctx, max(s.github.opt.MaxWait, 65*time.Second))
	for try := 1; ; try++ {
		p, err := s.github.searchGraphQL(ctx, query, cursor)
		if err == nil || stops(err) || ctx.Err() != nil || try >= 4 {
			return p, err
		}
		if err := s.github.opt.Sleep(ctx, time.Duration(try*try)*500*time.Millisecond); err != nil {
			return p, err
		}
	}
}

const searchQuery = `query Discover($q: String!, $after: String) {
  rateLimit { cost remaining resetAt }
  search(type: REPOSITORY, query: $q, first: 100, after: $after) { repositoryCount pageInfo { hasNextPage endCursor }
    nodes { __typename ... on Repository { id databaseId nameWithOwner stargazerCount isPrivate } } } }
`

func (g *Client) searchGraphQL(ctx context.Context, query, cursor string) (searchPage, error) {
	vars := map[string]any{"q": query}
	if cursor != "" {
		vars["after"] = cursor
	}
	r, err := g.query(ctx, searchQuery, vars)
	if err != nil {
		return searchPage{}, err
	}
	var data struct {
		Search *struct {
			RepositoryCount int
			PageInfo        struct {
				HasNextPage bool
				EndCursor   string
			}
			Nodes []*struct {
				ID             string `json:"id"`
				DatabaseID     int64  `json:"databaseId"`
				NameWithOwner  string
				StargazerCount int
				IsPrivate      bool
			}
		}
	}
	if err := decode(r.Data, &data); err != nil {
		return searchPage{}, err
	}
	if data.Search == nil {
		return searchPage{}, &overload{why: "the response has no search results"}
	}
	p := searchPage{total: data.Search.RepositoryCount, incomplete: len(r.Errors) > 0}
	for _, n := range data.Search.Nodes {
		if n == nil || n.IsPrivate {
			continue
		}
		if c, ok := candidate(n.NameWithOwner, n.DatabaseID, n.ID, n.StargazerCount); ok {
			p.found = append(p.found, c)
		}
	}
	if data.Search.PageInfo.HasNextPage && data.Search.PageInfo.EndCursor != cursor {
		p.next = data.Search.PageInfo.EndCursor
	}
	return p, nil
}

func candidate(fullName string, id int64, nodeID string, stars int) (registry.Candidate, bool) {
	ref, err := registry.ParseRepoRef(fullName)
	if err != nil || ref.FullName() != fullName || id <= 0 {
		return registry.Candidate{}, false
	}
	return registry.Candidate{
		Ref: ref, HostID: id, NodeID: nodeID, Source: host.ID,
		Priority: min(max(0, stars), math.MaxInt32),
	}, true
}
