package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// picturesVariable names a folder for a picture of each step of each scenario.
const picturesVariable = "CENSUS_TEST_PICTURES"

// A scenario is the steps of a user in a tab.
type scenario struct {
	*tab
	name string
	site *site
	step int
}

// begin opens a tab at a page.
func begin(t *testing.T, name, path string) *scenario {
	t.Helper()
	s, b := started(t)
	j := &scenario{tab: b.open(t), name: name, site: s}
	_, err := chromedp.Call(j.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	j.do(err)
	t.Cleanup(func() {
		if t.Failed() && j.ctx.Err() == nil {
			j.keep("failed")
		}
	})
	if status := j.visit(path); status != http.StatusOK {
		t.Fatalf("%s answers %d", path, status)
	}
	return j
}

// did ends a step: nothing may be wrong with the page, not on a narrow screen
// either, and a picture is taken.
func (j *scenario) did(what string) {
	j.t.Helper()
	wrong := j.complaints()
	j.step++
	j.keep(what)
	if !j.plain {
		wrong = append(wrong, j.violations()...)
	}
	var wide []string
	j.script()
	j.size(320, 640, true)
	j.run("census.wide()", &wide)
	j.size(1280, 800, false)
	for _, x := range append(wrong, wide...) {
		j.t.Errorf("after %q: %s", what, x)
	}
}

func (j *scenario) keep(what string) {
	j.t.Helper()
	dir := os.Getenv(picturesVariable)
	if dir == "" {
		return
	}
	dir = filepath.Join(dir, j.name)
	j.do(os.MkdirAll(dir, 0o755))
	j.do(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d-%s.png", j.step, strings.ReplaceAll(what, " ", "-"))), j.picture(false), 0o644))
}

// eventually waits until an expression in the page is true, also over a change
// of pages.
func (w *tab) eventually(what, expression string) {
	w.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		// While pages change, a response can get lost.
		ctx, cancel := context.WithTimeout(w.ctx, 2*time.Second)
		res, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: "!!(" + expression + ")", ReturnByValue: yes})
		cancel()
		if err == nil && res.Result != nil && string(res.Result.Value) == "true" {
			break
		}
		if time.Now().After(deadline) {
			var text string
			w.run(`location.href + "\n" + document.querySelector("main").innerText.slice(0, 600)`, &text)
			w.t.Fatalf("not seen: %s (%v). The page is\n%s", what, err, text)
		}
	}
	w.settle()
}

// see waits until the page's content has a text.
func (j *scenario) see(text string) {
	j.t.Helper()
	b, err := json.Marshal(text)
	j.do(err)
	j.eventually(text, `document.readyState === "complete" && document.querySelector("main").innerText.includes(`+string(b)+`)`)
}

// pointed is the middle of the first element that can be seen of a selector,
// with a text in it.
const pointed = `(selector, text) => {
	const e = [...document.querySelectorAll(selector)].find((e) => e.checkVisibility({visibilityProperty: true}) && (e.innerText || e.value || "").includes(text));
	if (!e) return null;
	e.scrollIntoView({block: "center", behavior: "instant"});
	const r = [...e.getClientRects()].find((r) => r.width && r.height);
	return r && {x: r.left + r.width / 2, y: r.top + r.height / 2};
}`

// click clicks on the first element that can be seen of a selector, with a
// text in it.
func (j *scenario) click(selector, text string) {
	j.t.Helper()
	var at *struct{ X, Y float64 }
	if j.call(pointed, &at, selector, text); at == nil {
		j.t.Fatalf("there is no %s with %q to click on", selector, text)
	}
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		p := input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y}
		if kind != input.DispatchMouseEventTypeMouseMoved {
			p.Button, p.ClickCount = input.MouseButtonLeft, 1
		}
		_, err := chromedp.Call(j.ctx, input.DispatchMouseEvent, p)
		j.do(err)
	}
}

// follow clicks on what leads to another page, and waits until that is there.
func (j *scenario) follow(selector, text string) {
	j.t.Helper()
	j.leave("click on "+selector+" "+text, func() { j.click(selector, text) })
}

// leave does what leads to another page, and waits until that is there. To look
// for the new page's words alone is not enough: the page before may say them
// too, and what comes next would run into the change of pages.
func (j *scenario) leave(what string, act func()) {
	j.t.Helper()
	j.run(`globalThis.left = true`, nil)
	act()
	j.eventually("another page after "+what, `!globalThis.left && document.readyState === "complete"`)
}

// write clicks into a field and writes.
func (j *scenario) write(selector, text string) {
	j.t.Helper()
	j.click(selector, "")
	_, err := chromedp.Call(j.ctx, input.InsertText, input.InsertTextParams{Text: text})
	j.do(err)
}

// text returns the text of the first element of a selector.
func (j *scenario) text(selector string) string {
	j.t.Helper()
	var s string
	j.call(`(s) => (document.querySelector(s)?.innerText ?? "").trim()`, &s, selector)
	return s
}

