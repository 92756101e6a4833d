package subregistry

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/install"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

const viewPath = "/r/:view"

// A view is a named part of the registry: the best servers of a query that are not
// [registry.Server.Harmful].
type view struct {
	name, title, description string
	query                    query.Query
	max                      int
	// has reports whether a server may be in the view. Nil: all may.
	has func(*registry.Server) bool
	// version changes with the definition of a saved view.
	version string
}

// SavedViews returns the custom endpoints of accounts as views.
type SavedViews interface {
	// SavedView returns the query of a custom endpoint by its token, and a version that
	// changes with it. The error is of kind registry.ErrNotFound if there is none.
	SavedView(ctx context.Context, token string) (name string, q query.Query, version string, err error)
}

const (
	maxView  = 2_000  // servers of a view
	maxAll   = 10_000 // ToolHive reads no more
	maxOCI   = 150    // ToolHive reads one server a request at first, for ten seconds
	savedFor = 2 * time.Second
)

// startable reports whether clients can start or reach a server without more than its
// entry: they cannot install crates.
func startable(s *registry.Server) bool {
	p, _ := install.Published(s)
	return len(p.Remotes) > 0 ||
		slices.ContainsFunc(p.Packages, func(p registry.Package) bool { return p.RegistryType != "cargo" })
}

var byRecommended = []query.Order{{Field: query.Recommended, Desc: true}}

func filtered(filters ...query.Filter) query.Query {
	return query.Query{Filters: filters, Sort: byRecommended}
}

// views are the built-in views.
var views = []*view{
	{name: "all", title: "All servers", max: maxAll, query: filtered(),
		description: "The best 10,000 servers."},
	{name: "healthy", title: "Healthy servers", max: maxView,
		description: "Active servers with a health score of 80 or more.",
		query: filtered(query.AtLeast("qualityScore", 80),
			query.Equal("status", registry.StatusActive)), has: startable},
	{name: "verified", title: "Linked servers", max: maxView, has: startable,
		description: "Servers whose package or registry entry and repository name each other. " +
			"They are not reviewed.",
		query: filtered(query.Equal("verified", true))},
	{name: "official", title: "Official servers", max: maxView, has: startable,
		description: "Servers that the vendor of the product publishes.",
		query:       filtered(query.Equal("official", true))},
	{name: "remote", title: "Hosted servers", max: maxView,
		description: "Servers with an endpoint that their owner runs.",
		query:       filtered(query.Equal("type", query.TypeRemote)),
		has: func(s *registry.Server) bool {
			p, _ := install.Published(s)
			return len(p.Remotes) > 0
		}},
	{name: "oci", title: "Servers with a container image", max: maxOCI,
		description: "The best 150 active servers with a container image, for clients that run only those.",
		query:       filtered(query.Equal("registryType", "oci"), query.Equal("status", registry.StatusActive)),
		has: func(s *registry.Server) bool {
			p, _ := install.Published(s)
			return slices.ContainsFunc(p.Packages, func(p registry.Package) bool { return p.RegistryType == "oci" })
		}},
}

// A scope is what a request lists: all servers of a version of the data, or a view of them.
type scope struct {
	v       *catalog.View
	view    *view  // nil for all
	path    string // of the list, which cursors are of
	key     string // of caches: the same servers
	entries catalog.Entries
	filters []query.Filter
	// fixed reports that URL and version of the data determine the servers.
	fixed bool
}

func (s *scope) has(i *catalog.Item) bool { return s.view == nil || s.entries.Has(i) }

var tokenForm = regexp.MustCompile(`^[a-z0-9]{16,64}$`)

func (a *API) scope(ctx context.Context, v *catalog.View, c *gin.Context) (*scope, error) {
	name := c.Param("view")
	if name == "" {
		return &scope{v: v, path: "/v0.1/servers", key: v.Tag(), entries: v.Entries(), fixed: true}, nil
	}
	w, fixed, err := a.view(ctx, name)
	if err != nil {
		return nil, err
	}
	if !fixed { // whose token may be revoked
		c.Header("Cache-Control", api.PrivateCache)
	}
	s := &scope{
		v: v, view: w, path: "/r/" + name + "/v0.1/servers", filters: w.query.Filters, fixed: fixed,
		key: v.Tag() + " " + name + " " + w.version,
	}
	s.entries, err = a.parts.GetContext(ctx, s.key, a.API.Now(),
		func(ctx context.Context) (catalog.Entries, time.Duration, error) {
			e, err := a.members(ctx, v, w)
			return e, time.Hour, err
		})
	if err == nil {
		a.remember(ctx, s)
	}
	return s, err
}

