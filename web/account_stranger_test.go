package web

import "testing"

// Of two people who sign up with one address, neither gets the account of the other: the
// link works in one browser only.
func TestAccount_twoSignUps(t *testing.T) {
	b := newBureau(t)
	eve, ada := b.browser(), b.browser()
	eve.ask("ada@example.com")
	eves := b.link()
	ada.ask("ada@example.com")
	adas := b.link()
	eve.open(adas, 400)
	eve.says("This link is invalid")
	ada.open(eves, 400)
	if all, err := b.people.All(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("an address without a followed link has an account: %v, %v", all, err)
	}
	ada.open(adas, 200)
	ada.send("/account/sign-in/link", 200)
	ada.says("ada@example.com")
	if eve.open("/account", 200); eve.path != "/account/sign-in" {
		t.Errorf("the stranger is at %s", eve.path)
	}
}
