package main

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

type metrics struct {
	registry  *prometheus.Registry
	upstream  *prometheus.CounterVec
	latency   *prometheus.HistogramVec
	visits    *prometheus.CounterVec
	found     *prometheus.CounterVec
	packages  *prometheus.CounterVec
	probes    *prometheus.CounterVec
	endpoints *prometheus.GaugeVec
	webhooks  *prometheus.CounterVec
	hookQueue *prometheus.GaugeVec
	jobs      *prometheus.CounterVec
	jobTime   *prometheus.HistogramVec
	budget    *prometheus.GaugeVec
	queue     *prometheus.GaugeVec
	lag       *prometheus.GaugeVec
	fallbacks prometheus.Counter
	unread    *prometheus.CounterVec
}

func newMetrics() *metrics {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	made := promauto.With(r)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return made.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return made.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help, label string, buckets ...float64) *prometheus.HistogramVec {
		return made.NewHistogramVec(
			prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{label})
	}
	return &metrics{
		registry: r,
		upstream: counter("census_upstream_requests_total",
			"Requests to upstreams by status (0: no response).", "upstream", "status"),
		latency: histogram("census_upstream_request_duration_seconds",
			"Duration of requests to upstreams in seconds.", "upstream",
			.05, .1, .25, .5, 1, 2.5, 5, 10, 20),
		visits: counter("census_crawl_visits_total", "Visits to repositories by outcome.", "outcome"),
		found:  counter("census_candidates_total", "Candidates named by sources.", "source"),
		packages: counter("census_package_questions_total",
			"Requests for package data by kind and by whether they succeeded.", "kind", "answered"),
		probes: counter("census_probes_total",
			"Probes of endpoints by the endpoint's state after them.", "state"),
		endpoints: gauge("census_endpoints", "Endpoints of servers by state.", "state"),
		webhooks: counter("census_webhook_attempts_total",
			"Attempts to deliver webhooks by result: delivered, failed, disabled.", "result"),
		hookQueue: gauge("census_webhook_queue",
			"Webhook deliveries by state: due, waiting (for a retry), undispatched (events).", "state"),
		jobs: counter("census_job_runs_total", "Job runs by result.", "task", "result"),
		jobTime: histogram("census_job_duration_seconds", "Duration of job runs in seconds.", "task",
			prometheus.ExponentialBuckets(.1, 4, 9)...),
		budget: gauge("census_upstream_budget_remaining",
			"Remaining requests of upstream rate limits.", "upstream", "resource", "credential"),
		queue: gauge("census_queue",
			"Repositories in the queue by state: due, leased, forced.", "state"),
		unread: counter("census_unreadable_total",
			"Repositories and packages whose files could not be read, by reason.", "reason"),
		lag: gauge("census_queue_lag_seconds",
			"How long due repositories have been overdue, in seconds.", "quantile"),
		fallbacks: made.NewCounter(prometheus.CounterOpts{Name: "census_search_fallbacks_total",
			Help: "Searches answered by a scan because the index was unavailable."}),
	}
}

// event counts a request to an upstream.
func (m *metrics) event(e transport.Event) {
	m.upstream.WithLabelValues(e.Upstream, strconv.Itoa(e.Status)).Inc()
	m.latency.WithLabelValues(e.Upstream).Observe(e.Duration.Seconds())
}

// observer returns an observer that counts the results of jobs.
func (m *metrics) observer() jobs.Observer {
	return jobs.Observer{
		Visited: func(o registry.Outcome) { m.visits.WithLabelValues(string(o)).Inc() },
		Found:   func(source string, n int) { m.found.WithLabelValues(source).Add(float64(n)) },
		Packages: func(kind string, ok bool) {
			m.packages.WithLabelValues(kind, strconv.FormatBool(ok)).Inc()
		},
		Probed: func(state string) { m.probes.WithLabelValues(state).Inc() },
		JobDone: func(job, result string, took time.Duration) {
			m.jobs.WithLabelValues(job, result).Inc()
			m.jobTime.WithLabelValues(job).Observe(took.Seconds())
		},
	}
}

// status sets the gauges of the queue and of the budgets.
func (m *metrics) status(s registry.Status, budgets []registry.Budget) {
	for state, n := range map[string]int{"due": s.Due, "leased": s.Leased, "forced": s.Forced} {
		m.queue.WithLabelValues(state).Set(float64(n))
	}
	for _, state := range registry.ProbeStates {
		m.endpoints.WithLabelValues(state).Set(float64(s.Endpoints[state]))
	}
	hooks := s.Webhooks
	for state, n := range map[string]int{
		"due": hooks.Due, "waiting": hooks.Waiting, "undispatched": hooks.Undispatched} {
		m.hookQueue.WithLabelValues(state).Set(float64(n))
	}
	for q, v := range map[string]*float64{"0.5": s.LagP50, "0.95": s.LagP95} {
		v = cmp.Or(v, new(float64))
		m.lag.WithLabelValues(q).Set(*v)
	}
	for _, b := range budgets {
		m.budget.WithLabelValues(b.Upstream, b.Resource, b.Credential).Set(float64(b.Remaining))
	}
}

// A route is an endpoint of the metrics' address.
type route struct {
	pattern string // of http.ServeMux
	handler http.Handler
}

// routes returns the endpoints of the metrics' address. The OpenAPI document
// describes them too.
func (m *metrics) routes() []route {
	alive := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n"))
	}
	return []route{
		{"GET /healthz", http.HandlerFunc(alive)}, // the only address of workers
		{"GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})},
		{"GET /debug/pprof/{$}", http.HandlerFunc(pprof.Index)},
		{"GET /debug/pprof/{profile}", http.HandlerFunc(profile)},
	}
}

// profile responds with one pprof profile.
func profile(w http.ResponseWriter, r *http.Request) {
	h, ok := map[string]http.HandlerFunc{"cmdline": pprof.Cmdline, "profile": pprof.Profile,
		"symbol": pprof.Symbol, "trace": pprof.Trace}[r.PathValue("profile")]
	if !ok {
		h = pprof.Index
	}
	h(w, r)
}

func (m *metrics) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for _, r := range m.routes() {
		mux.Handle(r.pattern, r.handler)
	}
	return mux
}

// serve serves the metrics' address until ctx is done.
func (m *metrics) serve(ctx context.Context, addr string, log *slog.Logger) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	log.Info("metrics", "address", "http://"+l.Addr().String())
	srv := &http.Server{Handler: localOnly(l.Addr(), m.mux()), ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	return ignoreStop(ctx, srv.Serve(l))
}

// localOnly refuses requests to a loopback address under another name: pages of a browser on this
// machine, whose name was made to lead here.
func localOnly(addr net.Addr, h http.Handler) http.Handler {
	if hosts.KindOf(addr.String()) != hosts.Loopback {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hosts.KindOf(r.Host) != hosts.Loopback {
			http.Error(w, "Ask for this address as "+addr.String()+".", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}
