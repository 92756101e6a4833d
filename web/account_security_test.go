package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"mcpcensus/internal/account"
)

var (
	shownSecret   = regexp.MustCompile(`<code>([A-Z2-7]{32})</code>`)
	shownRecovery = regexp.MustCompile(`<code>(\w{4}(?:-\w{4}){5})</code>`)
)

// The second factor is set up, asked for and turned off without JavaScript.
func TestAccount_secondFactor(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	w.open("/account/settings", 200)
	w.says("Two-step sign-in")
	w.open("/account/second-factor", 200)
	secret := shownSecret.FindStringSubmatch(w.body)[1]
	code := func(skew time.Duration) string {
		c, err := totp.GenerateCode(secret, b.now().Add(skew))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	img := w.open("/account/second-factor.png", 200)
	if !strings.HasPrefix(img, "\x89PNG") || w.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v %.20q", w.header, img)
	}
	w.open("/account/second-factor", 200)
	w.send("/account/second-factor", 403, "password", violet, "code", "000000")
	w.says("The code is wrong or was already used.")
	if got := shownSecret.FindStringSubmatch(w.body); got == nil || got[1] != secret {
		t.Error("another secret after a wrong code")
	}
	w.send("/account/second-factor", 200, "password", violet, "code", code(-30*time.Second))
	recovery := shownRecovery.FindAllStringSubmatch(w.body, -1)
	if len(recovery) != 10 {
		t.Fatalf("%d recovery codes:\n%s", len(recovery), w.text())
	}
	w.open("/account/second-factor", 200)
	w.says("10 recovery codes left")
	if strings.Contains(w.body, secret) || strings.Contains(w.body, recovery[0][1]) {
		t.Error("secrets are shown again")
	}

	q := b.browser()
	q.open("/account/sign-in?next=/account/plan", 200)
	q.send("/account/sign-in", 200, "email", "ada@example.com", "password", violet)
	if q.path != "/account/sign-in-code" {
		t.Fatalf("at %s", q.path)
	}
	q.send("/account/sign-in-code", 403, "code", "000000")
	q.says("The code is wrong or was already used.")
	q.open("/account/sign-in-code?next=/account/plan", 200)
	q.send("/account/sign-in-code", 200, "code", code(0))
	if q.path != "/account/plan" {
		t.Errorf("at %s", q.path)
	}
	q.open("/account/second-factor/recovery", 200)
	q.send("/account/second-factor/recovery", 200, "password", violet, "code", recovery[0][1])
	renewed := shownRecovery.FindAllStringSubmatch(q.body, -1)
	q.open("/account/second-factor/remove", 200)
	q.send("/account/second-factor/remove", 403, "password", violet, "code", recovery[1][1])
	q.send("/account/second-factor/remove", 200, "password", violet, "code", renewed[1][1])
	q.says("Two-step sign-in is off.")
	q.open("/account/activity", 200)
	q.says("Two-step sign-in turned off", "Signed in", "Recovery code used")
}

func TestAccount_sessions(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	q := b.browser()
	q.open("/account/sign-in", 200)
	q.send("/account/sign-in", 200, "email", "ada@example.com", "password", violet)
	w.open("/account/sessions", 200)
	w.says("this session", "127.0.0.0/24")
	other := regexp.MustCompile(`name="id" value="(\d+)"`).FindStringSubmatch(w.body)
	if other == nil {
		t.Fatal("no other session:", w.text())
	}
	w.send("/account/sessions", 200, "id", other[1])
	w.says("The session was ended.")
	q.open("/account", 200)
	if q.path != "/account/sign-in" {
		t.Errorf("still signed in, at %s", q.path)
	}
	w.send("/account/sessions", 404, "id", other[1])
	w.send("/account/sessions", 403, "csrf", "x", "id", other[1])
	w.open("/account/settings", 200)
	if !strings.Contains(w.body, `href="/account/export"`) {
		t.Error("no link to the export")
	}
}

