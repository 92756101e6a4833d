package accounts_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"

	netmail "net/mail"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/gin-gonic/gin"

	"mcpcensus/api/accounts"
	"mcpcensus/api/apitest"
	"mcpcensus/internal/account"
	"mcpcensus/internal/billing"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/mail"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/quota"
)

func TestMain(m *testing.M) {
	gin.SetMode(gin.ReleaseMode)
	m.Run()
}

const (
	password  = "violet-kettle-orbit-93"
	password2 = "granite-teapot-lagoon-17"
)

// A fixture is a registry with accounts over HTTP.
type fixture struct {
	t    *testing.T
	url  string
	db   *postgres.DB
	acc  *account.Accounts
	api  *accounts.API
	ring *keyring.Ring
	post *smtpServer // nil without mail
	skew atomic.Int64

	lastCode string // of an authenticator app
}

func (h *fixture) now() time.Time           { return time.Now().Add(time.Duration(h.skew.Load())) }
func (h *fixture) later(d time.Duration)    { h.skew.Add(int64(d)) }
func (h *fixture) visitor() *client         { return h.visitorFrom("203.0.113.1") }
func (h *fixture) row(query string) (n int) { return count(h.t, h.db, query) }

type options struct {
	mail     bool
	trusting bool
	base     string // "": the address it listens on
	github   func(base string) *account.GitHub
	oidc     func(base string) *account.OIDC
	limiter  httpd.Limiter
	db       *postgres.DB     // nil: a fresh one
	provider billing.Provider // nil: the operator sets plans
	costs    account.Costs    // zero: cheap ones
}

