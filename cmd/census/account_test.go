package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"mcpcensus/internal/pgtest"
)

func TestAccountCommands(t *testing.T) {
	db := pgtest.New(t).URL()
	census := func(args ...string) (string, error) {
		var stdout, stderr bytes.Buffer
		err := execute(t, db, args, &stdout, &stderr)
		return stdout.String(), err
	}
	must := func(args ...string) string {
		t.Helper()
		out, err := census(args...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out
	}
	if out := must("account", "list"); !strings.Contains(out, "No accounts") {
		t.Errorf("%s", out)
	}
	base, stop := serveOn(t, db)
	linkForm := regexp.MustCompile(`http://\S+(/account/sign-in/link\?token=\S+)`)
	link := linkForm.FindStringSubmatch(must("account", "link", "Ada@Example.com", "--new"))
	if link == nil {
		t.Fatal("no link")
	}
	pages := visitPages(t, base)
	if code, page := pages.send(link[1], "token", strings.Split(link[1], "=")[1]); code != 200 ||
		!strings.Contains(page, "Ada@Example.com") {
		t.Errorf("%d %s", code, page)
	}
	if out := must("account", "list"); !regexp.MustCompile(`(?m)^Ada@Example.com +basic`).MatchString(out) {
		t.Errorf("%s", out)
	}
	out := must("account", "show", "ada@example.com")
	for _, want := range []string{"Address +Ada@Example.com", "Plan +Basic", "operator +account.made",
		"operator +signin.link_asked", "owner +signin +emailed link"} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, link[1]) {
		t.Errorf("a secret is shown:\n%s", out)
	}
	must("account", "link", "taken@example.com", "--new")
	ask := func(email string) {
		t.Helper()
		if code, page := pages.send("/account/email", "email", email); code != 200 {
			t.Fatalf("asks for %s: %d %s", email, code, page)
		}
	}
	ask("taken@example.com")
	if _, err := census("account", "confirm", "taken@example.com"); err == nil ||
		words(err) != "another account has the address taken@example.com" {
		t.Errorf("confirm a taken address: %v", err)
	}
	ask("new@example.com")
	if out := must("account", "confirm", "new@example.com"); !strings.Contains(out,
		"Ada@Example.com -> new@example.com") {
		t.Errorf("%s", out)
	}
	must("account", "delete", "new@example.com")
	stop()
	for want, args := range map[string][]string{
		"no account has":      {"account", "show", "ada@example.com"},
		"nobody asked":        {"account", "confirm", "ada@example.com"},
		"must look like":      {"account", "link", "ada"},
		"no account":          {"account", "link", "ada@example.com"},
		"missing subcommand":  {"account"},
		"expects the address": {"account", "delete"},
	} {
		if _, err := census(args...); err == nil || !strings.Contains(words(err), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// serveOn starts a census with the role api on a database.
func serveOn(t *testing.T, url string, environ ...string) (base string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	log := new(syncBuffer)
	all := append([]string{"HOME=" + t.TempDir(), "DATABASE_URL=" + url, "CENSUS_ADDR=127.0.0.1:0",
		withKey, "CENSUS_METRICS_ADDR=off", "CENSUS_DATA_DIR=" + t.TempDir()}, environ...)
	go func() { ended <- run(ctx, []string{"serve", "--roles", "api,pages"}, all, io.Discard, log) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("ended with %v\n%s", err, log)
		}
	})
	t.Cleanup(stop)
	base = addressIn(t, log, "listening")
	within(t, time.Minute, "ready", func() bool {
		resp, err := http.Get(base + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return base, stop
}

// A registry that is reached by https sends Strict-Transport-Security.
func TestBrowsersStayWithHTTPS(t *testing.T) {
	db := pgtest.New(t).URL()
	for site, want := range map[string]string{"https://census.example": "max-age=31536000; includeSubDomains",
		"https://localhost": "", "http://census.example": ""} {
		base, stop := serveOn(t, db, "CENSUS_BASE_URL="+site)
		for _, path := range []string{"/api/servers", "/docs/api", "/nothing", "/account/sign-in"} {
			resp, err := http.Get(base + path)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := resp.Header.Get("Strict-Transport-Security"); got != want {
				t.Errorf("%s%s: %q", site, path, got)
			}
		}
		stop()
	}
}

// A pageVisitor keeps cookies and sends the forms of account pages.
type pageVisitor struct {
	t      *testing.T
	base   string
	client http.Client
}

func visitPages(t *testing.T, base string) *pageVisitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &pageVisitor{t, base, http.Client{Jar: jar}}
}

var formToken = regexp.MustCompile(`name="csrf" value="([^"]*)"`)

// open returns the status and the text of a page.
func (v *pageVisitor) open(path string) (int, string) {
	v.t.Helper()
	return v.read(v.client.Get(v.base + path))
}

// send opens a page and sends its form to its address.
func (v *pageVisitor) send(path string, pairs ...string) (int, string) {
	v.t.Helper()
	_, page := v.open(path)
	token := formToken.FindStringSubmatch(page)
	if token == nil {
		v.t.Fatalf("%s has no form:\n%s", path, page)
	}
	form := url.Values{"csrf": {token[1]}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return v.read(v.client.PostForm(v.base+path, form))
}

func (v *pageVisitor) read(resp *http.Response, err error) (int, string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// mailbox is an SMTP server that stores mail.
type mailbox struct {
	smtp.Session
	mails chan string
}

func (m mailbox) Mail(string, *smtp.MailOptions) error { return nil }
func (m mailbox) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (m mailbox) Reset()                               {}
func (m mailbox) Logout() error                        { return nil }
func (m mailbox) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err == nil {
		m.mails <- string(b)
	}
	return err
}

// A process that stops sends the mails that are still queued.
func TestMailIsSentOnShutdown(t *testing.T) {
	mails := make(chan string, 100)
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session,
		error) {
		return mailbox{mails: mails}, nil
	}))
	s.Domain = "localhost"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()
	base, stop := serveOn(t, pgtest.New(t).URL(), "CENSUS_SMTP_URL=smtp://"+l.Addr().String(),
		"CENSUS_MAIL_FROM=Acme <acme@example.com>", "CENSUS_NAME=Acme")
	pages := visitPages(t, base)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if code, page := pages.send("/account/sign-in", "email", name+"@example.com"); code != 200 {
			t.Errorf("%d %s", code, page)
		}
	}
	stop()
	if len(mails) != 5 {
		t.Errorf("%d mails of 5", len(mails))
	}
	if m := <-mails; !strings.Contains(m, "Subject: Acme: Sign in") ||
		!strings.Contains(m, "wants to sign in to Acme") {
		t.Errorf("%s", m)
	}
}
