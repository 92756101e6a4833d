package account_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/net/html"

	"mcpcensus/internal/account"
	"mcpcensus/internal/billing"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/webhook"
	"mcpcensus/web"
	pages "mcpcensus/web/account"
	"mcpcensus/web/site"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

// A fixture is a registry with accounts, over a real database, as browsers see
// it.
type fixture struct {
	t      *testing.T
	url    string
	db     *postgres.DB
	own    *people.Store // what belongs to accounts
	people *account.Accounts
	mails  mailbox
	plans  *fakePlans
	routes gin.RoutesInfo
	skew   atomic.Int64
}

func (b *fixture) now() time.Time { return time.Now().Add(time.Duration(b.skew.Load())) }

func (b *fixture) later(d time.Duration) { b.skew.Add(int64(d)) }

// A mailbox is a mailer that has the texts of its mails.
type mailbox chan string

func (m mailbox) Send(_, _, text string) error {
	m <- text
	return nil
}

var mailLink = regexp.MustCompile(`https?://[^/]+(/account/(?:confirm|sign-in/link|invitation)\?token=[\w-]+)`)

var mailCode = regexp.MustCompile(`\n(\d{3} \d{3})\n`)

// mail waits for the next mail.
func (b *fixture) mail() string {
	b.t.Helper()
	select {
	case text := <-b.mails:
		return text
	case <-time.After(30 * time.Second):
		b.t.Fatal("no mail came")
		return ""
	}
}

// link returns the path of the link in the next mail that has one.
func (b *fixture) link() string {
	b.t.Helper()
	for {
		if m := mailLink.FindStringSubmatch(b.mail()); m != nil {
			return m[1]
		}
	}
}

// fakePlans is a payment provider's counter: what is dear is paid elsewhere.
type fakePlans struct {
	*billing.Billing
	can  bool
	pays bool
	url  string
}

func (f *fakePlans) Offer() account.Offer { return account.Offer{Online: f.can} }

func (f *fakePlans) Pays(context.Context, int64) (bool, error) { return f.pays, nil }

func (f *fakePlans) Portal(context.Context, int64) (string, error) { return f.url, nil }

func (f *fakePlans) Choose(ctx context.Context, a account.Account, p *account.Plan) (string, error) {
	if p.USD > 0 && f.can {
		return f.url, nil
	}
	return f.Billing.Choose(ctx, a, p)
}

func newBureau(t *testing.T, change ...func(*web.Options, *account.Options)) *fixture {
	t.Helper()
	db := pgtest.New(t)
	b := &fixture{t: t, db: db, own: people.New(db), mails: make(mailbox, 100)}
	var handler atomic.Pointer[http.Handler]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
	t.Cleanup(srv.Close)
	b.url = srv.URL
	log := slog.New(slog.DiscardHandler)
	cat := catalog.New()
	servers := append(webtest.Generated(3), webtest.Hostile("evil", `<script>alert(1)</script>`))
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	if err := cat.Apply(servers, nil, 100); err != nil {
		t.Fatal(err)
	}
	cat.SetReady()
	o := sitetest.Options()
	o.Site = site.Options{Catalog: cat, BaseURL: b.url, Now: b.now}
	o.Pages.Reports = b.db
	hooks := &webhook.Service{Store: b.own, Now: b.now, Slug: func(id string) (string, error) {
		if i, _ := cat.View().Find(id); i != nil {
			return i.Slug(), nil
		}
		return "", registry.Errorf(registry.ErrNotFound, "None.")
	}}
	po := account.Options{Log: log, Store: b.own, BaseURL: b.url, Mail: b.mails, Now: b.now}
	for _, f := range change {
		f(&o, &po)
	}
	b.people = account.New(po)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	wg.Go(func() { b.people.Run(ctx) })
	ring := keyring.New(b.own, log, b.now)
	b.plans = &fakePlans{Billing: &billing.Billing{Store: b.own, Log: log, Now: b.now}}
	people, err := pages.NewPeople(pages.PeopleOptions{Accounts: b.people, Store: b.own,
		Keys: ring, Plans: b.plans, Webhooks: hooks, BaseURL: b.url, Now: b.now, Limiter: o.Site.Limiter, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	o.People, o.Pages.Offer = people, people.Plans.Offer
	site, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	people.Failed = site.Error
	e := httpd.NewEngine(httpd.Config{Log: log, Missing: site.Missing})
	people.Register(e)
	site.Register(e)
	b.routes = e.Routes()
	var h http.Handler = e
	handler.Store(&h)
	return b
}

// A browser keeps cookies, follows links and sends forms.
type browser struct {
	*fixture
	client *http.Client
	path   string // of the page that is open
	body   string
	status int
	header http.Header
}

func (b *fixture) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{fixture: b, client: &http.Client{Jar: jar}}
}

func (w *browser) do(r *http.Request) {
	w.t.Helper()
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	var b strings.Builder
	buf := make([]byte, 32<<10)
	for {
		n, err := res.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			break
		}
	}
	w.path, w.body, w.status, w.header = res.Request.URL.Path, b.String(), res.StatusCode, res.Header
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		webtest.Harmless(w.t, w.path, res, w.body)
		if strings.HasPrefix(w.path, "/account") {
			if c := res.Header.Get("Cache-Control"); c != "no-store" {
				w.t.Errorf("%s: Cache-Control %q", w.path, c)
			}
			if !strings.Contains(w.body, `<meta name="robots" content="noindex">`) {
				w.t.Errorf("%s may be indexed", w.path)
			}
		}
	}
}