func newHouse(t *testing.T, s options) *fixture {
	t.Helper()
	h := &fixture{t: t, db: s.db}
	if h.db == nil {
		h.db = pgtest.New(t)
	}
	var handler atomic.Pointer[http.Handler]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
	t.Cleanup(srv.Close)
	h.url = srv.URL
	base := s.base
	if base == "" {
		base = h.url
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	o := account.Options{Log: log, Store: h.db, BaseURL: base, Trusting: s.trusting, Now: h.now,
		Costs: account.Costs{Memory: 64, Passes: 1, Threads: 1}}
	if s.costs != (account.Costs{}) {
		o.Costs = s.costs
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	if s.mail {
		h.post = newPostbox(t)
		sender, err := mail.New(mail.Options{URL: "smtp://" + h.post.addr, From: "Census <census@example.com>", Log: log})
		if err != nil {
			t.Fatal(err)
		}
		o.Mail = sender
		wg.Go(func() { sender.Run(ctx) })
	}
	if s.github != nil {
		o.GitHub = s.github(base)
	}
	if s.oidc != nil {
		o.OIDC = s.oidc(base)
	}
	h.acc = account.New(o)
	wg.Go(func() { h.acc.Run(ctx) })
	h.ring = keyring.New(h.db, log, h.now)
	plans := &billing.Billing{Store: h.db, Provider: s.provider, Log: log, Now: h.now,
		Changed: h.acc.NotifyPlan}
	var err error
	h.api, err = accounts.New(accounts.Options{Accounts: h.acc, Sessions: h.db, Keys: h.ring, Plans: plans, Records: h.db, BaseURL: base, Now: h.now, Limiter: s.limiter})
	if err != nil {
		t.Fatal(err)
	}
	engine := httpd.NewEngine(httpd.Config{Log: log, DocsURL: base + "/docs/errors"})
	h.api.Register(engine)
	h.api.RegisterWebhook(engine)
	var eh http.Handler = engine
	handler.Store(&eh)
	return h
}

// A client is a browser or a program with a cookie jar.
type client struct {
	t      *testing.T
	h      *fixture
	client *http.Client
	cookie string // sent as it is
	header http.Header
}

// ginContext returns what a handler of a page gets. The request does not come
// through an engine, so it is not known to be local and has the other cookies.
func ginContext(cookie string) *gin.Context {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest("GET", "/account", nil)
	if cookie != "" {
		c.Request.Header.Set("Cookie", strings.ReplaceAll(plainNames(cookie), "registry-", "__Host-registry-"))
	}
	return c
}

// plainNames returns cookies with the names that they have on this machine.
func plainNames(cookies string) string { return strings.ReplaceAll(cookies, "__Host-", "") }

// visitorFrom returns a client that is on this machine, with an address of its own:
// the last three bytes of addr after 127.
func (h *fixture) visitorFrom(addr string) *client {
	jar, _ := cookiejar.New(nil)
	_, rest, _ := strings.Cut(addr, ".")
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127." + rest)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	h.t.Cleanup(transport.CloseIdleConnections)
	return &client{t: h.t, h: h, header: http.Header{}, client: &http.Client{
		Jar: jar, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

type result struct {
	status int
	header http.Header
	body   string
}

func (r result) code() string {
	var p struct{ Code string }
	json.Unmarshal([]byte(r.body), &p)
	return p.Code
}

func (p *client) send(req *http.Request) result {
	p.t.Helper()
	maps.Copy(req.Header, p.header)
	if p.cookie != "" {
		req.Header.Set("Cookie", p.cookie)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.h.validate(req, resp, b)
	return result{resp.StatusCode, resp.Header, string(b)}
}

var loadDocument = sync.OnceValues(func() (*apitest.Document, routers.Router) {
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		panic(err)
	}
	doc, err := apitest.Load(text)
	if err != nil {
		panic(err)
	}
	doc.Servers = nil
	router, err := legacy.NewRouter(doc.T, openapi3.DisableExamplesValidation()) // api checks these
	if err != nil {
		panic(err)
	}
	return doc, router
})

// validate fails the test if the answer is not one that the OpenAPI document
// has for the request.
func (h *fixture) validate(req *http.Request, resp *http.Response, body []byte) {
	h.t.Helper()
	if !strings.HasPrefix(req.URL.Path, "/account") && req.URL.Path != accounts.WebhookPath || !strings.HasPrefix(req.URL.String(), h.url) ||
		req.Method == "HEAD" || req.Method == "OPTIONS" || strings.HasSuffix(req.URL.Path, "/") {
		return
	}
	doc, router := loadDocument()
	route, _, err := router.FindRoute(req)
	if err != nil {
		if resp.StatusCode != 404 && resp.StatusCode != 405 {
			h.t.Errorf("%s %s: %d, and the document has no such route", req.Method, req.URL, resp.StatusCode)
		}
		return
	}
	if err := doc.Check(route.Operation, resp.StatusCode, resp.Header, body); err != nil {
		h.t.Errorf("%s %s: %d differs from the document: %v\n%s", req.Method, req.URL, resp.StatusCode, err, body)
	}
	if missing := apitest.Undocumented(route.Operation, resp.StatusCode, resp.Header); len(missing) > 0 &&
		strings.HasPrefix(req.URL.Path, "/account") {
		h.t.Errorf("%s %s: the document lacks the headers %q of %d", req.Method, req.URL, missing, resp.StatusCode)
	}
}

func (p *client) request(method, path, body string) *http.Request {
	p.t.Helper()
	if !strings.Contains(path, "://") {
		path = p.h.url + path
	}
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, path, r)
	if err != nil {
		p.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

// do sends a request to /account/api; pairs are the members of its body.
func (p *client) do(method, path string, pairs ...string) result {
	p.t.Helper()
	body := ""
	if method != "GET" {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		b, _ := json.Marshal(m)
		body = string(b)
	}
	return p.send(p.request(method, "/account/api"+path, body))
}

func (p *client) wants(want int, r result) result {
	p.t.Helper()
	if r.status != want {
		p.t.Fatalf("status %d, want %d: %s", r.status, want, r.body)
	}
	return r
}

func (p *client) signUp(email, password string) {
	p.t.Helper()
	p.wants(202, p.do("POST", "/sign-up", "email", email, "password", password))
}
func (p *client) signIn(email, password string) result {
	p.t.Helper()
	return p.do("POST", "/sign-in", "email", email, "password", password)
}
func (p *client) signedIn() bool { p.t.Helper(); return p.do("GET", "").status == 200 }

// A message is a mail that was received.
type message struct{ from, to, subject, text, raw string }

var linkForm = regexp.MustCompile(`https?://\S+/account/(confirm|reset|sign-in-link)\?token=([\w-]+)`)

func (l message) token(t *testing.T, page string) string {
	t.Helper()
	m := linkForm.FindStringSubmatch(l.text)
	if m == nil || m[1] != page {
		t.Fatalf("no link to %s in %q", page, l.text)
	}
	return m[2]
}

// An smtpServer stores the mails that it receives.
type smtpServer struct {
	t       *testing.T
	addr    string
	mu      sync.Mutex
	letters []message
	read    int
	arrived chan struct{}
}

func newPostbox(t *testing.T) *smtpServer {
	p := &smtpServer{t: t, arrived: make(chan struct{}, 100)}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &delivery{box: p}, nil }))
	s.Domain, s.AllowInsecureAuth, s.MaxMessageBytes = "localhost", true, 1<<20
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.addr = l.Addr().String()
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return p
}

// next waits for a mail.
func (p *smtpServer) next() message {
	p.t.Helper()
	select {
	case <-p.arrived:
	case <-time.After(20 * time.Second):
		p.t.Fatal("no mail came")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read++
	return p.letters[p.read-1]
}

func (p *smtpServer) all() []message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]message(nil), p.letters...)
}

type delivery struct {
	box      *smtpServer
	from, to string
}

func (d *delivery) Mail(from string, _ *smtp.MailOptions) error { d.from = from; return nil }
func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error   { d.to += to; return nil }
func (d *delivery) Reset()                                      { d.from, d.to = "", "" }
func (d *delivery) Logout() error                               { return nil }
func (d *delivery) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	l, err := readLetter(d.from, d.to, b)
	if err != nil {
		return err
	}
	d.box.mu.Lock()
	d.box.letters = append(d.box.letters, l)
	d.box.mu.Unlock()
	d.box.arrived <- struct{}{}
	return nil
}

