package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// PublicMCPRegistry is the address of the official MCP registry.
const PublicMCPRegistry = "https://registry.modelcontextprotocol.io"

const (
	registryPage     = 100
	registryMaxPage  = 32 << 20
	registryMaxPages = 50_000 // of one walk; the registry had about 1,000 in 2026
	registryOverlap  = 10 * time.Minute
	registryWhole    = 7 * 24 * time.Hour // a whole walk finds what the others missed
	registryTries    = 6
)

// An MCPRegistry is the official MCP registry as a source of candidates.
//
// Its first walk reads every page, later ones only what changed since the
// last; once a week it walks through everything again. A server that is no
// longer listed is never taken for deleted: only the registry's own status
// says so.
type MCPRegistry struct {
	// Pace is the least time between two requests, Backoff the first wait
	// after a failed one, doubled each time.
	Pace    time.Duration
	Backoff time.Duration
	// LatestOnly asks for latest versions in whole walks, which takes a
	// quarter of the requests, and does not see servers of which the latest
	// version was deleted and an older one is left.
	LatestOnly bool
	Log        *slog.Logger

	c    *client
	pace pacer
}

// NewMCPRegistry returns the registry at o.Base, or the public one, with a
// pace of one request a second.
func NewMCPRegistry(o Options) (*MCPRegistry, error) {
	c, err := newClient("official-registry", PublicMCPRegistry, time.Minute, o, "/v0.1", "/v0")
	if err != nil {
		return nil, err
	}
	return &MCPRegistry{Pace: time.Second, Backoff: 2 * time.Second, Log: slog.Default(), c: c}, nil
}

// Name returns "official-registry".
func (m *MCPRegistry) Name() string { return "official-registry" }

// A walk is how far the registry has been read. It is the state of the source.
type walk struct {
	Version int `json:"v"` // of this form: 1

	// Of the walk under way; Cursor is "" between walks.
	Cursor  string     `json:"cursor,omitempty"`
	Since   *time.Time `json:"since,omitempty"` // updated_since of the walk; nil: all
	Started *time.Time `json:"started,omitempty"`
	Newest  *time.Time `json:"newest,omitempty"` // update seen in the walk
	Pages   int        `json:"pages,omitempty"`
	// Pending is the best version so far of the server whose versions a page
	// ended in the middle of.
	Pending *serverjson.Entry `json:"pending,omitempty"`

	// Of the walks that are done.
	Seen    *time.Time `json:"seen,omitempty"`    // everything updated before is known
	WholeAt *time.Time `json:"wholeAt,omitempty"` // start of the last whole walk
}

// Discover reads on from state and yields, page by page, one candidate for
// each server with the state from which a killed walk goes on. Listed is set
// on every candidate; those whose entry names no GitHub repository have an
// empty Ref and are to be stored as listings only.
func (m *MCPRegistry) Discover(ctx context.Context, state []byte, yield func([]registry.Candidate, []byte) error) error {
	w := walk{}
	if len(state) > 0 {
		if err := json.Unmarshal(state, &w); err != nil || w.Version != 1 {
			m.Log.Warn("the state of the official registry cannot be read; reading it from the start", "error", err)
			w = walk{}
		}
	}
	w.Version = 1
	resumed := w.Cursor != ""
	if !resumed {
		w.start(m.c.now())
	}
	malformed := 0
	for {
		page, err := m.page(ctx, &w)
		var f *Failure
		if resumed && errors.As(err, &f) && (f.Status == 400 || f.Status == 422) {
			// The registry no longer knows the cursor that a killed walk left.
			m.Log.Warn("the official registry refused an old cursor; starting this walk again", "status", f.Status)
			resumed = false
			w.Cursor, w.Pending, w.Pages = "", nil, 0
			w.start(m.c.now())
			continue
		}
		if err != nil {
			return err
		}
		resumed = false
		rows, bad := m.rows(page.Servers)
		malformed += bad
		next := cmp.Or(page.Metadata.NextCursor, page.Metadata.Next)
		if next != "" && next == w.Cursor {
			return &Failure{Source: m.c.source, Status: 200, Reason: "it gave the same cursor twice", RetryAt: m.c.now().Add(retryLater)}
		}
		if w.Pages++; w.Pages > registryMaxPages {
			return &Failure{Source: m.c.source, Status: 200, Reason: fmt.Sprintf("it did not end after %d pages", registryMaxPages), RetryAt: m.c.now().Add(retryLater)}
		}
		best := w.fold(rows, next == "")
		var candidates []registry.Candidate
		for _, r := range best {
			r, ok, err := m.settle(ctx, r, w.Since != nil)
			if err != nil {
				return err
			}
			if ok {
				candidates = append(candidates, m.candidate(r.Listing))
			}
		}
		pages := w.Pages
		w.Cursor = next
		if next == "" {
			w.finish(m.c.now())
		}
		raw, err := json.Marshal(w)
		if err != nil {
			return err
		}
		if err := yield(candidates, raw); err != nil {
			return err
		}
		if next == "" {
			m.Log.Info("read the official registry", "pages", pages, "malformed", malformed)
			return nil
		}
	}
}

