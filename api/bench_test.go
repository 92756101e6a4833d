package api

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
)

// benchServers is how many servers the benchmarks list.
var benchServers = 100_000

// big returns a catalog of benchServers, made once.
var big = sync.OnceValue(func() *catalog.Catalog {
	c := catalog.New()
	if err := c.Load(context.Background(), generated(benchServers)); err != nil {
		panic(err)
	}
	return c
})

// generated is a feed of that many servers.
type generated int

func init() {
	if n, err := strconv.Atoi(os.Getenv("CENSUS_BENCH_SERVERS")); err == nil {
		benchServers = n
	}
}

func (g generated) RecordsAfter(_ context.Context, seq int64, limit int) ([]registry.Server, []registry.Change, int64, error) {
	var out []registry.Server
	for i := int(seq); i < int(g) && len(out) < limit; i++ {
		s := generate.Server(i, 1)
		s.Readme = ""
		out = append(out, s)
	}
	return out, nil, seq + int64(len(out)), nil
}

func (generated) Listen(context.Context) (<-chan int64, error) { return nil, nil }

// listen serves h on a loopback address until the benchmark ends.
func listen(b *testing.B, h http.Handler) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = httpd.Serve(ctx, l, h, httpd.ServerConfig{}) }()
	b.Cleanup(func() { cancel(); <-done })
	return l.Addr().String()
}

// listenBare serves h as gin does by itself: without deadlines or anything else
// of ours.
func listenBare(b *testing.B, h http.Handler) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	b.Cleanup(func() { _ = s.Close(); <-done })
	return l.Addr().String()
}

// A benchPath is a kind of request.
type benchPath struct {
	name string
	path func() string
}