func TestSignUp(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.visitor()
	r := p.wants(202, p.do("POST", "/sign-up", "email", "Ada@Example.com", "password", password))
	if !strings.Contains(r.body, `"check_mail"`) || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("sign-up: %s %v", r.body, r.header)
	}
	l := h.post.next()
	if l.to != "Ada@example.com" || l.from != "census@example.com" || !strings.Contains(l.subject, "Confirm") {
		t.Errorf("mail: %+v", l)
	}
	if r := p.signIn("ada@example.com", password); r.status != 401 || r.code() != "wrong_credentials" {
		t.Errorf("not confirmed yet: %d %s", r.status, r.body)
	}
	token := l.token(t, "confirm")
	p.wants(200, p.do("POST", "/confirm", "token", token))
	if r := p.do("POST", "/confirm", "token", token); r.status != 400 || r.code() != "invalid_link" {
		t.Errorf("used twice: %d %s", r.status, r.body)
	}
	if p.signedIn() {
		t.Error("signed in by a link")
	}
	r = p.wants(200, p.signIn("ADA@example.COM", password))
	var shown struct {
		Email       string
		Confirmed   bool
		HasPassword bool
		GitHub      any
		Plan        string
	}
	if err := json.Unmarshal([]byte(r.body), &shown); err != nil || shown.Email != "Ada@Example.com" || !shown.Confirmed || !shown.HasPassword || shown.GitHub != nil || shown.Plan != "basic" {
		t.Errorf("%s", r.body)
	}
	if !p.signedIn() {
		t.Error("not signed in")
	}
	p.wants(204, p.send(p.request("POST", "/account/api/sign-out", "{}")))
	if r := p.do("GET", ""); r.status != 401 || r.code() != "not_signed_in" {
		t.Errorf("after sign-out: %d %s", r.status, r.body)
	}
	if n := h.row(`SELECT count(*) FROM sessions`); n != 0 {
		t.Errorf("%d sessions left", n)
	}
}