// view returns a view by its name or token. fixed is false for those of accounts, which stay in use
// while the database is unavailable.
func (a *API) view(ctx context.Context, name string) (w *view, fixed bool, err error) {
	for _, w := range views {
		if w.name == name {
			return w, true, nil
		}
	}
	none := registry.Errorf(registry.ErrNotFound, "There is no such view.")
	if !tokenForm.MatchString(name) {
		return nil, false, none
	}
	w, err = a.saved.GetContext(ctx, name, a.API.Now(), func(ctx context.Context) (*view, time.Duration, error) {
		title, q, version, err := a.Saved.SavedView(ctx, name)
		if err != nil {
			if old, ok := a.saved.Peek(name); ok && !errors.Is(err, registry.ErrNotFound) {
				return old, 0, nil
			}
			return nil, 0, err
		}
		return &view{name: name, title: title, query: q, version: version, max: maxView,
			description: "A custom endpoint of an account."}, savedFor, nil
	})
	return w, false, err
}

func (a *API) members(ctx context.Context, v *catalog.View, w *view) (catalog.Entries, error) {
	var items []*catalog.Item
	matches, err := api.Match(ctx, a.API.Search, w.query.Text)
	if err != nil {
		return catalog.Entries{}, err
	}
	all := v.Query(w.query, matches.Slugs)
	for n := 0; n < all.Total() && len(items) < w.max; n++ {
		i := all.At(n)
		if _, ok := i.Entry(); !ok || i.Harmful() {
			continue
		}
		if w.has != nil {
			s, err := i.Record()
			if err != nil {
				return catalog.Entries{}, err
			}
			if !w.has(s) {
				continue
			}
		}
		items = append(items, i)
	}
	return catalog.EntriesOf(items), nil
}

func (a *API) registerViews(get func(path string, h httpd.Handler)) {
	get("/r", a.listViews)
	get(viewPath+"/servers", a.API.Cached(a.servers))
	get(viewPath+"/servers.json", a.file(a.documents))
	get(viewPath+"/registry.json", a.file(a.responses))
	get(viewPath+"/managed-settings.json", a.file(a.managed))
	get(viewPath+"/openapi.yaml", a.openapi)
}

// file returns a handler for a file that is made of all servers of a view.
func (a *API) file(build func(*scope) (any, error)) httpd.Handler {
	return func(ctx context.Context, c *gin.Context) error {
		v, err := a.API.View()
		if err != nil {
			return err
		}
		s, err := a.scope(ctx, v, c)
		if err != nil {
			return err
		}
		return a.respond(c, api.NewKey(s.key, c.FullPath()), func() (any, error) { return build(s) })
	}
}

func (a *API) responses(s *scope) (any, error) {
	body := listBody{Servers: []json.RawMessage{}, Metadata: metadata{Count: s.entries.Len()}}
	for n := range s.entries.Len() {
		raw, err := a.record(s, s.entries.At(n))
		if err != nil {
			return nil, err
		}
		body.Servers = append(body.Servers, raw)
	}
	return body, nil
}

// An allowed is an entry of allowedMcpServers: one of the two.
type allowed struct {
	URL     string   `json:"serverUrl,omitempty"`
	Command []string `json:"serverCommand,omitempty"`
}

// managed returns managed settings that allow the servers: the commands and addresses that
// configurations of package install have.
func (a *API) managed(s *scope) (any, error) {
	out := struct {
		Allowed []allowed `json:"allowedMcpServers"`
	}{[]allowed{}}
	for n := range s.entries.Len() {
		server, err := s.entries.At(n).Record()
		if err != nil {
			return nil, err
		}
		for _, w := range install.Allowances(server) {
			out.Allowed = append(out.Allowed, allowed{w.URL, w.Command})
		}
	}
	return out, nil
}

func (a *API) listViews(_ context.Context, c *gin.Context) error {
	type one struct {
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
		URL         string `json:"url"`
		Max         int    `json:"max"`
	}
	body := struct {
		Views []one `json:"views"`
	}{}
	for _, w := range views {
		body.Views = append(body.Views, one{w.name, w.title, w.description, a.API.BaseURL + "/r/" + w.name, w.max})
	}
	return a.send(c, func() (any, error) { return body, nil })
}

func (a *API) openapi(ctx context.Context, c *gin.Context) error {
	w, _, err := a.view(ctx, c.Param("view"))
	if err != nil {
		return err
	}
	body, err := a.API.PartOfDocument("/v0.1/servers", a.API.BaseURL+"/r/"+w.name, w.title)
	if err != nil {
		return err
	}
	httpd.Write(c, httpd.Response{
		Status: http.StatusOK, Type: "application/yaml; charset=utf-8", Tag: httpd.TagOf(body),
		Cache: responseCache, Body: body, Zipped: httpd.Zip(body),
	})
	return nil
}
