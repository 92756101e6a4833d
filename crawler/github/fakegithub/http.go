package fakegithub

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Request is one that the world was asked, for tests to look at.
type Request struct {
	Path string // with the service, such as "/github/graphql"
	Body string // of a POST
}

// A Fault makes requests fail. The zero value of each field means: any, or
// as usual.
type Fault struct {
	Path   string // prefix of the path, with the service: "/github/repos/octo-labs/"
	Asks   string // part of the request's body: "query Tree"
	Status int
	Header http.Header
	Body   string
	Times  int           // how many requests fail; 0 is all of them
	Delay  time.Duration // before the answer
	Cut    bool          // the answer breaks off in the middle

	left int
}

// Fail adds a fault. The first one that fits a request is used.
func (w *Server) Fail(f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f.left = f.Times
	w.faults = append(w.faults, &f)
}

// Heal takes all faults away.
func (w *Server) Heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = nil
}

// Requests returns what was asked since the start or the last Forget.
func (w *Server) Requests() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Request(nil), w.log...)
}

// Forget empties the list of requests.
func (w *Server) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = nil
}

// Revoke makes a token bad: GitHub answers it with 401.
func (w *Server) Revoke(token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revoked[token] = true
}

// call is a request with what the services need of it.
type call struct {
	*http.Request
	header   http.Header
	api      string // address of the GitHub API as the client wrote it, without a slash at the end
	segments []string
	query    url.Values
	token    string
	user     string // whose budget it counts against
	known    bool   // has a token
}

// reply is an answer before it is written.
type reply struct {
	status int
	header http.Header
	body   []byte
	noETag bool
}

func answer(status int, v any) reply {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fakegithub: %v", err)) // only our own values are marshalled
	}
	return reply{status: status, header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, body: b}
}

func (r reply) with(key, value string) reply {
	r.header.Set(key, value)
	return r
}

// problem is an error as GitHub's REST API writes it.
func problem(status int, message, doc string) reply {
	return answer(status, map[string]any{
		"message": message, "documentation_url": "https://docs.github.com/" + doc, "status": fmt.Sprint(status),
	})
}

const (
	longestBody = 1 << 20
	longestLog  = 100_000
)

func (w *Server) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, req.Body, longestBody))
	if err != nil {
		http.Error(rw, "fakegithub: body too large or cut", http.StatusRequestEntityTooLarge)
		return
	}
	w.mu.Lock()
	f := w.faultFor(req, body)
	w.mu.Unlock()
	if f != nil {
		select {
		case <-time.After(f.Delay):
		case <-req.Context().Done():
			return
		}
	}
	rec := &recorder{header: http.Header{}}
	switch {
	case f != nil && f.Status != 0:
		rec.status = f.Status
		rec.header.Set("Content-Type", "application/json; charset=utf-8")
		for k, v := range f.Header {
			rec.header[k] = v
		}
		rec.body = []byte(f.Body)
	default:
		w.mux.ServeHTTP(rec, req.WithContext(contextWithBody(req.Context(), body)))
	}
	w.note(req, body)
	for k, v := range rec.header {
		rw.Header()[k] = v
	}
	if f != nil && f.Cut {
		rw.Header().Set("Content-Length", fmt.Sprint(len(rec.body)+1))
		rw.WriteHeader(rec.status)
		_, _ = rw.Write(rec.body[:len(rec.body)/2])
		panic(http.ErrAbortHandler)
	}
	rw.WriteHeader(rec.status)
	if req.Method != http.MethodHead && rec.status != http.StatusNotModified {
		_, _ = rw.Write(rec.body)
	}
}

func (w *Server) faultFor(req *http.Request, body []byte) *Fault {
	for _, f := range w.faults {
		if f.matches(req, body) {
			f.left--
			return f
		}
	}
	return nil
}

func (f *Fault) matches(req *http.Request, body []byte) bool {
	return strings.HasPrefix(req.URL.Path, f.Path) &&
		bytes.Contains(body, []byte(f.Asks)) && (f.Times == 0 || f.left > 0)
}

func (w *Server) note(req *http.Request, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.log) >= longestLog {
		w.log = w.log[longestLog/2:]
	}
	w.log = append(w.log, Request{req.URL.Path, string(body)})
}

// recorder keeps an answer so that faults can cut it.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(s int) {
	if r.status == 0 {
		r.status = s
	}
}
func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.body = append(r.body, b...)
	return len(b), nil
}

func (w *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	service := func(prefix string, f func(*call) reply) {
		mux.HandleFunc(prefix+"/", func(rw http.ResponseWriter, req *http.Request) {
			w.mu.Lock()
			r := f(w.newCall(prefix, req))
			w.mu.Unlock()
			for k, v := range r.header {
				rw.Header()[k] = v
			}
			rw.WriteHeader(r.status)
			_, _ = rw.Write(r.body)
		})
	}
	service("/github", w.github)
	service("/mcp-registry", w.mcpRegistry)
	service("/deps-dev", w.depsDev)
	service("/npm-downloads", w.npmDownloads)
	service("/pypistats", w.pypiStats)
	service("/npm", w.npmRegistry)
	service("/pypi", w.pypi)
	service("/osv", w.osv)
	service("/images", w.images)
	service("/lists", w.lists)
	return mux
}

