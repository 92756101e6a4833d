package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

const password = "violet-kettle-orbit-93"

var people atomic.Int64

// post is a request of the page itself to the account API.
const post = `async (path, body) => {
	const answer = await fetch(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
	return answer.status + " " + await answer.text();
}`

// signUp makes an account, signs this tab in, and returns its address.
func (w *tab) signUp() string {
	w.t.Helper()
	email := fmt.Sprintf("person%d@census.example", people.Add(1))
	w.visit("/about")
	var said string
	if w.call(post, &said, "/account/api/sign-up", map[string]string{"email": email, "password": password}); said[0] != '2' {
		w.t.Fatalf("sign up: %s", said)
	}
	w.signIn(email)
	return email
}

// reader is the address of the account of pages that change nothing.
var reader struct {
	sync.Mutex
	email string
}

// signInFor signs this tab in for a page, and returns the address. A client creates
// ten accounts an hour, so pages share one unless they need a key or an endpoint.
func (w *tab) signInFor(path string) string {
	w.t.Helper()
	if strings.Contains(path, "KEY") || strings.Contains(path, "HOOK") {
		return w.signUp()
	}
	reader.Lock()
	defer reader.Unlock()
	if reader.email == "" {
		reader.email = w.signUp()
		return reader.email
	}
	w.signIn(reader.email)
	return reader.email
}

// signIn signs this tab in.
func (w *tab) signIn(email string) {
	w.t.Helper()
	w.visit("/about")
	var said string
	if w.call(post, &said, "/account/api/sign-in", map[string]string{"email": email, "password": password}); said[0] != '2' {
		w.t.Fatalf("sign in: %s", said)
	}
}

// makeKey makes a key for the account that is signed in, and returns its number.
func (w *tab) makeKey() string {
	w.t.Helper()
	var said string
	w.call(post, &said, "/account/api/keys", map[string]string{"name": "weather bot"})
	_, body, _ := strings.Cut(said, " ")
	var made struct{ ID json.Number }
	if err := json.Unmarshal([]byte(body), &made); err != nil || made.ID == "" {
		w.t.Fatalf("make a key: %s", said)
	}
	return made.ID.String()
}

// addHook is a request of the page itself that sends the form of a new webhook endpoint.
const addHook = `async () => {
	const read = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
	const path = "/account/webhooks";
	const page = await read(await fetch(path));
	const form = new URLSearchParams(new FormData(page.querySelector("form[action='" + path + "']")));
	form.set("url", "https://example.com/hooks");
	const made = await read(await fetch(path, {method: "POST", body: form}));
	return made.querySelector("a.button[href^='" + path + "/']").getAttribute("href").split("/").pop();
}`

// makeHook makes a webhook endpoint for the account that is signed in, and returns its
// number.
func (w *tab) makeHook() (id string) {
	w.t.Helper()
	w.call(addHook, &id)
	return id
}
