package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/export"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// jsonPage is how many servers a file of the directory as JSON has: as many as
// /api/servers gives at most.
const jsonPage = 100

// ExportOptions say where and how the directory is written.
type ExportOptions struct {
	Dir      string
	Workers  int             // 0: as many as there are processors
	Version  string          // of the program: files of another version are made again
	Start    func(total int) // told how many steps there are; nil: nobody looks
	Progress func()          // told of each that is done, by several goroutines
}

// An exporter writes one version of the data as files.
type exporter struct {
	site    *Site
	view    *catalog.View
	folder  *export.Folder
	figures *knownFigures // nil: none
	handler http.Handler
	search  *ownerSearch
	lists   map[string]int // pages of each list, by its path
	done    func()         // called after each step
	buffers sync.Pool      // of *buffers
}

// buffers are what the page of a server is made in.
type buffers struct{ page, file bytes.Buffer }

// Export writes the whole directory as files that need nothing but a server
// of files: the pages that this Site renders, which must be Static, with links
// relative to each other, a search index for the browser, feeds, site map,
// badges, and the JSON of lists, records and health reports. Owners and tags
// have lists of their own if at least two servers have them. A run that is
// stopped goes on where it was, as long as the data stay the same; otherwise
// everything is rendered again, and what did not change is not written.
func (s *Site) Export(ctx context.Context, o ExportOptions) (export.Report, error) {
	if !s.Static {
		panic("web: only a static site can be exported")
	}
	v, err := s.view()
	if err != nil {
		return export.Report{}, err
	}
	e := &exporter{site: s, view: v, lists: map[string]int{}, buffers: sync.Pool{New: func() any { return new(buffers) }}}
	now := dataTime(v, s.Now())
	s.Now = func() time.Time { return now } // the same data are the same files whenever they are written
	e.search = newOwnerSearch(v)
	s.Search = e.search
	s.machine.feeds.byOwner = e.search.owners
	if s.News != nil {
		if s.News, err = askForNews(ctx, s.News, v, now); err != nil {
			return export.Report{}, err
		}
	}
	if s.Figures != nil {
		e.figures = &knownFigures{from: s.Figures, to: now, days: map[string][]registry.DayStats{}, readmes: map[string]registry.Readme{}, of: map[string]registry.Published{}}
		if err := e.figures.ask(ctx, now); err != nil {
			return export.Report{}, err
		}
		s.Figures = e.figures
		s.trends.climbs.value, s.trends.climbs.at = e.figures.climbs, now
		s.trends.growth.value, s.trends.growth.at = e.figures.growth, now
	}
	engine := httpd.NewEngine(httpd.Config{Missing: s.Missing})
	s.Register(engine)
	e.handler = engine
	run := export.Digest(v.Tag(), s.version, o.Version, s.BaseURL, s.Options.Notice, strconv.FormatBool(s.Pictures), now.Format(time.RFC3339))
	if e.folder, err = export.Open(o.Dir, run); err != nil {
		return export.Report{}, err
	}
	defer e.folder.Close()

	if e.done = o.Progress; e.done == nil {
		e.done = func() {}
	}
	jobs, steps := e.jobs()
	if o.Start != nil {
		o.Start(steps)
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	group, work := errgroup.WithContext(ctx)
	next := atomic.Int64{}
	for range workers {
		group.Go(func() error {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(jobs) {
					return nil
				}
				if err := work.Err(); err != nil {
					return err
				}
				if err := jobs[n](work); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			return export.Report{}, ctx.Err()
		}
		return export.Report{}, err
	}
	for _, path := range s.fixed() {
		if err := e.page(ctx, path); err != nil {
			return export.Report{}, err
		}
	}
	for _, name := range []string{"stats.json", "stats.csv"} {
		if s.pages["stats"] == nil {
			break
		}
		if err := e.plain(ctx, "/"+name); err != nil {
			return export.Report{}, err
		}
	}
	for _, group := range csvGroups {
		if err := e.plain(ctx, "/stats/"+group+".csv"); err != nil {
			return export.Report{}, err
		}
	}
	return e.folder.Finish(ctx)
}

// dataTime is when the newest of the data were seen, now at most.
func dataTime(v *catalog.View, now time.Time) time.Time {
	var newest time.Time
	l := v.List("", catalog.ByQuality, -1)
	for n := range l.Total() {
		for _, t := range []time.Time{l.At(n).CrawledAt(), l.At(n).UpdatedAt()} {
			if t.After(newest) {
				newest = t
			}
		}
	}
	if newest.IsZero() || newest.After(now) {
		newest = now
	}
	return newest.UTC().Truncate(time.Second)
}

// serversAtOnce is how many servers are written by one job, which asks for
// their figures in one go.
const serversAtOnce = 32

// jobs are what can be written in any order, and how many steps they take.
func (e *exporter) jobs() (all []func(context.Context) error, steps int) {
	add := func(f func(context.Context) error) {
		steps++
		all = append(all, func(ctx context.Context) error {
			err := f(ctx)
			e.done()
			return err
		})
	}
	total := e.view.Len()
	list := func(path string, servers int) {
		pages := max(1, (servers+pageSize-1)/pageSize)
		if strings.HasPrefix(path, "/owners/") || strings.HasPrefix(path, "/tags/") {
			pages = min(pages, reachable/pageSize) // those come from a search
		}
		e.lists[path] = pages
		for page := 1; page <= pages; page++ {
			if at := path; page > 1 || path != "/servers" { // the first of all is among the fixed ones
				if page > 1 {
					at += "?page=" + strconv.Itoa(page)
				}
				add(func(ctx context.Context) error { return e.page(ctx, at) })
			}
		}
	}
	list("/servers", total)
	add(func(ctx context.Context) error { return e.plain(ctx, "/feed.atom") })
	for _, c := range registry.Categories {
		list("/categories/"+c, e.view.List(c, catalog.ByQuality, -1).Total())
		add(func(ctx context.Context) error { return e.plain(ctx, feedScope{Category: c}.path()) })
	}
	for _, owner := range several(e.search.owners) {
		list("/owners/"+url.PathEscape(owner), len(e.search.owners[owner]))
		add(func(ctx context.Context) error { return e.plain(ctx, feedScope{Owner: owner}.path()) })
	}
	for _, tag := range several(e.search.tags) {
		list("/tags/"+url.PathEscape(tag), len(e.search.tags[tag]))
	}
	for page := range max(1, (total+jsonPage-1)/jsonPage) {
		add(func(context.Context) error { return e.jsonList(page) })
	}
	steps += total
	for from := 0; from < total; from += serversAtOnce {
		all = append(all, func(ctx context.Context) error { return e.servers(ctx, from, min(from+serversAtOnce, total)) })
	}
	add(e.rest)
	add(e.searchIndex)
	return all, steps
}

// servers writes the files of servers from to to, exclusive, best first.
func (e *exporter) servers(ctx context.Context, from, to int) error {
	l := e.view.List("", catalog.ByQuality, -1)
	if e.figures != nil {
		var slugs []string
		for n := from; n < to; n++ {
			if slug := l.At(n).Slug(); !e.folder.Done("servers/" + slug + ".html") {
				slugs = append(slugs, slug)
			}
		}
		if len(slugs) > 0 {
			if err := e.figures.learn(ctx, slugs); err != nil {
				return err
			}
			defer e.figures.forget(slugs)
		}
	}
	for n := from; n < to; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.server(ctx, l.At(n)); err != nil {
			return err
		}
		e.done()
	}
	return nil
}

// several returns the names that stand for more than one server and can be
// part of a path, sorted.
func several(of map[string][]*catalog.Item) []string {
	var all []string
	for name, items := range of {
		if len(items) >= ownAtLeast && inPath(name) && name != "" && len(name) <= longest {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// server writes all files of one server.
func (e *exporter) server(ctx context.Context, i *catalog.Item) error {
	page, twin := "servers/"+i.Slug()+".html", "servers/"+i.Slug()+".md"
	if made, twinMade := e.folder.Done(page), e.folder.Done(twin); !made || !twinMade {
		r, err := recordOf(i)
		if err != nil {
			return err
		}
		if !made {
			x, whole := e.site.makeExtras(ctx, e.view, i, &r)
			if !whole {
				return registry.Errorf(registry.ErrUnavailable, "%s cannot be written: not all of it is known", page)
			}
			b := e.buffers.Get().(*buffers)
			defer e.buffers.Put(b)
			b.page.Reset()
			b.file.Reset()
			err := e.site.renderTo(&b.page, "server", "layout", e.site.serverPage(r, x))
			if err == nil {
				e.rewriteTo(&b.file, b.page.Bytes(), page)
				err = e.folder.Put(page, b.file.Bytes())
			}
			if err != nil {
				return err
			}
		}
		if !twinMade {
			if err := e.folder.Put(twin, []byte(e.site.markdownOf(&r))); err != nil {
				return err
			}
		}
	}
	links := staticLinks(i.Slug())
	if err := e.folder.Put("servers/"+i.Slug()+".json", []byte(links.Replace(string(i.AppendDetail(nil)))+"\n")); err != nil {
		return err
	}
	if err := e.folder.Put("servers/"+i.Slug()+".health.json", []byte(links.Replace(string(i.AppendHealth(nil)))+"\n")); err != nil {
		return err
	}
	label, said := e.site.Brand.BadgeLabel(), verdictOf(i)
	if err := e.folder.Put("badge/"+i.Slug()+".svg", badgeSVG(label, said)); err != nil {
		return err
	}
	if err := e.folder.Put("badge/"+i.Slug()+".json", badgeJSON(label, said)); err != nil {
		return err
	}
	if !e.site.Pictures || e.folder.Done("social/"+i.Slug()+".png") {
		return nil
	}
	card, err := e.site.cardOf(i)
	if err != nil {
		return err
	}
	body, err := card.draw()
	if err != nil {
		return err
	}
	return e.folder.Put("social/"+i.Slug()+".png", body)
}

// staticLinks puts the addresses of files, seen from the folder servers, in
// the place of those that the API has for a server. A string of JSON that is such an
// address in full is one of ours: quotation marks inside texts are escaped.
func staticLinks(slug string) *strings.Replacer {
	return strings.NewReplacer(
		`"/v1/servers/`+slug+`"`, `"`+slug+`.json"`,
		`"/servers/`+slug+`"`, `"`+slug+`.html"`,
		`"/servers/`+slug+`#history"`, `"`+slug+`.html#history"`,
		`"/api/health?server=`+slug+`"`, `"`+slug+`.health.json"`,
		`"/badge/`+slug+`.svg"`, `"../badge/`+slug+`.svg"`,
		`"/v1/servers/`+slug+`/analytics"`, `null`,
		`"/docs/scoring#`, `"../docs/scoring.html#`,
	)
}

var listLink = regexp.MustCompile(`"links":\{"self":"/v1/servers/([a-z0-9-]+)","html":"/servers/[a-z0-9-]+","health":"/api/health\?server=[a-z0-9-]+","badge":"/badge/[a-z0-9-]+\.svg"\}`)

// jsonList writes a page of the directory as JSON, as /api/servers has it but
// for the cursor, which a file does not understand: "next" names the next file.
func (e *exporter) jsonList(page int) error {
	l := e.view.List("", catalog.ByQuality, -1)
	from := page * jsonPage
	to := min(from+jsonPage, l.Total())
	b := l.AppendBasics([]byte(`{"servers":[`), from, to)
	b = listLink.ReplaceAll(b, []byte(`"links":{"self":"../../servers/$1.json","html":"../../servers/$1.html","health":"../../servers/$1.health.json","badge":"../../badge/$1.svg"}`))
	b = fmt.Appendf(b, `],"pagination":{"total":%d,"limit":%d,"offset":%d,`, l.Total(), jsonPage, from)
	if to < l.Total() {
		b = fmt.Appendf(b, `"hasMore":true,"nextOffset":%d,"nextCursor":null,"next":"%d.json"}}`, to, page+2)
	} else {
		b = append(b, `"hasMore":false,"nextOffset":null,"nextCursor":null,"next":null}}`...)
	}
	return e.folder.Put(fmt.Sprintf("api/servers/%d.json", page+1), append(b, '\n'))
}

// rest writes the assets and what there is once.
func (e *exporter) rest(ctx context.Context) error {
	s := e.site
	for name, a := range s.assets {
		if err := e.folder.Put("static/"+name, a.body); err != nil {
			return err
		}
	}
	find, err := staticFiles.ReadFile("static/find.js")
	if err != nil {
		return err
	}
	if err := e.folder.Put("static/find-"+s.version+".js", find); err != nil {
		return err
	}
	// GitHub Pages would otherwise leave out files whose names begin with "_".
	if err := e.folder.Put(".nojekyll", nil); err != nil {
		return err
	}
	for _, path := range []string{"/robots.txt", "/llms.txt"} {
		if err := e.plain(ctx, path); err != nil {
			return err
		}
	}
	var lastmod []time.Time
	places := slices.DeleteFunc(s.places(e.view), func(p place) bool { return !e.has(fileOf(p.path), p.path) })
	for part := range slices.Chunk(places, perSitemap) {
		lastmod = append(lastmod, newest(part))
		if err := e.folder.Put(fmt.Sprintf("sitemaps/%d.xml", len(lastmod)), s.sitemapXML(part)); err != nil {
			return err
		}
	}
	if err := e.folder.Put("sitemap.xml", s.sitemapIndexXML(lastmod)); err != nil {
		return err
	}
	body, status, err := e.get(ctx, "/this-page-is-not-there")
	if err != nil || status != http.StatusNotFound {
		return fmt.Errorf("the page for what is missing: %d %w", status, err)
	}
	// Hosts show it at any depth, so its links are those from the root.
	page := e.rewrite(body, "404.html")
	return e.folder.Put("404.html", page)
}

// A taken is an answer that is kept in memory.
type taken struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (t *taken) Header() http.Header { return t.header }

func (t *taken) WriteHeader(status int) {
	if t.status == 0 {
		t.status = status
	}
}

func (t *taken) Write(b []byte) (int, error) {
	t.WriteHeader(http.StatusOK)
	return t.body.Write(b)
}

// get asks the site for an address.
func (e *exporter) get(ctx context.Context, path string) (body []byte, status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, 0, err
	}
	r.RequestURI = path
	t := &taken{header: http.Header{}}
	e.handler.ServeHTTP(t, r)
	return t.body.Bytes(), t.status, ctx.Err()
}

func (e *exporter) must(ctx context.Context, path string) ([]byte, error) {
	body, status, err := e.get(ctx, path)
	if err == nil && status != http.StatusOK {
		err = registry.Errorf(registry.ErrUnavailable, "%s cannot be written: it answers %d", path, status)
	}
	return body, err
}

// page writes a page.
func (e *exporter) page(ctx context.Context, path string) error {
	name := fileOf(path)
	if e.folder.Done(name) {
		return nil
	}
	body, err := e.must(ctx, path)
	if err != nil {
		return err
	}
	return e.folder.Put(name, e.rewrite(body, name))
}

// plain writes what is not HTML.
func (e *exporter) plain(ctx context.Context, path string) error {
	name := fileOf(path)
	if e.folder.Done(name) {
		return nil
	}
	body, err := e.must(ctx, path)
	if err != nil {
		return err
	}
	return e.folder.Put(name, body)
}

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,80}$`)

// fileName is the name of the file of a tag or an owner: the name itself where
// every server of files and every disk takes it, else something like it with a
// digest.
func fileName(s string) string {
	s = strings.ToLower(s)
	if plainName.MatchString(s) {
		return s
	}
	like := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, s), "-")
	return like[:min(len(like), 40)] + "-" + export.Digest(s)[:10]
}

// fileOf returns the file that an address of the site is written to, without
// asking whether it is: pages end in .html, so that a server of files needs to
// know nothing, and the pages of a list are in a folder of its own.
func fileOf(address string) string {
	path, query, _ := strings.Cut(address, "?")
	path = strings.TrimPrefix(path, "/")
	folder, rest, deep := strings.Cut(path, "/")
	page := ""
	if q, err := url.ParseQuery(query); err == nil && q.Get("page") != "" && q.Get("page") != "1" {
		page = "/page/" + q.Get("page")
	}
	switch {
	case path == "":
		return "index.html"
	case !deep && strings.Contains(path, "."):
		return path
	case deep && (folder == "owners" || folder == "tags"):
		name, last, more := strings.Cut(rest, "/")
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if name = folder + "/" + fileName(name); more {
			return name + "/" + last
		}
		return name + page + ".html"
	case deep && folder == "stats", folder == "static" || folder == "badge" || folder == "social" || folder == "sitemaps" || folder == "search",
		strings.HasSuffix(path, "/feed.atom"), folder == "servers" && strings.HasSuffix(path, ".md"):
		return path
	case path == "api/health":
		if q, err := url.ParseQuery(query); err == nil && q.Get("server") != "" {
			return "servers/" + q.Get("server") + ".health.json"
		}
	case path == "api/servers":
		return "api/servers/1.json"
	}
	return path + page + ".html"
}

// has says whether the address of a file is one of those that are written.
func (e *exporter) has(name, address string) bool {
	path, _, _ := strings.Cut(strings.TrimPrefix(address, "/"), "?")
	folder, rest, _ := strings.Cut(path, "/")
	listed := func(slug string) bool {
		i, _ := e.view.Find(slug)
		return i != nil && i.Slug() == slug
	}
	switch folder {
	case "", "index.html", "feed.atom", "robots.txt", "llms.txt", "sitemap.xml", "sitemaps":
		return true
	case "stats":
		return rest == "" || slices.Contains(csvGroups, strings.TrimSuffix(rest, ".csv"))
	case "stats.json", "stats.csv":
		return e.site.pages["stats"] != nil
	case "static":
		_, ok := e.site.assets[rest]
		return ok
	case "servers":
		if rest == "" {
			return e.hasPage("/servers", name)
		}
		return listed(strings.TrimSuffix(rest, ".md"))
	case "categories", "tags", "owners":
		if rest == "" {
			return true
		}
		own, last, more := strings.Cut(rest, "/")
		if folder == "owners" || folder == "tags" {
			if plain, err := url.PathUnescape(own); err == nil {
				own = url.PathEscape(strings.ToLower(plain))
			}
		}
		if _, ok := e.lists["/"+folder+"/"+own]; !ok {
			return false
		}
		return more && last == "feed.atom" && folder != "tags" || !more && e.hasPage("/"+folder+"/"+own, name)
	case "badge":
		return listed(strings.TrimSuffix(strings.TrimSuffix(rest, ".svg"), ".json"))
	case "social":
		return e.site.Pictures && listed(strings.TrimSuffix(rest, ".png"))
	case "api":
		slug := strings.TrimSuffix(strings.TrimPrefix(name, "servers/"), ".health.json")
		return rest == "servers" || rest == "health" && listed(slug)
	}
	return slices.Contains(e.site.fixed(), "/"+path)
}

// hasPage says whether a list has the page of that file.
func (e *exporter) hasPage(list, name string) bool {
	_, number, found := strings.Cut(strings.TrimSuffix(name, ".html"), "/page/")
	if !found {
		return true
	}
	n, err := strconv.Atoi(number)
	return err == nil && n >= 1 && n <= e.lists[list]
}