func TestCookies(t *testing.T) {
	for _, c := range []struct {
		base, name string
		secure     bool
	}{{"", "registry-session", false}, {"https://census.example", "__Host-registry-session", true}, {"http://census.example", "__Host-registry-session", true}} {
		h := newHouse(t, options{trusting: true, base: c.base})
		p := h.visitor()
		p.signUp("ada@example.com", password)
		r := p.wants(200, p.signIn("ada@example.com", password))
		cookies := (&http.Response{Header: r.header}).Cookies()
		if len(cookies) != 2 {
			t.Fatalf("%v", cookies)
		}
		for _, cookie := range cookies {
			if (cookie.Name != c.name && cookie.Name != strings.TrimSuffix(c.name, "session")+"known") || cookie.Secure != c.secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
				t.Errorf("%s: %v", c.base, cookie)
			}
			if n := h.row(`SELECT count(*) FROM sessions WHERE position('` + cookie.Value + `' in encode(data, 'escape')) > 0`); n != 0 {
				t.Error("a token is stored")
			}
		}
	}
}

// Requests that may come through a proxy on the same machine are not trusted,
// although the peer's address is loopback and nothing is configured.
func TestRequestsThroughProxies(t *testing.T) {
	for name, tt := range map[string]struct {
		header http.Header
		host   string
		local  bool
	}{
		"direct":            {local: true},
		"another header":    {header: http.Header{"X-Requested-With": {"x"}}, local: true},
		"own page":          {header: http.Header{"Origin": {"http://localhost:8080"}}, host: "localhost:8080", local: true},
		"X-Forwarded-For":   {header: http.Header{"X-Forwarded-For": {"203.0.113.1"}}},
		"empty":             {header: http.Header{"X-Forwarded-For": {""}}},
		"from this machine": {header: http.Header{"X-Forwarded-For": {"127.0.0.1"}}},
		"X-Forwarded-Proto": {header: http.Header{"X-Forwarded-Proto": {"https"}}},
		"Forwarded":         {header: http.Header{"Forwarded": {"for=203.0.113.1"}}},
		"Via":               {header: http.Header{"Via": {"1.1 proxy"}}},
		"X-Real-IP":         {header: http.Header{"X-Real-Ip": {"203.0.113.1"}}},
		"public host":       {host: "census.example"},
		"public page":       {header: http.Header{"Origin": {"https://census.example"}, "Sec-Fetch-Site": {"same-origin"}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, options{trusting: true})
			p := h.visitor()
			p.header = tt.header
			post := func(path string) result {
				req := p.request("POST", "/account/api"+path, `{"email":"ada@example.com","password":"`+password+`"}`)
				if tt.host != "" {
					req.Host = tt.host
				}
				return p.send(req)
			}
			if r := post("/sign-up"); r.status != 202 || strings.Contains(r.body, account.NextSignIn) != tt.local {
				t.Errorf("sign-up: %d %s", r.status, r.body)
			}
			if r := post("/sign-in"); (r.status == 200) != tt.local {
				t.Errorf("sign-in without a confirmation: %d %s", r.status, r.body)
			}
			if _, _, _, err := h.acc.ConfirmByOperator(t.Context(), "ada@example.com"); err == nil == tt.local {
				t.Errorf("confirmed by the operator: %v", err)
			}
		})
	}
}

// Clients behind a proxy on this machine have limits of their own, and cookies
// that are Secure.
func TestClientsBehindProxy(t *testing.T) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	limiter := quota.New(quota.Options{Now: func() time.Time { return noon }})
	h := newHouse(t, options{mail: true, limiter: limiter})
	h.member("ada@example.com")
	eve, ada := h.visitor(), h.visitor()
	eve.header = http.Header{"X-Forwarded-For": {"203.0.113.66"}}
	ada.header = http.Header{"X-Forwarded-For": {"203.0.113.1"}}
	for range accounts.HourlyLimit {
		eve.do("GET", "")
	}
	if r := eve.do("GET", ""); r.status != 429 {
		t.Errorf("past the limit: %d", r.status)
	}
	r := ada.wants(200, ada.signIn("ada@example.com", password))
	if got := r.header.Get("X-RateLimit-Remaining"); got != "299" {
		t.Errorf("%s requests remain for another client", got)
	}
	for _, cookie := range (&http.Response{Header: r.header}).Cookies() {
		if !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") {
			t.Errorf("cookie %v", cookie)
		}
	}
}

