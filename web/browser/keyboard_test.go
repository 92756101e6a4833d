package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// typed writes where the focus is.
func (j *scenario) typed(text string) {
	j.t.Helper()
	_, err := chromedp.Call(j.ctx, input.InsertText, input.InsertTextParams{Text: text})
	j.do(err)
}

// tabTo presses Tab until the focus is on an element of a selector with a text
// in it.
func (j *scenario) tabTo(selector, text string) {
	j.t.Helper()
	for range 300 {
		j.tabbed(false)
		var there bool
		j.call(`(selector, text) => document.activeElement.matches(selector) && (document.activeElement.innerText || document.activeElement.value || "").includes(text)`, &there, selector, text)
		if there {
			return
		}
	}
	j.t.Fatalf("Tab does not lead to %s %s", selector, text)
}

// What the journey of finding a server does, without a mouse.
func TestJourneyByKeyboardAlone(t *testing.T) {
	j := begin(t, "keyboard", "/about")
	j.mayCopy()
	j.visit("/servers")
	j.key("/", 191)
	var at string
	if j.run(`document.activeElement.id`, &at); at != "q" {
		t.Fatalf("the key / leads to %q, not to the search field", at)
	}
	j.typed("weather")
	j.see("Results for “weather”")
	if j.run(`document.activeElement.id`, &at); at != "q" {
		t.Errorf("when the results come, the focus leaves the field for %q", at)
	}
	j.did("found")
	j.tabTo("a.skip", "Skip filters")
	j.key("Enter", enterKey)
	j.tabbed(false)
	var first bool
	if j.run(`document.activeElement === document.querySelector("#results .rows a")`, &first); !first {
		t.Error("past the filters the first result does not come next")
	}
	j.did("skipped the filters")
	j.tabbed(false) // the tick box to compare it
	j.key("Enter", enterKey)
	j.eventually("the box is ticked",
		`location.pathname === "/servers" && document.activeElement.matches(".tick :checked")`)
	j.tabbed(true)
	j.leave("the first result", func() { j.key("Enter", enterKey) })
	j.see("In your client")
	j.tabTo(".clients input", "")
	for range 2 { // past Claude Code
		j.key("ArrowRight", 39)
	}
	j.eventually("the configuration", `document.querySelector(".panel[data-client=cursor] pre")?.checkVisibility()`)
	j.tabTo(".panel[data-client=cursor] button", "Copy")
	j.key(" ", spaceKey)
	j.see("Copied")
	j.did("copied")
	var copied string
	if j.run(`navigator.clipboard.readText()`, &copied); !strings.Contains(copied, "mcpServers") {
		t.Errorf("the clipboard has %q", copied)
	}

	// The form of the API's document.
	j.visit("/docs")
	j.tabTo("a.skip", "Skip the list")
	j.key("Enter", enterKey)
	j.tabTo("#api-discover summary", "Try it")
	j.key("Enter", enterKey)
	j.tabTo("#api-discover-search", "")
	j.typed("weather")
	j.key("Enter", enterKey)
	j.eventually("the answer", `document.querySelector("#api-discover .answer:not([hidden])")?.textContent.includes("`+richSlug+`")`)
	if said := j.text("#api-discover [role=status]"); !strings.HasPrefix(said, "GET /api/discover?search=weather: 200") {
		t.Errorf("it is said: %s", said)
	}
	j.did("an answer of the API")
}
