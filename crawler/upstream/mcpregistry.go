package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/transport"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// PublicMCPRegistry is the URL of the official MCP registry.
const PublicMCPRegistry = "https://registry.modelcontextprotocol.io"

const (
	registryPage     = 100
	registryMaxBody  = 32 << 20
	registryMaxPages = 50_000 // of one walk; the registry had about 1,000 in 2026
	registryTries    = 6
	registryMaxWait  = 5 * time.Minute // for a limit, within a walk
	registryPatience = time.Minute     // after which a request without a usable response is not retried
)

// An MCPRegistry is the official MCP registry as a source of candidates.
//
// The first walk reads the latest versions of all servers, later ones only the changes since the
// last walk, and a weekly one everything again. A full walk misses servers whose latest version
// was deleted while an older one remains. A server that is no longer listed is not considered
// deleted: only the registry's status counts.
type MCPRegistry struct {
	// Backoff is the first wait after a failed request, doubled each time.
	Backoff time.Duration

	*service
	log *slog.Logger
}

// NewMCPRegistry returns the registry at o.Base, by default the public one, at one page a second.
func NewMCPRegistry(o Options) (*MCPRegistry, error) {
	s, err := newService(PublicMCPRegistry, []string{"/v0.1", "/v0"}, o, transport.Options{
		Upstream: "official-registry", Timeout: 30 * time.Second, MaxBody: registryMaxBody,
		Interval: time.Second, MaxWait: time.Minute,
	})
	if err != nil {
		return nil, err
	}
	return &MCPRegistry{Backoff: 2 * time.Second, service: s, log: cmp.Or(o.Log, slog.Default())},
		nil
}

// Name returns "official-registry".
func (m *MCPRegistry) Name() string { return m.name }

// Discover implements the crawler's Source. It yields one candidate for each server, page by
// page, with the state from which an interrupted walk continues. Listing is set on every
// candidate; those whose entry has no repository have an empty Ref and are stored as listings
// only.
func (m *MCPRegistry) Discover(
	ctx context.Context, state []byte, yield func([]registry.Candidate, []byte) error,
) error {
	w := m.restore(state)
	resumed := w.Cursor != ""
	if !resumed {
		w.start(m.now())
	}
	malformed := 0
	for {
		page, err := m.page(ctx, w)
		if e, ok := errors.AsType[*transport.ResponseError](err); resumed && ok &&
			(e.Status == 400 || e.Status == 422) {
			m.log.Warn("the official registry rejected an old cursor; restarting this walk",
				"status", e.Status)
			resumed = false
			w.Cursor, w.Pages = "", 0
			w.start(m.now())
			continue
		}
		if err != nil {
			return err
		}
		resumed = false
		next := cmp.Or(page.Metadata.NextCursor, page.Metadata.Next)
		if next != "" && next == w.Cursor {
			return m.unusable("response has the cursor of its request")
		}
		if w.Pages++; w.Pages > registryMaxPages {
			return m.unusable("list has more than %d pages", registryMaxPages)
		}
		entries, bad := m.entries(page.Servers)
		malformed += bad
		w.note(entries)
		candidates, err := m.candidates(ctx, entries)
		if err != nil {
			return err
		}
		pages := w.Pages
		w.Cursor = next
		if next == "" {
			w.finish()
		}
		raw, err := json.Marshal(w)
		if err != nil {
			return err
		}
		if err := yield(candidates, raw); err != nil {
			return err
		}
		if next == "" {
			m.log.Info("read the official registry", "pages", pages, "malformed", malformed)
			return nil
		}
	}
}

// restore decodes the state of the source.
func (m *MCPRegistry) restore(state []byte) *walk {
	w := new(walk)
	if len(state) > 0 {
		if err := json.Unmarshal(state, w); err != nil {
			m.log.Warn("the state of the official registry is invalid; reading it from the start",
				"err", err)
			w = new(walk)
		} else if w.Version != walkVersion {
			m.log.Info("the state of the official registry is of another version; reading it from the start")
			w = new(walk)
		}
	}
	w.Version = walkVersion
	return w
}

// Repository returns the repository of the latest version of a server. The error is of kind
// [registry.ErrNotFound] if there is no such server or its entry has no repository on a supported
// host.
func (m *MCPRegistry) Repository(ctx context.Context, name string) (registry.RepoRef, error) {
	var raw json.RawMessage
	err := m.get(ctx, "/v0.1/servers/"+escape(name)+"/versions/latest", nil, &raw)
	if err != nil {
		return registry.RepoRef{}, notFound(err, "The official registry has no server %s.", name)
	}
	e, err := serverjson.ParseEntry(raw)
	if err != nil {
		return registry.RepoRef{}, m.unusable("entry cannot be read")
	}
	c := m.candidate(e.Listing)
	if c.Ref.Name == "" {
		return registry.RepoRef{}, registry.Errorf(registry.ErrNotFound,
			"The official registry's entry %s has no repository on %s.", name, registry.HostNames())
	}
	if dir := strings.Trim(e.Listing.Subfolder, "./"); dir != "" && c.Ref.Path == "" {
		c.Ref.Path = "HEAD/" + dir
	}
	return c.Ref, nil
}

