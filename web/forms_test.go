package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/web/pages"
)

func TestAdd(t *testing.T) {
	q := &quotas{}
	b := newBureau(t, func(o *Options, _ *account.Options) { o.Limiter = q })
	w := b.browser()
	listed := generated(1)[0].Repo
	w.open("/add", 200)
	w.send("/add", 200, "url", "https://github.com/fresh/one\n"+
		"fresh/TWO, github.com/fresh/two\n"+listed.Owner+"/"+listed.Name+"\n"+
		"https://gitlab.com/a/b <script>")
	w.says("2 repositories queued for crawling.", "fresh/one Queued.", "Already listed",
		"Not added. It is on GitLab, which is not supported yet. <script> Not added.")
	if !strings.Contains(w.body, "/check?url=https%3a%2f%2fgithub.com%2ffresh%2fone") ||
		!strings.Contains(w.body, `href="/servers/`+generated(1)[0].Slug+`"`) {
		t.Errorf("links are missing:\n%s", w.body)
	}
	status, err := b.db.Status(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, n := range status.Repositories {
		known += n
	}
	if known != 2 {
		t.Errorf("%d repositories are stored: %v", known, status.Repositories)
	}
	w.open("/add?url=fresh/one", 200)
	w.send("/add", 200, "url", "fresh/one")
	w.says("Already queued")
	w.saysNot("queued for crawling.")

	// What is wrong is said, and nothing is lost.
	for text, says := range map[string]string{
		"":                          "Paste the address of a repository",
		strings.Repeat("a/b ", 11):  "up to 10 repositories",
		"<script>alert(1)</script>": "It has an owner that GitHub does not allow",
		"nothing":                   "It names no repository",
		"https://gitlab.com/a/b":    "on GitLab, which is not supported yet",
		"a/\x00\xff":                "It has a character",
		strings.Repeat("a", 9000):   "It is longer than 512 characters",
	} {
		w.open("/add", 200)
		w.post("/add", 400, url.Values{"url": {text}})
		w.says(says)
	}
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "cross-site")
	otherScheme := strings.Replace(b.url, "http://", "https://", 1)
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "", "Origin", otherScheme)
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "same-origin", "Origin", otherScheme)
	w.post("/add", 200, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "", "Origin", b.url)

	for range pages.FormsHourly - 3 { // three counted: what is listed or wrong does not
		w.post("/add", 200, url.Values{"url": {"fresh/one"}})
	}
	w.post("/add", 429, url.Values{"url": {"fresh/one"}})
	w.says("Rate limit reached: 10 forms per hour.")
	w.post("/servers/evil/report", 429, url.Values{"reason": {"facts"}, "text": {"x"}})
	w.post("/add", 200, url.Values{"url": {listed.Owner + "/" + listed.Name}})
}

func TestReport(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.open("/servers/evil", 200)
	if !strings.Contains(w.body, `href="/servers/evil/report"`) {
		t.Error("the server's page has no way to report")
	}
	const path = "/servers/evil/report"
	w.open(path, 200)
	w.send(path, 400, "reason", "", "text", "", "contact", "me\nyou")
	w.says("Choose a reason.", "Describe the problem")
	w.send(path, 400, "reason", "golden", "text", strings.Repeat("é", registry.MaxReport+1),
		"contact", strings.Repeat("c", 201))
	w.says("this has 2,001.", "one line of at most 200", "Choose a reason.")
	text := strings.Join(attacks[:11], "\r\n") + "\x00\xff"
	for _, x := range attacks {
		w.post(path, 400, url.Values{"reason": {x}, "text": {x}, "contact": {x}})
	}
	w.open(path, 200)
	v := w.form(path)
	v.Set("reason", "malicious")
	v.Set("text", text)
	v.Set("contact", "me@example.com")
	for range 2 { // sent twice, it is one
		w.post(path, 200, v)
		w.says("Thank you.")
	}
	list, err := b.db.Reports(t.Context(), true, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if c := list[0]; c.Slug != "evil" || c.Reason != "malicious" || c.Contact != "me@example.com" ||
		!strings.Contains(c.Text, "<script>alert(1)</script>\n") ||
		strings.ContainsAny(c.Text, "\x00\r") {
		t.Errorf("%+v", c)
	}

	v.Set("text", "buy this")
	v.Set("website", "https://spam.example")
	w.post(path, 200, v)
	w.says("Thank you.")
	v.Del("website")
	w.post(path, 403, v, "Sec-Fetch-Site", "cross-site")
	w.post(path, 403, v, "Sec-Fetch-Site", "", "Origin", strings.Replace(b.url, "http://", "https://", 1))
	w.post(path, 415, v, "Content-Type", "application/json")
	if list, err = b.db.Reports(t.Context(), true, 10); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	w.open("/servers/nowhere/report", 404)
	w.post("/servers/nowhere/report", 404, v)

	b.db.Close()
	v.Set("text", "while the database is away")
	r, _ := http.NewRequest("POST", b.url+path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if w.do(r); w.status < 500 || strings.Contains(w.body, "sql") {
		t.Errorf("%d %s", w.status, w.text())
	}
}
