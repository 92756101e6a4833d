package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"mcpcensus/internal/pgtest"
)

func TestAccountCommands(t *testing.T) {
	url := pgtest.New(t).URL()
	census := func(args ...string) (string, error) {
		var stdout, stderr bytes.Buffer
		err := execute(t, url, args, &stdout, &stderr)
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
	// behind a proxy nobody is trusted
	base, stop := serveOn(t, url, "CENSUS_TRUSTED_PROXIES=192.0.2.1")
	post := poster(t, base)
	if code, body := post("/account/api/sign-up",
		`{"email":"Ada@Example.com","password":"violet-kettle-orbit-93"}`); code != 202 ||
		!strings.Contains(body, "await_operator") {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := post("/account/api/sign-in",
		`{"email":"ada@example.com","password":"violet-kettle-orbit-93"}`); code != 401 {
		t.Errorf("%d", code)
	}
	if out := must("account", "list"); !strings.Contains(out, "Ada@Example.com  no") {
		t.Errorf("%s", out)
	}
	linkForm := regexp.MustCompile(`http://\S+/account/reset\?token=(\S+)`)
	if out := must("account", "confirm", "ada@example.com"); !strings.Contains(out,
		"Ada@Example.com is confirmed") || !linkForm.MatchString(out) ||
		!strings.Contains(out, "after 1h") {
		t.Errorf("%s", out)
	}
	if code, _ := post("/account/api/sign-in",
		`{"email":"ada@example.com","password":"violet-kettle-orbit-93"}`); code != 401 {
		t.Errorf("the password of the account's creator is accepted: %d", code)
	}
	out := must("account", "reset", "ADA@example.com")
	link := linkForm.FindStringSubmatch(out)
	if link == nil || !strings.Contains(out, "after 1h") {
		t.Fatalf("%s", out)
	}
	if code, body := post("/account/api/reset",
		`{"token":"`+link[1]+`","password":"granite-teapot-lagoon-17"}`); code != 204 {
		t.Errorf("%d %s", code, body)
	}
	if code, body := post("/account/api/sign-in",
		`{"email":"ada@example.com","password":"granite-teapot-lagoon-17"}`); code != 200 {
		t.Errorf("%d %s", code, body)
	}
	out = must("account", "show", "ada@example.com")
	for _, want := range []string{"Address        Ada@Example.com", "Signs in with  password",
		"Plan           Basic", "operator  email.confirmed", "operator  password.reset_asked",
		"owner     password.reset "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "argon2") || strings.Contains(out, link[1]) {
		t.Errorf("a secret is shown:\n%s", out)
	}
	if _, err := census("account", "remove-second-factor", "ada@example.com"); err == nil ||
		!strings.Contains(words(err), "no second factor") {
		t.Errorf("%v", err)
	}
	must("account", "delete", "ada@example.com")
	stop()
	for want, args := range map[string][]string{
		"no account has":      {"account", "show", "ada@example.com"},
		"no confirmation of":  {"account", "confirm", "ada@example.com"},
		"must look like":      {"account", "reset", "ada"},
		"no account":          {"account", "remove-second-factor", "ada@example.com"},
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
	addr := freeAddress(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	log := new(syncBuffer)
	all := append([]string{"HOME=" + t.TempDir(), "DATABASE_URL=" + url, "CENSUS_ADDR=" + addr,
		"CENSUS_METRICS_ADDR=off", "CENSUS_DATA_DIR=" + t.TempDir()}, environ...)
	go func() { ended <- run(ctx, []string{"serve", "--roles", "api"}, all, io.Discard, log) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("ended with %v\n%s", err, log)
		}
	})
	t.Cleanup(stop)
	within(t, time.Minute, "ready", func() bool {
		resp, err := http.Get("http://" + addr + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return "http://" + addr, stop
}

// A registry that is reached by https sends Strict-Transport-Security.
func TestBrowsersStayWithHTTPS(t *testing.T) {
	url := pgtest.New(t).URL()
	for site, want := range map[string]string{"https://census.example": "max-age=31536000; includeSubDomains",
		"https://localhost": "", "http://census.example": ""} {
		base, stop := serveOn(t, url, "CENSUS_BASE_URL="+site)
		for _, path := range []string{"/api/servers", "/docs/api", "/nothing", "/account/api"} {
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

func poster(t *testing.T, base string) func(path, body string) (int, string) {
	return func(path, body string) (int, string) {
		t.Helper()
		resp, err := http.Post(base+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
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
	post := poster(t, base)
	for _, email := range []string{"a", "b", "c", "d", "e"} {
		if code, body := post("/account/api/sign-up",
			`{"email":"`+email+`@example.com","password":"violet-kettle-orbit-93"}`); code != 202 {
			t.Errorf("%d %s", code, body)
		}
	}
	stop()
	if len(mails) != 5 {
		t.Errorf("%d mails of 5", len(mails))
	}
	if m := <-mails; !strings.Contains(m, "Subject: Acme: Confirm") ||
		!strings.Contains(m, "signed up for Acme") {
		t.Errorf("%s", m)
	}
}
