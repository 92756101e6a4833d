package httpd

import (
	"net/http"

	"mcpcensus/internal/meter"
)

// A Counter counts events of servers. It ignores requests of bots.
type Counter interface {
	// Event counts an event of a server that r has caused.
	Event(e meter.Event, slug string, r *http.Request)
	// Events is Event for several servers.
	Events(e meter.Event, slugs []string, r *http.Request)
}

// A CounterFunc is a Counter that is called once for each server.
type CounterFunc func(e meter.Event, slug string, r *http.Request)

// Event calls f.
func (f CounterFunc) Event(e meter.Event, slug string, r *http.Request) { f(e, slug, r) }

// Events calls f for each of the servers.
func (f CounterFunc) Events(e meter.Event, slugs []string, r *http.Request) {
	for _, slug := range slugs {
		f(e, slug, r)
	}
}

// Uncounted is a Counter that does nothing.
var Uncounted Counter = CounterFunc(func(meter.Event, string, *http.Request) {})