// start begins a walk: a whole one if there was none in the last week.
func (w *walk) start(now time.Time) {
	w.Since, w.Newest, w.Pages = nil, nil, 0
	now = now.UTC()
	w.Started = &now
	if w.Seen != nil && w.WholeAt != nil && now.Sub(*w.WholeAt) < registryWhole && !w.WholeAt.After(now) {
		since := w.Seen.Add(-registryOverlap)
		w.Since = &since
	}
}

// finish notes what the walk has covered. What changed behind its back while
// it ran is newer than its start; the registry's clock counts where ours is
// ahead of it.
func (w *walk) finish(now time.Time) {
	seen := w.Newest
	if seen == nil || (w.Started != nil && w.Started.Before(*seen)) {
		seen = w.Started
	}
	if w.Since != nil && w.Newest == nil {
		seen = w.Seen // nothing changed
	}
	if seen != nil && (w.Since == nil || w.Seen == nil || seen.After(*w.Seen)) {
		w.Seen = seen
	}
	if w.Since == nil {
		w.WholeAt = w.Started
	}
	w.Cursor, w.Since, w.Started, w.Newest, w.Pages, w.Pending = "", nil, nil, nil, 0, nil
}

// fold reduces rows, which come sorted by name, to the best version of each
// server. The last server is held back for the next page, unless this is the
// last.
func (w *walk) fold(rows []serverjson.Entry, last bool) []serverjson.Entry {
	var out []serverjson.Entry
	for _, r := range rows {
		w.Newest = later(w.Newest, r.Listing.UpdatedAt)
		switch p := w.Pending; {
		case p == nil:
			w.Pending = &r
		case p.Listing.Name != r.Listing.Name:
			out = append(out, *p)
			w.Pending = &r
		case better(r, *p):
			w.Pending = &r
		}
	}
	if last && w.Pending != nil {
		out = append(out, *w.Pending)
		w.Pending = nil
	}
	return out
}

// better reports whether a rather than b is the version of a server to list.
func better(a, b serverjson.Entry) bool {
	if a.Latest != b.Latest {
		return a.Latest
	}
	if ad, bd := a.Listing.Status == "deleted", b.Listing.Status == "deleted"; ad != bd {
		return bd
	}
	if c := compareVersions("npm", a.Listing.Version, b.Listing.Version); c != 0 {
		return c > 0
	}
	return a.Listing.UpdatedAt != nil && (b.Listing.UpdatedAt == nil || a.Listing.UpdatedAt.After(*b.Listing.UpdatedAt))
}

