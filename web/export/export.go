// Package export writes the whole directory as files that any web server can
// serve: the pages, with links relative to each other, a search index for the
// browser, feeds, site map, badges, and the JSON of lists, records and health
// reports.
package export

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/folder"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
	"mcpcensus/web/feeds"
	"mcpcensus/web/pages"
	"mcpcensus/web/site"
)

// Options configure an export.
type Options struct {
	Documents
	Dir      string
	Workers  int             // 0: as many as there are processors
	Version  string          // of the program: files of another version are rendered again
	Start    func(total int) // is called with the number of steps
	Progress func()          // is called after each step, concurrently
}

// Documents encode servers as the JSON API does.
type Documents interface {
	// DetailFile returns a record, HealthFile a health report. link returns the
	// links to paths of the site.
	DetailFile(s *registry.Server, link func(path string) string) ([]byte, error)
	HealthFile(s *registry.Server, link func(path string) string) ([]byte, error)
	// ServersFile returns a page of the directory; next links the next page, "" for
	// none.
	ServersFile(servers []*registry.Server, offset, limit, total int, next string,
		link func(path string) string) ([]byte, error)
}

// A Source renders what is exported.
type Source struct {
	Site    *site.Site
	Pages   *pages.Pages
	Feeds   *feeds.Feeds
	Handler http.Handler // of the whole site
}

// An exporter writes one version of the data.
type exporter struct {
	Documents
	Source
	*Data
	site   *site.Site
	folder *folder.Folder
	names  map[string]bool // of exported files, except those of each server
	done   func()          // is called after each step
}

// Write exports data with a source for it. Owners and tags with at least two
// servers have their own lists. An interrupted export continues if the data is
// the same. Otherwise all files are rendered again, and unchanged files are not
// written.
func Write(ctx context.Context, s Source, d *Data, o Options) (folder.Report, error) {
	e := &exporter{Documents: o.Documents, Source: s, Data: d, site: s.Site,
		names: map[string]bool{}, done: o.Progress}
	run := folder.Digest(d.View.Tag(), e.site.Version(), o.Version, e.site.BaseURL,
		e.site.Options.Notice,
		strconv.FormatBool(e.site.Pictures), strings.Join(slices.Sorted(maps.Keys(d.avatars.stored)), " "),
		d.Time.Format(time.RFC3339))
	var err error
	if e.folder, err = folder.Open(o.Dir, run); err != nil {
		return folder.Report{}, err
	}
	defer e.folder.Close()
	jobs, steps := e.jobs()
	o.Start(steps)
	group, work := errgroup.WithContext(ctx)
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	group.SetLimit(o.Workers)
	for _, job := range jobs {
		if work.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := work.Err(); err != nil {
				return err
			}
			return job(work)
		})
	}
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return folder.Report{}, err
	}
	// The fixed pages are last, so that their links work while an export runs.
	for _, path := range feeds.FixedPages {
		if err := e.page(ctx, path); err != nil {
			return folder.Report{}, err
		}
	}
	for _, path := range statsFiles() {
		if err := e.plain(ctx, path); err != nil {
			return folder.Report{}, err
		}
	}
	return e.folder.Finish(ctx)
}

const (
	// batch is the number of servers that one job writes. Their figures are
	// loaded at once.
	batch = 32
	// jsonPage is the number of servers in a file of the directory as JSON, the
	// maximum page size of /api/servers.
	jsonPage = 100
)

// statsFiles are the paths of the files of statistics.
func statsFiles() []string {
	files := []string{"/stats.json", "/stats.csv"}
	for _, group := range pages.CSVGroups {
		files = append(files, "/stats/"+group+".csv")
	}
	return files
}

