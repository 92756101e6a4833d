// Package pages has the pages of the directory: the home page, lists, servers,
// comparisons, statistics, checks, and the forms of readers.
package pages

import (
	"context"
	"sync"
	"text/template"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/cache"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web/site"
)

// A Searcher returns the servers that a text matches.
type Searcher interface {
	Match(ctx context.Context, text string) (query.Matches, error)
}

// A Checker checks repositories on demand. It returns within about a second; a
// longer check is pending, with its progress. It calls begin before
// it starts a new check, and returns its error.
type Checker interface {
	Follow(ctx context.Context, ref registry.RepoRef, begin func() error) (registry.CheckResult,
		error)
	// Recheck is Follow for a listed repository, which it checks again.
	Recheck(ctx context.Context, ref registry.RepoRef, begin func() error) (registry.CheckResult,
		error)
}

// Figures returns data of pages that is not in the catalog; postgres.DB describes the methods.
type Figures interface {
	History(ctx context.Context, slug string, from, to time.Time) ([]registry.DayStats, error)
	Readme(ctx context.Context, slug string) (registry.Readme, error)
	Published(ctx context.Context, slugs []string) (map[string]registry.Published, error)
	ToolLists(ctx context.Context, slug string, limit int) ([]registry.ToolList, error)
	Growth(ctx context.Context, since time.Time) ([]registry.DayGrowth, error)
}

// Reports stores what readers report, as postgres.DB does.
type Reports interface {
	AddReport(ctx context.Context, r registry.Report) error
}

// Enqueue queues repositories for crawling, and returns how many are new.
type Enqueue func(ctx context.Context, candidates []registry.Candidate, now time.Time) (added int,
	err error)

// Picture returns a picture that a README names as PNG or JPEG, and its media type. The error is of
// kind ErrNotFound or ErrInvalid if repeating the call is useless.
type Picture func(ctx context.Context, address string) (body []byte, kind string, err error)

// Options configure Pages.
type Options struct {
	Search Searcher // nil: searches are unavailable
	// Among returns the slugs of the servers among which filters without a text
	// are evaluated. nil: all servers.
	Among   func([]query.Filter) []string
	Checker Checker // nil: only listed repositories can be checked
	Figures Figures
	Reports Reports              // nil: problems cannot be reported
	Enqueue Enqueue              // nil: servers cannot be added
	Picture Picture              // nil: pictures of READMEs are links
	Offer   func() account.Offer // of plans
}

// Pages responds to requests for pages. It is safe for concurrent use.
type Pages struct {
	*site.Site
	Options
	documents map[string]httpd.Handler
	// markdownTemplate returns the template of server.md.
	markdownTemplate func() (*template.Template, error)

	details *cache.Cache[*details]
	clicks  *deduplicator
	finds   *deduplicator
	images  *cache.Cache[image]

	census *cache.Cache[*census]
	growth site.Background[[]registry.DayGrowth]
}

func New(s *site.Site, o Options) *Pages {
	p := &Pages{
		Site: s, Options: o, markdownTemplate: sync.OnceValues(func() (*template.Template, error) {
			return template.New("").Funcs(markdownFunctions).ParseFS(s.Files, "templates/server.md")
		}),
		details: cache.New[*details](maxDetails), census: cache.New[*census](1),
		clicks: newOnce(clientClicks), finds: newOnce(clientFinds),
		images: cache.New[image](maxImages),
	}
	p.documents = p.documentHandlers()
	return p
}

// Register adds the pages to r, except for [Pages.Server] and [Pages.Markdown].
func (p *Pages) Register(r gin.IRoutes) {
	for path, h := range map[string]httpd.Handler{
		"/":                                p.Viewed(p.home),
		"/servers":                         p.Viewed(p.list),
		"/categories":                      p.Viewed(p.categories),
		"/tags":                            p.Viewed(p.tags),
		"/owners":                          p.Viewed(p.owners),
		"/categories/:category":            p.Viewed(p.list),
		"/tags/:tag":                       p.Viewed(p.list),
		"/owners/:owner":                   p.Viewed(p.list),
		"/servers/:slug/check":             p.recheckProgress,
		"/servers/:slug/report":            p.reportForm,
		"/servers/:slug/pictures/:picture": p.Viewed(p.picture),
		"/compare":                         p.Viewed(p.compare),
		"/stats":                           p.Viewed(p.stats),
		"/stats.json":                      p.Viewed(p.statsJSON),
		"/stats.csv":                       p.Viewed(p.statsCSV),
		"/stats/:file":                     p.Viewed(p.statsCSV),
		"/pricing":                         p.pricing,
		"/about":                           p.about,
		"/docs/mcp":                        p.mcp,
		"/check":                           p.Viewed(p.check),
		"/add":                             p.addForm,
		"/lint":                            p.lintForm,
	} {
		p.Get(r, path, h)
	}
	for path, h := range p.documents {
		p.Get(r, path, h)
	}
	for path, h := range map[string]httpd.Handler{
		"/servers/:slug/check":  p.recheck,
		"/servers/:slug/clicks": p.click,
		"/servers/:slug/report": p.report,
		"/add":                  p.Viewed(p.add),
		"/lint":                 p.lint,
	} {
		p.Post(r, path, h)
	}
}