func TestAccount_signInByMail(t *testing.T) {
	b := newBureau(t)
	b.browser().signUp("ada@example.com")
	w := b.browser()
	w.open("/account/sign-in?next=/account/plan", 200)
	w.says("Sign in by email")
	w.open("/account/sign-in-by-mail?next=/account/plan", 200)
	w.send("/account/sign-in-by-mail", 200, "email", "ada@example.com")
	w.says("we sent it an email with a link", "30 minutes")
	link := b.link()
	w.open(link, 200)
	if w.path != "/account/sign-in-link" {
		t.Fatalf("signed in without a click, at %s", w.path)
	}
	w.send("/account/sign-in-link", 200)
	if w.path != "/account/plan" {
		t.Errorf("at %s", w.path)
	}
	w.open("/account/sign-out", 200)
	x := b.browser()
	x.open(link, 200)
	x.send("/account/sign-in-link", 400)
	x.says("Request a new link")
}

func TestAccount_keyLimits(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	w.open("/account", 200)
	w.send("/account/keys", 400, "name", "ci", "limits", "1", "scopes", "read", "addresses", "nowhere", "expiresAt", "")
	w.says("The addresses must be addresses such as")
	w.send("/account/keys", 200, "name", "ci", "limits", "1", "scopes", "read", "addresses", "192.0.2.0/24, 2001:db8::1", "expiresAt", "2999-01-31")
	w.open("/account", 200)
	w.says("for read, from 192.0.2.0/24 2001:db8::1, until 2999-01-31T00:00:00Z")
	w.open("/account/keys/1", 200)
	if !strings.Contains(w.body, `value="192.0.2.0/24 2001:db8::1"`) || !strings.Contains(w.body, `value="2999-01-31"`) ||
		strings.Count(w.body, " checked>") != 1 {
		t.Errorf("the form lacks the limits: %s", w.body)
	}
	w.send("/account/keys/1", 200, "name", "ci", "limits", "1", "scopes", "webhooks", "addresses", "", "expiresAt", "")
	w.open("/account/keys/1", 200)
	w.says("Limited: for webhooks.")
	w.open("/account/activity", 200)
	w.says("Key changed")
}

func TestAccount_members(t *testing.T) {
	b := newBureau(t, func(_ *Options, o *account.Options) { o.Mail = nil })
	ann := b.browser()
	b.confirmed(ann, "ann@example.com")
	ann.open("/account/members", 200)
	ann.says("ann@example.com", "signed up with the account")
	ann.send("/account/members", 200, "email", "bob@example.com", "role", "admin")
	link := regexp.MustCompile(`/account/invitation\?token=[\w-]+`).FindString(ann.body)
	ann.says("Give this link to the person you invited", "admin, invited until")
	bob := b.browser()
	bob.open(link, 200)
	bob.says("Sign in")
	b.confirmed(bob, "bob@example.com")
	bob.open(link, 200)
	bob.send("/account/invitation", 200)
	bob.says("You joined the account of ann@example.com as admin.", "bob@example.com for ann@example.com as admin")
	bob.open(link, 200)
	bob.send("/account/invitation", 400)
	bob.says("invalid, expired, revoked or already used")
	bob.open("/account/plan", 403)
	bob.open("/account/webhooks", 200)
	bob.open("/account/members", 200)
	if strings.Count(bob.body, ">Remove<")+strings.Count(bob.body, `value="owner"`) > 0 || !strings.Contains(bob.body, ">Leave<") {
		t.Error("an admin is offered what only owners may")
	}
	bob.send("/account/members/2", 200)
	bob.says("The member was removed.")
	bob.open("/account/plan", 200)
	ann.open("/account/activity", 200)
	ann.says("Member removed", "bob@example.com")
}

// confirmed signs an address up that the operator confirms, and in.
func (b *fixture) confirmed(w *browser, email string) {
	b.t.Helper()
	w.open("/account/sign-up", 200)
	w.send("/account/sign-up", 200, "email", email, "password", violet)
	_, link, _, err := b.people.ConfirmByOperator(b.t.Context(), email)
	if err != nil {
		b.t.Fatal(err)
	}
	w.open(strings.TrimPrefix(link, b.url), 200)
	w.send("/account/reset", 200, "password", violet)
	w.signIn(email, violet, 200)
}