// bench returns the API with all middleware on, and what is asked of it.
func bench(b *testing.B) (http.Handler, []benchPath) {
	c := big()
	v := c.View()
	log, err := os.Create(filepath.Join(b.TempDir(), "access.log"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { log.Close() })
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	e := httpd.NewEngine(httpd.Config{
		Log: slog.New(slog.NewJSONHandler(log, nil)), Metrics: httpd.NewMetrics(prometheus.NewRegistry()),
		Trusted: trusted, DocsURL: "https://census.example/docs/errors",
	})
	a := New(Options{Catalog: c, Checker: checks{}, Limiter: alone(b, nil), BaseURL: "https://census.example", Version: "bench"})
	a.Register(e)
	pick := func(n int) int { return rand.IntN(n) }
	slug := func() string { return v.List("", catalog.ByQuality, -1).At(pick(v.Len())).Slug() }
	var cursors []string
	for range 500 {
		l := v.List("", catalog.ByQuality, -1)
		n := 20 + pick(v.Len()-40)
		last := l.Position(n - 1)
		cursors = append(cursors, a.Sealer.Seal(&page.Cursor{Path: serversPath, Keys: last.Keys, Slug: last.Slug, Offset: n,
			Params: map[string]string{"sort": "qualityScore"}}))
	}
	slugs := make([]string, 2000)
	for i := range slugs {
		slugs[i] = slug()
	}
	return e, []benchPath{
		{"discover", func() string { return "/api/discover" }},
		{"discover-category", func() string { return "/api/discover?category=" + registry.Categories[pick(10)] }},
		{"discover-minScore", func() string { return "/api/discover?minScore=" + strconv.Itoa(50+pick(50)) }},
		{"discover-minScore-stars", func() string { return "/api/discover?sort=stars&minScore=" + strconv.Itoa(75+pick(10)) }},
		{"discover-mcp", func() string { return "/api/discover?format=mcp" }},
		{"servers-offset", func() string { return "/api/servers?offset=" + strconv.Itoa(20*pick(v.Len()/20)) }},
		{"servers-cursor", func() string { return "/api/servers?cursor=" + cursors[pick(len(cursors))] }},
		{"health-one", func() string { return "/api/health?server=" + slugs[0] }},
		{"health-any", func() string { return "/api/health?server=" + slugs[pick(len(slugs))] }},
		{"categories", func() string { return "/api/categories" }},
	}
}

// BenchmarkServe measures whole requests over loopback with all middleware on,
// as the ratio to a bare gin handler that returns a constant body of the same
// size, in the same run and under the same load. Clients are spread over
// addresses by X-Forwarded-For, so that limits count and do not refuse.
func BenchmarkServe(b *testing.B) {
	h, paths := bench(b)
	compare(b, h, paths)
}

// compare measures requests to h against constant responses.
func compare(b *testing.B, h http.Handler, paths []benchPath) {
	addr := listen(b, h)
	for _, bc := range paths {
		for _, zip := range []bool{false, true} {
			name := bc.name
			if zip {
				name += "-gzip"
			}
			b.Run(name, func(b *testing.B) {
				load(b, addr, 20_000, zip, bc.path) // targets are for responses that are in the cache
				one := fetch(b, addr, bc.path(), zip)
				base := listenBare(b, constant(one, zip))
				load(b, base, 2000, zip, bc.path)
				var bare, mine cost
				b.ResetTimer()
				for left := b.N; left > 0; left -= 4000 { // in turns, so that both see the same machine
					n := min(left, 4000)
					b.StopTimer()
					bare.measure(func() time.Duration { return load(b, base, n, zip, bc.path) })
					b.StartTimer()
					mine.measure(func() time.Duration { return load(b, addr, n, zip, bc.path) })
				}
				b.ReportMetric(bare.took.Seconds()/mine.took.Seconds(), "ratio")
				b.ReportMetric(float64(bare.used)/float64(mine.used), "processor-ratio") // less moved by what else runs
				b.ReportMetric(float64(b.N)/bare.took.Seconds(), "bare-req/s")
				b.ReportMetric(float64(b.N)/mine.took.Seconds(), "req/s")
				b.ReportMetric(float64(len(one)), "body-B")
				bare.report(b, "bare-")
				mine.report(b, "")
			})
		}
	}
	b.Run("memory", func(b *testing.B) { liveHeap(b) })
}

// A cost is what requests took, those who sent them included.
type cost struct {
	took, used     time.Duration // by the clock, and of the processors
	collecting     float64       // of used: seconds of the garbage collector
	bytes, objects uint64        // allocated
}

func (c *cost) measure(run func() time.Duration) {
	samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/allocs:objects"}}
	metrics.Read(samples)
	used, collecting, bytes, objects := processorTime(), samples[0].Value.Float64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()
	c.took += run()
	c.used += processorTime() - used
	metrics.Read(samples)
	c.collecting += samples[0].Value.Float64() - collecting
	c.bytes += samples[1].Value.Uint64() - bytes
	c.objects += samples[2].Value.Uint64() - objects
}

// report says what a request took in microseconds of the processors, how much
// of it was the garbage collector, and what it allocated.
func (c *cost) report(b *testing.B, whose string) {
	n := float64(b.N)
	b.ReportMetric(float64(c.used.Microseconds())/n, whose+"cpu-us")
	b.ReportMetric(c.collecting*1e6/n, whose+"gc-us")
	b.ReportMetric(float64(c.bytes)/n, whose+"alloc-B")
	b.ReportMetric(float64(c.objects)/n, whose+"allocs")
}

// liveHeap reports what the process holds after a collection, which is the
// catalog with what it has compressed.
func liveHeap(b *testing.B) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "live-MB")
}

// constant returns a bare gin engine that answers everything with body.
func constant(body []byte, zip bool) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.UseRawPath = true
	length := strconv.Itoa(len(body))
	h := func(c *gin.Context) {
		if zip {
			c.Writer.Header().Set("Content-Encoding", "gzip")
		}
		c.Writer.Header().Set("Content-Length", length)
		c.Data(200, "application/json; charset=utf-8", body)
	}
	for _, p := range []string{"/api/discover", "/api/servers", "/api/health", "/api/categories", "/v1/servers", "/v1/servers/:id", "/v1/search", "/v0.1/servers", "/v0.1/servers/:name/versions/:version"} {
		e.GET(p, h)
	}
	return e
}