// jobs returns jobs that can run in any order, and their number of steps. It fills in e.names.
func (e *exporter) jobs() (all []func(context.Context) error, steps int) {
	name := func(paths ...string) {
		for _, path := range paths {
			e.names[site.FileOf(path)] = true
		}
	}
	name(feeds.FixedPages...)
	name(statsFiles()...)
	name("/robots.txt", "/llms.txt", "/sitemap.xml")
	for asset := range e.site.Assets() {
		name("/static/" + asset)
	}
	add := func(f func(context.Context) error) {
		steps++
		all = append(all, func(ctx context.Context) error {
			err := f(ctx)
			e.done()
			return err
		})
	}
	plain := func(path string) {
		name(path)
		add(func(ctx context.Context) error { return e.plain(ctx, path) })
	}
	list := func(path string, pages int) {
		for page := 1; page <= pages; page++ {
			at := path
			if page > 1 {
				at += "?page=" + strconv.Itoa(page)
			}
			name(at)
			if at != "/servers" { // which is one of the fixed pages
				add(func(ctx context.Context) error { return e.page(ctx, at) })
			}
		}
	}
	total := e.View.Len()
	list("/servers", pagesOf(total))
	plain("/feed.atom")
	for _, c := range registry.Categories {
		list("/categories/"+c, pagesOf(e.View.List(c, catalog.ByQuality, -1).Total()))
		plain(site.Feed{Category: c}.Path())
	}
	several := func(servers []*catalog.Item) bool { return len(servers) >= feeds.MinServers }
	const maxPages = browse.MaxReachable / browse.PageSize // of the results of a search
	for _, owner := range feeds.Frequent(e.search.owners, several) {
		list("/owners/"+url.PathEscape(owner), min(maxPages, pagesOf(len(e.search.owners[owner]))))
		plain(site.Feed{Owner: owner}.Path())
	}
	for _, tag := range feeds.Frequent(e.search.tags, several) {
		list("/tags/"+url.PathEscape(tag), min(maxPages, pagesOf(len(e.search.tags[tag]))))
	}
	name("/api/servers")
	for page := range max(1, (total+jsonPage-1)/jsonPage) {
		add(func(context.Context) error { return e.jsonList(page) })
	}
	for from := 0; from < total; from += batch {
		all = append(all, func(ctx context.Context) error {
			return e.servers(ctx, from, min(from+batch, total))
		})
	}
	for _, path := range slices.Sorted(maps.Keys(e.avatars.owners)) {
		name(path)
		add(func(ctx context.Context) error { return e.avatar(ctx, path) })
	}
	add(e.once)
	add(e.searchIndex)
	return all, steps + total
}

func pagesOf(servers int) int { return max(1, (servers+browse.PageSize-1)/browse.PageSize) }

// servers writes the files of servers from an index to another, exclusive, in
// the order of quality.
func (e *exporter) servers(ctx context.Context, from, to int) error {
	l := e.View.List("", catalog.ByQuality, -1)
	var slugs []string
	for n := from; n < to; n++ {
		if slug := l.At(n).Slug(); !e.hasPages(slug) {
			slugs = append(slugs, slug)
		}
	}
	data, err := e.load(ctx, slugs)
	if err != nil {
		return err
	}
	for n := from; n < to; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.server(l.At(n), data[l.At(n).Slug()]); err != nil {
			return err
		}
		e.done()
	}
	return nil
}

func (e *exporter) server(i *catalog.Item, data pages.ServerData) error {
	if err := e.serverPages(i, data); err != nil {
		return err
	}
	s, err := i.Record()
	if err != nil {
		return err
	}
	if err := e.recordFiles(s); err != nil {
		return err
	}
	slug, badge := i.Slug(), e.Feeds.BadgeOf(i)
	for name, body := range map[string][]byte{
		"badge/" + slug + ".svg":  badge.SVG(),
		"badge/" + slug + ".json": badge.JSON(),
	} {
		if err := e.folder.Put(name, body); err != nil {
			return err
		}
	}
	picture := "social/" + slug + ".png"
	if !e.site.Pictures || e.folder.Done(picture) {
		return nil
	}
	body, err := e.Feeds.Picture(i)
	if err != nil {
		return err
	}
	return e.folder.Put(picture, body)
}

// hasPages reports whether this export wrote the pages of a server before it was interrupted.
func (e *exporter) hasPages(slug string) bool {
	return !slices.ContainsFunc(append(tabFiles(), ".html", ".md"),
		func(ending string) bool { return !e.folder.Done("servers/" + slug + ending) })
}

