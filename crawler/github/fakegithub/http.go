package fakegithub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Request is a request that the server has received.
type Request struct {
	Path string // with the service, such as "/github/graphql"
	Body string // of a POST
}

// A Fault changes the responses to the requests that it matches. Zero values of Path and
// Contains match all requests. With a zero Status the response is the regular one.
type Fault struct {
	Path     string // prefix of the path, with the service: "/github/repos/octo-labs/"
	Contains string // part of the request's body: "query Tree"
	Status   int
	Header   http.Header
	Body     string
	Times    int           // number of requests; 0 means all
	Delay    time.Duration // before the response
	Cut      bool          // the response ends in the middle

	left int
}

// Fail adds a fault. The first fault that matches a request applies.
func (w *Server) Fail(f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f.left = f.Times
	w.faults = append(w.faults, &f)
}

func (w *Server) ClearFaults() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = nil
}

// Requests returns the requests since the start or the last ClearRequests.
func (w *Server) Requests() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Request(nil), w.log...)
}

func (w *Server) ClearRequests() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = nil
}

// Revoke revokes a token: GitHub responds to it with 401.
func (w *Server) Revoke(token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revoked[token] = true
}

// call is a parsed request to a service.
type call struct {
	*http.Request
	body     []byte
	origin   string   // base URL of the server in the request
	segments []string // of the path below the service
	query    url.Values
	token    string // "" for none
	user     string // the caller in rate limits
}

// reply is a response before it is written.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func jsonReply(status int, v any) reply {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fakegithub: %v", err))
	}
	return reply{status: status, header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, body: b}
}

func (r reply) with(key, value string) reply {
	r.header.Set(key, value)
	return r
}

// problem returns an error of GitHub's REST API.
func problem(status int, message, doc string) reply {
	return jsonReply(status, map[string]any{
		"message": message, "documentation_url": "https://docs.github.com/" + doc, "status": fmt.Sprint(status),
	})
}

const (
	maxBody = 1 << 20
	maxLog  = 100_000
)

func (w *Server) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, req.Body, maxBody))
	if err != nil {
		http.Error(rw, "fakegithub: body too large or truncated", http.StatusRequestEntityTooLarge)
		return
	}
	w.mu.Lock()
	f := w.faultFor(req, body)
	w.mu.Unlock()
	select {
	case <-time.After(f.Delay):
	case <-req.Context().Done():
		return
	}
	r := reply{f.Status, http.Header{"Content-Type": {"application/json; charset=utf-8"}}, []byte(f.Body)}
	maps.Copy(r.header, f.Header)
	w.mu.Lock()
	if f.Status == 0 {
		r = w.serve(req, body)
	}
	if len(w.log) >= maxLog {
		w.log = w.log[maxLog/2:]
	}
	w.log = append(w.log, Request{req.URL.Path, string(body)})
	w.mu.Unlock()
	maps.Copy(rw.Header(), r.header)
	if f.Cut {
		rw.Header().Set("Content-Length", fmt.Sprint(len(r.body)+1))
		rw.WriteHeader(r.status)
		_, _ = rw.Write(r.body[:len(r.body)/2])
		panic(http.ErrAbortHandler)
	}
	rw.WriteHeader(r.status)
	_, _ = rw.Write(r.body)
}

// faultFor returns the fault of a request, the zero value if there is none.
func (w *Server) faultFor(req *http.Request, body []byte) Fault {
	for _, f := range w.faults {
		if strings.HasPrefix(req.URL.Path, f.Path) && bytes.Contains(body, []byte(f.Contains)) &&
			(f.Times == 0 || f.left > 0) {
			f.left--
			return *f
		}
	}
	return Fault{}
}

// services are the handlers of the services by the first path segment.
var services = map[string]func(*Server, *call) reply{
	"github": (*Server).github, "git": (*Server).serveGit, "mcp-registry": (*Server).mcpRegistry,
	"deps-dev":      (*Server).depsDev,
	"npm-downloads": (*Server).npmDownloads, "pypistats": (*Server).pypiStats, "npm": (*Server).npmRegistry,
	"pypi": (*Server).pypi, "osv": (*Server).osv, "images": (*Server).images, "lists": (*Server).lists,
}

// serve calls the handler of a request. The caller holds w.mu.
func (w *Server) serve(req *http.Request, body []byte) reply {
	name, rest, _ := strings.Cut(strings.TrimPrefix(req.URL.EscapedPath(), "/"), "/")
	service := services[name]
	if service == nil {
		return notFound()
	}
	c := &call{Request: req, body: body, query: req.URL.Query(), origin: "http://" + req.Host}
	for part := range strings.SplitSeq(rest, "/") {
		if s, err := url.PathUnescape(part); err == nil {
			part = s
		}
		c.segments = append(c.segments, part)
	}
	if _, token, ok := strings.Cut(req.Header.Get("Authorization"), " "); ok {
		c.token = token
		c.user, _, _ = strings.Cut(token, ".") // tokens of one user share a budget
	} else {
		host, _, _ := net.SplitHostPort(req.RemoteAddr)
		c.user = addressPrefix + host
	}
	return service(w, c)
}

// github serves GitHub: it checks the token and rate limits and calls the handler of REST
// or GraphQL.
func (w *Server) github(c *call) reply {
	resource, respond := "core", w.rest
	switch c.segments[0] {
	case "graphql":
		resource, respond = "graphql", w.graphql
	case "search":
		resource = "search"
	}
	var r reply
	switch {
	case c.token != "" && (w.revoked[c.token] || c.token == "bad"):
		r = problem(http.StatusUnauthorized, "Bad credentials", "rest")
	case resource == "graphql" && c.token == "":
		r = problem(http.StatusUnauthorized, "This endpoint requires you to be authenticated.",
			"graphql/guides/forming-calls-with-graphql#authenticating-with-graphql")
	case resource != "graphql" && !w.limits.take(c.user, resource, 1, w.clock()):
		r = problem(http.StatusForbidden, "API rate limit exceeded for "+c.user+".",
			"rest/overview/rate-limits-for-the-rest-api")
	default:
		r = respond(c)
	}
	b := w.limits.budget(c.user, resource, w.clock())
	for name, n := range map[string]int64{"Limit": int64(b.limit), "Remaining": int64(b.remaining), "Reset": b.reset} {
		r.header.Set("X-RateLimit-"+name, fmt.Sprint(n))
	}
	return r.with("X-RateLimit-Resource", resource)
}
