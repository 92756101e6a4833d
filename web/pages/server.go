package pages

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
	"mcpcensus/web/feeds"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

type serverPage struct {
	site.Frame
	record.Record
	*details
	Tab        string // one of ServerTabs
	ToolQuery  string // what the shown tools contain
	BadgeURL   string // absolute, for the snippet
	PageURL    string
	BadgeWidth int
	Original   *registry.Server // of a copy or look-alike, if it is listed
	Successor  *registry.Server // of a deprecated server, if its owners name a listed one
	Checked    bool             // just now, on demand
}

// ServerTabs are the pages of a server, the last elements of their paths. The first is at the
// server's own address.
var ServerTabs = []string{"", "tools", "health", "versions", "readme"}

// tabTitles are the beginnings of the titles of the other tabs.
var tabTitles = map[string]string{"tools": "Tools of ", "health": "Health of ",
	"versions": "Versions of ", "readme": "README of "}

const (
	minFiltered   = 10       // tools that can be filtered
	maxTools      = 40       // shown with a description
	maxToolFields = 20 << 10 // bytes of the texts of parameters of all tools together
	maxVariables  = 60       // shown
	openVariables = 3        // not folded, if others are not required
	checkedFor    = 10 * time.Minute
)

// ToolGroups are the tools that contain ToolQuery.
func (p serverPage) ToolGroups() []record.ToolGroup {
	return p.Record.ToolGroups(p.ToolQuery, maxTools, maxToolFields)
}

// ManyTools reports whether the tools can be filtered.
func (p serverPage) ManyTools() bool { return len(p.Tools) >= minFiltered }

// HasVersions reports whether the tab of versions has content.
func (p serverPage) HasVersions() bool {
	return len(p.Published)+len(p.Releases)+len(p.Revisions) > 0 || p.NoToolHistory
}

func (p serverPage) SourceCount() int {
	names := map[string]bool{}
	for _, o := range p.Origins {
		names[o.Source] = true
	}
	return len(names)
}

// ReadmeBeginning is the beginning of the README. Links to its headings lead to the whole README.
func (p serverPage) ReadmeBeginning() template.HTML {
	return template.HTML(strings.ReplaceAll(string(p.Readme.Beginning), `href="#`,
		`href="/servers/`+p.Slug+`/readme#`))
}

// InsteadOf is the listed server to use instead, nil if none is known.
func (p serverPage) InsteadOf(w record.Warning) *registry.Server {
	switch {
	case w.Instead == nil:
		return nil
	case w.Kind == "copy" || w.Kind == "look-alike":
		return p.Original
	}
	return p.Successor
}

// ShownVariables are the environment variables that are shown, required ones first.
func (p serverPage) ShownVariables() []registry.Variable {
	all := slices.Clone(p.Variables[:min(len(p.Variables), maxVariables)])
	slices.SortStableFunc(all, func(a, b registry.Variable) int {
		switch {
		case a.IsRequired == b.IsRequired:
			return 0
		case a.IsRequired:
			return -1
		}
		return 1
	})
	return all
}

// OpenVariables is the number of the shown variables that are not folded.
func (p serverPage) OpenVariables() int {
	required := 0
	for _, v := range p.Variables {
		if v.IsRequired {
			required++
		}
	}
	if n := max(required, openVariables); n < min(len(p.Variables), maxVariables)-1 {
		return n
	}
	return min(len(p.Variables), maxVariables)
}

// MoreVariables is the number of the others.
func (p serverPage) MoreVariables() int { return max(0, len(p.Variables)-maxVariables) }

// OwnSite is the home page, "" if that is the repository's own page.
func (p serverPage) OwnSite() string {
	home, repo := strings.ToLower(strings.TrimSuffix(p.Homepage, "/")), strings.ToLower(p.Repo.URL())
	home, _, _ = strings.Cut(home, "#")
	if repo != "" && (home == repo || strings.HasPrefix(home, repo+"/") || home == repo+".git") {
		return ""
	}
	return p.Homepage
}

// OwnerPage is the address of the owner's servers.
func (p serverPage) OwnerPage() string { return browse.Request{Owner: p.Repo.Owner}.URL(1) }

// OwnerFeed is the address of the feed of the owner's servers, "" for nested
// groups, whose names cannot be part of a path.
func (p serverPage) OwnerFeed() string {
	if p.Repo.Owner == "" || !browse.InPath(p.Repo.Owner) {
		return ""
	}
	return site.Feed{Owner: strings.ToLower(p.Repo.Owner)}.Path()
}

// TagLinks are the tags with the addresses of their lists.
func (p serverPage) TagLinks() (links []choice) {
	for _, t := range p.Tags {
		if _, err := browse.Parameter("tag", t); err == nil && t != "" {
			links = append(links, choice{Name: t, Address: browse.Request{Tag: t}.URL(1)})
		}
	}
	return links
}

