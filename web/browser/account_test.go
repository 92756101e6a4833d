package browser

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

var people atomic.Int64

// newAddress returns an address that has no account.
func newAddress() string { return fmt.Sprintf("person%d@census.example", people.Add(1)) }

// printedLink returns the path of a link that "census account link" prints.
func (s *site) printedLink(email string) (string, error) {
	out, err := s.census("account", "link", email, "--new")
	if err != nil {
		return "", fmt.Errorf("census account link: %w\n%s", err, out)
	}
	return linkIn(string(out))
}

// linkIn returns the path of the link to an account page in a text.
func linkIn(text string) (string, error) {
	u, err := url.Parse(accountLink.FindString(text))
	if err != nil || u.Path == "" {
		return "", fmt.Errorf("no link (%v) in\n%s", err, text)
	}
	return u.RequestURI(), nil
}

var accountLink = regexp.MustCompile(`https?://\S+/account/\S+`)

// signUp makes an account, signs this tab in, and returns its address.
func (w *tab) signUp(s *site) string {
	w.t.Helper()
	email := newAddress()
	w.signIn(s, email)
	return email
}

// signIn signs this tab in with a printed link.
func (w *tab) signIn(s *site, email string) {
	w.t.Helper()
	link, err := s.printedLink(email)
	w.do(err)
	w.visit(link)
	w.send("/account/sign-in/link")
}

// send sends the form of the page with an action, and waits for the next page.
func (w *tab) send(action string) {
	w.t.Helper()
	w.call(
		`(action) => { globalThis.left = true; document.querySelector("main form[action='" + action + "'] button").click(); }`, nil, action,
	)
	w.eventually("the page after "+action, `!globalThis.left && document.readyState === "complete"`)
}

// reader is the session of the account of pages that change nothing. A client makes 300
// requests of these pages an hour, so tabs share it.
var reader struct {
	sync.Mutex
	cookies []*network.CookieParam
}

// signInFor signs this tab in for a page: with an account of its own if it needs a key or an
// endpoint.
func (w *tab) signInFor(s *site, path string) {
	w.t.Helper()
	if strings.Contains(path, "KEY") || strings.Contains(path, "HOOK") {
		w.signUp(s)
		return
	}
	reader.Lock()
	defer reader.Unlock()
	if reader.cookies == nil {
		w.signUp(s)
		reader.cookies = w.cookies()
		return
	}
	w.setCookies(reader.cookies)
}

// cookies returns the cookies of this tab.
func (w *tab) cookies() (all []*network.CookieParam) {
	w.t.Helper()
	res, err := chromedp.Call(w.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{w.site}})
	w.do(err)
	for _, c := range res.Cookies {
		all = append(all, &network.CookieParam{Name: c.Name, Value: c.Value, URL: w.site,
			Path: c.Path, HTTPOnly: c.HTTPOnly})
	}
	if len(all) == 0 {
		w.t.Fatal("the tab has no cookies")
	}
	return all
}

// setCookies gives this tab the session of another.
func (w *tab) setCookies(all []*network.CookieParam) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, network.SetCookies, network.SetCookiesParams{Cookies: all})
	w.do(err)
}

// makeKey makes a key for the account that is signed in, and returns its number.
func (w *tab) makeKey() (id string) {
	w.t.Helper()
	w.call(fillIn, &id, "/account", "/account/keys", "name", "weather bot", "/account")
	return id
}

// makeHook makes a webhook endpoint for the account that is signed in, and returns its
// number.
func (w *tab) makeHook() (id string) {
	w.t.Helper()
	w.call(fillIn, &id, "/account/webhooks", "/account/webhooks", "url", "https://example.com/hooks", "/account/webhooks")
	return id
}

// fillIn is a request of the page itself that sends a form of a page. It returns the number of
// what was made, from the list that shows it first.
const fillIn = `async (path, action, name, value, list) => {
	const read = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
	const form = new URLSearchParams(new FormData((await read(await fetch(path))).querySelector("form[action='" + action + "']")));
	form.set(name, value);
	await fetch(action, {method: "POST", body: form});
	return (await read(await fetch(list))).querySelector("main td a[href^='" + action + "/']").getAttribute("href").split("/").pop();
}`
