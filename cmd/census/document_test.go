package main

import (
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/gin-gonic/gin"
	"golang.org/x/sync/errgroup"

	"mcpcensus/api"
	"mcpcensus/internal/config"
)

func init() {
	for _, kind := range []string{"text/html", "text/css", "text/csv", "text/javascript",
		"image/svg+xml", "image/png", "application/octet-stream", "application/xml",
		"application/atom+xml", "text/markdown"} {
		openapi3filter.RegisterBodyDecoder(kind, openapi3filter.PlainBodyDecoder)
	}
}

// joined returns everything that a process with all roles answers, over a
// crawled town: the public address, with its routes as "GET /path/:parameter",
// and that of the metrics.
func joined(t *testing.T) (public, inside http.Handler, routes, insideRoutes []string) {
	t.Helper()
	w := newCrawledTown(t)
	c, err := config.Load(w.environ)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{environ: w.environ, stdout: io.Discard, stderr: io.Discard, config: c,
		log: slog.New(slog.DiscardHandler)}
	m := newMetrics()
	up, err := newUpstreams(a.config, a.log, m.event)
	if err != nil {
		t.Fatal(err)
	}
	all := roles{api: true, pages: true, worker: true, probe: true}
	index, closeIndex, err := a.openIndex(t.Context(), w.db, all)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	group, ctx := errgroup.WithContext(ctx)
	t.Cleanup(func() {
		cancel()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		if err := closeIndex(); err != nil {
			t.Error(err)
		}
	})
	public, err = a.handler(ctx, group, w.db, w.db, up, index, nil, m, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range public.(*gin.Engine).Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	for _, r := range m.routes() {
		insideRoutes = append(insideRoutes, r.pattern)
	}
	inside = m.mux()
	within(t, 30*time.Second, "ready",
		func() bool { return ask(public, "GET", "/readyz").Code == http.StatusOK })
	return public, inside, routes, insideRoutes
}

func ask(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// parameterForm is a parameter in a path, as gin, as net/http and as the
// document write it.
var parameterForm = regexp.MustCompile(`:\w+|\{\w+\}`)

// fits reports whether the path of a route and one of the document are the
// same but for the names of parameters. A parameter of a route may be the whole
// of a part of which the document tells the form: ":file" is "{slug}.svg".
func fits(route, documented string) bool {
	form := "^"
	for part := range strings.SplitSeq(strings.TrimPrefix(route, "/"), "/") {
		if form += "/"; parameterForm.MatchString(part) {
			form += "[^/]*" + regexp.QuoteMeta("{") + "[^/]*"
		} else {
			form += regexp.QuoteMeta(part)
		}
	}
	ok, err := regexp.MatchString(form+"$", documented)
	return err == nil && ok
}

// TestEveryRouteIsInTheDocumentOrAPage lets no route of the program be missing
// in the OpenAPI document but pages: what answers text/html. There is no list
// of exceptions, so that a new route has to be documented.
func TestEveryRouteIsInTheDocumentOrAPage(t *testing.T) {
	public, inside, routes, insideRoutes := joined(t)
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{} // "GET /path" of the document
	check := func(h http.Handler, routes []string) {
		for _, r := range routes {
			method, path, _ := strings.Cut(r, " ")
			path = strings.TrimSuffix(path, "{$}")
			documented := false
			for p, item := range doc.Paths.Map() {
				if fits(path, p) && (item.GetOperation(method) != nil ||
					method == http.MethodHead && item.Get != nil) {
					found[method+" "+p], documented = true, true
				}
			}
			if documented {
				continue
			}
			target := parameterForm.ReplaceAllString(path, "octo-labs-weather-mcp")
			options := ask(h, http.MethodOptions, target)
			allowed := strings.Split(options.Header().Get("Allow"), ", ")
			// the document says once, of all addresses, how they answer it
			if method == http.MethodOptions {
				if options.Code != http.StatusNoContent || !slices.Contains(allowed, method) {
					t.Errorf("%s: %d, Allow is %q", r, options.Code, allowed)
				}
				continue
			}
			if allowed[0] != "" && !slices.Contains(allowed, method) {
				continue // the address says itself that it does not take the method
			}
			if kind := ask(h, method, target).Header().Get("Content-Type"); !strings.HasPrefix(kind,
				"text/html") {
				t.Errorf("%s answers %q and is not in the document", r, kind)
			}
		}
	}
	if !strings.Contains(doc.Info.Description, "All endpoints support `OPTIONS`") {
		t.Error("the document does not describe OPTIONS")
	}
	check(public, routes)
	check(inside, insideRoutes)
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			if !found[method+" "+path] {
				t.Errorf("%s %s of the document is not a route", method, path)
			}
		}
	}

	// What is asked with the document's own examples is answered as it says.
	for path, item := range doc.Paths.Map() {
		o := item.Get
		// the tests of api and below it ask these
		if o == nil || strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/api/") ||
			strings.HasPrefix(path, "/account/") {
			continue
		}
		target := path
		for _, p := range o.Parameters {
			if p.Value.In == "path" {
				example, ok := p.Value.Example.(string)
				if !ok {
					t.Errorf("%s: the parameter %s has no example", path, p.Value.Name)
				}
				target = strings.ReplaceAll(target, "{"+p.Value.Name+"}", example)
			}
		}
		h := public
		if len(item.Servers) > 0 {
			h = inside
		}
		w := ask(h, "GET", target)
		r := httptest.NewRequest("GET", target, nil)
		route := &routers.Route{Spec: doc, Path: path, PathItem: item, Method: "GET", Operation: o}
		in := &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r,
				Route: route},
			Status: w.Code, Header: w.Header(),
			Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
		}
		in.SetBodyBytes(w.Body.Bytes())
		if err := openapi3filter.ValidateResponse(t.Context(), in); err != nil {
			t.Errorf("GET %s: %d is not as the document says: %v", target, w.Code, err)
		}
		kind, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
		if said := o.Responses.Status(w.Code); err != nil || said != nil &&
			said.Value.Content.Get(kind) == nil {
			t.Errorf("GET %s: %q is not among what the document has for %d", target, kind, w.Code)
		}
	}
}
