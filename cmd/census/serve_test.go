package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
	"golang.org/x/sync/errgroup"

	"mcpcensus/api/apitest"
	"mcpcensus/api/mcp"
	"mcpcensus/internal/account"
	"mcpcensus/internal/config"
	"mcpcensus/internal/postgres/people"
)

// joined returns everything that a process with all roles answers, over a
// crawled town: the public address, with its routes as "GET /path/:parameter",
// and that of the metrics.
func joined(t *testing.T) (public, inside http.Handler, routes, insideRoutes []string) {
	t.Helper()
	w := newCrawledEnvironment(t)
	w.environ = append(w.environ, "CENSUS_STRIPE_KEY=sk_test_x", "CENSUS_STRIPE_WEBHOOK_SECRET=whsec_x",
		"CENSUS_STRIPE_PRICE_PROFESSIONAL=price_1", "CENSUS_STRIPE_PRICE_ENTERPRISE=price_2",
		"CENSUS_STRIPE_URL=http://127.0.0.1:9/") // without it the webhook is not a route
	public, m := w.handler()
	for _, r := range public.(*gin.Engine).Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	for _, r := range m.routes() {
		insideRoutes = append(insideRoutes, r.pattern)
	}
	return public, m.mux(), routes, insideRoutes
}

// handler returns what a process with all roles answers, when it is ready.
func (w *environment) handler() (http.Handler, *metrics) {
	t := w.t
	t.Helper()
	c, err := config.Load(w.environ)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{environ: w.environ, stdout: io.Discard, stderr: io.Discard, config: c,
		log: slog.New(slog.DiscardHandler)}
	m := newMetrics()
	up, err := newUpstreams(a.config, a.log, newReader(t), m.event)
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
	from := reader{db: w.db, up: up, index: index, metrics: m, roles: all}
	public, err := a.handler(ctx, group, from, w.db, nil)
	if err != nil {
		t.Fatal(err)
	}
	within(t, 30*time.Second, "ready",
		func() bool { return ask(public, "GET", "/readyz").Code == http.StatusOK })
	return public, m
}

