package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
)

const longestName = 256

type serverPage struct {
	frame
	record
	*extras
	BadgeURL   string // absolute, for the snippet
	PageURL    string
	BadgeWidth int
	Successor  *row // of one that should not be used any more, where its owners name a listed one
	Checked    bool // just now, because whoever looks has asked for it
}

const (
	// toolsShown is how many tools are shown with what is known of them.
	toolsShown = 40
	// toolText bounds what is said of the parameters of all of them, in bytes.
	toolText = 20 << 10
	// mostVariables is how many environment variables are shown.
	mostVariables = 60
)

// A shownTool is a tool as the page shows it.
type shownTool struct {
	tool
	Fields  []argument
	Omitted int // parameters that there is no room for
	Nothing bool
	Unknown bool // which parameters it takes
}

// ShownTools are the tools that are shown in full.
func (p serverPage) ShownTools() []shownTool {
	var shown []shownTool
	room := toolText
	for _, t := range p.Tools[:min(len(p.Tools), toolsShown)] {
		fields, known := fieldsOf(t.InputSchema)
		x := shownTool{tool: t, Nothing: known && len(fields) == 0, Unknown: !known && len(fields) == 0}
		size := 0
		for _, f := range fields {
			size += min(300, len(f.Description)) + len(f.Name) + len(f.Default) + 60
			for _, c := range f.Choices {
				size += min(60, len(c))
			}
		}
		if size > room {
			x.Omitted = len(fields)
		} else {
			x.Fields = fields
			room -= size
		}
		shown = append(shown, x)
	}
	return shown
}

// ShownVariables are the environment variables that are shown.
func (p serverPage) ShownVariables() []registry.Variable {
	return p.Variables[:min(len(p.Variables), mostVariables)]
}

// MoreVariables is how many there are besides.
func (p serverPage) MoreVariables() int { return max(0, len(p.Variables)-mostVariables) }

// MoreTools are the tools that are shown by name only.
func (p serverPage) MoreTools() []tool {
	return p.Tools[min(len(p.Tools), toolsShown):min(len(p.Tools), 20*toolsShown)]
}

// NoParameters says that of no tool it is known which parameters it takes.
func (r record) NoParameters() bool {
	return !slices.ContainsFunc(r.Tools, func(t tool) bool {
		fields, known := fieldsOf(t.InputSchema)
		return known || len(fields) > 0
	})
}

// DownloadsFrom are the downloads by the registries that count any, and those
// that the server has a package in, without a count where none is known.
func (p serverPage) DownloadsFrom() (from []registryCount) {
	for _, kind := range slices.Sorted(maps.Keys(p.DownloadsBreakdown)) {
		n := p.DownloadsBreakdown[kind]
		if n != nil || slices.ContainsFunc(p.Packages, func(x registry.Package) bool { return x.RegistryType == kind }) {
			from = append(from, registryCount{packageKind(kind), n})
		}
	}
	return from
}

// A registryCount is how often the packages of one registry were downloaded; nil
// is not known.
type registryCount struct {
	Of    string
	Count *int64
}

// packageKinds are the kinds of packages as people write them.
var packageKinds = map[string]string{"npm": "npm", "pypi": "PyPI", "oci": "container", "nuget": "NuGet", "cargo": "Cargo", "mcpb": "bundle", "go": "Go", "maven": "Maven"}

func packageKind(registryType string) string { return cmp.Or(packageKinds[registryType], registryType) }

// OwnSite is the home page, unless that is the repository's own page.
func (p serverPage) OwnSite() string {
	home, repo := strings.ToLower(strings.TrimSuffix(p.Homepage, "/")), strings.ToLower(p.Repository.URL)
	home, _, _ = strings.Cut(home, "#")
	if repo != "" && (home == repo || strings.HasPrefix(home, repo+"/") || home == repo+".git") {
		return ""
	}
	return p.Homepage
}

// OwnerPage is the address of all servers of the owner.
func (p serverPage) OwnerPage() string { return browse{Owner: p.Repository.Owner}.address(1) }

// TagLinks are the tags with the addresses of their lists.
func (p serverPage) TagLinks() (links []choice) {
	for _, t := range p.Tags {
		if _, err := parameter("tag", t); err == nil && t != "" {
			links = append(links, choice{Name: t, Address: browse{Tag: t}.address(1)})
		}
	}
	return links
}

// server answers GET /servers/{slug}. Old slugs and official names lead to
// the page by 308.
func (s *Site) server(ctx context.Context, c *gin.Context) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	name := c.Param("slug")
	i, err := find(v, name)
	if err != nil {
		return err
	}
	if i.Slug() != name {
		to := "/servers/" + i.Slug()
		if q := c.Request.URL.RawQuery; q != "" {
			to += "?" + q
		}
		c.Redirect(http.StatusPermanentRedirect, to)
		return nil
	}
	r, err := recordOf(i)
	if err != nil {
		return err
	}
	s.Counter.Event(meter.EventView, i.Slug(), c.Request)
	p := s.serverPage(r, s.extras(ctx, v, i, &r))
	p.Successor = p.successor(v)
	p.Checked = c.Request.URL.Query().Has("checked") && r.LastCrawledAt != nil && s.Now().Sub(*r.LastCrawledAt) < 10*time.Minute
	return s.show(c, http.StatusOK, "server", byContent, p)
}

func (s *Site) serverPage(r record, x *extras) serverPage {
	p := serverPage{frame: s.frame(r.Name, "servers"), record: r, extras: x}
	p.Description = r.Server.Description
	p.Canonical = "/servers/" + r.Slug
	p.Meta = s.softwareOf(&r)
	said := verdict{"unknown", ""}
	if r.Health.Score != nil {
		said = verdictFor(*r.Health.Score)
	}
	p.BadgeWidth = badgeWidth(s.Brand.BadgeLabel()) + badgeWidth(said.text)
	p.PageURL, p.BadgeURL = s.address(p.Canonical), s.BaseURL+"/badge/"+r.Slug+".svg"
	return p
}

// clicked answers POST /servers/{slug}/clicks, which the page sends when a
// visitor copies a configuration or follows a link that installs the server.
// What is not counted, for the client has clicked just now, is answered alike.
func (s *Site) clicked(_ context.Context, c *gin.Context) error {
	if err := s.ownPage(c); err != nil {
		return err
	}
	i, err := s.asked(c)
	if err != nil {
		return err
	}
	if s.clicks.first(httpd.ClientOf(c).Subject().ID, i.Slug(), s.Now()) {
		s.Counter.Event(meter.EventInstallClick, i.Slug(), c.Request)
	}
	c.Header("Cache-Control", "no-store")
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}

// asked returns the server that a request's path names.
func (s *Site) asked(c *gin.Context) (*catalog.Item, error) {
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	return find(v, c.Param("slug"))
}

// find returns the listed server of a slug, now or once, or of an official
// name.
func find(v *catalog.View, name string) (*catalog.Item, error) {
	missing := &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found", Msg: "There is no such server in the registry."}
	if len(name) > longestName {
		return nil, missing
	}
	i, gone := v.Find(name)
	if i == nil && !gone {
		i, gone = v.Find(strings.ToLower(name))
	}
	if gone {
		return nil, &registry.Error{Kind: registry.ErrGone, Code: "server_deleted", Msg: "The repository of this server " + v.WhyGone(name) + "."}
	}
	if i == nil {
		missing.Candidates = v.Similar(name, 5)
		return nil, missing
	}
	return i, nil
}