func TestJourneyFindAServerAndCopyItsConfiguration(t *testing.T) {
	j := begin(t, "find", "/")
	j.mayCopy()
	var focused string
	if j.run(`document.activeElement.id`, &focused); focused != "q" {
		t.Errorf("the home page's focus is on %q, not on the search field", focused)
	}
	_, err := chromedp.Call(j.ctx, input.InsertText, input.InsertTextParams{Text: "weather"})
	j.do(err)
	j.did("typed on the home page")
	j.leave("Enter", func() { j.key("Enter", enterKey) })
	j.see("octo-labs")
	j.did("found")

	// Results follow what is typed, and so does the address.
	j.click("#q", "")
	j.run(`document.getElementById("q").select()`, nil)
	_, err = chromedp.Call(j.ctx, input.InsertText, input.InsertTextParams{Text: "forecast"})
	j.do(err)
	j.eventually("the address follows what is typed", `location.search.includes("q=forecast")`)
	j.see("1 to ")
	j.did("typed on")
	j.follow("#results a[href='/servers/"+richSlug+"']", "")
	j.see("In your client")
	j.did("the server")
	j.click(".clients label", "Cursor")
	j.eventually("the configuration for Cursor", `document.querySelector(".panel[data-client=cursor] pre")?.checkVisibility()`)
	j.did("its client")
	want := j.text(".panel[data-client=cursor] pre")
	j.click(".panel[data-client=cursor] .copybox button", "Copy")
	j.see("Copied")
	j.did("copied")
	var copied string
	j.run(`navigator.clipboard.readText()`, &copied)
	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
			URL     string
		} `json:"mcpServers"`
	}
	if strings.TrimSpace(copied) != want || json.Unmarshal([]byte(copied), &config) != nil || len(config.Servers) != 1 {
		t.Errorf("the clipboard has\n%s\nand the page\n%s", copied, want)
	}
	for name, server := range config.Servers {
		if server.Command == "" && server.URL == "" {
			t.Errorf("the configuration of %s starts nothing: %s", name, copied)
		}
	}
	// The choice of the client holds for the next server.
	j.visit("/servers/" + secondSlug)
	j.eventually("the chosen client of another server", `document.querySelector(".panel[data-client=cursor]")?.checkVisibility()`)
	j.did("another server")
}

// copyAll copies each visible text of a page with a button, for all clients on both kinds of systems, and
// returns "system client: text" of these. One that the clipboard does not have as shown begins with "WRONG".
const copyAll = `async () => {
	const all = [], seen = (e) => e.checkVisibility();
	for (const system of document.querySelectorAll(".system input").length ? [false, true] : [false]) {
		document.querySelectorAll(".system input").forEach((box) => { if (box.checked !== system) box.click(); });
		for (const radio of document.querySelectorAll(".clients input[type=radio]")) {
			radio.click();
			for (const box of [...document.querySelectorAll(".copybox")].filter(seen)) {
				box.querySelector("button").click();
				let copied;
				for (let n = 0; n < 50 && copied !== box.querySelector("pre").innerText; n++) {
					await new Promise((go) => setTimeout(go, 2));
					copied = await navigator.clipboard.readText();
				}
				const client = box.closest(".panel")?.dataset.client ?? "";
				all.push((copied === box.querySelector("pre").innerText ? "" : "WRONG ") + system + " " + client + ": " + copied);
			}
		}
	}
	return all;
}`

// TestJourneyCopyForAllClients checks that the clipboard gets what is shown: the configurations of
// servers for all clients, those for Windows with the shell that clients there need.
func TestJourneyCopyForAllClients(t *testing.T) {
	j := begin(t, "copy-all", "/servers?has=package")
	j.mayCopy()
	slugs, shells, endpoints := j.listed()[:4], 0, 0
	j.visit("/servers?has=remote")
	slugs = append(slugs, j.listed()[:4]...)
	for _, slug := range slugs {
		j.visit("/servers/" + slug)
		var copied []string
		j.run("("+copyAll+")()", &copied)
		for _, text := range copied {
			if strings.HasPrefix(text, "WRONG") || strings.HasPrefix(text, "false") && strings.Contains(text, `"/c"`) {
				t.Errorf("%s: %s", slug, text)
			}
			system, _, _ := strings.Cut(text, ":")
			isOwn := slices.Contains([]string{"true vscode", "true codex", "true "}, system)
			if strings.HasPrefix(text, "true") && strings.Contains(text, `"command": "npx"`) && !isOwn {
				t.Errorf("%s starts a batch file without a shell: %s", slug, text)
			}
			if strings.Contains(text, `"/c"`) {
				shells++
			}
			if strings.Contains(text, `"url"`) {
				endpoints++
			}
		}
	}
	if t.Logf("%d servers, %d with a shell, %d endpoints", len(slugs), shells, endpoints); shells*endpoints == 0 {
		t.Error("configurations for Windows or of endpoints are missing")
	}
}

