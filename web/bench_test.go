package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/search"
	"mcpcensus/web"
	"mcpcensus/web/browse"
	"mcpcensus/web/site"
	"mcpcensus/web/webtest/sitetest"
)

// generatedFeed is a feed of that many generated servers, which are never all in
// memory.
type generatedFeed int

func (generatedFeed) Identity(context.Context) (string, error) { return "generated", nil }

func (generatedFeed) Listen(context.Context) (<-chan int64, error) { return nil, nil }

func (n generatedFeed) ServersAfter(
	_ context.Context, seq int64, limit int,
) (servers []registry.Server, removed []registry.Change, last int64, err error) {
	for last = seq; last < int64(n) && len(servers) < limit; last++ {
		servers = append(servers, generate.Server(int(last), 1))
		servers[len(servers)-1].Seq = last + 1
	}
	return servers, nil, last, nil
}

func (n generatedFeed) RecordsAfter(
	ctx context.Context, seq int64, limit int,
) ([]registry.Server, []registry.Change, int64, error) {
	return n.ServersAfter(ctx, seq, limit)
}

// BenchmarkPages renders pages over CENSUS_BENCH_SERVERS servers (100,000 if
// not given), by the real index, compressed as a browser asks for them, each
// time another page of its kind. "ratio" is the time of a bare gin handler that
// answers with a constant page of the same size, by that of the page; "bytes"
// what is sent.
func BenchmarkPages(b *testing.B) {
	n := 100_000
	if v, err := strconv.Atoi(os.Getenv("CENSUS_BENCH_SERVERS")); err == nil && v > 0 {
		n = v
	}
	cat := catalog.New()
	if err := cat.Apply(slices.Collect(generate.Servers(n, 1)), nil, int64(n)); err != nil {
		b.Fatal(err)
	}
	cat.SetReady()
	index, err := search.OpenBleve(b.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer index.Close()
	if err := index.Rebuild(b.Context(), generatedFeed(n)); err != nil {
		b.Fatal(err)
	}
	o := sitetest.Options()
	o.Site = site.Options{Catalog: cat, BaseURL: "https://census.example"}
	o.Pages.Search = &search.Fallback{Index: index, Log: slog.New(slog.DiscardHandler)}
	o.Pages.Figures = &sitetest.Figures{Days: sitetest.Year(), Text: benchReadme}
	w, err := web.New(o)
	if err != nil {
		b.Fatal(err)
	}
	pages := httpd.NewEngine(httpd.Config{Missing: w.Error})
	w.Register(pages)
	l := cat.View().List("", catalog.ByQuality, -1)
	categories, sdks := registry.Categories, registry.SDKs
	for _, k := range []struct {
		name    string
		address func(i int) string
	}{
		{"home", func(int) string { return "/" }},
		{"all", func(i int) string { return fmt.Sprintf("/servers?page=%d", 1+i*37%(n/browse.PageSize)) }},
		{"category", func(i int) string {
			return fmt.Sprintf("/categories/%s?page=%d", categories[i%len(categories)], 1+i%5)
		}},
		{"filters", func(i int) string { // each combination once, so none is cached
			return fmt.Sprintf("/servers?category=%s&sdk=%s&grade=%s&sort=stars", categories[i%10], sdks[i/10%10], registry.Grades[i/100%5])
		}},
		{"words", func(i int) string { return "/servers?q=" + url.QueryEscape(generate.Coined(i*7%20_000)) }},
		{"words filters", func(i int) string {
			return "/servers?q=" + url.QueryEscape([]string{"weather", "database", "search", "mail", "code"}[i%5]) + "&sdk=python&transport=stdio&category=" + categories[i/5%10]
		}},
		{"server", func(i int) string { return "/servers/" + l.At(i*101%l.Total()).Slug() }},
		{"server again", func(i int) string { return "/servers/" + l.At(i%10).Slug() }},
		{"compare", func(i int) string {
			return "/compare?s=" + l.At(i*101%l.Total()).Slug() + "&s=" + l.At(i*77%l.Total()).Slug()
		}},
		{"statistics", func(int) string { return "/stats" }},
	} {
		b.Run(k.name, func(b *testing.B) {
			get := func(h http.Handler, to string) (bytes int, body []byte) {
				r := httptest.NewRequest("GET", to, nil)
				r.Header.Set("Accept-Encoding", "gzip")
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, r)
				if rec.Code != 200 && rec.Code != 404 {
					b.Fatalf("%s: %d", to, rec.Code)
				}
				return rec.Body.Len(), rec.Body.Bytes()
			}
			get(pages, k.address(0))
			total, i := 0, 0
			var slowest time.Duration
			start := time.Now()
			for b.Loop() {
				i++
				at := time.Now()
				size, _ := get(pages, k.address(i))
				slowest = max(slowest, time.Since(at))
				total += size
			}
			took := time.Since(start)
			_, body := get(pages, k.address(1))
			bare := gin.New()
			bare.GET("/x", func(c *gin.Context) { c.Data(200, "text/html; charset=utf-8", body) })
			start = time.Now()
			for range i {
				get(bare, "/x")
			}
			b.ReportMetric(float64(time.Since(start))/float64(took), "ratio")
			b.ReportMetric(float64(total)/float64(i), "bytes")
			b.ReportMetric(float64(slowest)/1e6, "slowest-ms")
		})
	}
}

var benchReadme = registry.Readme{Path: "README.md", Text: func() string {
	text := "# A server\n\nWhat it does, in some words.\n\n"
	for n := range 40 {
		text += fmt.Sprintf("## Part %d\n\nSome **text** with [a link](docs/%d.md) and `code`, long enough to be a paragraph of a README that somebody wrote.\n\n```json\n{\"a\": [%d, 2, 3]}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", n, n, n)
	}
	return text
}()}
