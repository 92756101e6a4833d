package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// A passkey is created, signs in, is renamed and removed, with the browser's virtual
// authenticator.
func TestJourneyPasskey(t *testing.T) {
	j := begin(t, "passkey", "/about")
	j.tab.site = strings.Replace(j.tab.site, "127.0.0.1", "localhost", 1) // passkeys need a name
	_, err := chromedp.Call(j.ctx, webauthn.Enable, webauthn.EnableParams{})
	j.do(err)
	authenticator, err := chromedp.Call(j.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{Protocol: webauthn.AuthenticatorProtocolCtap2,
			Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true, HasUserVerification: true,
			IsUserVerified: true, AutomaticPresenceSimulation: true}})
	j.do(err)
	verified := func(is bool) {
		_, err := chromedp.Call(j.ctx, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{
			AuthenticatorID: authenticator.AuthenticatorID, IsUserVerified: is})
		j.do(err)
	}
	email := j.signUp()
	j.visit("/account/passkeys")
	j.did("no passkeys")
	j.write("#name", "Laptop")
	j.write("#password", "wrong-password-93")
	j.click("main button", "Create passkey")
	const said = `document.querySelector("[data-passkey] [role=alert]").textContent`
	j.eventually("a wrong password is refused", said+` === "Wrong password."`)
	j.complaints() // of the refused request
	empty := func(field string) { j.run(`document.querySelector("`+field+`").value = ""`, nil) }
	empty("#password")
	j.write("#password", password)
	j.leave("created", func() { j.click("main button", "Create passkey") })
	j.see("The passkey was added.")
	j.see("Laptop")
	j.did("one passkey")

	j.follow("main button", "Sign out")
	j.visit("/account/sign-in?next=/account/plan")
	j.did("signing in")
	verified(false)
	j.click("main button", "Sign in with a passkey")
	j.eventually("refused without verification", said+` !== ""`)
	j.complaints()
	verified(true)
	j.leave("signed in", func() { j.click("main button", "Sign in with a passkey") })
	j.see(email)
	if path := j.path(); path != "/account/plan" {
		t.Errorf("signed in at %s", path)
	}

	j.visit("/account/passkeys")
	j.follow("a", "Manage")
	j.did("the passkey")
	empty("#name")
	j.write("#name", "Old laptop")
	j.follow("main button", "Rename")
	j.see("Old laptop")
	j.follow("a", "Manage")
	j.write("#password", password)
	j.follow("main button", "Remove passkey")
	j.see("You have no passkeys yet.")
	j.did("removed")
	_, err = chromedp.Call(j.ctx, webauthn.Disable, cdp.Empty{})
	j.do(err)
}