// Server responds to GET /servers/{slug} and to the paths of its tabs. Former slugs and names of
// the official registry redirect to the page.
func (p *Pages) Server(ctx context.Context, c *gin.Context, v *catalog.View) error {
	name := c.Param("slug")
	i, err := record.Find(v, name)
	if err != nil {
		return err
	}
	tab := strings.TrimPrefix(strings.TrimPrefix(c.FullPath(), "/servers/:slug"), "/")
	if i.Slug() != name {
		to := tabPath(i.Slug(), tab)
		if q := c.Request.URL.RawQuery; q != "" {
			to += "?" + q
		}
		c.Redirect(http.StatusPermanentRedirect, to)
		return nil
	}
	r, err := record.Of(i)
	if err != nil {
		return err
	}
	if tab == "" {
		p.Counter.Event(meter.EventView, i.Slug(), c.Request)
	}
	page := p.serverPage(v, r, p.detailsOf(ctx, v, i, r), tab)
	page.ToolQuery = format.Clip(strings.TrimSpace(c.Query("q")), maxTyped)
	page.Checked = c.Request.URL.Query().Has("checked") && r.LastCrawledAt != nil &&
		p.Now().Sub(*r.LastCrawledAt) < checkedFor
	return p.Show(c, http.StatusOK, "server", site.ByContent, page)
}

// tabPath is the path of a tab of a server's page.
func tabPath(slug, tab string) string {
	return strings.TrimSuffix("/servers/"+slug+"/"+tab, "/")
}

// ServerFiles returns the pages of a listed server by their paths: the tabs as HTML, and the whole
// page as Markdown.
func (p *Pages) ServerFiles(
	v *catalog.View, i *catalog.Item, data ServerData,
) (files map[string][]byte, err error) {
	r, err := record.Of(i)
	if err != nil {
		return nil, err
	}
	d := newDetails(v, i, r, data)
	files = map[string][]byte{}
	for _, tab := range ServerTabs {
		page := p.serverPage(v, r, d, tab)
		if files[page.Canonical], err = p.Render("server", "layout", page); err != nil {
			return nil, err
		}
	}
	files["/servers/"+r.Slug+".md"], err = p.markdown(r, d)
	return files, err
}

func (p *Pages) serverPage(v *catalog.View, r record.Record, d *details, tab string) serverPage {
	title := r.PageTitle()
	if tab != "" {
		title = tabTitles[tab] + r.Label()
	}
	page := serverPage{Frame: p.NewFrame(title, "servers"), Record: r, details: d, Tab: tab}
	page.Frame.Description = r.Description
	if r.Copy != nil {
		if original, _ := v.Find(r.Copy.Of); original != nil {
			page.Original = record.Row(original)
		}
	}
	page.Successor = page.successor(v)
	page.Canonical = tabPath(r.Slug, tab)
	page.Meta = feeds.MetaOf(p.Site, r)
	if tab != "" {
		page.Meta.Data = nil
	}
	page.BadgeWidth = feeds.BadgeFor(p.Site, r.Health.Score).Width()
	page.PageURL, page.BadgeURL = p.Address("/servers/"+r.Slug), p.BaseURL+"/badge/"+r.Slug+".svg"
	return page
}

// successor returns the active server at SuccessorURL, nil if none is listed.
func (p serverPage) successor(v *catalog.View) *registry.Server {
	if p.SuccessorURL == "" {
		return nil
	}
	ref, err := registry.ParseRepoRef(p.SuccessorURL)
	if err != nil {
		return nil
	}
	items := v.InRepo(ref.Key())
	isIt := func(i *catalog.Item) bool { return i.Slug() != p.Slug }
	if strings.EqualFold(ref.Owner, p.Repo.Owner) && strings.EqualFold(ref.Name, p.Repo.Name) {
		folder := ref.Folder(p.Repo.DefaultBranch)
		isIt = func(i *catalog.Item) bool { return folder != "" && i.Summary().Subfolder == folder }
	}
	if at := slices.IndexFunc(items, isIt); at >= 0 {
		if s := record.Row(items[at]); s.Status == registry.StatusActive {
			return s
		}
	}
	return nil
}

// An image is a picture of a README; body is nil if there is none.
type image struct {
	body []byte
	kind string
}

const (
	maxImages  = 128 // cached
	imageTTL   = 24 * time.Hour
	noImageTTL = time.Hour
)

// picture responds to GET /servers/{slug}/pictures/{picture}: a picture that the README of the server
// names.
func (p *Pages) picture(ctx context.Context, c *gin.Context, v *catalog.View) error {
	i, err := record.Find(v, c.Param("slug"))
	if err != nil {
		return err
	}
	r, err := record.Of(i)
	if err != nil {
		return err
	}
	address := ""
	if d := p.detailsOf(ctx, v, i, r); d.Readme != nil {
		address = d.Readme.Pictures[c.Param("picture")]
	}
	if address == "" || p.Picture == nil {
		return registry.Errorf(registry.ErrNotFound, "The README has no such picture.")
	}
	found, err := p.images.Get(address, p.Now(), func() (image, time.Duration, error) {
		body, kind, err := p.Picture(context.WithoutCancel(ctx), address)
		if errors.Is(err, registry.ErrNotFound) || errors.Is(err, registry.ErrInvalid) {
			return image{}, noImageTTL, nil
		}
		return image{body, kind}, imageTTL, err
	})
	if err != nil {
		return registry.Wrap(registry.ErrUnavailable, err, "The picture is unavailable right now.")
	}
	if found.body == nil {
		return registry.Errorf(registry.ErrNotFound, "The picture cannot be shown.")
	}
	httpd.Write(c, httpd.Response{Type: found.kind, Tag: httpd.TagOf(found.body),
		Cache: "public, max-age=86400", Body: found.body})
	return nil
}
