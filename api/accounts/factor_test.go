package accounts_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"mcpcensus/internal/account"
)

// code returns the code of an authenticator app.
func (h *fixture) code(secret string) string {
	h.t.Helper()
	code, err := totp.GenerateCode(secret, h.now())
	if err != nil {
		h.t.Fatal(err)
	}
	h.lastCode = code
	return code
}

// decode decodes the body of a response.
func decode[T any](t *testing.T, r result) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return v
}

// enable turns on the second factor of a client that is signed in.
func (p *client) enable(password string) (secret string, recovery []string) {
	p.t.Helper()
	secret = decode[struct{ Secret string }](p.t, p.wants(200, p.do("POST", "/second-factor/secret"))).Secret
	r := p.wants(201, p.do("POST", "/second-factor", "password", password, "code", p.h.code(secret)))
	return secret, decode[struct{ RecoveryCodes []string }](p.t, r).RecoveryCodes
}

func TestSecondFactor(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.memberIn("ada@example.com")
	if r := p.do("POST", "/second-factor", "password", password, "code", "123456"); r.status != 409 {
		t.Errorf("without a secret: %d %s", r.status, r.body)
	}
	p.wants(200, p.do("POST", "/second-factor/secret"))
	if r := p.do("POST", "/second-factor", "password", password, "code", "000000"); r.code() != "wrong_code" {
		t.Errorf("with a wrong code: %d %s", r.status, r.body)
	}
	secret := decode[struct{ Secret string }](t, p.do("POST", "/second-factor/secret")).Secret
	if r := p.do("POST", "/second-factor", "password", "wrong-password", "code",
		h.code(secret)); r.code() != "wrong_password" {
		t.Errorf("with a wrong password: %d %s", r.status, r.body)
	}
	secret, recovery := p.enable(password)
	if len(recovery) != 10 || !p.signedIn() {
		t.Errorf("%d recovery codes", len(recovery))
	}
	if l := h.post.next(); !strings.Contains(l.subject, "Two-step sign-in is on") || strings.Contains(l.raw, secret) {
		t.Errorf("mail: %+v", l)
	}
	if got := decode[struct {
		Enabled       bool
		RecoveryCodes int
	}](t, p.do("GET", "/second-factor")); !got.Enabled || got.RecoveryCodes != 10 {
		t.Errorf("%+v", got)
	}

	q := h.visitor() // signs in with the password alone
	r := q.signIn("ada@example.com", password)
	if r.status != 401 || r.code() != "code_required" || q.signedIn() {
		t.Fatalf("%d %s", r.status, r.body)
	}
	for _, path := range []string{"/keys", "/export", "/sessions", "/audit"} {
		if r := q.do("GET", path); r.status != 401 {
			t.Errorf("%s between the factors: %d", path, r.status)
		}
	}
	if r := q.do("POST", "/sign-in-code", "code", h.lastCode); r.code() != "wrong_code" {
		t.Errorf("the code that turned it on is used again: %d %s", r.status, r.body)
	}
	h.later(30 * time.Second)
	code := h.code(secret)
	q.wants(200, q.do("POST", "/sign-in-code", "code", code))
	if !q.signedIn() {
		t.Error("not signed in")
	}
	other := h.visitor()
	if r := other.do("POST", "/sign-in", "email", "ada@example.com", "password", password, "code",
		code); r.code() != "wrong_code" {
		t.Errorf("a code is used twice: %d %s", r.status, r.body)
	}
	if r := other.do("POST", "/sign-in", "email", "ada@example.com", "password", "wrong-password", "code",
		h.code(secret)); r.code() != "wrong_credentials" {
		t.Errorf("a wrong password with a code: %d %s", r.status, r.body)
	}
	h.later(time.Minute)
	other.wants(200, other.do("POST", "/sign-in", "email", "ada@example.com", "password", password, "code",
		h.code(secret)))

	third := h.visitor() // with a recovery code, which works once
	third.wants(200, third.do("POST", "/sign-in", "email", "ada@example.com", "password", password, "code",
		strings.ToUpper(recovery[3])))
	if r := h.visitor().do("POST", "/sign-in", "email", "ada@example.com", "password", password, "code",
		recovery[3]); r.code() != "wrong_code" {
		t.Errorf("a recovery code is used twice: %d %s", r.status, r.body)
	}
	for _, stored := range []string{"recovery_codes WHERE encode(hash, 'escape') LIKE '%" + recovery[0][:4] + "%'",
		"audit WHERE detail LIKE '%" + secret + "%'"} {
		if n := h.row("SELECT count(*) FROM " + stored); n != 0 {
			t.Errorf("%s: %d", stored, n)
		}
	}

	h.later(time.Minute)
	if r := p.do("DELETE", "/second-factor", "password", password, "code", "000000"); r.code() != "wrong_code" {
		t.Errorf("turned off with a wrong code: %d %s", r.status, r.body)
	}
	renewed := decode[struct{ RecoveryCodes []string }](t, p.wants(201,
		p.do("POST", "/second-factor/recovery", "password", password, "code", h.code(secret)))).RecoveryCodes
	if r := p.do("DELETE", "/second-factor", "password", password, "code", recovery[1]); r.code() != "wrong_code" {
		t.Errorf("an earlier recovery code: %d %s", r.status, r.body)
	}
	p.wants(204, p.do("DELETE", "/second-factor", "password", password, "code", renewed[0]))
	fourth := h.visitor()
	fourth.wants(200, fourth.signIn("ada@example.com", password))
}

