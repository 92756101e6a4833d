package census

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DiscoverParams are the parameters of [Client.Discover] and [Client.DiscoverTools].
// Zero values are omitted.
type DiscoverParams struct {
	Category Category `json:"category,omitempty"`
	Search   string   `json:"search,omitempty"`
	Official *bool    `json:"official,omitempty"`
	// MinScore is the minimum health score. Servers without a score are excluded.
	MinScore *float64 `json:"minScore,omitempty"`
	Limit    int      `json:"limit,omitempty"` // 1 to 100
	Offset   int      `json:"offset,omitempty"`
	Sort     string   `json:"sort,omitempty"` // qualityScore, stars, downloads
	// Cursor continues after a page. Only Limit may be set with it.
	Cursor string `json:"cursor,omitempty"`
	// Level is "server" or "tool", for DiscoverTools.
	Level string `json:"level,omitempty"`
}

func (p DiscoverParams) query() url.Values {
	return values("category", p.Category, "search", p.Search, "official", p.Official,
		"minScore", p.MinScore, "limit", p.Limit, "offset", p.Offset, "sort", p.Sort,
		"cursor", p.Cursor)
}

// Discover returns a page of matching servers, best first.
func (c *Client) Discover(ctx context.Context, p DiscoverParams, options ...CallOption) (*ServerPage, error) {
	return get[ServerPage](ctx, c, "/api/discover", p.query(), options)
}

// DiscoverAll iterates over all matching servers.
func (c *Client) DiscoverAll(
	ctx context.Context,
	p DiscoverParams,
	options ...CallOption,
) iter.Seq2[Server, error] {
	return all(p, func(p *DiscoverParams) (*int, *string) { return &p.Limit, &p.Cursor },
		func(p DiscoverParams) (*ServerPage, error) { return c.Discover(ctx, p, options...) },
		serversOf)
}

// DiscoverTools is Discover with entries in the format of MCP's tools/list: one per server, or per
// tool with Level "tool".
func (c *Client) DiscoverTools(
	ctx context.Context,
	p DiscoverParams,
	options ...CallOption,
) (*ToolPage, error) {
	q := p.query()
	q.Set("format", "mcp")
	if p.Level != "" {
		q.Set("level", p.Level)
	}
	return get[ToolPage](ctx, c, "/api/discover", q, options)
}

// DiscoverToolsAll iterates over all entries of DiscoverTools.
func (c *Client) DiscoverToolsAll(
	ctx context.Context, p DiscoverParams, options ...CallOption,
) iter.Seq2[ToolEntry, error] {
	return all(p, func(p *DiscoverParams) (*int, *string) { return &p.Limit, &p.Cursor },
		func(p DiscoverParams) (*ToolPage, error) { return c.DiscoverTools(ctx, p, options...) },
		func(page *ToolPage) ([]ToolEntry, *string) { return page.Tools, page.Pagination.NextCursor })
}

// HealthParams are the parameters of [Client.Health]: one of GithubURL and Server.
type HealthParams struct {
	GithubURL string `json:"githubUrl,omitempty"` // in any usual form, or owner/name
	Server    string `json:"server,omitempty"`    // slug, or name in the official registry
	// NoWait returns a PendingError instead of waiting for a slow check.
	NoWait bool `json:"-"`
}

// Health returns the health report of a server or repository. A repository that is not listed is
// checked first; Health waits for the check until ctx is done.
func (c *Client) Health(ctx context.Context, p HealthParams, options ...CallOption) (*Health, error) {
	cl := call{
		method: http.MethodGet, path: "/api/health",
		query: values("server", p.Server, "githubUrl", p.GithubURL),
	}
	for {
		health, err := c.health(ctx, cl, options)
		pending, ok := err.(*PendingError)
		if !ok || p.NoWait || pending.CheckID == "" {
			return health, err
		}
		if sleep(ctx, pending.RetryAfter) != nil {
			return nil, &ConnectionError{cl.method, cl.path, context.Cause(ctx)}
		}
		cl = call{method: http.MethodGet, path: pathOf("api", "checks", pending.CheckID)}
	}
}

// Check returns the result of a check, or a PendingError while it is running.
func (c *Client) Check(ctx context.Context, id string, options ...CallOption) (*Health, error) {
	return c.health(ctx, call{method: http.MethodGet, path: pathOf("api", "checks", id)}, options)
}

func (c *Client) health(ctx context.Context, cl call, options []CallOption) (*Health, error) {
	r, err := c.do(ctx, cl, options)
	if err != nil {
		return nil, err
	}
	if r.StatusCode != http.StatusAccepted {
		return decode[Health](r)
	}
	p, err := decode[Pending](r)
	if err != nil {
		return nil, err
	}
	wait, ok := retryAfter(r.Header, time.Now())
	if !ok {
		wait = 2 * time.Second
	}
	return nil, &PendingError{
		CheckID: checkID(p.StatusURL), GithubURL: p.GithubURL, StatusURL: p.StatusURL,
		RetryAfter: min(max(wait, 500*time.Millisecond), maxWait),
	}
}

// checkID returns the last segment of a status URL. Only that is used: the key is never sent to a
// URL from a response.
func checkID(statusURL string) string {
	u, err := url.Parse(statusURL)
	if err != nil {
		return ""
	}
	escaped := u.EscapedPath()
	id, err := url.PathUnescape(escaped[strings.LastIndexByte(escaped, '/')+1:])
	if err != nil {
		return ""
	}
	return id
}

// A DirectoryService lists the whole directory.
type DirectoryService struct{ c *Client }

// DirectoryParams are the parameters of [DirectoryService.List]. Zero values are omitted.
type DirectoryParams struct {
	Category Category `json:"category,omitempty"`
	Search   string   `json:"search,omitempty"`
	Official *bool    `json:"official,omitempty"`
	Limit    int      `json:"limit,omitempty"` // 1 to 100
	Offset   int      `json:"offset,omitempty"`
	// Sort is qualityScore, recommended, stars, downloads, name, updated or created.
	Sort string `json:"sort,omitempty"`
	// Cursor continues after a page. Only Limit may be set with it.
	Cursor string `json:"cursor,omitempty"`
}

// List returns a page of the listed servers.
func (s *DirectoryService) List(
	ctx context.Context, p DirectoryParams, options ...CallOption,
) (*ServerPage, error) {
	return get[ServerPage](ctx, s.c, "/api/servers", values("category", p.Category, "search", p.Search,
		"official", p.Official, "limit", p.Limit, "offset", p.Offset, "sort", p.Sort,
		"cursor", p.Cursor), options)
}

// All iterates over all matching servers.
func (s *DirectoryService) All(
	ctx context.Context, p DirectoryParams, options ...CallOption,
) iter.Seq2[Server, error] {
	return all(p, func(p *DirectoryParams) (*int, *string) { return &p.Limit, &p.Cursor },
		func(p DirectoryParams) (*ServerPage, error) { return s.List(ctx, p, options...) },
		serversOf)
}

// Categories returns the categories with the number of servers in each.
func (s *DirectoryService) Categories(ctx context.Context, options ...CallOption) (*Categories, error) {
	return get[Categories](ctx, s.c, "/api/categories", nil, options)
}

// ToolChanges returns the changes to the tools of a server, newest first.
// id is its slug or its name in the official registry.
func (s *DirectoryService) ToolChanges(
	ctx context.Context, id string, options ...CallOption,
) (*ToolChanges, error) {
	return get[ToolChanges](ctx, s.c, pathOf("api", "servers", id, "tools", "changes"), nil, options)
}