// open opens a page.
func (w *browser) open(path string, want int) string {
	w.t.Helper()
	r, _ := http.NewRequest("GET", w.url+path, nil)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	w.do(r)
	if w.status != want {
		w.t.Fatalf("GET %s: %d, want %d\n%s", path, w.status, want, w.text())
	}
	return w.body
}

// form is the form of the open page that goes to a path, with what is filled
// in already.
func (w *browser) form(action string) url.Values {
	w.t.Helper()
	doc, err := html.Parse(strings.NewReader(w.body))
	if err != nil {
		w.t.Fatal(err)
	}
	attr := func(n *html.Node, name string) string {
		for _, a := range n.Attr {
			if a.Key == name {
				return a.Val
			}
		}
		return ""
	}
	for f := range doc.Descendants() {
		if f.Data != "form" || attr(f, "action") != action || attr(f, "method") != "post" {
			continue
		}
		v := url.Values{}
		for n := range f.Descendants() {
			if n.Data == "input" {
				v.Set(attr(n, "name"), attr(n, "value"))
			}
		}
		return v
	}
	w.t.Fatalf("%s has no form to %s:\n%s", w.path, action, w.text())
	return nil
}

// send fills in the form of the open page that goes to action and sends it;
// pairs are fields.
func (w *browser) send(action string, want int, pairs ...string) string {
	w.t.Helper()
	v := w.form(action)
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return w.post(action, want, v)
}

func (w *browser) post(path string, want int, v url.Values, header ...string) string {
	w.t.Helper()
	r, _ := http.NewRequest("POST", w.url+path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w.do(r)
	if w.status != want {
		w.t.Fatalf("POST %s: %d, want %d\n%s", path, w.status, want, w.text())
	}
	return w.body
}

// text is what the open page says.
func (w *browser) text() string {
	doc, err := html.Parse(strings.NewReader(w.body))
	if err != nil {
		w.t.Fatal(err)
	}
	var words []string
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" {
			words = append(words, strings.Fields(n.Data)...)
		}
	}
	return strings.NewReplacer(" .", ".", " ,", ",").Replace(strings.Join(words, " "))
}

func (w *browser) says(want ...string) {
	w.t.Helper()
	text := w.text()
	for _, s := range want {
		if !strings.Contains(text, strings.Join(strings.Fields(s), " ")) {
			w.t.Errorf("%s does not say %q:\n%s", w.path, s, text)
		}
	}
}

