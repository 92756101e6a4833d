package web

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/web/webtest"
)

func TestChecksAreTextAndFoldedIfPassed(t *testing.T) {
	score := 61.26
	for _, x := range attacks {
		c := registry.Check{ID: "one", Name: x, Result: "fail", Reason: x, Fix: x, Points: 1, Max: 2, Evidence: []registry.Evidence{{Ref: x, URL: x, Text: x}, {Ref: x, URL: "https://e.example/a?b=1&c=2", Text: x}}}
		passed := c
		passed.ID, passed.Result = "two", "pass"
		r := record{Health: registry.Health{Categories: []registry.HealthSection{{Category: x, Weight: 10, Score: &score, Checks: []registry.Check{passed, c}}}}, Prefix: "s2-"}
		got := string(r.Checks())
		for z := html.NewTokenizer(strings.NewReader(got)); ; {
			kind := z.Next()
			if kind == html.ErrorToken {
				break
			}
			token := z.Token()
			if kind == html.StartTagToken && !strings.Contains(" div h3 span b svg rect ul li p a code q details summary ", " "+token.Data+" ") {
				t.Fatalf("%q makes a %s", x, token.Data)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "href" && outside(a.Val) == "" {
					t.Fatalf("%q makes %s=%q", x, a.Key, a.Val)
				}
			}
		}
		failed, folded := strings.Index(got, `id="s2-one"`), strings.Index(got, "<details")
		if passed := strings.Index(got, `id="s2-two"`); failed < 0 || folded < failed || passed < folded {
			t.Fatalf("what failed stands at %d, what is folded at %d, what was passed at %d", failed, folded, passed)
		}
		if !strings.Contains(got, "<b>61.3</b> of 100") || !strings.Contains(got, "1 passed") || !webtest.Balanced(strings.ReplaceAll(got, "/>", "></rect>")) {
			t.Fatalf("%q: %s", x, got)
		}
	}
}

// Which panel is shown is said in the style sheet, by its number.
func TestEveryClientHasAPanelThatIsShown(t *testing.T) {
	css, err := os.ReadFile("static/census.css")
	if err != nil {
		t.Fatal(err)
	}
	s := registry.Server{Slug: "weather", Repo: registry.Repository{Owner: "octo", Name: "weather"},
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}}},
		Remotes:  []registry.Remote{{Type: "streamable-http", URL: "https://mcp.weather.example/mcp"}}}
	clients := record{Server: s}.Clients()
	if len(clients) < 10 {
		t.Fatalf("%d clients", len(clients))
	}
	for n := range clients {
		if rule := fmt.Sprintf(".clients:has(label:nth-child(%d) :checked) .panel:nth-child(%d)", n+1, n+2); !strings.Contains(string(css), rule) {
			t.Errorf("no rule shows the panel of %s: %s", clients[n].Name, rule)
		}
	}
}

func TestBeforeAnInstallItIsSaidWhatIsMissing(t *testing.T) {
	s := registry.Server{Slug: "weather", Repo: registry.Repository{Owner: "octo", Name: "weather"}}
	key := registry.Variable{Name: "WEATHER_KEY", IsRequired: true, IsSecret: true}
	s.Variables = []registry.Variable{key, {Name: "UNITS"}}
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}, EnvironmentVariables: s.Variables}}
	p := serverPage{record: record{Server: s}}
	links := 0
	for _, x := range install.Clients(&s) {
		if x.Text == "" && !(snippet{x}).ByPage() {
			links++
			if !strings.Contains(x.Note, "WEATHER_KEY") || strings.Contains(x.Note, "UNITS") {
				t.Errorf("before the link of %s: %q", x.Name, x.Note)
			}
		}
	}
	if links < 5 {
		t.Errorf("%d links", links)
	}
	p.Variables, p.Packages[0].EnvironmentVariables = nil, nil
	for _, x := range install.Clients(&p.Server) {
		if x.Text == "" && !(snippet{x}).ByPage() && x.Note != "" {
			t.Errorf("nothing is missing, and before the link of %s stands %q", x.Name, x.Note)
		}
	}
}

func TestADeprecatedServerLeadsToItsSuccessor(t *testing.T) {
	old, fresh, other := hostile("old", "Old mail"), hostile("fresh", "New mail"), hostile("other", "Other")
	for s, name := range map[*registry.Server]string{&old: "old-mail", &fresh: "postbox", &other: "other"} {
		s.Repo.Owner, s.Repo.Name, s.Subfolder = "brightline", name, ""
	}
	fresh.Status, other.Status = registry.StatusActive, registry.StatusActive
	old.Status, old.StatusMessage = "deprecated", "This project is deprecated."
	old.Packages = []registry.Package{{RegistryType: "npm", Identifier: "old-mail", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}}}
	far := "\n\n" + strings.Repeat("Text between. ", 60) + "See [other](https://github.com/brightline/other)."
	readme := func(text string) func(*Options) {
		return func(o *Options) { o.Figures = &fakeFigures{readme: registry.Readme{Path: "README.md", Text: text}} }
	}
	servers := []registry.Server{old, fresh, other}
	body := newSite(t, servers, readme("# Mail\n\n**Deprecated.** Please move to [postbox](https://github.com/brightline/postbox)."+far)).page("/servers/old", 200)
	if !strings.Contains(body, `Its owners point to <a href="/servers/fresh">`) || strings.Contains(body, `point to <a href="/servers/other">`) {
		t.Error("the page does not lead to the successor")
	}
	if at := strings.Index(body, "How to install it all the same"); at < 0 || at > strings.Index(body, "In your client") {
		t.Error("the installation of a deprecated server is not folded")
	}
	body = newSite(t, servers, readme("# Mail\n\nDeprecated."+far)).page("/servers/old", 200)
	if strings.Contains(body, "Its owners point to") {
		t.Error("a link that has nothing to do with it is taken for the successor")
	}
	servers[0].StatusMessage = "Use https://github.com/brightline/postbox."
	if body := newSite(t, servers).page("/servers/old", 200); !strings.Contains(body, `Its owners point to <a href="/servers/fresh">`) {
		t.Error("the successor in the message is not found")
	}
	if body := newSite(t, servers).page("/servers/fresh", 200); strings.Contains(body, "Its owners point to") || strings.Contains(body, "all the same") {
		t.Error("a server that is not deprecated is called so")
	}
}

func TestWhatCountsMostIsNamed(t *testing.T) {
	r := record{Health: registry.Health{Categories: []registry.HealthSection{
		{Checks: []registry.Check{{ID: "a", Result: "pass", Points: 1, Max: 1}, {ID: "b", Result: "pass", Points: 5, Max: 5}, {ID: "c", Result: "unknown", Points: 1, Max: 9}}},
		{Checks: []registry.Check{{ID: "d", Result: "fail", Max: 2}, {ID: "e", Result: "partial", Points: 1, Max: 4}, {ID: "f", Result: "notApplicable"}, {ID: "g", Result: "pass", Points: 2, Max: 2}, {ID: "h", Result: "pass", Points: 3, Max: 3}}},
	}}}
	ids := func(checks []registry.Check) (all string) {
		for _, c := range checks {
			all += c.ID
		}
		return all
	}
	if w := r.Weighing(); ids(w.For) != "bhg" || ids(w.Against) != "ed" {
		t.Errorf("for it: %s, against it: %s", ids(w.For), ids(w.Against))
	}
	if (record{}).Weighing() != nil {
		t.Error("a server without checks is weighed")
	}
}
