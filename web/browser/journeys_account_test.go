package browser

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// askForMail sends the form of the sign-in.
func (j *scenario) askForMail(email string) {
	j.t.Helper()
	j.write("#email", email)
	j.follow("main form button", "Send me a link")
	j.see("Check your email")
}

// mailed waits for a mail.
func (j *scenario) mailed(to, subject string) letter {
	j.t.Helper()
	l, err := j.site.mails.latest(to, subject)
	j.do(err)
	return l
}

// enter sends a code of a mail on the page that asks for it.
func (j *scenario) enter(code string) {
	j.t.Helper()
	j.run(`document.getElementById("code").value = ""`, nil)
	j.write("#code", code)
	j.follow("main form button", "Continue")
}

// reached ends a step like did, and checks that the page can be used with the keyboard.
func (j *scenario) reached(what string) {
	j.t.Helper()
	j.did(what)
	for _, x := range j.walk() {
		j.t.Errorf("after %q: keyboard: %s", what, x)
	}
}

// beside returns a scenario of another person, with a browser of their own, in pictures of
// the same folder.
func (j *scenario) beside() *scenario {
	j.t.Helper()
	return &scenario{tab: shared.chrome.open(j.t), name: j.name, site: j.site, step: 50}
}

func TestJourneySignInWithAPrintedLink(t *testing.T) {
	j := begin(t, "printed", "/account")
	if path := j.path(); path != "/account/sign-in" {
		t.Fatalf("/account leads to %s", path)
	}
	j.reached("asked to sign in")
	email := newAddress()
	link, err := j.site.printedLink(email)
	j.do(err)
	j.visit(link)
	j.see("Click the button to sign in.")
	j.reached("the link")
	j.follow("main form button", "Sign in")
	j.see("You have no keys yet")
	if path := j.path(); path != "/account" || !strings.Contains(j.text("main"), email) {
		t.Errorf("the link signs in to %s as\n%s", path, j.text("main"))
	}
	j.did("signed in")

	other := j.beside()
	other.visit(link)
	other.see("already used")
	other.reached("the link a second time")
	other.signIn(j.site, email)

	j.visit("/account/settings")
	j.see(email)
	j.did("settings")
	j.follow("main a", "Signed-in browsers")
	j.see("this session")
	j.did("sessions")
	j.follow("main td button", "End")
	j.see("The session was ended.")
	if j.text("main tbody") == "" || strings.Contains(j.text("main tbody"), "End") {
		t.Errorf("the sessions are\n%s", j.text("main tbody"))
	}
	j.did("ended the other")
	other.visit("/account")
	if path := other.path(); path != "/account/sign-in" {
		t.Errorf("a browser whose session was ended sees %s", path)
	}
	j.follow("main button", "Sign out")
	j.visit("/account")
	if path := j.path(); path != "/account/sign-in" {
		t.Errorf("after signing out, /account leads to %s", path)
	}
}

func TestJourneySignInWithAMailedLink(t *testing.T) {
	j := begin(t, "mailed", "/account/settings")
	email := newAddress()
	j.askForMail(email)
	j.reached("mail sent")
	mail := j.mailed(email, "Sign in")
	link, err := linkIn(mail.text)
	j.do(err)
	if !strings.Contains(mail.text, "127.0.0.0/24") || !strings.Contains(mail.text, "Chrome") {
		t.Errorf("the mail does not say who asked:\n%s", mail.text)
	}
	other := j.beside()
	other.visit(link)
	other.see("requested in another browser")
	other.did("in another browser")
	j.visit(link)
	j.see("Click the button to sign in.")
	j.follow("main form button", "Sign in")
	j.see(email)
	if path := j.path(); path != "/account/settings" {
		t.Errorf("the link leads to %s", path)
	}
}

func TestJourneySignInWithACode(t *testing.T) {
	j := begin(t, "code", "/account/sign-in")
	email := newAddress()
	j.askForMail(email)
	code := j.mailed(email, "Sign in").code()
	wrong := "000000"
	if strings.ReplaceAll(code, " ", "") == wrong {
		wrong = "000001"
	}
	j.enter(wrong)
	j.see("The code is wrong")
	j.reached("wrong code")
	if !strings.Contains(j.text("main"), email) {
		t.Errorf("the page does not say where the mail went:\n%s", j.text("main"))
	}
	j.enter(code)
	j.see("You have no keys yet")
	j.did("signed in")
}