func (w *browser) saysNot(unwanted ...string) {
	w.t.Helper()
	text := w.text()
	for _, s := range unwanted {
		if strings.Contains(text, s) {
			w.t.Errorf("%s says %q:\n%s", w.path, s, text)
		}
	}
}

// signUp signs in with an address, which makes an account of it.
func (w *browser) signUp(email string) {
	w.t.Helper()
	w.signIn(email)
	if w.path != "/account" {
		w.t.Fatalf("signed in at %s:\n%s", w.path, w.text())
	}
}

// ask asks for a mail to sign in.
func (w *browser) ask(email string) {
	w.t.Helper()
	w.open("/account/sign-in", 200)
	w.send("/account/sign-in", 200, "email", email)
	w.says("Check your email", email)
}

// signIn signs in with the link in a mail.
func (w *browser) signIn(email string) {
	w.t.Helper()
	w.ask(email)
	w.open(w.link(), 200)
	w.send("/account/sign-in/link", 200)
}

func TestAccount(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.open("/account", 200)
	if w.path != "/account/sign-in" {
		t.Fatalf("nobody is signed in, and /account leads to %s", w.path)
	}
	w.signUp("ada@example.com")
	w.says("ada@example.com", "You have no keys yet", "The last 30 days 0 calls")

	other := b.browser()
	other.signIn("ada@example.com")

	// Keys.
	w.open("/account", 200)
	w.send("/account/keys", 200, "name", "production")
	key := regexp.MustCompile(`mcp_\w{43}`).FindString(w.body)
	if key == "" {
		t.Fatal("no key is shown")
	}
	w.open("/account", 200)
	w.says("production", key[:10], "Keys 1 of 5")
	if strings.Contains(w.body, key) {
		t.Error("the key is shown twice")
	}
	id := regexp.MustCompile(`/account/keys/\d+`).FindString(w.body)
	w.open(id, 200)
	w.send(id, 200, "name", `<img src=x onerror=alert(1)>`)
	w.says("…, <img src=x onerror=alert(1)>.")
	w.open(id, 200)
	w.send(id+"/rotate", 200)
	w.says("It replaces "+key[:10], "Copy it now")
	if again := regexp.MustCompile(`mcp_\w{43}`).FindString(w.body); again == "" || again == key {
		t.Errorf("rotated to %q", again)
	}
	w.open("/account", 200)
	w.says("rotated", "active until", "Keys 2 of 5")
	w.open(id+"/revoke", 200)
	w.says("Revoke this key?")
	w.send(id+"/revoke", 200)
	w.says("Revoked the key", "Keys 1 of 5")
	w.open("/account/activity", 200)
	w.says("Key revoked", "Key rotated", "Key renamed", "Key created", "Signed in", "Account created")

	// Settings: other sessions, address.
	w.open("/account/settings", 200)
	w.send("/account/sign-out-elsewhere", 200)
	w.says("signed out everywhere else")
	if other.open("/account", 200); other.path != "/account/sign-in" {
		t.Errorf("the other browser is at %s", other.path)
	}
	w.open("/account/email", 200)
	w.send("/account/email", 400, "email", "nowhere")
	if v := w.form("/account/email"); v.Get("email") != "nowhere" {
		t.Errorf("kept: %v", v)
	}
	w.send("/account/email", 200, "email", "ada@example.org")
	w.says("Check your email")
	w.open(b.link(), 200)
	w.send("/account/confirm", 200)
	if w.says("Your address is now ada@example.org."); w.path != "/account/settings" {
		t.Errorf("confirmed at %s", w.path)
	}

	// Leave.
	w.open("/account/delete", 200)
	w.says("1 active key")
	for _, typed := range []string{"", "ada", "eve@example.com"} {
		w.send("/account/delete", 400, "email", typed)
		w.says("The address must be ada@example.org, the address of this account.")
	}
	w.send("/account/delete", 200, "email", "Ada@example.org")
	w.says("Your account is deleted")
	if w.open("/account", 200); w.path != "/account/sign-in" {
		t.Errorf("still somebody at %s", w.path)
	}
}

