package browser

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

//go:embed page.js
var pageScript string

// A pageCase is a page to check.
type pageCase struct {
	name, path string
	status     int64
	signedIn   bool
}

// pageCases are the checked pages. KEY in a path is the number of a key of the account, HOOK
// the number of a webhook endpoint.
var pageCases = []pageCase{
	{"API", "/docs", 200, false}, // takes longest
	{"home", "/", 200, false},
	{"all servers", "/servers", 200, false},
	{"second page", "/servers?page=2", 200, false},
	{"last page", "/servers?page=3", 200, false},
	{"search", "/servers?q=files", 200, false},
	{"search that finds what is deprecated", "/servers?q=mcp", 200, false},
	{"search with filters", "/servers?q=mcp&grade=A&transport=stdio", 200, false},
	{"search that finds nothing", "/servers?q=zeppelin&category=data", 200, false},
	{"category", "/categories/data", 200, false},
	{"tag", "/tags/postgres", 200, false},
	{"owner", "/owners/nimbus-tools", 200, false},
	{"server of which much is known", "/servers/" + richSlug, 200, false},
	{"server of which little is known", "/servers/" + poorSlug, 200, false},
	{"server that is deprecated", "/servers/brightline-mail-mcp", 200, false},
	{"server that is hosted", "/servers/relay-crm-mcp", 200, false},
	{"server whose tools have parameters", "/servers/harbor-data-postgres-navigator", 200, false},
	{"server that is harmful", "/servers/hollowreed-clipboard-mcp", 200, false},
	{"tools of a server", "/servers/harbor-data-postgres-navigator/tools", 200, false},
	{"health of a server", "/servers/" + poorSlug + "/health", 200, false},
	{"versions of a server", "/servers/" + richSlug + "/versions", 200, false},
	{"README of a server", "/servers/" + richSlug + "/readme", 200, false},
	{"compare, empty", "/compare", 200, false},
	{"compare", "/compare?s=" + richSlug + "&s=" + secondSlug + "&s=" + poorSlug, 200, false},
	{"statistics", "/stats", 200, false},
	{"categories", "/categories", 200, false},
	{"tags", "/tags", 200, false},
	{"owners", "/owners", 200, false},
	{"check, empty", "/check", 200, false},
	{"check of another code host", "/check?url=https://gitlab.com/a/b", 422, false},
	{"check of a list", "/check?url=https://github.com/listkeepers/awesome-mcp-things", 200, false},
	{"how the score works", "/docs/scoring", 200, false},
	{"sources of tools", "/docs/tools", 200, false},
	{"accuracy", "/docs/accuracy", 200, false},
	{"SDKs", "/docs/sdk", 200, false},
	{"MCP server of the registry", "/docs/mcp", 200, false},
	{"API errors", "/docs/errors", 200, false},
	{"pricing", "/pricing", 200, false},
	{"about", "/about", 200, false},
	{"add a server", "/add", 200, false},
	{"check a server.json", "/lint", 200, false},
	{"report a problem", "/servers/" + richSlug + "/report", 200, false},
	{"sign in", "/account/sign-in", 200, false},
	{"sign in with a link", "/account/sign-in/link?token=abc", 400, false},
	{"confirm the address", "/account/confirm?token=abc", 400, false},
	{"account", "/account", 200, true},
	{"key", "/account/keys/KEY", 200, true},
	{"revoke a key", "/account/keys/KEY/revoke", 200, true},
	{"webhooks", "/account/webhooks", 200, true},
	{"webhook", "/account/webhooks/HOOK", 200, true},
	{"delete a webhook", "/account/webhooks/HOOK/delete", 200, true},
	{"views", "/account/views", 200, true},
	{"plan", "/account/plan", 200, true},
	{"members", "/account/members", 200, true},
	{"settings", "/account/settings", 200, true},
	{"sessions", "/account/sessions", 200, true},
	{"activity", "/account/activity", 200, true},
	{"new address", "/account/email", 200, true},
	{"delete the account", "/account/delete", 200, true},
	{"wrong parameter", "/servers?sort=bogus", 400, false},
	{"page behind the end", "/servers?page=9999", 404, false},
	{"no such category", "/categories/nope", 404, false},
	{"no such tag", "/tags/fore", 404, false},
	{"no such owner", "/owners/nimbus", 404, false},
	{"not found", "/servers/weather", 404, false},
	{"gone", "/servers/" + goneSlug, 410, false},
}

// TestPage makes every check of every page.
func TestPage(t *testing.T) {
	_, b := started(t)
	for _, l := range pageCases {
		t.Run(strings.ReplaceAll(l.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			for _, fault := range l.faults(t, b) {
				t.Errorf("%s: %s", l.path, fault)
			}
		})
	}
}