// A client with the password cannot guess the code, from one network or from many.
func TestSecondFactorGuesses(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	secret, _ := p.enable(password)
	h.later(time.Minute)
	eve := h.visitorFrom("203.0.113.66")
	eve.signIn("ada@example.com", password)
	got := map[string]int{}
	for i := range 20 {
		got[eve.do("POST", "/sign-in-code", "code", strconv.Itoa(100_000+i)).code()]++
	}
	if got["wrong_code"] != 5 || got["too_many_attempts"] != 15 {
		t.Errorf("from one network: %v", got)
	}
	clear(got)
	for i := range 60 {
		thief := h.visitorFrom("198.51.100." + strconv.Itoa(i+1))
		thief.signIn("ada@example.com", password)
		got[thief.do("POST", "/sign-in-code", "code", strconv.Itoa(200_000+i)).code()]++
	}
	t.Logf("60 guesses from 60 networks: %v", got)
	if got["wrong_code"] > 25 {
		t.Errorf("from many networks: %v", got)
	}
	p.wants(204, p.do("POST", "/sign-out")) // a known browser has a limit of its own
	p.signIn("ada@example.com", password)
	p.wants(200, p.do("POST", "/sign-in-code", "code", h.code(secret)))
}

func TestSecondFactorExpires(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	secret, _ := p.enable(password)
	q := h.visitor()
	q.signIn("ada@example.com", password)
	h.later(11 * time.Minute)
	if r := q.do("POST", "/sign-in-code", "code", h.code(secret)); r.code() != "not_signed_in" {
		t.Errorf("after 11 minutes: %d %s", r.status, r.body)
	}
	q.signIn("ada@example.com", password)
	p.wants(204, p.do("POST", "/password", "password", password, "newPassword", password2))
	if r := q.do("POST", "/sign-in-code", "code", h.code(secret)); r.code() != "not_signed_in" {
		t.Errorf("after another password: %d %s", r.status, r.body)
	}
	if r := h.visitor().do("POST", "/sign-in-code", "code", h.code(secret)); r.code() != "not_signed_in" {
		t.Errorf("without a password: %d %s", r.status, r.body)
	}
	if err := h.acc.ResetFactorByOperator(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	if p.signedIn() {
		t.Error("sessions go on after the operator removed the factor")
	}
	p.wants(200, p.signIn("ada@example.com", password2))
	if err := h.acc.ResetFactorByOperator(t.Context(), "ada@example.com"); err == nil {
		t.Error("removed twice")
	}
}

func TestSecondFactorOfLinks(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.memberIn("ada@example.com")
	secret, _ := p.enable(password)
	h.post.next()
	h.later(time.Minute)
	q := h.visitor()
	q.wants(202, q.do("POST", "/sign-in-by-mail", "email", "ada@example.com"))
	if r := q.do("POST", "/sign-in-link", "token", h.post.next().token(t, "sign-in-link")); r.code() != "code_required" {
		t.Fatalf("%d %s", r.status, r.body)
	}
	q.wants(200, q.do("POST", "/sign-in-code", "code", h.code(secret)))
}

type listedSessions struct {
	Sessions []struct {
		ID                 int64
		Network, UserAgent string
		Current            bool
	}
}

func TestSessionsList(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	other, third := h.visitorFrom("198.51.100.9"), h.visitorFrom("198.51.100.10")
	other.header.Set("User-Agent", "tester/1.0")
	other.wants(200, other.signIn("ada@example.com", password))
	third.wants(200, third.signIn("ada@example.com", password))
	h.member("bob@example.com")
	bob := h.visitor()
	bob.wants(200, bob.signIn("bob@example.com", password))
	list := decode[listedSessions](t, p.wants(200, p.do("GET", "/sessions"))).Sessions
	var id int64
	for _, s := range list {
		if s.UserAgent == "tester/1.0" && s.Network == "127.51.100.0/24" && !s.Current {
			id = s.ID
		}
	}
	if len(list) != 3 || id == 0 {
		t.Fatalf("%+v", list)
	}
	path := "/account/api/sessions/" + strconv.FormatInt(id, 10)
	if r := bob.send(bob.request("DELETE", path, "")); r.code() != "session_not_found" {
		t.Errorf("a session of another account: %d %s", r.status, r.body)
	}
	p.wants(204, p.send(p.request("DELETE", path, "")))
	if other.signedIn() || !third.signedIn() || !p.signedIn() {
		t.Error("not that session was ended")
	}
	if r := p.send(p.request("DELETE", path, "")); r.code() != "session_not_found" {
		t.Errorf("ended twice: %d %s", r.status, r.body)
	}
	p.wants(204, p.do("POST", "/sessions/end-others"))
	if third.signedIn() || !p.signedIn() || !bob.signedIn() {
		t.Error("not the other sessions of the account were ended")
	}
}

func TestAuditOfSignIns(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	h.member("ada@example.com")
	eve := h.visitorFrom("203.0.113.66")
	eve.header.Set("User-Agent", "guesser/1.0")
	for range 4 {
		eve.wants(401, eve.signIn("ada@example.com", "wrong-password"))
	}
	eve.wants(401, eve.signIn("nobody@example.com", "wrong-password"))
	p := h.visitor()
	p.wants(200, p.signIn("ada@example.com", password))
	type entry struct {
		Actor, Action, Detail, Network, UserAgent string
		Times                                     int
	}
	var found entry
	for range 100 { // failures are recorded after the response
		for _, e := range decode[struct{ Entries []entry }](t, p.do("GET", "/audit")).Entries {
			if e.Action == "signin.failed" {
				found = e
			}
		}
		if found.Times == 4 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	want := entry{account.BySomebody, "signin.failed", "wrong password", "127.0.113.0/24", "guesser/1.0", 4}
	if found != want {
		t.Errorf("%+v, want %+v", found, want)
	}
	if n := h.row(`SELECT count(*) FROM audit WHERE action = 'signin' AND detail = 'password' AND network = '127.0.113.0/24'`); n != 1 {
		t.Errorf("%d entries of the sign-in", n)
	}
	h.later(account.AuditFor + time.Hour)
	if _, err := account.Forget(t.Context(), h.db, h.now()); err != nil {
		t.Fatal(err)
	}
	if n := h.row(`SELECT count(*) FROM audit`); n != 0 {
		t.Errorf("%d entries after a year", n)
	}
}

// Owners get mail about new keys, new devices and plans.
func TestNotices(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.memberIn("ada@example.com")
	p.wants(201, p.do("POST", "/keys", "name", "build <server>"))
	if l := h.post.next(); !strings.Contains(l.subject, "new API key") || !strings.Contains(l.text, `"build <server>"`) {
		t.Errorf("%+v", l)
	}
	q := h.visitor() // the same network and program
	q.wants(200, q.signIn("ada@example.com", password))
	elsewhere := h.visitorFrom("198.51.100.7")
	elsewhere.header.Set("User-Agent", "strange/1.0")
	elsewhere.wants(200, elsewhere.signIn("ada@example.com", password))
	if l := h.post.next(); !strings.Contains(l.subject, "New sign-in") || !strings.Contains(l.text, "strange/1.0") ||
		!strings.Contains(l.text, "127.51.100.0/24") {
		t.Errorf("%+v", l)
	}
	elsewhere.wants(204, elsewhere.do("POST", "/sign-out"))
	elsewhere.wants(200, elsewhere.signIn("ada@example.com", password)) // known by now
	h.acc.NotifyPlan(t.Context(), int64(h.row(`SELECT max(id) FROM accounts`)))
	if l := h.post.next(); !strings.Contains(l.subject, "plan was changed") || !strings.Contains(l.text, "Basic") {
		t.Errorf("%+v", l)
	}
}

func TestExport(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	key := decode[struct{ Key string }](t, p.wants(201, p.do("POST", "/keys", "name", "build"))).Key
	secret, recovery := p.enable(password)
	bob := h.memberIn("bob@example.com")
	p.joins(h, bob, "bob@example.com", "member")
	invitation := p.invite("eve@example.com", "admin")
	if r := bob.wants(200, bob.do("GET", "/export")); !strings.Contains(r.body, `"email":"ada@example.com","role":"member"`) {
		t.Errorf("a member's: %s", r.body)
	}
	r := p.wants(200, p.do("GET", "/export"))
	if !strings.Contains(r.header.Get("Content-Disposition"), "account.json") {
		t.Errorf("%v", r.header)
	}
	got := decode[struct {
		Account      struct{ Email string }
		Keys         []struct{ Name string }
		Sessions     []any
		Audit        []struct{ Action string }
		SecondFactor struct{ Enabled bool }
		Memberships  []any
		Members      []struct{ Email, Role string }
		Invitations  []struct{ Email string }
	}](t, r)
	if got.Account.Email != "ada@example.com" || len(got.Keys) != 1 || got.Keys[0].Name != "build" ||
		len(got.Sessions) != 1 || !got.SecondFactor.Enabled || len(got.Audit) < 4 ||
		len(got.Memberships) != 1 || len(got.Members) != 2 || got.Members[1].Email != "bob@example.com" ||
		len(got.Invitations) != 1 {
		t.Errorf("%+v", got)
	}
	for name, hidden := range map[string]string{"key": key, "secret": secret, "recovery code": recovery[0],
		"password hash": "argon2id", "invitation": invitation} {
		if strings.Contains(r.body, hidden) {
			t.Errorf("the %s is in it", name)
		}
	}
	if r := h.visitor().do("GET", "/export"); r.status != 401 {
		t.Errorf("of nobody: %d", r.status)
	}
}