// What a stranger sees must be the same for an address with an account, one
// with an account that is not confirmed, and one without.
func TestResponsesRevealNoAccounts(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.visitor()
	h.member("known@example.com")
	p.signUp("waiting@example.com", password)
	h.post.next()
	for _, path := range []string{"/sign-up", "/sign-in", "/reset-request"} {
		var first result
		for i, email := range []string{"known@example.com", "waiting@example.com", "new@example.com"} {
			pairs := []string{"email", email}
			if path != "/reset-request" {
				pairs = append(pairs, "password", password2)
			}
			r := h.visitorFrom("203.0.113."+string(rune('1'+i))).do("POST", path, pairs...)
			r.body = regexp.MustCompile(`"requestId":"[^"]*"`).ReplaceAllString(r.body, "")
			for _, k := range []string{"X-Request-Id", "Date"} {
				r.header.Del(k)
			}
			if i == 0 {
				first = r
				continue
			}
			if r.status != first.status || r.body != first.body || len(r.header) != len(first.header) {
				t.Errorf("%s: %s is told from known@example.com: %d %s %v; %d %s %v", path, email, r.status, r.body, r.header, first.status, first.body, first.header)
			}
		}
	}
	// And the owners are told: known twice (sign-up, reset), waiting twice, new
	// twice (new has an account by then).
	got := map[string]int{}
	for range 6 {
		l := h.post.next()
		got[l.to]++
	}
	for _, email := range []string{"known@example.com", "waiting@example.com", "new@example.com"} {
		if got[email] != 2 {
			t.Errorf("%s got %d mails", email, got[email])
		}
	}
}

// member makes a confirmed account.
func (h *fixture) member(email string) {
	h.t.Helper()
	p := h.visitorFrom("198.51.100.200")
	p.signUp(email, password)
	if h.post != nil {
		p.wants(200, p.do("POST", "/confirm", "token", h.post.next().token(h.t, "confirm")))
	} else if !h.acc.Trusting {
		_, link, _, err := h.acc.ConfirmByOperator(h.t.Context(), email)
		if err != nil {
			h.t.Fatal(err)
		}
		p.wants(204, p.do("POST", "/reset", "token", message{text: link}.token(h.t, "reset"), "password", password))
	}
}

// memberIn is a member with a browser that is signed in.
func (h *fixture) memberIn(email string) *client {
	h.t.Helper()
	h.member(email)
	p := h.visitor()
	p.wants(200, p.signIn(email, password))
	return p
}

func count(t *testing.T, db *postgres.DB, query string) (n int) {
	t.Helper()
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if err := own.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func readLetter(from, to string, raw []byte) (message, error) {
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return message{}, err
	}
	var body io.Reader = m.Body
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	subject, _ := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	return message{from, to, subject, string(text), string(raw)}, err
}

