package httpd

import (
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts requests by route, method and status, and measures how long
// they take.
type Metrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	ready    atomic.Pointer[map[metricKey]metricPair] // saves the label look-ups
	mu       sync.Mutex                               // held by who replaces it
}

type metricKey struct {
	route, method string
	status        int
}

type metricPair struct {
	requests prometheus.Counter
	took     prometheus.Observer
}

// NewMetrics returns metrics that are registered in r.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "census_http_requests_total", Help: "HTTP requests by route, method and status.",
		}, []string{"route", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "census_http_request_seconds", Help: "Time from the first byte of a request read to its answer written, by route.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route"}),
	}
	m.ready.Store(&map[metricKey]metricPair{})
	r.MustRegister(m.requests, m.took)
	return m
}

// observe counts a finished request. Addresses that nothing is at and methods
// that HTTP does not know share one label: strangers must not make new ones.
func (m *Metrics) observe(c *gin.Context, took time.Duration) {
	k := metricKey{c.FullPath(), c.Request.Method, c.Writer.Status()}
	if k.route == "" {
		k.route = "none"
	}
	switch k.method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
	default:
		k.method = "other"
	}
	p, ok := (*m.ready.Load())[k]
	if !ok {
		p = m.add(k)
	}
	p.requests.Inc()
	p.took.Observe(took.Seconds())
}

// add makes the metrics of a key, of which there are a few hundred at most.
func (m *Metrics) add(k metricKey) metricPair {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := metricPair{m.requests.WithLabelValues(k.route, k.method, strconv.Itoa(k.status)), m.took.WithLabelValues(k.route)}
	ready := maps.Clone(*m.ready.Load())
	ready[k] = p
	m.ready.Store(&ready)
	return p
}
