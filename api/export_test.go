package api

import (
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
)

// plainFrame is a [Frame] without a design.
func plainFrame(title, _, _ string, head, main template.HTML) ([]byte, map[string]string, error) {
	page := fmt.Appendf(nil, "<!doctype html><title>%s</title>%s<main>%s</main>",
		template.HTMLEscapeString(title), head, main)
	return page, map[string]string{"Content-Security-Policy": "default-src 'none'"}, nil
}

// What follows lets api/v1, which imports this package, be measured as this
// package is.

// Big returns the catalog of the benchmarks.
func Big() *catalog.Catalog { return big() }

// Alone returns a limiter of this process.
func Alone(b *testing.B) httpd.Limiter { return alone(b, nil) }

// BenchEngine returns an engine with all middleware on.
func BenchEngine(b *testing.B) *gin.Engine {
	log, err := os.Create(filepath.Join(b.TempDir(), "access.log"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { log.Close() })
	return httpd.NewEngine(httpd.Config{
		Log: slog.New(slog.NewJSONHandler(log, nil)), Metrics: httpd.NewMetrics(prometheus.NewRegistry()),
		Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, DocsURL: "https://census.example/docs/errors",
	})
}

// Compare measures requests to h, with a header, against constant responses.
func Compare(b *testing.B, h http.Handler, head string, names []string, paths []func() string) {
	benchHead = "\r\n" + head
	defer func() { benchHead = "" }()
	var all []benchPath
	for i, n := range names {
		all = append(all, benchPath{n, paths[i]})
	}
	compare(b, h, all)
}
