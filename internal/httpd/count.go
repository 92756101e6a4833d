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

// Uncounted is a Counter that counts nothing.
var Uncounted Counter = uncounted{}

type uncounted struct{}

func (uncounted) Event(registry.Event, string, *http.Request)    {}
func (uncounted) Events(registry.Event, []string, *http.Request) {}