// settle decides about a server's best row. In a walk over changes, an old
// version's change says nothing about the server, and behind a latest version
// that was deleted there may be another: the registry is asked for it.
func (m *MCPRegistry) settle(ctx context.Context, r serverjson.Entry, changes bool) (serverjson.Entry, bool, error) {
	if !changes {
		return r, true, nil
	}
	if r.Official && !r.Latest {
		return r, false, nil
	}
	if r.Listing.Status != "deleted" {
		return r, true, nil
	}
	var page listPage
	err := m.ask(ctx, "/v0.1/servers/"+escape(r.Listing.Name)+"/versions", nil, &page)
	if errors.Is(err, errNoEntry) {
		return r, true, nil
	}
	var f *Failure
	if errors.As(err, &f) && f.Status >= 400 && f.Status < 500 && f.Status != 429 {
		return r, true, nil // a registry without that part of the interface
	}
	if err != nil {
		return r, false, err
	}
	rows, _ := m.rows(page.Servers)
	var left *serverjson.Entry
	for _, v := range rows {
		if v.Listing.Name == r.Listing.Name && v.Listing.Status != "deleted" && (left == nil || better(v, *left)) {
			left = &v
		}
	}
	if left != nil {
		return *left, true, nil
	}
	return r, true, nil
}

// listPage is a page of the registry, of old and new form.
type listPage struct {
	Servers  []json.RawMessage `json:"servers"`
	Metadata struct {
		NextCursor string `json:"nextCursor"`
		Next       string `json:"next_cursor"`
	} `json:"metadata"`
}

func (m *MCPRegistry) page(ctx context.Context, w *walk) (listPage, error) {
	q := url.Values{"limit": {strconv.Itoa(registryPage)}}
	if w.Cursor != "" {
		q.Set("cursor", w.Cursor)
	}
	if w.Since == nil && m.LatestOnly {
		q.Set("version", "latest")
	}
	if w.Since != nil {
		q.Set("updated_since", w.Since.UTC().Format(time.RFC3339))
	}
	var page listPage
	err := m.ask(ctx, "/v0.1/servers", q, &page)
	if err == nil && page.Servers == nil {
		err = &Failure{Source: m.c.source, Status: 200, Reason: "its answer has no list of servers", RetryAt: m.c.now().Add(retryLater)}
	}
	if errors.Is(err, errNoEntry) {
		err = &Failure{Source: m.c.source, Status: 404, Reason: "it has no list of servers at this address", RetryAt: m.c.now().Add(retryLater)}
	}
	return page, err
}

// ask sends one request at the registry's pace, again after failures that may
// pass.
func (m *MCPRegistry) ask(ctx context.Context, path string, q url.Values, out any) error {
	wait := m.Backoff
	for try := 1; ; try++ {
		if err := m.pace.wait(ctx, m.Pace); err != nil {
			return err
		}
		err := m.c.get(ctx, path, q, registryMaxPage, out)
		var f *Failure
		if err == nil || !errors.As(err, &f) || !f.temporary() || try == registryTries || ctx.Err() != nil {
			return err
		}
		pause := wait/2 + rand.N(wait/2+1)
		if f.Status == 429 {
			if pause = f.RetryAt.Sub(m.c.now()); pause > 5*time.Minute {
				return err
			}
		}
		m.Log.Info("asking the official registry again", "try", try+1, "in", pause.Round(time.Millisecond).String(), "reason", f.Reason)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		wait *= 2
	}
}

// rows parses what it can and counts the rest.
func (m *MCPRegistry) rows(raws []json.RawMessage) (rows []serverjson.Entry, malformed int) {
	for _, raw := range raws {
		r, err := serverjson.ParseEntry(raw)
		if err != nil {
			malformed++
			m.Log.Warn("left out an entry of the official registry", "reason", err, "entry", untyped.Cut(string(raw[:min(len(raw), 120)]), 120))
			continue
		}
		r.Listing.ObservedAt = m.c.now().UTC()
		rows = append(rows, r)
	}
	return rows, malformed
}

func (m *MCPRegistry) candidate(l registry.Listing) registry.Candidate {
	c := registry.Candidate{Source: m.Name(), Listing: &l}
	ref, err := registry.ParseRepoRef(l.RepoURL)
	if err != nil {
		return c
	}
	c.Ref = ref
	// The official registry has IDs as text. Those of some hosts are not numbers.
	if id, err := strconv.ParseInt(strings.TrimSpace(l.RepoID), 10, 64); err == nil && id > 0 {
		c.HostID = id
	}
	return c
}

// later returns the later of two times that may be unknown.
func later(a, b *time.Time) *time.Time {
	if a == nil || (b != nil && b.After(*a)) {
		return b
	}
	return a
}