func (e *exporter) serverPages(i *catalog.Item, data pages.ServerData) error {
	if e.hasPages(i.Slug()) {
		return nil
	}
	files, err := e.Pages.ServerFiles(e.View, i, data)
	if err != nil {
		return err
	}
	for path, body := range files {
		name := site.FileOf(path)
		if strings.HasSuffix(name, ".html") {
			body = e.rewrite(body, name)
		}
		if err := e.folder.Put(name, body); err != nil {
			return err
		}
	}
	return nil
}

// once writes the assets and the other files that exist once.
func (e *exporter) once(ctx context.Context) error {
	files := map[string][]byte{
		// GitHub Pages would otherwise leave out files whose names begin with "_".
		".nojekyll": nil,
	}
	for name, a := range e.site.Assets() {
		files["static/"+name] = a.Body
	}
	var err error
	if files["static/find-"+e.site.Version()+".js"],
		err = fs.ReadFile(e.site.Files, "static/find.js"); err != nil {
		return err
	}
	var changed []time.Time
	places := slices.DeleteFunc(e.Feeds.Places(e.View),
		func(p feeds.Place) bool { return !e.has(site.FileOf(p.Path)) })
	for part := range slices.Chunk(places, feeds.PartSize) {
		changed = append(changed, feeds.LastChange(part))
		files[fmt.Sprintf("sitemaps/%d.xml", len(changed))] = e.Feeds.SitemapPart(part)
	}
	files["sitemap.xml"] = e.Feeds.SitemapIndex(changed)
	missing, status, err := e.get(ctx, "/this-page-does-not-exist")
	if err != nil || status != http.StatusNotFound {
		return fmt.Errorf("the page for missing addresses: %d %w", status, err)
	}
	files["404.html"] = e.rewrite(missing, "404.html")
	for name, body := range files {
		if err := e.folder.Put(name, body); err != nil {
			return err
		}
	}
	for _, path := range []string{"/robots.txt", "/llms.txt"} {
		if err := e.plain(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// get returns the site's response to a request for an address.
func (e *exporter) get(ctx context.Context, path string) (body []byte, status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, 0, err
	}
	r.RequestURI = path
	w := httptest.NewRecorder()
	e.Handler.ServeHTTP(w, r)
	return w.Body.Bytes(), w.Code, ctx.Err()
}

// page writes a page, unless this export wrote it before it was interrupted.
func (e *exporter) page(ctx context.Context, path string) error {
	return e.file(ctx, path, e.rewrite)
}

// plain is page for content other than HTML.
func (e *exporter) plain(ctx context.Context, path string) error {
	return e.file(ctx, path, func(body []byte, _ string) []byte { return body })
}

func (e *exporter) file(
	ctx context.Context, path string, change func(body []byte, name string) []byte,
) error {
	name := site.FileOf(path)
	if e.folder.Done(name) {
		return nil
	}
	body, status, err := e.get(ctx, path)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return registry.Errorf(registry.ErrUnavailable, "%s cannot be written: its status is %d",
			path, status)
	}
	return e.folder.Put(name, change(body, name))
}

func (e *exporter) has(name string) bool {
	dir, file, _ := strings.Cut(name, "/")
	switch {
	case e.names[name]:
		return true
	case dir == "social" && !e.site.Pictures:
		return false
	case dir == "servers" || dir == "badge" || dir == "social":
		for _, ending := range serverFiles[dir] {
			if slug, ok := strings.CutSuffix(file, ending); ok {
				i, _ := e.View.Find(slug)
				return i != nil && i.Slug() == slug
			}
		}
	}
	return false
}

// serverFiles are the endings of the files of a server by their folder.
var serverFiles = map[string][]string{
	"servers": append(tabFiles(), ".html", ".md", ".health.json", ".json"), "badge": {".svg", ".json"},
	"social": {".png"},
}

func tabFiles() (all []string) {
	for _, tab := range pages.ServerTabs[1:] {
		all = append(all, "/"+tab+".html")
	}
	return all
}
