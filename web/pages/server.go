package pages

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/browse"
	"mcpcensus/web/feeds"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

type serverPage struct {
	site.Frame
	record.Record
	*details
	BadgeURL   string // absolute, for the snippet
	PageURL    string
	BadgeWidth int
	Original   *registry.Server // of a copy or look-alike, if it is listed
	Successor  *registry.Server // of a deprecated server, if its owners name a listed one
	Checked    bool             // just now, on demand
}

const (
	maxTools      = 40       // shown with a description
	maxToolFields = 20 << 10 // bytes of the texts of parameters of all tools together
	maxVariables  = 60       // shown
	checkedFor    = 10 * time.Minute
)

// ShownTools are the tools that are shown in full.
func (p serverPage) ShownTools() []record.Tool { return p.ToolsWithFields(maxTools, maxToolFields) }

// MoreTools are the names of the tools of which only the name is shown.
func (p serverPage) MoreTools() (names []string) {
	for _, t := range p.Tools[min(len(p.Tools), maxTools):min(len(p.Tools), 20*maxTools)] {
		names = append(names, text.OneLine(t.Name))
	}
	return names
}

// ShownVariables are the environment variables that are shown.
func (p serverPage) ShownVariables() []registry.Variable {
	return p.Variables[:min(len(p.Variables), maxVariables)]
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

// Server responds to GET /servers/{slug}. Former slugs and names of the
// official registry redirect to the page.
func (p *Pages) Server(ctx context.Context, c *gin.Context, v *catalog.View) error {
	name := c.Param("slug")
	i, err := record.Find(v, name)
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
	r, err := record.Of(i)
	if err != nil {
		return err
	}
	p.Counter.Event(meter.EventView, i.Slug(), c.Request)
	page := p.serverPage(v, r, p.detailsOf(ctx, v, i, r))
	page.Successor = page.successor(v)
	page.Checked = c.Request.URL.Query().Has("checked") && r.LastCrawledAt != nil &&
		p.Now().Sub(*r.LastCrawledAt) < checkedFor
	return p.Show(c, http.StatusOK, "server", site.ByContent, page)
}

// ServerFiles returns the page of a listed server as HTML and as Markdown.
func (p *Pages) ServerFiles(
	v *catalog.View, i *catalog.Item, data ServerData,
) (page, markdown []byte, err error) {
	r, err := record.Of(i)
	if err != nil {
		return nil, nil, err
	}
	d := newDetails(v, i, r, data, p.Now())
	if page, err = p.Render("server", "layout", p.serverPage(v, r, d)); err != nil {
		return nil, nil, err
	}
	markdown, err = p.markdown(r, d)
	return page, markdown, err
}

func (p *Pages) serverPage(v *catalog.View, r record.Record, d *details) serverPage {
	page := serverPage{Frame: p.NewFrame(r.PageTitle(), "servers"), Record: r, details: d}
	page.Frame.Description = r.Description
	if r.Copy != nil {
		if original, _ := v.Find(r.Copy.Of); original != nil {
			page.Original = record.Row(original)
		}
	}
	page.Canonical = "/servers/" + r.Slug
	page.Meta = feeds.MetaOf(p.Site, r)
	page.BadgeWidth = feeds.BadgeFor(p.Site, r.Health.Score).Width()
	page.PageURL, page.BadgeURL = p.Address(page.Canonical), p.BaseURL+"/badge/"+r.Slug+".svg"
	return page
}

// successor returns the active server at SuccessorURL, nil if none is listed.
func (p serverPage) successor(v *catalog.View) *registry.Server {
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