func TestJourneyAcceptAnInvitation(t *testing.T) {
	j := begin(t, "invitation", "/about")
	owner, guest := j.signUp(j.site), newAddress()
	j.visit("/account/members")
	j.write("#email", guest)
	j.follow("main button", "Invite")
	j.see("The invitation was sent to " + guest)
	j.did("invited")
	link, err := linkIn(j.mailed(guest, "invited").text)
	j.do(err)

	other := j.beside()
	other.visit(link)
	other.see("invites")
	for _, want := range []string{owner, guest, "member"} {
		if !strings.Contains(other.text("main"), want) {
			t.Errorf("the invitation does not say %q:\n%s", want, other.text("main"))
		}
	}
	other.reached("the invitation")
	other.follow("main a", "Sign in")
	other.follow("main form button", "Send me a link") // the form has the address
	other.see("Check your email")
	other.enter(other.mailed(guest, "Sign in").code())
	other.see("invites " + guest)
	other.reached("signed in")
	other.follow("main button", "Join")
	other.see("You joined the account of " + owner)
	other.did("joined")

	j.visit("/account/members")
	if members := j.text("main tbody"); !strings.Contains(members, guest) || strings.Contains(members, "invited until") {
		t.Errorf("the members are\n%s", members)
	}
	j.did("members")
}

// Without a mail server, the operator prints links, and inviters pass them on.
func TestJourneyWithoutMail(t *testing.T) {
	s, b := started(t)
	at := *b
	at.site = s.withoutMail(t)
	j := &scenario{tab: at.open(t), name: "without-mail", site: s}
	j.visit("/account")
	j.see("census account link you@example.com --new")
	j.reached("asked to sign in")
	j.signUp(s)
	j.visit("/account/members")
	guest := newAddress()
	j.write("#email", guest)
	j.follow("main button", "Invite")
	j.see("Give this link to the person you invited")
	j.did("the link of the invitation")
	link, err := linkIn(j.text("main pre"))
	j.do(err)
	other := &scenario{tab: at.open(t), name: j.name, site: s, step: 50}
	other.signIn(s, guest)
	other.visit(link)
	other.follow("main button", "Join")
	other.see("You joined the account of")
	other.did("joined")
}

func TestJourneyDeleteTheAccount(t *testing.T) {
	j := begin(t, "delete", "/about")
	email := j.signUp(j.site)
	j.do(j.site.ageSessions(email))
	j.visit("/account/settings")
	j.follow("main a", "Delete account")
	j.see("This permanently deletes")
	j.did("asked")
	j.write("#email", email)
	j.follow("main button", "Delete account")
	j.see("Sign in again to confirm that it is you")
	j.reached("must confirm")
	j.follow("main a", "Confirm that it is you")
	j.see("This change needs a sign-in")
	j.reached("confirming")
	j.follow("main form button", "Send me a link")
	j.see("Check your email")
	j.enter(j.mailed(email, "Sign in").code())
	j.see("This permanently deletes")
	j.write("#email", email)
	j.follow("main button", "Delete account")
	j.see("Your account is deleted")
	j.did("deleted")
	j.visit("/account")
	if path := j.path(); path != "/account/sign-in" {
		t.Errorf("after the deletion, /account leads to %s", path)
	}
	if out, err := j.site.census("account", "show", email); err == nil {
		t.Errorf("the account is still there:\n%s", out)
	}
}

func TestJourneyAKeyFromSignUpToRevoking(t *testing.T) {
	j := begin(t, "key", "/account/sign-in")
	email := newAddress()
	j.askForMail(email)
	j.enter(j.mailed(email, "Sign in").code())
	j.see("You have no keys yet")
	j.did("signed in")

	j.write("#name", "weather bot")
	j.follow("main button", "Create key")
	j.see("Copy it now")
	j.did("the new key")
	key := j.text("pre.key")
	if status, body := j.ask(key); status != http.StatusOK {
		t.Fatalf("a call with the new key %.12q answers %d %.300s", key, status, body)
	}
	j.visit("/account")
	if strings.Contains(j.html(), key) {
		t.Error("the key is shown a second time")
	}
	j.see("weather bot")
	j.did("the key in the list")
	j.follow("a", "Manage")
	j.see("The key stops working immediately")
	j.did("the key")
	j.follow("a", "Revoke…")
	j.see("Revoke this key?")
	j.did("asked again")
	start := time.Now()
	j.follow("main button", "Revoke key")
	for status, _ := j.ask(key); status != http.StatusUnauthorized; status, _ = j.ask(key) {
		if time.Since(start) > 2*time.Second {
			t.Fatalf("a call with the revoked key answers %d after %s", status, time.Since(start))
		}
		time.Sleep(50 * time.Millisecond)
	}
	j.see("revoked")
	j.did("revoked")
	j.follow("main button", "Sign out")
	j.did("signed out")
	j.visit("/account")
	if path := j.path(); path == "/account" && strings.Contains(j.text("main"), email) {
		t.Error("the account can be seen after signing out")
	}
}

func (j *scenario) html() (html string) {
	j.t.Helper()
	j.run(`document.documentElement.outerHTML`, &html)
	return html
}

// ask calls the API with a key.
func (j *scenario) ask(key string) (int, string) {
	j.t.Helper()
	req, err := http.NewRequest(http.MethodGet, j.site.url+"/v1/servers?limit=3", nil)
	j.do(err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := client.Do(req)
	j.do(err)
	defer res.Body.Close()
	var body struct{ Code, Detail string }
	_ = json.NewDecoder(res.Body).Decode(&body) // said only when it went wrong
	return res.StatusCode, body.Code + ": " + body.Detail
}