func ask(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// parameterForm is a parameter in a path, as gin, as net/http and as the
// document write it.
var parameterForm = regexp.MustCompile(`:\w+|\{\w+\}`)

// formOf returns what paths of the document match that are the path of a route but for the
// names of parameters. A parameter of a route may be the whole of a part of which the
// document tells the form: ":file" is "{slug}.svg".
func formOf(route string) *regexp.Regexp {
	form := "^"
	for part := range strings.SplitSeq(strings.TrimPrefix(route, "/"), "/") {
		if form += "/"; parameterForm.MatchString(part) {
			form += "[^/]*" + regexp.QuoteMeta("{") + "[^/]*"
		} else {
			form += regexp.QuoteMeta(part)
		}
	}
	return regexp.MustCompile(form + "$")
}

// notForPrograms are the routes that the document leaves out besides pages, in the document's
// notation; one that ends with a slash stands for all below it.
var notForPrograms = []string{
	"/account/", "/webhooks/stripe", // of the account's pages; Stripe's events
	"/docs/", "/openapi.json", "/openapi.yaml", "/r/{view}/openapi.yaml",
	"/mcp", "/mcp/", "/.well-known/", // JSON-RPC, and how MCP clients find it
	"/servers/{slug}/", "/servers/{file}", "/stats.json", "/stats.csv", "/stats/", // of pages
	"/badge/", "/social/", "/avatars/", "/static/", "/favicon.ico",
	"/feed.atom", "/categories/{category}/", "/owners/{owner}/",
	"/llms.txt", "/robots.txt", "/sitemap.xml", "/sitemaps/",
	"/healthz", "/readyz", "/metrics", "/debug/", // of operators
	"/v0/validate", // /v0.1/validate at the path of mcp-publisher
}

// forPrograms are the paths that the document describes, with all below them.
var forPrograms = []string{"/api/", "/v1/", "/v0.1/", "/r/", "/dumps/"}

func isBelow(path string, all []string) bool {
	return slices.ContainsFunc(all, func(p string) bool { return strings.HasPrefix(path+"/", p) })
}

// Searches and pages pass the gate for expensive requests, lists of the APIs and what waits for other
// hosts do not.
func TestSearchesAreExpensive(t *testing.T) {
	_, _, routes, _ := joined(t)
	for _, tt := range []struct {
		route, query string
		want         bool
	}{
		{"GET /servers", "q=a", true},
		{"GET /v0.1/servers", "search=a", true},
		{"POST /v1/search", "", true},
		{"GET /v1/custom/:name", "", true},
		{"GET /r/:view/v0.1/servers", "", true},
		{"GET /r/:view/registry.json", "", true},
		{"GET /servers", "", true},
		{"GET /", "", true},
		{"GET /tags", "page=2", true},
		{"GET /owners/:owner", "", true},
		{"GET /servers/:slug/health", "", true},
		{"GET /servers/:slug/check", "", false},
		{"GET /servers/:slug/pictures/:picture", "", false},
		{"GET /about", "", false},
		{"GET /v0.1/servers", "", false},
		{"PUT /v1/custom/:name/definition", "", false},
	} {
		method, path, _ := strings.Cut(tt.route, " ")
		got := isExpensive(httptest.NewRequest(method, "/a?"+tt.query, nil), path)
		if got != tt.want || !slices.Contains(routes, tt.route) {
			t.Errorf("%s?%s: %t; routes: %t", tt.route, tt.query, got, slices.Contains(routes, tt.route))
		}
	}
}

// TestStartupProbe checks that Kubernetes waits longer for a process than that waits for its index.
func TestStartupProbe(t *testing.T) {
	b, err := os.ReadFile("../../deploy/kubernetes/api.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`startupProbe:(?s:.{0,200}?)periodSeconds: (\d+)(?s:.{0,200}?)failureThreshold: (\d+)`).FindSubmatch(b)
	if m == nil {
		t.Fatal("there is no startup probe")
	}
	period, _ := strconv.Atoi(string(m[1]))
	failures, _ := strconv.Atoi(string(m[2]))
	if waits := time.Duration(period*failures) * time.Second; waits < firstIndexWithin+30*time.Second {
		t.Errorf("it waits %s, and the index may take %s", waits, firstIndexWithin)
	}
}

// TestEveryRouteIsInTheDocumentOrAPage checks that the document describes each route, unless it
// answers with a page or is in notForPrograms, and that it describes nothing else.
func TestEveryRouteIsInTheDocumentOrAPage(t *testing.T) {
	public, inside, routes, insideRoutes := joined(t)
	doc, err := apitest.LoadFile("../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(doc.Info.Description, "All endpoints support `OPTIONS`") {
		t.Error("the document does not describe OPTIONS")
	}
	c := routeCheck{t, doc, map[string]bool{}, map[string]bool{}}
	c.check(public, routes)
	c.check(inside, insideRoutes)
	for path, item := range doc.Paths.Map() {
		if !isBelow(path, forPrograms) {
			t.Errorf("%s of the document is not for programs", path)
		}
		for method := range item.Operations() {
			if !c.found[method+" "+path] {
				t.Errorf("%s %s of the document is not a route", method, path)
			}
		}
	}
	for _, p := range notForPrograms {
		if !c.omitted[p] {
			t.Errorf("notForPrograms has %s, which is not a route", p)
		}
	}
	for path, item := range doc.Paths.Map() {
		// the tests of api and below it ask these
		if item.Get != nil && !isBelow(path, []string{"/v1/", "/api/"}) {
			checkExample(t, doc, public, path, item.Get)
		}
	}
}

// A routeCheck compares routes with the document. found are the operations that are routes,
// omitted the elements of notForPrograms that are.
type routeCheck struct {
	t              *testing.T
	doc            *apitest.Document
	found, omitted map[string]bool
}

func (c routeCheck) check(h http.Handler, routes []string) {
	for _, r := range routes {
		method, path, _ := strings.Cut(r, " ")
		path = strings.TrimSuffix(path, "{$}")
		if c.isDocumented(method, path) || c.isOmitted(path) {
			continue
		}
		target := parameterForm.ReplaceAllString(path, "octo-labs-weather-mcp")
		options := ask(h, http.MethodOptions, target)
		allowed := strings.Split(options.Header().Get("Allow"), ", ")
		// the document says once how all endpoints answer it
		if method == http.MethodOptions {
			if options.Code != http.StatusNoContent || !slices.Contains(allowed, method) {
				c.t.Errorf("%s: %d, Allow is %q", r, options.Code, allowed)
			}
			continue
		}
		if allowed[0] != "" && !slices.Contains(allowed, method) {
			continue // the endpoint itself says that it does not support the method
		}
		kind := ask(h, method, target).Header().Get("Content-Type")
		if !strings.HasPrefix(kind, "text/html") {
			c.t.Errorf("%s answers %q and is not in the document", r, kind)
		}
	}
}

func (c routeCheck) isDocumented(method, path string) bool {
	documented, form := false, formOf(path)
	for p, item := range c.doc.Paths.Map() {
		if form.MatchString(p) && (item.GetOperation(method) != nil ||
			method == http.MethodHead && item.Get != nil) {
			c.found[method+" "+p], documented = true, true
		}
	}
	return documented
}

func (c routeCheck) isOmitted(path string) bool {
	path = parameterForm.ReplaceAllString(path, "{}")
	omitted := false
	for _, p := range notForPrograms {
		form := parameterForm.ReplaceAllString(p, "{}")
		if path == form || strings.HasSuffix(form, "/") && strings.HasPrefix(path, form) {
			c.omitted[p], omitted = true, true
		}
	}
	return omitted
}

// checkExample checks that a request with the document's examples is answered as it says.
func checkExample(
	t *testing.T, doc *apitest.Document, h http.Handler, target string, o *openapi3.Operation,
) {
	t.Helper()
	for _, p := range o.Parameters {
		if p.Value.In != "path" {
			continue
		}
		example, ok := p.Value.Example.(string)
		if !ok {
			t.Errorf("%s: the parameter %s has no example", target, p.Value.Name)
		}
		target = strings.ReplaceAll(target, "{"+p.Value.Name+"}", example)
	}
	w := ask(h, "GET", target)
	if err := doc.Check(o, w.Code, w.Header(), w.Body.Bytes()); err != nil {
		t.Errorf("GET %s: %d differs from the document: %v", target, w.Code, err)
	}
	kind, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if described := o.Responses.Status(w.Code); err != nil || described != nil &&
		described.Value.Content.Get(kind) == nil {
		t.Errorf("GET %s: the document does not have %q for %d", target, kind, w.Code)
	}
}

func TestHealthcheck(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" && r.URL.Path != "/healthz" {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	check := func(environ []string, args ...string) int {
		var errs strings.Builder
		return exitStatus(run(context.Background(), append([]string{"healthcheck"}, args...),
			append(environ, "HOME=/nowhere"), &errs, &errs), &errs)
	}
	for _, addr := range []string{"127.0.0.1" + port, "0.0.0.0" + port, port} {
		if got := check([]string{"CENSUS_ADDR=" + addr}); got != 0 {
			t.Errorf("ready on %s: %d", addr, got)
		}
		if got := check([]string{"CENSUS_ADDR=127.0.0.1:1", "CENSUS_METRICS_ADDR=" + addr},
			"--worker"); got != 0 {
			t.Errorf("a worker on %s: %d", addr, got)
		}
	}
	status = http.StatusServiceUnavailable
	if got := check([]string{"CENSUS_ADDR=127.0.0.1" + port}); got != 1 {
		t.Errorf("not ready: %d", got)
	}
	if got := check([]string{"CENSUS_ADDR=127.0.0.1:1"}); got != 1 {
		t.Errorf("nobody there: %d", got)
	}
	if got := check([]string{"CENSUS_METRICS_ADDR=off"}, "--worker"); got != 1 {
		t.Errorf("without metrics: %d", got)
	}
}

// An instance is a census process.
type instance struct {
	t    *testing.T
	url  string
	cmd  *exec.Cmd
	log  *syncBuffer
	once sync.Once
}

// startInstance starts a census that answers requests, and waits until it is ready.
func (w *environment) startInstance() *instance { return w.startRoles("api,pages") }

func (w *environment) startRoles(roles string) *instance {
	w.t.Helper()
	n := &instance{t: w.t, cmd: exec.Command(program(w.t), "serve", "--roles", roles), log: new(syncBuffer)}
	n.cmd.Env = append(slices.Clone(w.environ), "CENSUS_ADDR=127.0.0.1:0", "CENSUS_DATA_DIR="+w.t.TempDir(),
		"CENSUS_TRUSTED_PROXIES=127.0.0.1")
	n.cmd.Stdout, n.cmd.Stderr = n.log, n.log
	if err := n.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { n.end(syscall.SIGKILL) })
	n.url = addressIn(w.t, n.log, "listening")
	within(w.t, 60*time.Second, "ready", func() bool {
		res, err := http.Get(n.url + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	return n
}

// end sends a signal and waits until the process is gone.
func (n *instance) end(how os.Signal) {
	n.once.Do(func() {
		if err := n.cmd.Process.Signal(how); err != nil {
			n.t.Error(err)
		}
		err := n.cmd.Wait()
		if how == syscall.SIGTERM && err != nil {
			n.t.Errorf("ended with %v:\n%.4000s", err, n.log)
		}
	})
}

// rush sends requests with one header at the same time, so many to each
// instance, and returns how many responses there were of each status, and the
// ends of the windows that they name. Requests to /mcp call a tool.
func rush(
	t *testing.T, path, header, value string, each map[*instance]int,
) (statuses map[int]int, resets []string) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	statuses = map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for n, requests := range each {
		for range requests {
			wg.Go(func() {
				method, body := http.MethodGet, ""
				if path == mcp.Path {
					method, body = http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
						`"params":{"name":"find_servers","arguments":{}}}`
				}
				req, err := http.NewRequest(method, n.url+path, strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				req.Header.Set(header, value)
				<-begin
				res, err := transport.RoundTrip(req)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				mu.Lock()
				defer mu.Unlock()
				statuses[res.StatusCode]++
				if r := res.Header.Get("X-RateLimit-Reset"); !slices.Contains(resets, r) {
					resets = append(resets, r)
				}
			})
		}
	}
	close(begin)
	wg.Wait()
	return statuses, resets
}

// Three processes, 500 simultaneous requests of a client that has 100 left, and 400 calls of
// tools of one that has 300.
func TestLimitOverProcesses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: kills processes, which -short leaves out")
	}
	w := newCrawledEnvironment(t)
	a, b, c := w.startInstance(), w.startInstance(), w.startInstance()
	const categories = "/api/categories"
	anonymous := func(path, client string, each map[*instance]int) (map[int]int, []string) {
		return rush(t, path, "X-Forwarded-For", client, each)
	}
	tries := 0
	exactly := func(path string, passed int, each map[*instance]int) (client string) {
		t.Helper()
		for {
			tries++
			client = fmt.Sprintf("198.51.%d.1", tries) // each of another network
			got, resets := anonymous(path, client, each)
			if len(resets) > 1 {
				continue // the hour, and with it the count, has ended in the meantime
			}
			total := 0
			for _, n := range each {
				total += n
			}
			if got[200] != passed || got[429] != total-passed {
				t.Errorf("%s of %v: responses by status: %v, want %d of 200 and all others 429", path,
					client, got, passed)
			}
			return client
		}
	}
	exactly(categories, 100, map[*instance]int{a: 350, b: 100, c: 50})
	exactly(categories, 100, map[*instance]int{a: 0, b: 20, c: 480})
	exactly(categories, 90, map[*instance]int{a: 30, b: 30, c: 30})
	exactly(mcp.Path, mcp.CallsHourly, map[*instance]int{a: 100, b: 250, c: 50})
	exactly(mcp.Path, mcp.CallsHourly, map[*instance]int{a: 0, b: 10, c: 390})

	if _, _, err := people.New(w.db).SignUp(t.Context(),
		account.Login{Account: account.Account{Email: "ann@example.com"}}, "ann@example.com", account.ByOwner, "",
		time.Now()); err != nil {
		t.Fatal(err)
	}
	bearer := "Bearer " + strings.TrimSpace(w.run("key", "make", "ann@example.com", "--name", "ci"))
	within(t, 10*time.Second, "known in every process", func() bool {
		known := 0
		for _, n := range []*instance{a, b, c} {
			res, _ := rush(t, categories, "Authorization", bearer, map[*instance]int{n: 1})
			known += res[200]
		}
		return known == 3
	})
	if got, resets := rush(t, "/v1/plans", "Authorization", bearer,
		map[*instance]int{a: 40, b: 430, c: 30}); (got[200] != 100 || got[429] != 400) &&
		len(resets) == 1 {
		t.Errorf("with a Basic key: %v, want 100 of 200 and 400 of 429", got)
	}

	// What was counted outlives the processes: in order at once, killed at the
	// cost of what they had not used.
	client := exactly(categories, 60, map[*instance]int{a: 30, b: 20, c: 10})
	a.end(syscall.SIGTERM)
	c.end(syscall.SIGTERM)
	d := w.startInstance()
	if got, resets := anonymous(categories, client, map[*instance]int{b: 10, d: 90}); got[200] != 40 &&
		len(resets) == 1 {
		t.Errorf("after orderly restarts: %v, want 40 of 200", got)
	}
	client = exactly(categories, 60, map[*instance]int{b: 30, d: 30})
	calls := exactly(mcp.Path, 200, map[*instance]int{b: 100, d: 100})
	b.end(syscall.SIGKILL)
	if got, resets := anonymous(categories, client, map[*instance]int{d: 100}); got[200] > 40 &&
		len(resets) == 1 || got[200]+got[429] != 100 {
		t.Errorf("after a kill: %v, want at most 40 of 200", got)
	} else {
		t.Logf("after a kill: %d of the 40 that were left passed", got[200])
	}
	if got, resets := anonymous(mcp.Path, calls, map[*instance]int{d: 150}); got[200] > 100 &&
		len(resets) == 1 || got[200]+got[429] != 150 {
		t.Errorf("calls after a kill: %v, want at most 100 of 200", got)
	} else {
		t.Logf("after a kill: %d of the 100 calls that were left passed", got[200])
	}
}
