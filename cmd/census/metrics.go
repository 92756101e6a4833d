package main

import (
	"context"
	"net"
	"net/http"
	"net/http/pprof"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// metrics are the Prometheus metrics of a process.
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
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		upstream: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "census_upstream_requests_total",
				Help: "Requests to upstreams by status (0: no response)."},
			[]string{"upstream", "status"}),
		latency: prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Name: "census_upstream_request_duration_seconds",
				Help: "Duration of requests to upstreams in seconds.",
				Buckets: []float64{.05, .1, .25, .5, 1, 2.5,
					5, 10, 20}}, []string{"upstream"}),
		visits: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "census_crawl_visits_total",
				Help: "Visits to repositories by outcome."}, []string{"outcome"}),
		found: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "census_candidates_total",
			Help: "Candidates named by sources."}, []string{"source"}),
		packages: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "census_package_questions_total",
				Help: "Requests for package data by kind and whether they were answered."},
			[]string{"kind", "answered"}),
		probes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "census_probes_total",
			Help: "Probes of endpoints by the endpoint's state after them."}, []string{"state"}),
		endpoints: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "census_endpoints",
			Help: "Endpoints of servers by state."}, []string{"state"}),
		webhooks: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "census_webhook_attempts_total",
				Help: "Attempts to deliver webhooks by result: delivered, failed, disabled."},
			[]string{"result"}),
		hookQueue: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "census_webhook_queue",
			Help: "Webhook deliveries by state: due, waiting (for a retry), undispatched (events)."},
			[]string{"state"}),
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "census_job_runs_total",
			Help: "Job runs by result."}, []string{"task", "result"}),
		jobTime: prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Name: "census_job_duration_seconds",
				Help: "Duration of job runs in seconds.",
				Buckets: prometheus.ExponentialBuckets(.1, 4,
					9)}, []string{"task"}),
		budget: prometheus.NewGaugeVec(
			prometheus.GaugeOpts{Name: "census_upstream_budget_remaining",
				Help: "Remaining requests of upstream rate limits."},
			[]string{"upstream", "resource", "credential"}),
		queue: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "census_queue",
			Help: "Repositories in the queue by state: due, leased, forced."}, []string{"state"}),
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "census_queue_lag_seconds",
			Help: "How long due repositories have been overdue, in seconds."},
			[]string{"quantile"}),
		fallbacks: prometheus.NewCounter(
			prometheus.CounterOpts{Name: "census_search_fallbacks_total",
				Help: "Searches answered by a scan because the index was unavailable."}),
	}
	m.registry.MustRegister(m.upstream, m.latency, m.visits, m.found, m.packages, m.probes, m.endpoints,
		m.webhooks, m.hookQueue, m.jobs, m.jobTime,
		m.budget, m.queue, m.lag, m.fallbacks,
		collectors.NewGoCollector(), collectors.NewProcessCollector(
			collectors.ProcessCollectorOpts{}))
	return m
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
		Packages: func(kind string,
			ok bool) {
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
	m.queue.WithLabelValues("due").Set(float64(s.Due))
	m.queue.WithLabelValues("leased").Set(float64(s.Leased))
	m.queue.WithLabelValues("forced").Set(float64(s.Forced))
	for _, state := range registry.ProbeStates {
		m.endpoints.WithLabelValues(state).Set(float64(s.Endpoints[state]))
	}
	m.hookQueue.WithLabelValues("due").Set(float64(s.Webhooks.Due))
	m.hookQueue.WithLabelValues("waiting").Set(float64(s.Webhooks.Waiting))
	m.hookQueue.WithLabelValues("undispatched").Set(float64(s.Webhooks.Undispatched))
	for q, v := range map[string]*float64{"0.5": s.LagP50, "0.95": s.LagP95} {
		if v != nil {
			m.lag.WithLabelValues(q).Set(*v)
		} else {
			m.lag.WithLabelValues(q).Set(0)
		}
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
		{"GET /healthz", http.HandlerFunc(alive)}, // workers have no other address
		{"GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})},
		{"GET /debug/pprof/{$}", http.HandlerFunc(pprof.Index)},
		{"GET /debug/pprof/{profile}", http.HandlerFunc(profile)},
	}
}

// profile responds with one pprof profile.
func profile(w http.ResponseWriter, r *http.Request) {
	switch r.PathValue("profile") {
	case "cmdline":
		pprof.Cmdline(w, r)
	case "profile":
		pprof.Profile(w, r)
	case "symbol":
		pprof.Symbol(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		pprof.Index(w, r)
	}
}

func (m *metrics) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for _, r := range m.routes() {
		mux.Handle(r.pattern, r.handler)
	}
	return mux
}

// serve serves the metrics' address until ctx is done.
func (m *metrics) serve(ctx context.Context, addr string) error {
	srv := &http.Server{Addr: addr, Handler: m.mux(), ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		_ = srv.Close()
	}()
	err := srv.ListenAndServe()
	if ctx.Err() != nil {
		<-stopped
		return nil
	}
	return err
}
