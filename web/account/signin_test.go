package account_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
)

// Sign-in is by mail or by a provider: nothing of passwords and second factors is left.
func TestAccount_noPasswords(t *testing.T) {
	b := newBureau(t)
	gone := regexp.MustCompile(`(?i)passw|passkey|totp|webauthn|recovery.?code|second.?factor|argon2`)
	texts := map[string]string{}
	for _, r := range b.routes {
		texts["route "+r.Path] = r.Path
	}
	for _, dir := range []string{"../templates", "../static"} {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if utf8.Valid(text) { // no image
				texts[path] = path + "\n" + string(text)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := sql.Open("postgres", b.db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var schema string
	if err := conn.QueryRow(`SELECT string_agg(table_name || '.' || column_name, ' ')
		FROM information_schema.columns WHERE table_schema = 'public'`).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	modules, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	texts["schema"], texts["go.mod"] = schema, string(modules)
	for name, sample := range map[string]string{"schema": "accounts.email", "go.mod": "module mcpcensus",
		"route /account/sign-in": "/account", "../templates/account-sign-in.html": "Send me a link"} {
		if !strings.Contains(texts[name], sample) {
			t.Errorf("%s was not read", name)
		}
	}
	for name, text := range texts {
		if found := gone.FindString(text); found != "" {
			t.Errorf("%s has %q", name, found)
		}
	}
}

// accounts returns the addresses of all accounts.
func (b *fixture) accounts() (emails []string) {
	b.t.Helper()
	all, err := b.own.Accounts(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, a := range all {
		emails = append(emails, a.Email)
	}
	return emails
}

// A stranger gets no account, also if each request seems to come from this machine, as behind
// a proxy that adds no X-Forwarded-For.
func TestAccount_strangers(t *testing.T) {
	for _, mail := range []bool{true, false} {
		b := newBureau(t, func(_ *web.Options, o *account.Options) {
			if !mail {
				o.Mail = nil
			}
		})
		printed, err := b.people.LinkByOperator(t.Context(), "op@example.com", true)
		if err != nil {
			t.Fatal(err)
		}
		w := b.browser()
		csrf := func() string {
			w.open("/account/sign-in", 200)
			return regexp.MustCompile(`name="csrf" value="(\w+)"`).FindStringSubmatch(w.body + `name="csrf" value="x"`)[1]
		}
		if mail {
			w.ask("op@example.com")
			form := url.Values{"csrf": {csrf()}, "email": {"eve@example.com"}}
			r, _ := http.NewRequest("POST", b.url+"/account/sign-in", strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("X-Forwarded-For", "192.0.2.1")
			b.mail() // of the first address
			if w.do(r); w.status != 200 {
				t.Errorf("asks with a forged address: %d", w.status)
			}
			if text := b.mail(); !strings.Contains(text, "network 127.0.0.0/24") {
				t.Errorf("the network in the mail is forged:\n%s", text)
			}
		} else {
			w.post("/account/sign-in", 409, url.Values{"email": {"eve@example.com"}})
		}
		token := csrf()
		zeros := strings.Repeat("A", 43)
		for _, form := range []url.Values{{"token": {zeros}}, {"token": {"x"}}, {"code": {"000000"}},
			{"code": {""}}, {}, {"email": {"op@example.com"}, "code": {"123456"}}} {
			form.Set("csrf", token)
			for _, path := range []string{"/account/sign-in/link", "/account/sign-in/code", "/account/confirm"} {
				r, _ := http.NewRequest("POST", b.url+path, strings.NewReader(form.Encode()))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				if w.do(r); w.status < 400 || w.status >= 500 {
					t.Errorf("POST %s with %v: %d", path, form, w.status)
				}
			}
		}
		for _, path := range []string{"/account/sign-in/link?token=" + zeros, "/account/sign-in/link",
			"/account/confirm?token=" + zeros} {
			w.open(path, 400)
			w.says("This link is invalid")
		}
		for _, path := range []string{"/account/github", "/account/oidc", "/account/invitation?token=" + zeros} {
			w.open(path, 404)
		}
		for _, path := range []string{"/account", "/account/keys/1", "/account/members", "/account/plan",
			"/account/webhooks", "/account/views", "/account/activity", "/account/settings"} {
			if w.open(path, 200); w.path != "/account/sign-in" {
				t.Errorf("%s is open to strangers", path)
			}
		}
		if diff := cmp.Diff([]string{"op@example.com"}, b.accounts()); diff != "" {
			t.Error(diff)
		}
		// The printed link is the operator's, in any browser, once.
		link := strings.TrimPrefix(printed, b.url)
		op := b.browser()
		op.open(link, 200)
		op.send("/account/sign-in/link", 200)
		op.says("op@example.com")
		w.open(link, 400)
	}
}

// Of two people who sign up with one address, neither gets the account of the other: a link and
// a code work in the browser that asked for them.
func TestAccount_twoSignUps(t *testing.T) {
	b := newBureau(t)
	eve, ada := b.browser(), b.browser()
	eve.ask("ada@example.com")
	eves := b.mail()
	ada.ask("ada@example.com")
	adas := b.mail()
	for _, c := range []struct {
		who  *browser
		mail string // of the other
	}{{eve, adas}, {ada, eves}} {
		link, code := mailLink.FindStringSubmatch(c.mail)[1], mailCode.FindStringSubmatch(c.mail)[1]
		c.who.send("/account/sign-in/code", 403, "code", code)
		c.who.says("The code is wrong")
		csrf := c.who.form("/account/sign-in/code").Get("csrf")
		c.who.post("/account/sign-in/link", 400, url.Values{"csrf": {csrf}, "token": {strings.Split(link, "=")[1]}})
		c.who.open(link, 400)
		c.who.says("This link is invalid")
	}
	if all := b.accounts(); len(all) != 0 {
		t.Errorf("accounts without a followed link: %v", all)
	}
	link := mailLink.FindStringSubmatch(adas)[1]
	ada.open(link, 200)
	ada.send("/account/sign-in/link", 200)
	ada.says("ada@example.com")
	ada.send("/account/keys", 200, "name", "mine")
	if eve.open("/account", 200); eve.path != "/account/sign-in" {
		t.Errorf("the stranger is at %s", eve.path)
	}
	ada.open(link, 400) // it works once
}

// askCode asks for a mail, and returns its code and a function that sends one and returns the
// status.
func (w *browser) askCode(email string) (code string, send func(code string) int) {
	w.t.Helper()
	w.ask(email)
	code = strings.ReplaceAll(mailCode.FindStringSubmatch(w.mail())[1], " ", "")
	form := w.form("/account/sign-in/code")
	return code, func(code string) int {
		v := maps.Clone(form)
		v.Set("code", code)
		r, _ := http.NewRequest("POST", w.url+"/account/sign-in/code", strings.NewReader(v.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := w.client.Do(r)
		if err != nil {
			w.t.Error(err)
			return 0
		}
		res.Body.Close()
		if res.StatusCode == 200 && res.Request.URL.Path != "/account" {
			w.t.Errorf("leads to %s", res.Request.URL)
		}
		return res.StatusCode
	}
}

func wrong(code string, n int) string {
	return fmt.Sprintf("%06d", (atoi(code)+1+n)%1_000_000)
}

func atoi(s string) (n int) {
	_, _ = fmt.Sscan(strings.TrimLeft(s, "0")+" ", &n)
	return n
}

// A code has five tries, also at the same time, and an address ten a day.
func TestAccount_codes(t *testing.T) {
	for name, c := range map[string]struct {
		wrong, at  int // at: at the same time
		want       int // status of the right code then
		wantCounts int
	}{
		"none": {0, 1, 200, 0}, "four": {4, 1, 200, 4}, "five": {5, 1, 403, 5},
		"four at once": {4, 4, 200, 4}, "nine at once": {9, 9, 403, 5},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			code, send := b.browser().askCode("ada@example.com")
			var group sync.WaitGroup
			tickets := make(chan struct{}, max(c.at, 1))
			for i := range c.wrong {
				tickets <- struct{}{}
				group.Go(func() {
					if got := send(wrong(code, i)); got != 403 {
						t.Errorf("a wrong code: %d", got)
					}
					<-tickets
				})
			}
			group.Wait()
			if got := send(code); got != c.want {
				t.Errorf("the right code: %d, want %d", got, c.want)
			}
			if got := b.wrongCodes("ada@example.com"); got != c.wantCounts {
				t.Errorf("%d wrong codes are counted, want %d", got, c.wantCounts)
			}
		})
	}
}

// wrongCodes returns the number of wrong codes that an address had.
func (b *fixture) wrongCodes(email string) (n int) {
	b.t.Helper()
	conn, err := sql.Open("postgres", b.db.URL())
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close()
	key := account.CodeLimit(email, false).Key
	if err := conn.QueryRow(`SELECT count(*) FROM mail_counts WHERE key = $1`, key[:]).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// What cannot be a code costs no try.
func TestAccount_noCode(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	code, send := w.askCode("ada@example.com")
	for _, typed := range []string{"", " ", "12345", "1234567", "code"} {
		if got := send(typed); got != 400 {
			t.Errorf("%q: %d", typed, got)
		}
	}
	w.send("/account/sign-in/code", 400, "code", "")
	w.says("The code must have six digits.")
	if got := b.wrongCodes("ada@example.com"); got != 0 {
		t.Errorf("%d wrong codes are counted", got)
	}
	if got := send(code); got != 200 {
		t.Errorf("the right code: %d", got)
	}
}

func TestAccount_codesOfADay(t *testing.T) {
	b := newBureau(t)
	known := b.browser()
	known.signUp("ada@example.com")
	known.send("/account/sign-out", 200)
	b.later(time.Hour)
	for range 2 {
		code, send := b.browser().askCode("ada@example.com")
		for i := range 5 {
			send(wrong(code, i))
		}
	}
	w := b.browser()
	w.ask("ada@example.com")
	text := b.mail()
	for range account.CodeTries {
		w.send("/account/sign-in/code", 429, "code", mailCode.FindStringSubmatch(text)[1])
		w.says("Too many wrong codes", "follow the link in the email, or try again in 24 hours")
		if w.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	w.open(mailLink.FindStringSubmatch(text)[1], 200) // it is not used up
	w.send("/account/sign-in/link", 200)
	w.says("ada@example.com")
	// A browser that has signed in with the address counts apart.
	code, send := known.askCode("ada@example.com")
	if got := send(wrong(code, 0)); got != 403 {
		t.Errorf("a wrong code in a known browser: %d", got)
	}
	if got := send(code); got != 200 {
		t.Errorf("a right code in a known browser: %d", got)
	}
	if got := b.wrongCodes("ada@example.com"); got != 10 {
		t.Errorf("%d wrong codes", got)
	}
	b.later(24 * time.Hour)
	if _, err := b.own.ForgetAccounts(t.Context(), b.now()); err != nil {
		t.Fatal(err)
	}
	code, send = b.browser().askCode("ada@example.com")
	if got := send(code); got != 200 {
		t.Errorf("a day later: %d", got)
	}
}

// asks asks for a mail to sign in with a user agent, and returns the status.
func (w *browser) asks(email, agent string) int {
	w.t.Helper()
	w.open("/account/sign-in", 200)
	v := w.form("/account/sign-in")
	v.Set("email", email)
	r, _ := http.NewRequest("POST", w.url+"/account/sign-in", strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("User-Agent", agent)
	w.do(r)
	return w.status
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"

// Asking for a mail shows the same for every address, also over the limit. The mail says who
// asked.
func TestAccount_sameForEveryAddress(t *testing.T) {
	b := newBureau(t)
	b.browser().signUp("known@example.com")
	b.later(time.Hour)
	vary := regexp.MustCompile(`name="csrf" value="\w+"|\b\d+ minutes?\b`)
	var shown [2][]string
	var mails []string
	for i, email := range []string{"known@example.com", "other@example.com"} {
		for range 4 { // the limit is three
			w := b.browser()
			w.asks(email, firefox)
			for _, name := range []string{"Date", "Set-Cookie", "Content-Length", "Retry-After", "X-Request-Id"} {
				w.header.Del(name)
			}
			page := fmt.Sprintln(w.status, w.header) + vary.ReplaceAllString(w.body, "")
			shown[i] = append(shown[i], strings.ReplaceAll(page, email, "EMAIL"))
			if w.status == 200 {
				mails = append(mails, b.mail())
			}
		}
	}
	if diff := cmp.Diff(shown[0], shown[1]); diff != "" {
		t.Error(diff)
	}
	for i, want := range []string{"200 ", "200 ", "200 ", "429 "} {
		if !strings.HasPrefix(shown[0][i], want) {
			t.Errorf("%d: %.200s", i, shown[0][i])
		}
	}
	for i, text := range mails {
		if !strings.Contains(text, "network 127.0.0.0/24 with Firefox on Linux.") {
			t.Errorf("mail %d does not say who asked:\n%s", i, text)
		}
	}
	strip := regexp.MustCompile(`token=\S+|\d{3} \d{3}`)
	if diff := cmp.Diff(strip.ReplaceAllString(mails[0], ""), strip.ReplaceAllString(mails[5], "")); diff != "" {
		t.Errorf("the mail depends on the account: %s", diff)
	}
}

// Strangers who use up the mails of an address, or of a network, do not keep out a browser that
// has signed in with the address, which has a limit of its own.
func TestAccount_knownBrowsers(t *testing.T) {
	b := newBureau(t)
	ada := b.browser()
	ada.signUp("ada@example.com")
	ada.send("/account/sign-out", 200)
	b.later(time.Hour)
	for i := range 21 {
		b.browser().asks([]string{"ada", fmt.Sprint(i)}[min(i/3, 1)]+"@example.com", "")
	}
	eve := b.browser()
	u, _ := url.Parse(b.url)
	for _, value := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 5000)} {
		eve.client.Jar.SetCookies(u, []*http.Cookie{{Name: "registry-known", Value: value, Path: "/"}})
		if got := eve.asks("ada@example.com", ""); got != 429 {
			t.Errorf("a stranger: %d", got)
		}
	}
	if got := ada.asks("eve@example.com", ""); got != 429 {
		t.Errorf("another address: %d", got)
	}
	for i, want := range []int{200, 200, 200, 429} {
		if got := ada.asks("Ada@example.com", ""); got != want {
			t.Errorf("%d: %d, want %d", i, got, want)
		}
	}
}

// A browser is known for 180 days by the server's clock, and until the sessions of the account
// end or its address changes.
func TestAccount_knownUntil(t *testing.T) {
	elsewhere := func(b *fixture) {
		w := b.browser()
		w.signIn("ada@example.com")
		w.open("/account/settings", 200)
		w.send("/account/sign-out-elsewhere", 200)
		b.later(time.Hour)
	}
	for name, c := range map[string]struct {
		before func(*fixture)
		want   int // status of asking when strangers have used up the mails of the address
	}{
		"soon":       {func(b *fixture) { b.later(time.Hour) }, 200},
		"179 days":   {func(b *fixture) { b.later(179 * 24 * time.Hour) }, 200},
		"180 days":   {func(b *fixture) { b.later(180 * 24 * time.Hour) }, 429},
		"signed out": {elsewhere, 429},
		"another address": {func(b *fixture) {
			all, err := b.own.Accounts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.own.ChangeEmail(t.Context(), account.Link{Account: all[0].ID,
				Email: "a@example.com", EmailKey: "a@example.com"}, account.AuditEntry{
				At: b.now(), Account: all[0].ID, Actor: account.ByOwner}); err != nil {
				t.Fatal(err)
			}
			b.browser().signUp("ada@example.com") // somebody else
			b.later(time.Hour)
		}, 429},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			b.later(-account.ProofFor + 12*time.Hour) // the browser keeps the cookie until later
			ada := b.browser()
			ada.signUp("ada@example.com")
			ada.send("/account/sign-out", 200)
			c.before(b)
			for range 3 {
				b.browser().asks("ada@example.com", "")
			}
			if got := ada.asks("ada@example.com", ""); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

// A network has a limit of mails too, for all addresses. That a proxy may hide its visitors is
// logged once.
func TestAccount_mailsOfANetwork(t *testing.T) {
	var log bytes.Buffer
	b := newBureau(t, func(_ *web.Options, o *account.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	w := b.browser()
	for i := range 17 {
		w.ask(fmt.Sprintf("a%d@example.com", i))
	}
	for i, want := range []int{200, 200, 200, 429} {
		if got := w.asks("often@example.com", ""); got != want {
			t.Errorf("%d: %d", i, got)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the limit of an address is logged:\n%s", &log)
	}
	w.open("/account/sign-in", 200)
	w.send("/account/sign-in", 429, "email", "more@example.com")
	w.says("Too many emails were requested")
	if w.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.asks("more@example.com", "")
	if strings.Count(log.String(), "CENSUS_TRUSTED_PROXIES") != 1 {
		t.Errorf("logged:\n%s", &log)
	}
	b.later(time.Hour)
	w.ask("more@example.com")
}

func TestAccount_linksExpire(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.ask("ada@example.com")
	link := b.link()
	b.later(account.LinkFor)
	w.open(link, 400)
	w.ask("ada@example.com")
	older := b.link()
	w.ask("ada@example.com")
	b.link()
	w.open(older, 400) // replaced
	if all := b.accounts(); len(all) != 0 {
		t.Errorf("%v", all)
	}
}

// The first start of an empty registry gets one link, of several processes one.
func TestAccount_firstLink(t *testing.T) {
	b := newBureau(t)
	var links atomic.Int32
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			link, err := b.people.FirstLink(t.Context(), "op@example.com")
			if err != nil {
				t.Error(err)
			}
			if link != "" {
				links.Add(1)
			}
		})
	}
	group.Wait()
	if links.Load() != 1 {
		t.Errorf("%d links", links.Load())
	}
	op, err := b.people.ForOperator(t.Context(), "op@example.com")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := b.people.Audit(t.Context(), op.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Actor != account.ByOperator {
			t.Errorf("%+v is not of the operator", e)
		}
	}
	if len(entries) != 2 {
		t.Errorf("%+v", entries)
	}
	db := pgtest.New(t)
	used := account.New(account.Options{Store: people.New(db)})
	if _, err := db.Enqueue(t.Context(), []registry.Candidate{{Ref: registry.RepoRef{Host: registry.GitHub,
		Owner: "octo", Name: "weather"}}}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if link, err := used.FirstLink(t.Context(), "op@example.com"); link != "" || err != nil {
		t.Errorf("a registry in use: %q, %v", link, err)
	}
}

// Showing the form of the sign-in stores nothing; forms without a session must have our origin.
func TestSignInFormStoresNothing(t *testing.T) {
	b := newBureau(t)
	sessions := func() (n int) {
		t.Helper()
		if err := b.db.Pool().GetContext(t.Context(), &n, `SELECT count(*) FROM sessions`); err != nil {
			t.Fatal(err)
		}
		return n
	}
	w := b.browser()
	w.open("/account/sign-in", 200)
	w.open("/account", 200)
	if n := sessions(); n != 0 || w.header.Get("Set-Cookie") != "" {
		t.Errorf("%d sessions, cookie %q", n, w.header.Get("Set-Cookie"))
	}
	form := url.Values{"email": {"ada@example.com"}}
	w.post("/account/sign-in", 403, form, "Sec-Fetch-Site", "cross-site")
	w.signUp("ada@example.com")
	if n := sessions(); n != 1 {
		t.Errorf("%d sessions after the sign-in", n)
	}
}