func TestInvalidBodies(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	good := `{"email":"eve@example.com","password":"` + password + `"}`
	for name, c := range map[string]struct {
		body  string
		want  int
		names string // what the answer names
	}{
		"nothing":         {"", 400, "invalid_body"},
		"blanks":          {" \n ", 400, "invalid_body"},
		"no JSON":         {"email=ada", 400, "invalid_body"},
		"half":            {`{"email":"eve@example.com"`, 400, "invalid_body"},
		"two values":      {good + good, 400, "invalid_body"},
		"an array":        {`[` + good + `]`, 400, "invalid_body"},
		"a text":          {`"x"`, 400, "invalid_body"},
		"null":            {`null`, 400, "invalid_body"},
		"an empty object": {`{}`, 400, `"email"`},
		"no password":     {`{"email":"eve@example.com"}`, 400, `"password"`},
		"a null member":   {`{"email":null,"password":"x"}`, 400, `"email"`},
		"unknown member":  {`{"email":"eve@example.com","password":"x","isAdmin":true}`, 400, `"isAdmin"`},
		"a number":        {`{"email":1,"password":"x"}`, 400, `"email"`},
		"an object":       {`{"email":"eve@example.com","password":{"$ne":""}}`, 400, `"password"`},
		"twice":           {`{"email":"eve@example.com","email":"ada@example.com","password":"x"}`, 400, `"email"`},
		"twice, escaped": {`{"email":"eve@example.com","\u0065mail":"ada@example.com","password":"x"}`,
			400, `"email"`},
		"twice, in capitals": {`{"email":"eve@example.com","EMAIL":"ada@example.com","password":"x"}`, 400, `"EMAIL"`},
		"not UTF-8":          {"{\"email\":\"eve\xff@example.com\",\"password\":\"x\"}", 400, "invalid_body"},
		"a NUL":              {`{"email":"eve\u0000@example.com","password":"` + password + `"}`, 400, `"email"`},
		"a NUL byte":         {"{\"email\":\"eve\x00@example.com\"}", 400, "invalid_body"},
		"a line break": {`{"email":"eve@example.com\r\nBcc: x@example.com","password":"` +
			password + `"}`, 400, `"email"`},
		"half a surrogate": {`{"email":"eve\ud800@example.com","password":"` + password + `"}`, 400, `"email"`},
		"deep":             {`{"email":` + strings.Repeat("[", 8000) + strings.Repeat("]", 8000) + `}`, 400, `"email"`},
		"large":            {`{"email":"` + strings.Repeat("a", 20_000) + `"}`, 413, "payload_too_large"},
		"huge":             {`{"email":"` + strings.Repeat("a", 200_000) + `"}`, 413, "payload_too_large"},
		"a password of 1,000": {`{"email":"eve@example.com","password":"` +
			strings.Repeat("a1!", 334) + `"}`, 400, `"password"`},
		"in the member's value": {`{"email":"<script>alert(1)</script>","password":"x"}`, 400, `"email"`},
	} {
		t.Run(name, func(t *testing.T) {
			req := p.request("POST", "/account/api/sign-up", c.body)
			req.Header.Set("Content-Type", "application/json")
			r := p.send(req)
			if r.status != c.want || !strings.Contains(r.body, c.names) ||
				r.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%d %.300s", r.status, r.body)
			}
		})
	}
	if n := h.row(`SELECT count(*) FROM accounts`); n != 1 {
		t.Errorf("%d accounts", n)
	}
}

