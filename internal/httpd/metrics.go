package httpd

import (
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts requests by route, method and status, and measures how long
// they take.
type Metrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
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
	}
	r.MustRegister(m.requests, m.took)
	return m
}

// observe counts a finished request. URLs without a route share one label, and
// so do unknown methods: clients cannot create new time series.
func (m *Metrics) observe(c *gin.Context, took time.Duration) {
	route, method := c.FullPath(), c.Request.Method
	if route == "" {
		route = "none"
	}
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
	default:
		method = "other"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(c.Writer.Status())).Inc()
	m.took.WithLabelValues(route).Observe(took.Seconds())
}
