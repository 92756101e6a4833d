package httpd

import (
	"net/http"

	"mcpcensus/internal/registry"
)

// A Counter counts what happens to servers. What bots cause it leaves out.
type Counter interface {
	// Event counts that e happened to the server with that slug because of r.
	Event(e registry.Event, slug string, r *http.Request)
	// Events counts that e happened to each of the servers.
	Events(e registry.Event, slugs []string, r *http.Request)
}

// A CounterFunc is a Counter that is called once for each server.
type CounterFunc func(e registry.Event, slug string, r *http.Request)

// Event calls f.
func (f CounterFunc) Event(e registry.Event, slug string, r *http.Request) { f(e, slug, r) }

// Events calls f for each of the servers.
func (f CounterFunc) Events(e registry.Event, slugs []string, r *http.Request) {
	for _, slug := range slugs {
		f(e, slug, r)
	}
}

// Uncounted is a Counter that counts nothing.
var Uncounted Counter = CounterFunc(func(registry.Event, string, *http.Request) {})