func TestJourneyCheckARepositoryThatIsNotListed(t *testing.T) {
	j := begin(t, "check", "/check")
	j.write("main input[name=url]", unlisted)
	j.did("pasted")
	j.follow("main button", "Check")
	j.see("Share this report")
	j.did("the report")
	for _, want := range []string{"quietcorner/tides-mcp", "Not listed in the registry"} {
		if !strings.Contains(j.text("main"), want) {
			t.Errorf("the report does not say %q:\n%.600s", want, j.text("main"))
		}
	}
	// The address shows the same to somebody else, who has no script.
	var address string
	heading := j.text("h1")
	j.run(`location.pathname + location.search`, &address)
	other := &scenario{tab: shared.chrome.open(t), name: "check", site: j.site, step: j.step}
	other.withoutScript()
	status := other.visit(address)
	listed := strings.HasPrefix(other.path(), "/servers/") // crawled in the meantime: the report redirects
	if status != 200 || !listed && (other.text("h1") != heading || other.text("section.health h2") != "Health") {
		t.Errorf("%s shows %d %q to somebody else", address, status, other.text("h1"))
	}
	other.did("the report by its address")
}

func TestJourneyCheckAListedServerAgain(t *testing.T) {
	for _, script := range []bool{true, false} {
		name, slug := "again", "cobaltgeo-places-mcp"
		if !script {
			name, slug = "again-without-script", "fjordtools-pdf-reader-mcp"
		}
		j := begin(t, name, "/about")
		if !script {
			j.withoutScript()
		}
		j.visit("/servers/" + slug)
		j.follow(".provenance button", "Check again")
		j.eventually("the page of the server is up to date", `location.pathname === "/servers/`+slug+`" && document.querySelector("main .notice.good")`)
		j.see("Checked just now")
		j.did("checked again")
	}
}

// path returns the path of the page.
func (w *tab) path() (path string) {
	w.t.Helper()
	w.run(`location.pathname`, &path)
	return path
}

func TestJourneyCompareTwo(t *testing.T) {
	j := begin(t, "compare", "/compare")
	j.write("#add", "weather")
	j.follow("main button", "Find")
	j.see("Choose one")
	j.did("one looked for")
	j.follow(".chips a", "weather")
	j.see("Add another")
	j.did("one chosen")
	j.write("#add", "sqlite")
	j.follow("main button", "Find")
	j.see("Choose one")
	j.follow(".chips a", "sqlite")
	j.see("Differences only")
	j.did("two compared")
	var columns, differing int
	j.run(`document.querySelector("table.compare").querySelectorAll("thead th[scope=col]").length`, &columns)
	j.run(`document.querySelectorAll("table.compare tr.differs").length`, &differing)
	if columns != 2 || differing < 3 {
		t.Errorf("%d servers are compared, and %d rows are said to differ", columns, differing)
	}
	j.click("label[for=only]", "Differences only")
	j.eventually("what is the same is out of the way", `[...document.querySelectorAll("table.compare tr.equal")].every((row) => !row.checkVisibility()) && document.querySelector("table.compare tr.differs").checkVisibility()`)
	j.did("only what differs")
	j.follow("table.compare a", "Remove")
	if j.run(`document.querySelector("table.compare").querySelectorAll("thead th[scope=col]").length`, &columns); columns != 1 {
		t.Errorf("%d servers are left", columns)
	}
	j.did("one removed")
}

func TestJourneyReportAListing(t *testing.T) {
	j := begin(t, "report", "/servers/"+poorSlug+"/report")
	const text = "The description is that of another project."
	j.visit("/servers/" + poorSlug)
	j.follow("main a", "Report a problem")
	j.see("Reason")
	j.did("the form")
	j.run(`document.getElementById("reason").selectedIndex = 1`, nil)
	j.write("#text", text)
	j.did("filled in")
	j.follow("main button", "Send")
	j.see("Thank you")
	j.did("sent")
	if out, err := j.site.census("reports"); err != nil || !strings.Contains(string(out), text) {
		t.Errorf("census reports (%v) does not show it:\n%s", err, out)
	}
}

func TestJourneyAddAServer(t *testing.T) {
	j := begin(t, "add", "/add")
	j.write("#url", unnamed)
	j.did("pasted")
	j.follow("main form button", "Add")
	j.see("1 repository queued for crawling")
	j.did("queued")
	j.do(j.site.until(time.Minute, "crawled the new repository", func() bool {
		status, body := j.site.get("/owners/pierhead")
		return status == http.StatusOK && strings.Contains(string(body), "ferry-times-mcp")
	}))
	j.visit("/owners/pierhead")
	j.follow("#results a[href^='/servers/']", "")
	j.see("In your client")
	j.did("listed")
	j.visit("/add")
	j.write("#url", unnamed)
	j.follow("main form button", "Add")
	j.see("Already listed")
	j.did("added again")
}
