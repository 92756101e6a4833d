package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/export"
	"mcpcensus/web/webtest/sitetest"
)

// copyFolder is where the copy made of files is served from.
const copyFolder = "/mirror/of/census"

// exported writes the demo's directory as files and serves them, as any server
// of files does, from a folder.
func exported(t *testing.T, s *site, b *chrome) *chrome {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if out, err := s.census("export", dir, "--url", "https://copy.example"+copyFolder); err != nil {
		t.Fatalf("census export: %v\n%s", err, out)
	}
	return served(t, dir, b)
}

// served serves the files of an export.
func served(t *testing.T, dir string, b *chrome) *chrome {
	t.Helper()
	files := http.StripPrefix(copyFolder, http.FileServer(http.Dir(dir)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, copyFolder+"/") {
			t.Errorf("%s is asked for, which is outside of the copy", r.URL.Path)
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	at := *b
	at.site = server.URL
	return &at
}

// listed are the slugs of the servers that a page lists, in its order.
func (w *tab) listed() (slugs []string) {
	w.t.Helper()
	w.run(`[...document.querySelectorAll("#results .rows h2 a")].map((a) => a.getAttribute("href").replace(/^.*servers\//, "").replace(/\.html$/, ""))`, &slugs)
	return slugs
}

// offered are the filters of a list, each value with its number.
func (w *tab) offered() (values []string) {
	w.t.Helper()
	// Endpoints are probed all the time, so a copy may know less of them than the registry.
	w.run(`[...document.querySelectorAll("#results .facets a")].filter((a) => a.closest("section").querySelector("h2").textContent !== "Endpoint").map((a) => a.closest("section").querySelector("h2").textContent + ": " + a.querySelector(".box + span").textContent + (a.hasAttribute("aria-current") ? " chosen " : " ") + (a.querySelector(".n")?.textContent ?? "?"))`,
		&values)
	return values
}

func TestPageOfACopy(t *testing.T) {
	s, b := started(t)
	at := exported(t, s, b)
	for _, l := range []pageCase{
		{"home", "/", 200, false},
		{"all servers", "/servers.html", 200, false},
		{"server", "/servers/" + richSlug + ".html", 200, false},
		{"category", "/categories/data.html", 200, false},
		{"categories", "/categories.html", 200, false},
		{"tags", "/tags.html", 200, false},
		{"owners", "/owners.html", 200, false},
		{"statistics", "/stats.html", 200, false},
		{"how the score works", "/docs/scoring.html", 200, false},
	} {
		t.Run(strings.ReplaceAll(l.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			l.path = copyFolder + l.path
			for _, fault := range l.faults(t, at) {
				t.Errorf("%s: %s", l.path, fault)
			}
		})
	}
}

func TestJourneySearchInACopyMadeOfFiles(t *testing.T) {
	s, b := started(t)
	j := &scenario{tab: exported(t, s, b).open(t), name: "copy", site: s}
	j.visit(copyFolder + "/")
	j.write("#q", "weather")
	j.leave("Enter", func() { j.key("Enter", enterKey) })
	j.see("Results for “weather”")
	if got := j.listed(); len(got) == 0 || got[0] != richSlug {
		t.Errorf("weather finds %v", got)
	}
	j.did("found from the home page")

	kind := func(text string) {
		t.Helper()
		j.run(`document.getElementById("q").select()`, nil)
		_, err := chromedp.Call(j.ctx, input.InsertText, input.InsertTextParams{Text: text})
		j.do(err)
	}
	j.click("#q", "")
	kind("forec")
	j.see("Results for “forec”")
	j.eventually("the address follows what is typed", `location.search === "?q=forec"`)
	if got := j.listed(); !slices.Contains(got, richSlug) {
		t.Errorf("the beginning of a word finds %v", got)
	}
	j.did("typed on")
	kind("zeppelin")
	j.see("No servers match.")
	j.did("nothing found")
	j.run(`document.getElementById("q").select()`, nil)
	j.key("Backspace", 8)
	j.eventually("the whole list again", `location.search === "" && document.querySelectorAll("#results .rows > li").length > 10`)
	if all, _ := j.live("/servers"); !slices.Equal(j.listed(), all) {
		t.Errorf("without words the copy lists %v, the registry %v", j.listed(), all)
	}
	j.did("everything again")

	// What is found late does not take the place of what was typed since.
	j.visit(copyFolder + "/servers.html")
	j.run(`(() => { const real = fetch; globalThis.fetch = async (address) => { if (String(address).includes("words/we")) await new Promise((go) => setTimeout(go, 1500)); globalThis.asked = address; return real(address); }; })()`, nil)
	j.click("#q", "")
	kind("weather")
	j.eventually("the address follows", `location.search === "?q=weather"`)
	kind("files")
	j.see("Results for “files”")
	j.eventually("the slow file is asked for", `String(globalThis.asked).includes("words/we")`)
	j.settle()
	if heading := j.text("h1"); heading != "Results for “files”" {
		t.Errorf("after a slow response the page shows %s", heading)
	}

	// Filters and orders give what the registry gives.
	for _, query := range []string{"sort=stars", "sort=name", "sdk=python", "grade=A&grade=B", "transport=stdio&sort=downloads", "has=package", "category=data&sdk=typescript", "license=MIT&page=2", "has=remote&transport=sse", "tag=weather", "owner=nimbus-tools&grade=A", "q=weather&grade=A"} {
		j.visit(copyFolder + "/servers.html?" + query)
		want, filters := j.live("/servers?" + query)
		j.eventually(query, fmt.Sprintf(`document.querySelectorAll("#results .rows > li").length === %d && !document.querySelector("#results[aria-busy]")`, len(want)))
		if got := j.listed(); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s lists in the copy\n%v, in the registry\n%v", query, got, want)
		}
		if got := j.offered(); !slices.Equal(got, filters) || len(filters) == 0 {
			t.Errorf("%s offers in the copy\n%v, in the registry\n%v", query, got, filters)
		}
	}
	j.did("filtered by the address")
	j.visit(copyFolder + "/servers.html")
	j.leave("a filter", func() { j.click("#results a[data-filter='sdk=go']", "") })
	want, _ := j.live("/servers?sdk=go")
	j.see("SDK: Go")
	if got := j.listed(); !slices.Equal(got, want) {
		t.Errorf("the filter lists %v, not %v", got, want)
	}
	j.did("filtered by a click")

	j.follow("#results .rows a", "")
	j.see("In your client")
	var style string
	if j.run(`getComputedStyle(document.body).display`, &style); style != "flex" {
		t.Errorf("the page of a server has no style: %s", style)
	}
	j.did("a server")
	j.follow("header .brand", "")
	if path := j.path(); path != copyFolder+"/" && path != copyFolder+"/index.html" {
		t.Errorf("home is %s", path)
	}
	j.did("home again")
}

// TestJourneySentencesInACopy searches an export as people and agents ask.
func TestJourneySentencesInACopy(t *testing.T) {
	_, b := started(t)
	servers := []registry.Server{
		{Slug: "mail", Name: "gmail-tools", Description: "Send and label messages in Gmail."},
		{Slug: "database", Name: "pg-query", Description: "Run queries.", Tags: []string{"postgres"}},
		{Slug: "cluster", Name: "kube", Description: "Manage Kubernetes pods."},
		{Slug: "rail", Name: "train-tickets", Description: "Tickets for trains in China."},
		{Slug: "first-party", Name: "ledger", Official: true, OfficialReason: "Its own.", Description: "Bookkeeping."},
	}
	for n := range 60 {
		servers = append(servers, registry.Server{Slug: fmt.Sprint("other-", n), Name: fmt.Sprint("other-", n),
			Description: "Reads and sends things.", Tags: []string{"other"}})
	}
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	all := catalog.New()
	if err := all.Apply(servers, nil, int64(len(servers))); err != nil {
		t.Fatal(err)
	}
	all.SetReady()
	o := sitetest.Options()
	o.Site.Catalog, o.Site.BaseURL, o.Site.Static = all, "https://copy.example"+copyFolder, true
	pages, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := pages.Export(t.Context(),
		export.Options{Dir: dir, Documents: api.NewEncoder("io.test", nil), Start: func(int) {},
			Progress: func() {}}); err != nil {
		t.Fatal(err)
	}
	j := &scenario{tab: served(t, dir, b).open(t), name: "copy-sentences"}
	for _, tt := range []struct{ query, first string }{
		{"q=read my gmail", "mail"},
		{"q=I need to read my Gmail’s messages", "mail"},
		{"q=postgresql", "database"},
		{"q=k8s", "cluster"},
		{"q=managing pods", "cluster"},
		{"q=ticket booking train china", "rail"},
		{"q=train", "rail"},
		{"q=book", "first-party"}, // the beginning of a word
		{"tag=postgresql", "database"},
		{"official=true", "first-party"},
	} {
		j.visit(copyFolder + "/servers.html?" + strings.ReplaceAll(tt.query, " ", "+"))
		j.eventually(tt.query, `document.querySelector("#results .chips") && !document.querySelector("#results[aria-busy]")`)
		if got := j.listed(); len(got) == 0 || got[0] != tt.first {
			t.Errorf("%s finds %v, want %s first", tt.query, got, tt.first)
		}
	}
	for _, query := range []string{"q=zeppelin", "q=!"} {
		j.visit(copyFolder + "/servers.html?" + query)
		j.see("No servers match.")
	}
}

// live are the slugs that the registry itself lists at an address, and the
// filters that it offers there.
func (j *scenario) live(path string) (slugs, filters []string) {
	j.t.Helper()
	other := shared.chrome.open(j.t)
	other.visit(path)
	return other.listed(), other.offered()
}
