package httpd

import (
	"cmp"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
)

// Metrics counts requests by route, method and status, and measures how long
// they take.
type Metrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	refused  *refusals
}

// NewMetrics returns metrics that are registered in r.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "census_http_requests_total", Help: "HTTP requests by route, method and status.",
		}, []string{"route", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "census_http_request_seconds", Help: "Time to handle a request, by route.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route"}),
		refused: &refusals{counts: map[refusedBy]int{}},
	}
	r.MustRegister(m.requests, m.took, m.refused)
	return m
}

// observe counts a finished request. URLs without a route share one label, and
// so do unknown methods: clients cannot create new time series.
func (m *Metrics) observe(c *gin.Context, took time.Duration) {
	route, method := c.FullPath(), c.Request.Method
	route = cmp.Or(route, "none")
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
	default:
		method = "other"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(c.Writer.Status())).Inc()
	m.took.WithLabelValues(route).Observe(took.Seconds())
	switch status := c.Writer.Status(); status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		m.refused.count(refusedBy{account.NetworkOf(requestOf(c).addr), status}, time.Now())
	}
}

// A refusedBy is a kind of refusal: a response to the clients of a network (IPv4 /24, IPv6 /48).
type refusedBy struct {
	network netip.Prefix
	status  int
}

// refusals count the refusals of an hour. The metric shows the most frequent ones, so that clients
// cannot create many time series.
type refusals struct {
	mu     sync.Mutex
	hour   int64
	counts map[refusedBy]int
}

const (
	maxRefusals   = 10_000 // that are counted
	shownRefusals = 20
)

func (s *refusals) count(r refusedBy, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hour := now.Unix() / 3600; hour != s.hour {
		clear(s.counts)
		s.hour = hour
	}
	if s.counts[r] > 0 || len(s.counts) < maxRefusals {
		s.counts[r]++
	}
}

var refusalsDesc = prometheus.NewDesc("census_http_refused",
	"Responses 401, 403 and 429 in this hour, of the networks with the most.",
	[]string{"network", "status"}, nil)

// Describe implements [prometheus.Collector].
func (s *refusals) Describe(ch chan<- *prometheus.Desc) { ch <- refusalsDesc }

// Collect implements [prometheus.Collector].
func (s *refusals) Collect(ch chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Unix()/3600 != s.hour {
		return
	}
	most := slices.SortedFunc(maps.Keys(s.counts),
		func(a, b refusedBy) int { return s.counts[b] - s.counts[a] })
	for _, r := range most[:min(len(most), shownRefusals)] {
		ch <- prometheus.MustNewConstMetric(refusalsDesc, prometheus.GaugeValue,
			float64(s.counts[r]), r.network.String(), strconv.Itoa(r.status))
	}
}

// A Counter counts events of servers. It ignores requests of bots.
type Counter interface {
	// Event counts an event of a server that r has caused.
	Event(e meter.Event, slug string, r *http.Request)
	// Events is Event for several servers.
	Events(e meter.Event, slugs []string, r *http.Request)
}

// A CounterFunc is a Counter that is called once for each server.
type CounterFunc func(e meter.Event, slug string, r *http.Request)

func (f CounterFunc) Event(e meter.Event, slug string, r *http.Request) { f(e, slug, r) }

func (f CounterFunc) Events(e meter.Event, slugs []string, r *http.Request) {
	for _, slug := range slugs {
		f(e, slug, r)
	}
}

// Uncounted is a Counter that does nothing.
var Uncounted Counter = CounterFunc(func(meter.Event, string, *http.Request) {})