// candidates returns the candidates of servers. It ignores changes of old versions.
func (m *MCPRegistry) candidates(
	ctx context.Context, entries []serverjson.Entry,
) ([]registry.Candidate, error) {
	var out []registry.Candidate
	for _, e := range entries {
		if e.Official && !e.Latest {
			continue
		}
		e, err := m.undeleted(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, m.candidate(e.Listing))
	}
	return out, nil
}

// undeleted returns e, or the best remaining version of the server if e is deleted.
func (m *MCPRegistry) undeleted(ctx context.Context, e serverjson.Entry) (serverjson.Entry, error) {
	if e.Listing.Status != "deleted" {
		return e, nil
	}
	var page listPage
	err := m.request(ctx, "/v0.1/servers/"+escape(e.Listing.Name)+"/versions", nil, &page)
	if refused, ok := errors.AsType[*transport.ResponseError](err); errors.Is(err, errNoEntry) ||
		ok && refused.Status >= 400 && refused.Status < 500 {
		return e, nil // a registry without that endpoint
	}
	if err != nil {
		return e, err
	}
	versions, _ := m.entries(page.Servers)
	best := e
	for _, v := range versions {
		if v.Listing.Name != e.Listing.Name || v.Listing.Status == "deleted" {
			continue
		}
		if best.Listing.Status == "deleted" || better(v, best) {
			best = v
		}
	}
	return best, nil
}

// listPage is a page of the registry, of any generation.
type listPage struct {
	Servers  []json.RawMessage `json:"servers"`
	Metadata struct {
		NextCursor string `json:"nextCursor"`
		Next       string `json:"next_cursor"`
	} `json:"metadata"`
}

// page requests the next page of a walk.
func (m *MCPRegistry) page(ctx context.Context, w *walk) (listPage, error) {
	q := url.Values{"limit": {strconv.Itoa(registryPage)}}
	if w.Cursor != "" {
		q.Set("cursor", w.Cursor)
	}
	if w.Since == nil {
		q.Set("version", "latest")
	} else {
		q.Set("updated_since", w.Since.UTC().Format(time.RFC3339))
	}
	var page listPage
	err := m.request(ctx, "/v0.1/servers", q, &page)
	if err == nil && page.Servers == nil {
		err = m.unusable("response has no list of servers")
	}
	if errors.Is(err, errNoEntry) {
		err = m.unusable("no list of servers at this address")
	}
	return page, err
}

// request sends a request and retries temporary failures.
func (m *MCPRegistry) request(ctx context.Context, path string, q url.Values, out any) error {
	wait, start := m.Backoff, m.now()
	for try := 1; ; try++ {
		err := m.get(ctx, path, q, out)
		if err == nil || !transport.Temporary(err) || try == registryTries || ctx.Err() != nil {
			return err
		}
		pause := wait/2 + rand.N(wait/2+1)
		if limit, ok := errors.AsType[*transport.LimitError](err); ok {
			if pause = limit.Until.Sub(m.now()); pause > registryMaxWait {
				return err
			}
		} else if m.now().Sub(start) >= registryPatience {
			return err
		}
		m.log.Info("retrying a request to the official registry",
			"try", try+1, "in", pause.Round(time.Millisecond).String(), "reason",
			transport.Reason(err))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		wait *= 2
	}
}

// entries parses valid entries and counts the others.
func (m *MCPRegistry) entries(raws []json.RawMessage) (entries []serverjson.Entry, malformed int) {
	for _, raw := range raws {
		e, err := serverjson.ParseEntry(raw)
		if err != nil {
			malformed++
			m.log.Warn("skipped an entry of the official registry",
				"reason", err, "entry", untyped.Cut(string(raw[:min(len(raw), 120)]), 120))
			continue
		}
		settings.Clean(&e.Listing)
		e.Listing.ObservedAt = m.now().UTC()
		entries = append(entries, e)
	}
	return entries, malformed
}

func (m *MCPRegistry) candidate(l registry.Listing) registry.Candidate {
	c := registry.Candidate{Source: m.Name(), Listing: &l}
	ref, err := registry.ParseRepoRef(l.RepoURL)
	if err != nil {
		return c
	}
	c.Ref = ref
	// IDs are text in the registry. Those of some hosts are not numbers.
	if id, err := strconv.ParseInt(strings.TrimSpace(l.RepoID), 10, 64); err == nil && id > 0 {
		c.HostID = id
	}
	return c
}