// TestPageOfAServerIsShort checks the length of a server's page, how many dates it prints, and where
// its installation begins on a phone, also below a warning.
func TestPageOfAServerIsShort(t *testing.T) {
	_, b := started(t)
	w := b.open(t)
	for _, path := range []string{
		"harbor-data-postgres-navigator", "harbor-data-postgres-navigator/tools",
		"harbor-data-postgres-navigator/health", // and one with each kind of risk
		"hollowreed-clipboard-mcp", "palelantern-alerts-mcp", "inkwell-io-graph-explorer-mcp",
		"brightline-mail-mcp", "easyhouse-house-mcp", "driftnotes-notebook-mcp",
	} {
		for _, width := range []int64{1440, 390} {
			w.size(width, 844, width < 500)
			w.visit("/servers/" + path)
			var is struct{ Height, Install, Dates int }
			w.run(`({height: document.documentElement.scrollHeight, install: Math.round(document.getElementById("install")?.getBoundingClientRect().top ?? 0), dates: (document.querySelector("main").innerText.match(/\b\d{1,2} [A-Z][a-z]{2} 20\d\d\b/g) || []).length})`, &is)
			if width == 1440 && is.Height > 2500 || is.Install > 900 || is.Dates > 5 {
				t.Errorf("%q, %d px wide: %+v", path, width, is)
			}
		}
	}
}

// faults returns what is wrong with a page.
func (l pageCase) faults(t *testing.T, b *chrome) (all []string) {
	t.Helper()
	w := b.open(t)
	if l.signedIn {
		w.signInFor(shared.site, l.path)
		if before, after, ok := strings.Cut(l.path, "KEY"); ok {
			l.path = before + w.makeKey() + after
		}
		if before, after, ok := strings.Cut(l.path, "HOOK"); ok {
			l.path = before + w.makeHook() + after
		}
	}
	if status := w.visit(l.path); status != l.status {
		t.Fatalf("%s answers %d, not %d", l.path, status, l.status)
	}
	failing := func(what string, wrong []string) {
		for _, x := range wrong {
			all = append(all, what+": "+x)
		}
	}
	failing("browser", w.complaints())
	w.script()
	var with content
	w.run("census.content()", &with)

	failing("axe, light", w.violations())
	w.media("", "dark") // in which only colours differ
	failing("axe, dark", w.violations("color-contrast", "link-in-text-block"))
	w.media("", "light")
	failing("keyboard", w.walk())

	w.media("print", "light")
	w.size(720, 1000, false)
	var found []string
	w.run("census.paper()", &found)
	failing("print", found)
	if pdf, err := chromedp.Call(w.ctx, page.PrintToPDF, page.PrintToPDFParams{PageRanges: "1-3"}); err != nil || len(pdf.Data) < 2000 {
		failing("print", []string{fmt.Sprintf("%d bytes, %v", len(pdf.Data), err)})
	}
	w.media("", "light")

	for _, width := range []int64{320, 390} {
		w.size(width, 640, true)
		w.visit(l.path)
		w.script()
		w.run("census.wide()", &found)
		failing(fmt.Sprintf("%d px wide", width), found)
	}
	failing("browser", w.complaints())

	plain := b.open(t)
	if l.signedIn {
		plain.setCookies(w.cookies())
	}
	plain.withoutScript()
	plain.visit(l.path)
	plain.script()
	var without content
	plain.run("census.content()", &without)
	failing("without script", with.lost(without))
	failing("without script", plain.complaints())
	return all
}

// script puts what the tests ask a page into it.
func (w *tab) script() {
	w.t.Helper()
	var there bool
	if w.run(`typeof census !== "undefined"`, &there); !there {
		w.run(pageScript, nil)
	}
}

// violations are what axe-core finds by some of its rules, or by all.
func (w *tab) violations(rules ...string) (found []string) {
	w.t.Helper()
	source := axeSource(w.t)
	if source == "" {
		return nil
	}
	w.script()
	var there bool
	if w.run(`typeof axe !== "undefined"`, &there); !there {
		w.run(source+";0", nil)
	}
	w.call("census.violations", &found, rules)
	return found
}