// benchHead are more headers of each request, each before its line's end.
var benchHead string

var clients atomic.Uint32

// clientName returns the address of a client that has not asked before.
func clientName() string {
	k := clients.Add(1)
	return fmt.Sprintf("10.%d.%d.%d", k>>16&255, k>>8&255, k&255)
}

// load sends n requests over 16 connections and returns how long it took. It
// parses no more of the responses than it must.
func load(b *testing.B, addr string, n int, zip bool, path func() string) time.Duration {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	conns := make([]net.Conn, 16)
	for i := range conns {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		conns[i] = c
	}
	start := time.Now()
	for _, c := range conns {
		wg.Go(func() {
			r := bufio.NewReaderSize(c, 64<<10)
			var req []byte
			var client string
			for i := 0; left.Add(-1) >= 0; i++ {
				if i%50 == 0 {
					client = clientName()
				}
				req = append(req[:0], "GET "...)
				req = append(req, path()...)
				req = append(req, " HTTP/1.1\r\nHost: census.example\r\nX-Forwarded-For: "...)
				req = append(req, client...)
				req = append(req, benchHead...)
				if zip {
					req = append(req, "\r\nAccept-Encoding: gzip"...)
				}
				req = append(req, "\r\n\r\n"...)
				if _, err := c.Write(req); err != nil {
					b.Error(err)
					return
				}
				if status, err := skip(r); err != nil || status != 200 && status != 304 {
					b.Errorf("%s: %d, %v", req, status, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// skip reads one response and returns its status.
func skip(r *bufio.Reader) (status int, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return 0, err
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length := 0
	for {
		if line, err = r.ReadSlice('\n'); err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return 0, err
			}
		}
	}
	_, err = r.Discard(length)
	return status, err
}

func fetch(b *testing.B, addr, path string, zip bool) []byte {
	req, err := http.NewRequest("GET", "http://"+addr+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	if name, value, ok := strings.Cut(strings.TrimSpace(benchHead), ": "); ok && name != "If-None-Match" {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept-Encoding", "identity")
	if zip {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		b.Fatalf("%s: %d, %v: %s", path, res.StatusCode, err, clip(body))
	}
	if zip != (res.Header.Get("Content-Encoding") == "gzip") && len(body) > 1024 {
		b.Fatalf("%s: Content-Encoding %q", path, res.Header.Get("Content-Encoding"))
	}
	return body
}

// BenchmarkReady measures how long a catalog takes to encode and sort
// benchServers servers, without the time that it takes to make them up, and
// what they take in memory.
func BenchmarkReady(b *testing.B) {
	for range b.N {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := catalog.New()
		f := &timedFeed{feed: generated(benchServers)}
		start := time.Now()
		if err := c.Load(b.Context(), f); err != nil {
			b.Fatal(err)
		}
		took := time.Since(start)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(took.Seconds(), "s/ready")
		b.ReportMetric(f.took.Seconds(), "s/feed")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(benchServers), "B/server")
		runtime.KeepAlive(c)
	}
}

// timed measures the time spent in a feed.
type timedFeed struct {
	feed generated
	took time.Duration
}

func (f *timedFeed) RecordsAfter(ctx context.Context, seq int64, limit int) ([]registry.Server,
	[]registry.Change, int64, error) {
	start := time.Now()
	defer func() { f.took += time.Since(start) }()
	return f.feed.RecordsAfter(ctx, seq, limit)
}

func (f *timedFeed) Listen(ctx context.Context) (<-chan int64, error) { return f.feed.Listen(ctx) }