func TestAccount_foreign_forms(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	forms := map[string]url.Values{
		"/account/keys":               {"name": {"theirs"}, "after": {"0"}},
		"/account/sign-out":           {},
		"/account/sign-out-elsewhere": {},
		"/account/plan":               {"plan": {"basic"}},
		"/account/plan/portal":        {},
		"/account/email":              {"email": {"eve@example.com"}},
		"/account/delete":             {},
		"/account/sign-in":            {"email": {"ada@example.com"}},
		"/account/members":            {"email": {"eve@example.com"}, "role": {"owner"}},
		"/account/switch":             {"account": {"1"}},
		"/account/sessions":           {"id": {"1"}},
		"/account/usage-alerts":       {},
		"/account/webhooks":           {"url": {"https://example.com/"}, "after": {"0"}},
		"/account/views":              {"name": {"mine"}},
	}
	for path, v := range forms {
		w.post(path, 403, v) // no token
		w.says("The form was incomplete")
		v.Set("csrf", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		w.post(path, 403, v)
		w.says("This form has expired")
		w.open("/account/settings", 200)
		v.Set("csrf", w.form("/account/sign-out").Get("csrf"))
		w.post(path, 403, v, "Sec-Fetch-Site", "cross-site")
		w.says("another site")
		w.post(path, 403, v, "Sec-Fetch-Site", "", "Origin", "https://evil.example")
		if w.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %s", path, w.header.Get("Content-Type"))
		}
	}
	w.open("/account", 200)
	w.says("ada@example.com", "You have no keys yet")

	stranger := b.browser()
	stranger.open("/account/sign-in", 200)
	token := stranger.form("/account/sign-in").Get("csrf")
	w.post("/account/keys", 403, url.Values{"csrf": {token}, "name": {"x"}, "after": {"0"}})
	stranger.post("/account/keys", 401, url.Values{"csrf": {token}, "name": {"x"}, "after": {"0"}})
	stranger.says("Your session has ended and nothing was changed.")

	for _, kind := range []string{"application/json", "multipart/form-data; boundary=x", "text/plain"} {
		w.post("/account/keys", 415, url.Values{"name": {"x"}}, "Content-Type", kind)
	}
	w.post("/account/keys", 413, url.Values{"name": {strings.Repeat("x", 64<<10)}})
}