// badPage has one of each fault that the checks are there to find.
const badPage = `<!doctype html><html lang="en"><title>Bad</title><meta name="viewport" content="width=device-width">
<style>body { margin: 0 } .hidden:focus { outline: none } .pale { color: #ddd }
.faint:focus { outline: 3px solid #eee } .press { cursor: pointer } .turned { display: flex; flex-direction: column-reverse }</style>
<nav aria-label="Main"><a href="/">Home</a></nav>
<main><h1>A page with faults</h1><p class="pale">This can hardly be read, neither here nor on paper.</p>
<div style="width: 900px">Wide</div>
<a class="hidden" href="/a">Shows no focus</a> <a href="/b" tabindex="2">Comes too early</a>
<div class="turned"><a href="/below">Stands below</a><a class="faint" href="/above">Stands above</a></div>
<span class="press">Press me</span><details><summary>Does not fold</summary>Folded</details>
<form action="/c"><input name="nameless"></form><div id="more"></div>
<img src="http://elsewhere.example/pixel.png"><img src="/blocked.png">
<script nonce="x">document.getElementById("more").innerHTML = "<p>Words that only scripts bring, and quite a few.</p><a href='/only'>Only</a>"; console.error("it hurts");
document.querySelector("input").addEventListener("keydown", (e) => { if (e.shiftKey) e.preventDefault(); });
document.querySelector("summary").addEventListener("keydown", (e) => { if (e.key === "Enter") e.preventDefault(); })</script>
<script>alert("blocked")</script></main></html>`

func TestPageChecksSeeWhatIsWrong(t *testing.T) {
	_, b := started(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "script-src 'nonce-x'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, badPage)
	}))
	defer server.Close()
	bad := *b
	bad.site = server.URL
	all := strings.Join(pageCase{"bad", "/bad", 200, false}.faults(t, &bad), "\n")
	for _, want := range []string{
		"it hurts", "Content Security Policy", "asks another host: http://elsewhere.example/pixel.png",
		"not a “Comes too early”", "print: nav “Main” is printed", "on paper", "320 px wide: div “Wide” ends at 900",
		"“Stands above” comes after a “Stands below”, which stands below it", "“Press me” looks as if it could be pressed",
		"shows the focus with a contrast of 1.", `the key "Enter" does not fold`,
		"without script: there is no link to /only", "words are missing", "the form /c get has no button",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("not found: %s", want)
		}
	}
	if source, _ := axe(); source != "" && (!strings.Contains(all, "axe, light: image-alt") || !strings.Contains(all, "axe, dark: color-contrast") || !strings.Contains(all, "label")) {
		t.Error("axe-core does not find pictures without a text, pale words or fields without a label")
	}
	// In order, the focus that cannot be seen is found, and that there is no way
	// to skip to the content.
	w := bad.open(t)
	w.visit("/bad")
	w.script()
	w.run(`document.querySelector("[tabindex]").removeAttribute("tabindex")`, nil)
	walked := strings.Join(w.walk(), "\n")
	for _, want := range []string{"looks the same with the focus", "does not skip to the content", "is input “nameless”, not"} { // it holds the focus backwards
		if !strings.Contains(walked, want) {
			t.Errorf("walking does not find %q, only %s", want, walked)
		}
	}
	if t.Failed() {
		t.Log(all)
	}
}

// content is what a page has to say, as census.content tells it.
type content struct {
	Heading string
	Words   []string
	Links   []string
	Forms   []struct {
		Name  string
		Sends bool
	}
}

// lost says what a page has with script and not without it, and which forms
// cannot be sent.
func (c content) lost(without content) (wrong []string) {
	if c.Heading == "" || c.Heading != without.Heading {
		wrong = append(wrong, fmt.Sprintf("the heading is %q, with script %q", without.Heading, c.Heading))
	}
	has := map[string]int{}
	for _, word := range without.Words {
		has[word]++
	}
	gone := 0
	var some []string
	for _, word := range c.Words {
		if has[word]--; has[word] < 0 && word != "Copy" {
			if gone++; len(some) < 8 {
				some = append(some, word)
			}
		}
	}
	if gone > max(3, len(c.Words)/50) { // times and ids differ
		wrong = append(wrong, fmt.Sprintf("%d of %d words are missing: %s", gone, len(c.Words), strings.Join(some, " ")))
	}
	for _, link := range c.Links {
		if !slices.Contains(without.Links, link) {
			wrong = append(wrong, "there is no link to "+link)
		}
	}
	if len(c.Forms) != len(without.Forms) {
		wrong = append(wrong, fmt.Sprintf("%d forms, with script %d", len(without.Forms), len(c.Forms)))
	}
	for _, f := range without.Forms {
		if !f.Sends {
			wrong = append(wrong, "the form "+f.Name+" has no button that sends it")
		}
	}
	return wrong
}

const tabKey, enterKey, spaceKey = 9, 13, 32

// mostStops is how many stops of a page are passed with everything unfolded, where
// each takes long if they are many.
const mostStops = 400