func (w *Server) newCall(prefix string, req *http.Request) *call {
	c := &call{Request: req, header: req.Header, query: req.URL.Query(), api: "http://" + req.Host + "/github"}
	rest := strings.TrimPrefix(strings.TrimPrefix(req.URL.EscapedPath(), prefix), "/")
	for part := range strings.SplitSeq(rest, "/") {
		if s, err := url.PathUnescape(part); err == nil {
			part = s
		}
		c.segments = append(c.segments, part)
	}
	scheme, token, ok := strings.Cut(req.Header.Get("Authorization"), " ")
	if ok && slices.Contains([]string{"bearer", "token", "basic"}, strings.ToLower(scheme)) {
		c.token, c.known = token, true
		c.user, _, _ = strings.Cut(token, ".") // tokens of one user share a budget
	} else {
		host, _, _ := net.SplitHostPort(req.RemoteAddr)
		c.user = "address " + host
	}
	return c
}

// github answers for GitHub: the rules that hold for every request, then REST
// or GraphQL.
func (w *Server) github(c *call) reply {
	if c.header.Get("User-Agent") == "" {
		return reply{status: http.StatusForbidden, header: http.Header{"Content-Type": {"text/html"}},
			body: []byte("Request forbidden by administrative rules. " +
				"Please make sure your request has a User-Agent header.\r\n")}
	}
	if c.known && (w.revoked[c.token] || c.token == "bad") {
		return w.seal(c, "core", problem(http.StatusUnauthorized, "Bad credentials", "rest"))
	}
	if len(c.segments) == 1 && c.segments[0] == "graphql" {
		return w.graphqlCall(c)
	}
	const resource = "core"
	if !w.limits.take(c.user, resource, 1, w.clock()) {
		message := "API rate limit exceeded for user ID " + c.user + "."
		if !c.known {
			message = "API rate limit exceeded for " + strings.TrimPrefix(c.user, "address ") + ". (But here's the good news: " +
				"Authenticated requests get a higher rate limit. Check out the documentation for more details.)"
		}
		return w.seal(c, resource, problem(http.StatusForbidden, message, "rest/overview/rate-limits-for-the-rest-api"))
	}
	return w.seal(c, resource, w.rest(c))
}

func (w *Server) graphqlCall(c *call) reply {
	if !c.known {
		r := problem(http.StatusUnauthorized, "This endpoint requires you to be authenticated.",
			"graphql/guides/forming-calls-with-graphql#authenticating-with-graphql")
		return r.with("X-RateLimit-Limit", "0").with("X-RateLimit-Remaining", "0").with("X-RateLimit-Resource", "graphql")
	}
	if c.Method != http.MethodPost {
		return w.seal(c, "graphql", problem(http.StatusNotFound, "Not Found", "graphql"))
	}
	r := w.graphql(c, bodyOf(c.Context()))
	r.noETag = true
	return w.seal(c, "graphql", r)
}

// seal adds the headers that GitHub sends with every answer, and turns an
// answer that the client has into 304, which is free for those with a token.
func (w *Server) seal(c *call, resource string, r reply) reply {
	if r.header == nil {
		r.header = http.Header{}
	}
	w.serial++
	r.header.Set("X-GitHub-Request-Id", fmt.Sprintf("FAKE:%X", w.serial))
	r.header.Set("X-GitHub-Media-Type", "github.v3; format=json")
	if c.Method == http.MethodGet && r.status == http.StatusOK && !r.noETag {
		// GitHub's ETag depends on who asks and for what
		sum := sha256.Sum256([]byte(c.header.Get("Accept") + "\n" + c.header.Get("Authorization") + "\n" + string(r.body)))
		tag := `W/"` + hex.EncodeToString(sum[:16]) + `"`
		r.header.Set("ETag", tag)
		r.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
		r.header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP")
		if strings.TrimPrefix(c.header.Get("If-None-Match"), "W/") == strings.TrimPrefix(tag, "W/") {
			r.status, r.body = http.StatusNotModified, nil
			r.header.Del("Content-Type")
			if c.known {
				w.limits.give(c.user, resource, 1)
			}
		}
	}
	b := w.limits.budget(c.user, resource, w.clock())
	r.header.Set("X-RateLimit-Limit", fmt.Sprint(b.Limit))
	r.header.Set("X-RateLimit-Remaining", fmt.Sprint(b.Remaining))
	r.header.Set("X-RateLimit-Used", fmt.Sprint(b.Limit-b.Remaining))
	r.header.Set("X-RateLimit-Reset", fmt.Sprint(b.Reset))
	r.header.Set("X-RateLimit-Resource", resource)
	return r
}
