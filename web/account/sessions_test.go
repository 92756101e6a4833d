package account_test

import (
	"regexp"
	"strings"
	"testing"

	"mcpcensus/internal/account"
	"mcpcensus/web"
)

func TestAccount_sessions(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	q := b.browser()
	q.signIn("ada@example.com")
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
	b.browser().signIn("ada@example.com") // otherwise there is nothing to end
	w.open("/account/sessions", 200)
	w.send("/account/sessions", 404, "id", other[1])
	w.send("/account/sessions", 403, "csrf", "x", "id", other[1])
	w.open("/account/settings", 200)
	if !strings.Contains(w.body, `href="/account/export"`) {
		t.Error("no link to the export")
	}
}

func TestAccount_keyLimits(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	w.open("/account", 200)
	w.send("/account/keys", 400, "name", "ci", "limits", "1", "scopes", "read", "addresses", "nowhere", "expiresAt", "")
	w.says("The addresses must be addresses such as")
	w.send(
		"/account/keys", 200, "name", "ci", "limits", "1", "scopes", "read", "addresses",
		"192.0.2.0/24, 2001:db8::1", "expiresAt", "2999-01-31",
	)
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
	b := newBureau(t, func(_ *web.Options, o *account.Options) { o.Mail = nil })
	ann := b.browser()
	b.operatorSignsIn(ann, "ann@example.com")
	ann.open("/account/members", 200)
	ann.says("ann@example.com", "signed up with the account")
	ann.send("/account/members", 200, "email", "bob@example.com", "role", "admin")
	link := regexp.MustCompile(`/account/invitation\?token=[\w-]+`).FindString(ann.body)
	ann.says("Give this link to the person you invited", "admin, invited until")
	bob := b.browser()
	bob.open(link, 200)
	bob.says("ann@example.com invites bob@example.com to join the account of ann@example.com as admin",
		"To accept, sign in")
	bob.saysNot("Sign out")
	if !strings.Contains(bob.body, `href="/account/sign-in?next=%2Faccount%2Finvitation%3Ftoken%3D`) {
		t.Errorf("no way to sign in:\n%s", bob.body)
	}
	b.operatorSignsIn(bob, "eve@example.com")
	bob.open(link, 200)
	bob.says("You are signed in as eve@example.com. To accept, sign in as bob@example.com.")
	bob.saysNot("Join the account")
	next := bob.form("/account/sign-out")
	bob.post("/account/sign-out", 200, next)
	bob.says("To accept, sign in with the invited address")
	b.operatorSignsIn(bob, "bob@example.com")
	bob.open(link, 200)
	bob.says("ann@example.com invites bob@example.com")
	bob.send("/account/invitation", 200)
	bob.says("You joined the account of ann@example.com as admin.", "bob@example.com for ann@example.com as admin")
	bob.open(link, 404)
	bob.says("invalid, expired, revoked or already used")
	bob.open("/account/plan", 403)
	bob.open("/account/webhooks", 200)
	bob.open("/account/members", 200)
	if strings.Count(
		bob.body, ">Remove<",
	)+strings.Count(bob.body, `value="owner"`) > 0 || !strings.Contains(bob.body, ">Leave<") {
		t.Error("an admin is offered what only owners may")
	}
	bob.send(regexp.MustCompile(`/account/members/\d+`).FindString(bob.body), 200, "role", "")
	bob.says("The member was removed.")
	bob.open("/account/plan", 200)
	ann.open("/account/activity", 200)
	ann.says("Member removed", "bob@example.com")
}

// operatorSignsIn signs in with a link that the operator prints.
func (b *fixture) operatorSignsIn(w *browser, email string) {
	b.t.Helper()
	link, err := b.people.LinkByOperator(b.t.Context(), email, true)
	if err != nil {
		b.t.Fatal(err)
	}
	w.open(strings.TrimPrefix(link, b.url), 200)
	w.send("/account/sign-in/link", 200)
}