// walk goes through the page with the Tab key, from the end to the beginning as
// it is, and from the beginning to the end, or past mostStops, with everything
// unfolded, and says what is wrong.
func (w *tab) walk() (wrong []string) {
	w.t.Helper()
	wrong = append(w.pass(true), w.skips()...)
	wrong = append(wrong, w.folds()...)
	w.run("census.unfold()", nil)
	wrong = append(wrong, w.pass(false)...)
	var found []string
	for _, scheme := range []string{"light", "dark"} {
		w.media("", scheme)
		w.run("census.indicators()", &found)
		wrong = append(wrong, found...)
	}
	w.media("", "light")
	for _, width := range []int64{1280, 390} {
		w.size(width, 800, width < 500)
		w.run("census.order()", &found)
		wrong = append(wrong, found...)
	}
	w.size(1280, 800, false)
	w.run("census.pressed()", &found)
	wrong = append(wrong, found...)
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

// pass presses Tab, or Shift and Tab from the end, until all stops were passed.
func (w *tab) pass(backwards bool) (wrong []string) {
	w.t.Helper()
	var stops []string
	w.call("census.begin", &stops, backwards)
	if len(stops) == 0 {
		return []string{"nothing can be reached"}
	}
	type place struct {
		At    int
		Name  string
		Wrong []string
		Parts bool
	}
	press := func() (p place) {
		w.tabbed(backwards)
		w.run("census.step()", &p)
		return p
	}
	next, last := 0, len(stops)
	if !backwards {
		last = min(last, mostStops)
	}
	for tries := 0; next < last; tries++ {
		if tries == 2*len(stops)+20 {
			return append(wrong, fmt.Sprintf("only %d of %d stops are reached; next should be %s", next, len(stops), stops[next]))
		}
		p := press()
		switch {
		case p.At == -3: // scrolls
			continue
		case p.Parts && p.At == next-1: // the next part of it
			continue
		case p.At < -1:
			return append(wrong, fmt.Sprintf("after %d of %d stops the focus is nowhere, next should be %s", next, len(stops), stops[next]))
		case p.At != next:
			return append(wrong, fmt.Sprintf("stop %d is %s, not %s", next, p.Name, stops[next]))
		}
		for _, x := range p.Wrong {
			wrong = append(wrong, p.Name+" "+x)
		}
		next++
	}
	if p := press(); last == len(stops) && p.At == last-1 {
		wrong = append(wrong, "the last stop holds the focus: "+p.Name)
	}
	return wrong
}

// tabbed presses Tab, backwards with Shift.
func (w *tab) tabbed(backwards bool) {
	w.t.Helper()
	p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Tab", Code: "Tab", WindowsVirtualKeyCode: tabKey, NativeVirtualKeyCode: tabKey}
	if backwards {
		p.Modifiers = 8
	}
	_, err := chromedp.Call(w.ctx, input.DispatchKeyEvent, p)
	w.do(err)
}

// skips says what is wrong with the first stop, which skips to the content.
func (w *tab) skips() (wrong []string) {
	w.t.Helper()
	var stops []string
	w.run("census.begin()", &stops)
	w.key("Tab", tabKey)
	var skips bool
	if w.run(`document.activeElement?.getAttribute("href") === "#main"`, &skips); !skips {
		return []string{"the first stop does not skip to the content: " + strings.Join(stops[:min(1, len(stops))], "")}
	}
	w.key("Enter", enterKey)
	w.key("Tab", tabKey)
	var inMain struct {
		Is   bool
		Name string
	}
	w.run(`({is: !!document.querySelector("main#main") && location.hash === "#main" && (!document.querySelector("main a[href], main button, main input:not([type=hidden]), main summary") || !!document.activeElement?.closest("main")), name: (document.activeElement || document.body).textContent.trim().slice(0, 40)})`, &inMain)
	if !inMain.Is {
		wrong = append(wrong, "the first stop does not skip to the content, but to "+inMain.Name)
	}
	return wrong
}

// folds opens and closes what is folded first by the keyboard, and says if it
// stays as it was.
func (w *tab) folds() (wrong []string) {
	w.t.Helper()
	var is []bool
	const first = `[...document.querySelectorAll("summary")].find((s) => s.checkVisibility({visibilityProperty: true}))`
	if w.run(`[!!`+first+`]`, &is); !is[0] {
		return nil
	}
	for key, code := range map[string]int64{"Enter": enterKey, " ": spaceKey} {
		w.run(`(() => { const s = `+first+`; s.focus(); globalThis.wasOpen = s.parentElement.open; })()`, nil)
		w.key(key, code)
		if w.run(`[`+first+`.parentElement.open !== globalThis.wasOpen]`, &is); !is[0] {
			wrong = append(wrong, fmt.Sprintf("the key %q does not fold", key))
		}
		w.key(key, code)
	}
	return wrong
}