func TestContentTypes(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	h.member("ada@example.com")
	body := `{"email":"ada@example.com","password":"` + password + `"}`
	for name, c := range map[string]struct {
		kinds []string
		want  int
	}{
		"none":                 {nil, 415},
		"a form":               {[]string{"application/x-www-form-urlencoded"}, 415},
		"plain":                {[]string{"text/plain"}, 415},
		"plain with JSON":      {[]string{"text/plain; application/json"}, 415},
		"two":                  {[]string{"application/json", "text/plain"}, 415},
		"twice the same":       {[]string{"application/json", "application/json"}, 415},
		"in one line":          {[]string{"application/json, text/plain"}, 415},
		"another charset":      {[]string{"application/json; charset=utf-16"}, 415},
		"with a charset":       {[]string{"application/json; charset=UTF-8"}, 200},
		"in capitals":          {[]string{"Application/JSON"}, 200},
		"JSON of another kind": {[]string{"application/merge-patch+json"}, 415},
	} {
		p := h.visitor()
		req := p.request("POST", "/account/api/sign-in", body)
		req.Header["Content-Type"] = c.kinds
		if r := p.send(req); r.status != c.want {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

func TestMethodsAndPaths(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"HEAD", "/account/api", 200}, {"PUT", "/account/api", 405}, {"POST", "/account/api", 405},
		{"GET", "/account/api/sign-in", 405},
		{"GET", "/account/api/", 404}, {"GET", "/account/api/nothing", 404},
		{"POST", "/account/api/audit", 405}, {"POST", "/account/github", 405},
	} {
		if r := p.send(p.request(c.method, c.path, "")); r.status != c.want {
			t.Errorf("%s %s: %d %s", c.method, c.path, r.status, r.body)
		}
	}
}

func TestLongURLs(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	for _, path := range []string{"/account/api", "/account/api/keys", "/account/github", "/account/github/callback"} {
		if r := p.send(p.request("GET", path+"?"+strings.Repeat("x", 9000), "")); r.status != 414 ||
			r.code() != "uri_too_long" {
			t.Errorf("%s: %d %.200s", path, r.status, r.body)
		}
	}
}

// A session is proved by a cookie: a program that sends a key instead gets
// nowhere.
func TestUnauthorizedChallenge(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.visitor()
	for _, r := range []result{p.do("GET", ""), p.signIn("ada@example.com", password),
		p.do("DELETE", "", "password", password)} {
		if got := r.header.Values("WWW-Authenticate"); r.status != 401 || len(got) != 1 ||
			got[0] != `Cookie realm="account"` {
			t.Errorf("%d %q", r.status, got)
		}
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	var all map[string]any
	if err := json.Unmarshal([]byte(p.do("GET", "").body), &all); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"id", "password", "epoch", "githubId"} {
		if _, ok := all[k]; ok {
			t.Errorf("%s is shown", k)
		}
	}
	for _, method := range []string{"GET", "OPTIONS"} {
		req := p.request(method, "/account/api", "")
		req.Header.Set("Origin", "https://evil.example")
		req.Header.Set("Access-Control-Request-Method", http.MethodDelete)
		if r := p.send(req); r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: pages of other origins may read it", method)
		}
	}
}

// A client that uses up the hour of an address locks nobody out who is signed in at
// it, or has been in the same browser.
func TestLimitOfOwner(t *testing.T) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	limiter := quota.New(quota.Options{Now: func() time.Time { return noon }})
	h := newHouse(t, options{trusting: true, limiter: limiter})
	h.member("ada@example.com")
	ada, was, stranger := h.visitorFrom("203.0.113.9"), h.visitorFrom("203.0.113.9"), h.visitorFrom("203.0.113.9")
	ada.wants(200, ada.signIn("ada@example.com", password))
	was.wants(200, was.signIn("ada@example.com", password))
	was.wants(204, was.do("POST", "/sign-out"))
	for range accounts.HourlyLimit {
		if stranger.do("GET", "").status == 429 {
			break
		}
	}
	if r := stranger.do("GET", ""); r.status != 429 || r.code() != "rate_limit_exceeded" {
		t.Fatalf("%d %s", r.status, r.code())
	}
	stranger.cookie = "registry-session=" +
		"Q9bzlu982L7v9yotAWEMkrV2J_ydZXi7MzSkpp6sFRs; registry-known=Q9bzlu982L7v9yotAWEMkrV2J_ydZXi7MzSkpp6sFRs"
	if r := stranger.do("GET", ""); r.status != 429 {
		t.Errorf("with made-up cookies: %d", r.status)
	}
	r := ada.do("GET", "/keys")
	if r.status != 200 || r.header.Get("X-RateLimit-Remaining") != "299" || r.header.Get("Retry-After") != "" {
		t.Errorf("who is signed in: %d %v", r.status, r.header)
	}
	was.wants(200, was.signIn("ada@example.com", password))
	for n := 3; n <= accounts.HourlyLimit; n++ {
		if r := ada.do("GET", ""); r.status != 200 {
			t.Fatalf("request %d of the owner: %d", n, r.status)
		}
	}
	if r := ada.do("GET", ""); r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("past the owner's own limit: %d", r.status)
	}
}