func TestAccount_forms_sent_twice(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	v := w.form("/account/keys")
	v.Set("name", "once")
	var wg sync.WaitGroup
	var made, refused atomic.Int64
	for range 4 {
		wg.Go(func() {
			r, _ := http.NewRequest("POST", b.url+"/account/keys", strings.NewReader(v.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			res, err := w.client.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
			switch res.StatusCode {
			case 200:
				made.Add(1)
			case 409:
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 || refused.Load() != 3 {
		t.Errorf("%d keys made, %d refused", made.Load(), refused.Load())
	}
	w.post("/account/keys", 409, v)
	w.says("Your keys changed after this form was shown", "Keys 1 of 5")
	w.send("/account/keys", 200, "name", "another") // the form shown then works

	id := func() string {
		w.open("/account", 200)
		return regexp.MustCompile(`/account/keys/\d+`).FindString(w.body)
	}()
	w.open(id, 200)
	rotate := w.form(id + "/rotate")
	w.post(id+"/rotate", 200, rotate)
	w.post(id+"/rotate", 409, rotate)
	w.says("already rotated")
	w.open(id+"/revoke", 200)
	revoke := w.form(id + "/revoke")
	w.post(id+"/revoke", 200, revoke)
	w.post(id+"/revoke", 200, revoke)

	w.open("/account/delete", 200)
	v = w.form("/account/delete")
	v.Set("email", "ada@example.com")
	w.post("/account/delete", 200, v)
	w.post("/account/delete", 401, v)
}

func TestAccount_sign_in_twice(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.open("/account/sign-in?next=/account/plan", 200)
	w.send("/account/sign-in", 200, "email", "ada@example.com")
	w.open(b.link(), 200)
	v := w.form("/account/sign-in/link")
	for range 2 {
		w.post("/account/sign-in/link", 200, v)
	}
	if w.open("/account/sign-in", 200); w.path != "/account" {
		t.Errorf("who is signed in signs in at %s", w.path)
	}
	for _, next := range []string{
		"https://evil.example/", "//evil.example", `/\evil.example`, "/account/github",
		"/account/sign-out",
	} {
		w.open("/account/sign-in?next="+url.QueryEscape(next), 200)
		if w.path != "/account" {
			t.Errorf("%s leads to %s", next, w.path)
		}
	}
}

func TestAccount_next(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.open("/account/plan?choose=professional", 200)
	w.send("/account/sign-in", 200, "email", "ada@example.com")
	w.open(b.link(), 200)
	if w.send("/account/sign-in/link", 200); w.path != "/account/plan" {
		t.Errorf("signed in at %s", w.path)
	}
	w.send("/account/sign-out", 200)
	if w.signIn("ada@example.com"); w.path != "/account" {
		t.Errorf("the next sign-in leads to %s", w.path)
	}
	// After the session has ended under a form.
	w.open("/account/email", 200)
	form := w.form("/account/email")
	other := b.browser()
	other.signIn("ada@example.com")
	other.open("/account/settings", 200)
	other.send("/account/sign-out-elsewhere", 200)
	for from, leads := range map[string]bool{b.url + "/account/email": true, "https://evil.example/account/email": false, b.url + "//evil.example": false, "": false} {
		w.post("/account/email", 401, form, "Referer", from)
		if w.says("nothing was changed"); strings.Contains(w.body, `name="next" value="/account/email"`) != leads || strings.Contains(w.body, "evil") {
			t.Errorf("from %q:\n%s", from, w.body)
		}
	}
}

func TestAccount_plans(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.open("/pricing", 200)
	if strings.Contains(w.body, "Professional") || strings.Contains(w.body, "$499") {
		t.Error("the prices offer what cannot be bought")
	}
	b.plans.can = true
	w.open("/pricing", 200)
	if !strings.Contains(w.body, `href="/account/plan?choose=professional"`) {
		t.Error("the prices have no way to choose")
	}
	b.plans.can = false
	w.signUp("ada@example.com")
	w.open("/account/plan", 200)
	w.says("Your plan is Basic", "This registry sells no paid plans.")
	w.open("/account/plan?choose=professional", 200)
	w.says("This registry sells no paid plans.")
	token := w.form("/account/sign-out").Get("csrf")
	w.post("/account/plan", 409, url.Values{"csrf": {token}, "plan": {"professional"}})
	w.post("/account/plan", 400, url.Values{"csrf": {token}, "plan": {"golden"}})

	b.plans.can, b.plans.url = true, "https://checkout.example/pay?s=1&x=2"
	w.open("/account/plan?choose=professional", 200)
	w.says("Change to Professional?", "$99 a month.")
	w.send("/account/plan", 200, "plan", "professional")
	if !strings.Contains(w.body, `href="https://checkout.example/pay?s=1&amp;x=2"`) || !strings.Contains(w.body, `http-equiv="refresh"`) {
		t.Errorf("no way to the payment:\n%s", w.body)
	}
	b.plans.url = "javascript:alert(1)"
	w.open("/account/plan?choose=enterprise", 200)
	w.send("/account/plan", 503)
	b.plans.pays, b.plans.url = true, "https://billing.example/"
	w.open("/account/plan", 200)
	w.send("/account/plan/portal", 200)
	if !strings.Contains(w.body, "https://billing.example/") {
		t.Error("no way to the portal")
	}

	// What the operator grants until a time goes down to what is chosen then.
	b.plans.pays, b.plans.can = false, false
	acc, err := b.people.ForOperator(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	until := b.now().Add(40 * 24 * time.Hour)
	if err := b.own.SetPlan(
		t.Context(), account.ByOperator, b.now(), acc.ID, account.Subscription{
			Plan: account.Enterprise, Until: &until, Next: account.Professional,
		},
	); err != nil {
		t.Fatal(err)
	}
	w.open("/account/plan?choose=basic", 200)
	w.says("Your plan is Enterprise until", "then Professional", "Change to Basic?")
	w.send("/account/plan", 200)
	w.says("Your plan is Enterprise until", "then Basic.")
	w.open("/account", 200)
	w.says("requests to /v1 today, unlimited")
}

func TestAccount_use(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	acc, err := b.people.ForOperator(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	today := b.now().UTC().Truncate(24 * time.Hour)
	var calls []meter.CallCount
	for i := range 30 {
		calls = append(calls, meter.CallCount{Account: acc.ID, DayCalls: meter.DayCalls{Date: today.AddDate(0, 0, -i), Key: 1, Endpoint: "/v1/servers/:id", Calls: int64(10 + i*i)}})
	}
	calls = append(calls,
		meter.CallCount{Account: acc.ID, DayCalls: meter.DayCalls{Date: today, Key: 1, Endpoint: "/v1/search", Calls: 5}},
		meter.CallCount{Account: acc.ID, DayCalls: meter.DayCalls{Date: today.AddDate(0, 0, -30), Key: 1, Endpoint: "/v1/search", Calls: 100_000}}, // too long ago
	)
	if err := b.own.AddCounts(t.Context(), meter.Counts{Process: "p", Batch: 1, Calls: calls}, b.now()); err != nil {
		t.Fatal(err)
	}
	w.open("/account", 200)
	total := 5
	for i := range 30 {
		total += 10 + i*i
	}
	w.says("The last 30 days "+text.Thousands(total)+" calls", "/v1/servers/{id}", "/v1/search 5",
		"Calls as a table", today.Format("2 Jan 2006")+" 15")
	if n := strings.Count(w.body, `<rect class="col"`); n != 30 {
		t.Errorf("%d columns", n)
	}
	w.saysNot("100,000")
}

func TestAccount_limit(t *testing.T) {
	b := newBureau(t, func(o *web.Options, _ *account.Options) {
		o.Site.Limiter = quota.New(quota.Options{Now: func() time.Time { return webtest.Now }})
	})
	w := b.browser()
	w.signUp("ada@example.com")
	w.says("0 of 100 requests to /v1 used, 100 left")
	for stranger := b.browser(); stranger.status != 429; {
		r, _ := http.NewRequest("GET", b.url+"/account/oidc", nil)
		r.Header.Set("Accept", "text/html")
		stranger.do(r)
	}
	w.open("/account", 200) // who is signed in has the account's own
	w = b.browser()
	w.open("/account", 429)
	w.says("Rate limit reached: 300 requests per hour for this address.")
	if w.header.Get("Retry-After") == "" || !strings.HasPrefix(w.header.Get("Content-Type"), "text/html") {
		t.Errorf("%v", w.header)
	}
	w.open("/servers", 200)
	w.open("/account/sign-in", 200) // counts nothing
	w.open("/account/sign-in?next=/account/keys", 429)
}

func TestAccount_problems(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	for path, kind := range map[string]string{
		"/account/api": "text/html; charset=utf-8", "/account/api/keys": "text/html; charset=utf-8",
		"//v1/servers": "application/problem+json", "/V1/servers": "application/problem+json", "/api//discover": "application/problem+json",
		"/account/nothing": "text/html; charset=utf-8", "/account/apiary": "text/html; charset=utf-8",
	} {
		w.open(path, 404)
		if got := w.header.Get("Content-Type"); got != kind {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// The addresses that forms are sent to lead back to the form's page.
func TestAccount_addresses_of_forms(t *testing.T) {
	b := newBureau(t)
	for path, to := range map[string]string{"/account/keys": "/account", "/account/keys/7/rotate": "/account/keys/7", "/account/plan/portal": "/account/plan", "/account/sign-out": "/account",
		"/account/keys/..%2F..%2F..%2F%2Fevil.example/rotate": "/evil.example"} { // an address of this site all the same
		res, err := http.DefaultTransport.RoundTrip(httptest.NewRequest("GET", b.url+path, nil))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get("Location"); got != to || res.StatusCode != 303 || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s leads to %q with %d, want %q", path, got, res.StatusCode, to)
		}
	}
}

func TestAccount_views(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	w.open("/account/views", 200)
	w.says("Your plan has no custom endpoints")
	pgtest.Exec(t, b.db, `UPDATE accounts SET plan = 'enterprise'`)
	pgtest.Exec(t, b.db, `
		INSERT INTO customs (account, name, query, filters, sort, page_limit, facets, created_at,
			updated_at)
		SELECT id, 'mine', '', '{}', '', 10, false, now(), now() FROM accounts`)
	w.open("/account/views", 200)
	w.says("mine")
	w.send("/account/views", 200, "name", "mine")
	w.says("Copy it now", b.url+"/r/")
	w.open("/account/views", 200)
	w.saysNot(b.url + "/r/")
	other := b.browser()
	other.signUp("eve@example.com")
	other.open("/account/views", 200)
	other.post("/account/views", 404, url.Values{"csrf": {other.form("/account/sign-out").Get("csrf")}, "name": {"mine"}})
}

func TestAccount_webhooks(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	w.open("/account/webhooks", 200)
	w.says("Endpoints 0 of 1", "You have no endpoints yet", "server.version")
	w.send("/account/webhooks", 400, "url", "https://127.0.0.1/", "events", "")
	w.says("The URL must have a public host name, not an address")
	w.send("/account/webhooks", 400, "url", "https://example.com/", "servers", "nope", "events", webhook.Listed)
	w.says("The servers must be IDs of listed servers")
	form := w.form("/account/webhooks")
	w.send("/account/webhooks", 200, "url", "https://example.com/<b>", "servers", "", "events", webhook.Listed,
		"description", "<i>mine</i>")
	w.says("Copy the secret now", "whsec_", "https://example.com/<b>")
	form.Set("url", "https://example.com/again")
	form.Set("servers", "")
	w.post("/account/webhooks", 409, form) // the form was sent twice
	w.says("Your endpoints changed", "1 of 1", "maximum number of endpoints")
	w.saysNot("whsec_")
	const page = "/account/webhooks/1"
	w.open(page, 200)
	w.says("<i>mine</i>", "enabled", "No deliveries in the last 30 days")
	w.send(page+"/test", 200)
	w.says("Sending a test event", "webhook.test", "pending")
	e, err := b.own.Endpoint(t.Context(), 1, 1)
	if err != nil || len(e.Events) != 1 || e.Description != "<i>mine</i>" {
		t.Fatalf("%+v, %v", e, err)
	}
	jobs, err := b.own.ClaimDeliveries(t.Context(), 1, 1, time.Minute, b.now())
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}
	if _, err := b.own.SaveAttempt(t.Context(), jobs[0],
		jobs[0].Result(webhook.Attempt{At: b.now(), Status: 410, Error: "responded with 410"}, 0)); err != nil {
		t.Fatal(err)
	}
	w.open(page, 200)
	w.says("disabled it responded with 410", "failed responded with 410", "1 attempt")
	w.send(page, 200, "url", e.URL, "disabled", "", "events", webhook.Version)
	w.says("Saved.", "enabled")
	w.send(page+"/resend", 200)
	w.says("Sending the event again", "pending")
	w.send(page+"/rotate", 200)
	w.says("Your new secret", "whsec_", "also signed with the previous secret")
	w.open("/account/activity", 200)
	w.says("Webhook endpoint created", "Webhook endpoint disabled", "the registry")

	other := b.browser()
	other.signUp("eve@example.com")
	other.open(page, 404)
	other.open("/account/webhooks", 200)
	other.saysNot("example.com/<b>")
	token := other.form("/account/sign-out").Get("csrf")
	for _, path := range []string{page, page + "/test", page + "/rotate", page + "/resend", page + "/delete"} {
		other.post(path, 404, url.Values{"csrf": {token}, "url": {"https://example.com/"}, "delivery": {"1"}})
	}
	w.open(page+"/delete", 200)
	w.send(page+"/delete", 200)
	w.says("Deleted the endpoint", "You have no endpoints yet")
}

func TestAccount_without_mail_or_database(t *testing.T) {
	b := newBureau(t, func(s *web.Options, o *account.Options) { o.Mail, s.Feeds.Contact = nil, "ops@census.example" })
	w := b.browser()
	w.open("/account/sign-in", 200)
	w.says("The operator of this registry can print a link", "census account link",
		"you@example.com --new --demo", "Contact the operator at ops@census.example")
	if strings.Contains(w.body, `action="/account/sign-in"`) {
		t.Error("a form that does nothing")
	}
	b.operatorSignsIn(w, "ada@example.com")
	w.says("ada@example.com")
	b.db.Close()
	for _, path := range []string{"/account", "/account/settings", "/account/sign-in"} {
		r, _ := http.NewRequest("GET", b.url+path, nil)
		if w.do(r); w.status < 500 || strings.Contains(w.body, "sql") {
			t.Errorf("%s: %d %s", path, w.status, w.text())
		}
	}
	w.open("/servers", 200) // needs none
}

func TestAccount_public_pages(t *testing.T) {
	b := newBureau(t)
	w, stranger := b.browser(), b.browser()
	w.signUp("ada@example.com")
	for _, path := range []string{"/", "/servers", "/pricing", "/about", "/add", "/servers/evil/report"} {
		if mine, theirs := w.open(path, 200), stranger.open(path, 200); mine != theirs {
			t.Errorf("%s depends on who asks", path)
		}
		if len(w.header.Values("Set-Cookie")) > 0 || w.header.Get("Cache-Control") == "no-store" {
			t.Errorf("%s: %v", path, w.header)
		}
	}
	if !strings.Contains(stranger.open("/", 200), `href="/account"`) {
		t.Error("no way to the account")
	}
}

func TestAccount_GitHub(t *testing.T) {
	b := newBureau(t, newHub(t).use)
	w := b.browser()
	w.open("/account/github/callback?state=x&code=y", 403)
	w.says("started in another browser")
	if w.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v", w.header)
	}
	w.open("/account/plan?choose=professional", 200)
	if w.path != "/account/sign-in" || !strings.Contains(w.body, `href="/account/github?next=%2Faccount%2Fplan%3Fchoose%3Dprofessional"`) {
		t.Fatalf("at %s:\n%s", w.path, w.body)
	}
	w.open("/account/github?next=/account/settings", 200)
	if w.path != "/account/settings" {
		t.Fatalf("back at %s", w.path)
	}
	w.says("ada@example.com", "linked to octo-ada")

	// An earlier sign-in does not count as proof.
	b.later(16 * time.Minute)
	w.open("/account/delete", 200)
	w.send("/account/delete", 403)
	w.says("Sign in again")
	if !strings.Contains(w.body, `href="/account/sign-in?next=%2Faccount%2Fdelete&amp;again=1"`) {
		t.Errorf("no way to sign in again:\n%s", w.body)
	}
	w.open("/account/unlink", 200)
	w.send("/account/unlink", 403)
	w.open("/account/github?next=/account/unlink", 200)
	w.send("/account/unlink", 200)
	w.says("GitHub is no longer linked", "not linked")

	w.open("/account/link", 200)
	w.says("Sign in with GitHub first")
	w.open("/account/github?next=/account/settings", 200)
	if w.path != "/account/link" {
		t.Fatalf("back at %s", w.path)
	}
	w.says("octo-ada")
	w.send("/account/link", 200)
	if w.path != "/account/settings" {
		t.Fatalf("at %s", w.path)
	}
	w.says("GitHub is linked.", "linked to octo-ada")
	w.open("/account/link", 200)
	w.says("Your account is linked to octo-ada")
	w.open("/account/delete", 200)
	w.send("/account/delete", 200, "email", "ada@example.com")
	w.says("Your account is deleted")
}
