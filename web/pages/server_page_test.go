package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/install"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web"
	"mcpcensus/web/record"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

// tabs returns all pages of a server.
func tabs(s *sitetest.Site, slug string) string {
	var all strings.Builder
	for _, tab := range []string{"", "/tools", "/health", "/versions", "/readme"} {
		all.WriteString(s.Page("/servers/"+slug+tab, 200))
	}
	return all.String()
}

func TestServer_addresses(t *testing.T) {
	one := webtest.Hostile("new-name", "Weather")
	one.OldSlugs = []string{"old-name"}
	s := sitetest.New(t, []registry.Server{one})
	for path, to := range map[string]string{
		"/servers/old-name": "/servers/new-name", "/servers/NEW-name": "/servers/new-name", "/servers/io.example%2Fnew-name": "/servers/new-name",
		"/servers/old-name?x=1": "/servers/new-name?x=1", "/servers/old-name/tools?x=1": "/servers/new-name/tools?x=1",
	} {
		res, _ := s.Get(path)
		if strings.Contains(path, "%2F") && res.StatusCode == 404 {
			continue // gin matches decoded paths; the API takes official names
		}
		if res.StatusCode != 308 || res.Header.Get("Location") != to {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	s.Page("/servers/was-here", 410)
	s.Page("/servers/was-here/tools", 410)
	s.Page("/servers/new-name/nothing", 404)
	if body := s.Page("/servers/new-nam/health", 404); !strings.Contains(body, `href="/servers/new-name"`) {
		t.Error("a tab has no suggestion")
	}
	if body := s.Page("/servers/new-nam", 404); !strings.Contains(body, `href="/servers/new-name"`) {
		t.Error("no suggestion")
	}
	s.Page("/servers/"+strings.Repeat("x", 1000), 404)
	s.Page("/nothing/here", 404)
}

func TestServer_details(t *testing.T) {
	s, many := webtest.Hostile("good", "Weather"), ""
	for n := range 13 {
		many += fmt.Sprintf(`"p%d":{},`, n)
	}
	s.Kind = registry.KindProxy
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"},
		EnvironmentVariables: []registry.Variable{{Name: "KEY", IsRequired: true, IsSecret: true, Value: "sk-very-secret"}}}}
	s.Tools = []registry.Tool{
		{Name: "forecast", Description: "Says it", InputSchema: []byte(`{"type":"object","required":["place"],"properties":{"days":{"type":"integer","default":3},"place":{"type":"string","description":"Where <b>"},"unit":{"enum":["c","f"]}}}`)},
		{Name: "nothing", InputSchema: []byte(`{"type":"object","properties":{}}`)},
		{Name: "unknown"}, {Name: "many", InputSchema: fmt.Appendf(nil, `{"properties":{%s"z":{}}}`, many)},
	}
	figures := &sitetest.Figures{Days: sitetest.Year(), Text: registry.Readme{
		Path: "README.md", Text: "# Hello\n\n" + strings.Join(webtest.Attacks[:10], "\n\n"),
	}}
	w := sitetest.New(t, []registry.Server{s}, func(o *web.Options) { o.Pages.Figures = figures })
	body := tabs(w, "good")
	for _, want := range []string{
		`id="chart-score-t">Health</title>`, "from 60 to 79", "Stars as a table", "Downloads as a table",
		`id="readme-hello"`, "Takes no parameters",
		"<code>p11</code></td><td></td><td></td></tr></tbody></table></div><details class=\"more\"><summary>2 more parameters</summary>",
		"required", "Where &lt;b&gt;", "Default: <code>3</code>", "<code>c</code>, <code>f</code>", `href="cursor://anysphere.cursor-deeplink/`, `href="vscode:mcp/install?`,
		`data-clicks="/servers/good/clicks"`, `action="/servers/good/check" method="post"`, `/badge/good.svg`, `href="/compare?s=good"`, "<dd>Proxy of other servers</dd>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(body, "sk-very-secret") {
		t.Error("a secret is shown")
	}
	if strings.Index(body, "<code>place</code>") > strings.Index(body, "<code>days</code>") {
		t.Error("what is required does not come first")
	}
	w.Page("/servers/good", 200)
	if figures.Asked != 1 {
		t.Errorf("asked %d times for the same", figures.Asked)
	}

	broken := &sitetest.Figures{Err: registry.Errorf(registry.ErrUnavailable, "away")}
	away := sitetest.New(t, []registry.Server{s}, func(o *web.Options) { o.Pages.Figures = broken })
	if body := tabs(away, "good"); strings.Contains(body, "No history yet") ||
		strings.Count(body, "navailable right now.") != 4 {
		t.Error("without a database, the page does not say what is unavailable")
	}
	away.Page("/servers/good", 200)
	if n := broken.Asked; n != 1 {
		t.Errorf("a database that is away was asked %d times at once", n)
	}
}

func TestServer_successor(t *testing.T) {
	old, fresh, other := webtest.Hostile("old", "Old mail"), webtest.Hostile("fresh",
		"New mail"), webtest.Hostile("other", "Other")
	for s, name := range map[*registry.Server]string{&old: "old-mail", &fresh: "postbox", &other: "other"} {
		s.Repo.Owner, s.Repo.Name, s.Subfolder = "brightline", name, ""
	}
	fresh.Status, other.Status = registry.StatusActive, registry.StatusActive
	old.Status, old.StatusMessage = "deprecated", "This project is deprecated."
	old.SuccessorURL = "https://github.com/brightline/postbox"
	old.Packages = []registry.Package{{RegistryType: "npm", Identifier: "old-mail", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}}}
	servers := []registry.Server{old, fresh, other}
	figures := &sitetest.Figures{Text: registry.Readme{Path: "README.md", Text: "# Mail\n\nRun npx old-mail.\n"}}
	body := sitetest.New(t, servers, func(o *web.Options) { o.Pages.Figures = figures }).Page("/servers/old", 200)
	if !strings.Contains(body, `The owner recommends <a href="/servers/fresh">`) || strings.Contains(body, `recommends <a href="/servers/other">`) {
		t.Error("the page does not lead to the successor")
	}
	if strings.Contains(body, "Run npx old-mail") || !strings.Contains(body, "/servers/old/readme") {
		t.Error("the beginning of the README, which may have the command, is beside the folded one")
	}
	if at := strings.Index(body, "Install anyway"); at < 0 || at > strings.Index(body, "In your client") {
		t.Error("the installation of a deprecated server is not folded")
	}
	servers[0].SuccessorURL = ""
	if body := sitetest.New(t, servers).Page("/servers/old", 200); strings.Contains(body, "The owner recommends") {
		t.Error("a server without a successor has one")
	}
	servers[0].SuccessorURL = "https://mail.example/new"
	site := sitetest.New(t, servers)
	if !strings.Contains(site.Page("/servers/old", 200), `The owner recommends <a href="https://mail.example/new"`) ||
		!strings.Contains(site.Text("/servers/old.md"), " Use instead: <https://mail.example/new>") {
		t.Error("a successor that is not listed is not named")
	}
	servers[0].SuccessorURL = servers[0].Repo.URL() + "/tree/main/src/post"
	servers[1].Repo, servers[1].Subfolder = servers[0].Repo, "src/post"
	if body := sitetest.New(t, servers).Page("/servers/old", 200); !strings.Contains(body,
		`The owner recommends <a href="/servers/fresh">`) {
		t.Error("the page does not lead to the successor in another folder")
	}
	if body := sitetest.New(t, servers).Page(
		"/servers/fresh", 200,
	); strings.Contains(body, "The owner recommends") || strings.Contains(body, "Install anyway") {
		t.Error("a server that is not deprecated is called so")
	}
}

func TestServer_chance(t *testing.T) {
	s := webtest.Hostile("alive", "Alive")
	chance := .87
	s.Health.CommitChance = &chance
	site := sitetest.New(t, []registry.Server{s})
	const want = "87% chance of another commit within 90 days, judging by similar servers"
	for name, text := range map[string]string{"page": site.Page("/servers/alive/health", 200),
		"Markdown": site.Text("/servers/alive.md")} {
		if !strings.Contains(text, want) {
			t.Errorf("the %s does not tell the chance of a commit", name)
		}
	}
}

func TestServer_versions(t *testing.T) {
	first, latest, older := webtest.Now.AddDate(-1, 0, 0), webtest.Now.AddDate(0, 0, -12), webtest.Now.AddDate(0, 0, -60)
	notice, versions := "use <b>another</b>", 17
	s := webtest.Hostile("weather", "Weather")
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.6.0"}, {RegistryType: "pypi", Identifier: "weather"}}
	releases := []registry.Release{{Tag: "v1.6.0", PublishedAt: &latest}, {Tag: "v1.5.0/<i>", PublishedAt: &older, Prerelease: true}}
	facts := []registry.PackageFacts{{RegistryType: "pypi", Identifier: "other"}, {RegistryType: "npm", Identifier: "@octo/weather", Latest: "1.6.0", LatestAt: &latest, FirstAt: &first, Versions: &versions, Deprecated: &notice}}
	figures := &sitetest.Figures{Facts: map[string]registry.Published{"weather": {Packages: facts, Releases: releases}}}
	page := sitetest.New(
		t, []registry.Server{s}, func(o *web.Options) { o.Pages.Figures = figures },
	).Page("/servers/weather/versions", 200)
	_, section, _ := strings.Cut(page, `<h2 id="packages">Versions</h2>`)
	section, _, _ = strings.Cut(section, "</section>")
	for _, want := range []string{
		`href="https://deps.dev/npm/@octo%2Fweather"`, ">17<", first.Format("2 Jan 2006"), latest.Format("2 Jan 2006"), older.Format("2 Jan 2006"),
		"use &lt;b&gt;another&lt;/b&gt;", "/releases/tag/v1.6.0\"", "/releases/tag/v1.5.0%2F%3Ci%3E", "pre-release", "Latest releases", "<td>unknown</td>",
	} {
		if !strings.Contains(section, want) {
			t.Errorf("no %s in\n%s", want, section)
		}
	}
	// What the service says of another version than the newest known one is no
	// date of that.
	s.Packages[0].Version = "2.0.0"
	if p := record.New(&s).PackagesWith(facts); p[0].LatestAt != nil || p[0].Version != "2.0.0" || p[0].FirstAt == nil {
		t.Errorf("%+v", p[0])
	}
	bare := webtest.Hostile("bare", "Bare")
	bare.Packages = nil
	figures.Facts["bare"] = registry.Published{Releases: []registry.Release{{Tag: "v0.1", PublishedAt: &older}}}
	if page := sitetest.New(
		t, []registry.Server{bare}, func(o *web.Options) { o.Pages.Figures = figures },
	).Page(
		"/servers/bare/versions", 200,
	); !strings.Contains(page, "<h3>Latest release") || strings.Contains(
		page, "Latest releases",
	) || !strings.Contains(page, "v0.1") {
		t.Error("a lone tag is not shown")
	}
	if page := sitetest.New(t, []registry.Server{bare}).Page("/servers/bare", 200); strings.Contains(page, ">Versions<") {
		t.Error("a part about versions without any")
	}
}

func TestServer_obstructed_packages(t *testing.T) {
	cargo := registry.Package{RegistryType: "cargo", Identifier: "octo-weather", Version: "0.4.2"}
	elsewhere := registry.Package{RegistryType: "pypi", Identifier: "weather", RegistryBaseURL: "https://pypi.octo.example"}
	bundle := registry.Package{RegistryType: "mcpb", Identifier: "https://github.com/octo/w/releases/download/v1/w.mcpb"}
	hosted := webtest.Plain("hosted", registry.Package{RegistryType: "npm", Identifier: "w", Version: "^1"})
	hosted.Remotes = []registry.Remote{{Type: "streamable-http", URL: "https://mcp.octo.example/mcp"}}
	hosted.Variables = []registry.Variable{{Name: "WEATHER_KEY", IsRequired: true}}
	s := sitetest.New(t, []registry.Server{
		webtest.Plain("crate", cargo), webtest.Plain(
			"elsewhere", elsewhere,
		), webtest.Plain("bundle", bundle), hosted, webtest.Plain("none"),
		webtest.Plain("npm", registry.Package{RegistryType: "npm", Identifier: "w"}),
	})
	const guess = "No published package or hosted endpoint is known"
	for slug, wants := range map[string][]string{
		"crate":     {"octo-weather", "Clients cannot start Cargo packages", "cargo install octo-weather --version 0.4.2"},
		"elsewhere": {"on a private registry (pypi.octo.example); the same name on PyPI may be a different package"},
		"bundle":    {"The package is an MCP bundle", "https://github.com/octo/w/releases/download/v1/w.mcpb"},
		"hosted":    {"invalid version (“^1”)", "Only needed if you run the server yourself"},
		"none":      {guess},
	} {
		page, md := html.UnescapeString(s.Page(
			"/servers/"+slug, 200,
		)), strings.ReplaceAll(s.Text("/servers/"+slug+".md"), `\`, "")
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("the page of %s does not say %q", slug, want)
			}
			if !strings.Contains(md, want) {
				t.Errorf("the twin of %s does not say %q:\n%s", slug, want, md)
			}
		}
		if slug != "none" && (strings.Contains(page, guess) || strings.Contains(md, guess)) {
			t.Errorf("%s: %s", slug, guess)
		}
		if !strings.Contains(page, "See the README") || !strings.Contains(md, "See the README") {
			t.Errorf("%s: nobody is sent to the README", slug)
		}
	}
	if page := s.Page("/servers/npm", 200); strings.Contains(
		page, "No install command",
	) || strings.Contains(page, "See the README") {
		t.Error("a package that is started has an excuse")
	}
}

func TestServer_blanks(t *testing.T) {
	image := registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather:1", Transport: registry.PackageTransport{Type: "streamable-http", URL: "http://localhost:8080/mcp"},
		RuntimeArguments: []registry.Argument{{Type: "named", Name: "-v", IsRequired: true, Description: "Where <notes> lie", Placeholder: "~/notes:/notes:ro"}}}
	silent := image
	silent.Transport.URL = "https://evil.example/mcp"
	set := webtest.Plain("image", image)
	set.Variables = []registry.Variable{{Name: "MAX", Default: "5"}, {Name: "KEY", IsSecret: true, Default: "x"}}
	s := sitetest.New(t, []registry.Server{set, webtest.Plain("silent", silent)})
	page, md := s.Page("/servers/image", 200), s.Text("/servers/image.md")
	for _, want := range []string{"docker run -i --rm -v YOUR_VOLUME ghcr.io/octo/weather:1", "<code>YOUR_VOLUME</code>", "Where &lt;notes&gt; lie", "<code>~/notes:/notes:ro</code>",
		"Once it runs, clients connect to this address", "http://localhost:8080/mcp", "claude mcp add --transport http image http://localhost:8080/mcp", "For the server you started"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, want := range []string{
		"- `YOUR_VOLUME` for `-v`: Where \\<notes\\> lie; for example `~/notes:/notes:ro`", "http://localhost:8080/mcp",
		"- `MAX` (optional, default `5`)\n- `KEY` (optional, secret)\n"} {
		if !strings.Contains(md, want) {
			t.Errorf("the twin does not say %q:\n%s", want, md)
		}
	}
	if page := s.Page(
		"/servers/silent", 200,
	); !strings.Contains(page, "The address is not declared") || strings.Contains(
		page, "evil.example/mcp",
	) || strings.Contains(page, "In your client") {
		t.Error("an address elsewhere is taken for the user's machine")
	}
}

// The page has the links as the clients' own pages write them: html/template
// would encode ' ( ) once more.
func TestServer_install_links(t *testing.T) {
	key := registry.Variable{Name: "WEATHER_KEY", Description: "It's the key (required)!*~ & \"more\" <b>", IsRequired: true, IsSecret: true}
	server := webtest.Plain("weather", registry.Package{
		RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0",
		Transport:            registry.PackageTransport{Type: "stdio"},
		EnvironmentVariables: []registry.Variable{key},
	})
	server.Description = "Wind (and rain), isn't it?"
	s := sitetest.New(t, []registry.Server{server})
	doc, err := html.Parse(strings.NewReader(s.Page("/servers/weather", 200)))
	if err != nil {
		t.Fatal(err)
	}
	var shown, made []string
	for n := range doc.Descendants() {
		if n.Data != "a" || !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "data-install" }) {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" {
				shown = append(shown, a.Val)
			}
		}
	}
	for _, x := range install.Clients(&server) {
		if x.URL != "" {
			made = append(made, x.URL)
		}
		if w := x.OnWindows(); w.URL != x.URL {
			made = append(made, w.URL)
		}
	}
	if !slices.Equal(shown, made) || len(made) < 6 || !strings.Contains(strings.Join(made, " "), "It's%20the%20key%20(required)!*~") {
		t.Errorf("shown\n%s\nmade\n%s", strings.Join(shown, "\n"), strings.Join(made, "\n"))
	}
}

// TestServer_access checks that a server with a known switch is installed read-only first, and that
// the elements of both ways have their own ids.
func TestServer_access(t *testing.T) {
	with, without := webtest.Plain("tides", registry.Package{RegistryType: "npm", Identifier: "tides"}),
		webtest.Plain("waves", registry.Package{RegistryType: "npm", Identifier: "waves"})
	with.ReadOnly = &registry.ReadOnlySwitch{Kind: registry.SwitchVariable, Name: "READ_ONLY", Value: "true"}
	s := sitetest.New(t, []registry.Server{with, without})
	page, text := html.UnescapeString(s.Page("/servers/tides", 200)), s.Text("/servers/tides.md")
	reading, full := "READ_ONLY=true npx -y tides", "npx -y tides"
	for where, of := range map[string][2]string{
		page: {"<code>" + reading + "</code>", "<code>" + full + "</code>"}, text: {"\n" + reading, "\n" + full},
	} {
		if at := strings.Index(where, of[0]); at < 0 || strings.Index(where, of[1]) < at {
			t.Errorf("read-only is not first: %s", where)
		}
	}
	for _, want := range []string{`"READ_ONLY": "true"`, `id="clients"`, `id="full-clients"`, `name="full-client"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(s.Page("/servers/waves", 200), `class="access"`) {
		t.Error("a server without a switch has a choice")
	}
}

// TestServer_windows checks what pages show for Windows, and that those of servers that start in the
// same way there have no switch.
func TestServer_windows(t *testing.T) {
	of := func(slug, kind string) registry.Server {
		return webtest.Plain(slug, registry.Package{RegistryType: kind, Identifier: "octo-" + slug,
			Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}})
	}
	asking := of("winds", "pypi")
	asking.Packages[0].EnvironmentVariables = []registry.Variable{{Name: "KEY", IsRequired: true}}
	s := sitetest.New(t, []registry.Server{of("tides", "npm"), of("waves", "pypi"), asking})
	if page := s.Page("/servers/winds", 200); !strings.Contains(page, `class="system"`) {
		t.Error("a command with a value to fill in has no switch")
	}
	for path, wants := range map[string]bool{"/servers/tides": true, "/servers/waves": false} {
		page, text := html.UnescapeString(s.Page(path, 200)), s.Text(path+".md")
		for _, want := range []string{`class="system"`, `class="windows"`, `class="elsewhere"`,
			`-- cmd /c npx -y octo-tides@1.0.0</code>`, `"command": "cmd"`} {
			if strings.Contains(page, want) != wants {
				t.Errorf("%s: %q: want %v", path, want, wants)
			}
		}
		if strings.Contains(text,
			`{"command":"cmd","args":["/c","npx","-y","octo-tides@1.0.0"]}`) != wants ||
			strings.Contains(text, "On Windows") != wants {
			t.Errorf("%s: want %v: %s", path, wants, text)
		}
	}
}

func TestServer_secrets(t *testing.T) {
	s := webtest.Hostile("good", "Weather")
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"},
		EnvironmentVariables: []registry.Variable{{Name: "KEY", IsRequired: true, IsSecret: true, Value: "sk-very-secret", Default: "sk-very-secret"}}}}
	s.Remotes = []registry.Remote{{Type: "streamable-http", URL: "https://mcp.e.example/mcp", Headers: []registry.Variable{{Name: "Authorization", IsSecret: true, IsRequired: true, Value: "Bearer sk-very-secret"}}}}
	s.Variables = []registry.Variable{{Name: "KEY", IsSecret: true, Default: "sk-very-secret"}}
	w := sitetest.New(t, []registry.Server{s})
	body := w.Page("/servers/good", 200)
	if strings.Contains(strings.ReplaceAll(body, "c2stdmVyeS1zZWNyZXQ", "sk-very-secret"), "sk-very-secret") {
		t.Error("a secret is shown")
	}
}

// Which panel is shown is said in the style sheet, by its number.
func TestServer_client_panels(t *testing.T) {
	css, err := os.ReadFile("../static/census.css")
	if err != nil {
		t.Fatal(err)
	}
	s := registry.Server{Slug: "weather", Repo: registry.Repository{Owner: "octo", Name: "weather"},
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}}},
		Remotes:  []registry.Remote{{Type: "streamable-http", URL: "https://mcp.weather.example/mcp"}}}
	clients := record.New(&s).Clients()
	if len(clients) < 10 {
		t.Fatalf("%d clients", len(clients))
	}
	for n := range clients {
		if rule := fmt.Sprintf(".clients:has(label:nth-child(%d) :checked) .panel:nth-child(%d)", n+1, n+2); !strings.Contains(string(css), rule) {
			t.Errorf("no rule shows the panel of %s: %s", clients[n].Name, rule)
		}
	}
}

func TestServer_counted(t *testing.T) {
	servers := webtest.Generated(3)
	var counted []string
	counter := httpd.CounterFunc(func(e meter.Event, slug string, _ *http.Request) {
		counted = append(counted, fmt.Sprint(e, " ", slug))
	})
	s := sitetest.New(t, servers, func(o *web.Options) { o.Site.Counter = counter })
	s.Search.Matches = query.Matches{Slugs: []string{servers[0].Slug, servers[1].Slug}}
	slug := servers[0].Slug
	post := func(path string) int {
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
		return w.Code
	}
	for _, c := range []struct {
		do   func()
		want []string
	}{
		{func() { s.Page("/servers/"+slug, 200) }, []string{"view " + slug}},
		{func() { s.Page("/servers/nobody", 404) }, nil},
		{func() { s.Page("/servers", 200) }, nil}, // a list is not a search
		{func() { s.Page("/servers?q=weather", 200) }, []string{"impression " + slug, "impression " + servers[1].Slug}},
		{func() { s.Get("/badge/" + slug + ".svg") }, []string{"badge_view " + slug}},
		{func() { s.Get("/badge/nobody.svg") }, nil},
		{func() {
			if code := post("/servers/" + slug + "/clicks"); code != 204 {
				t.Errorf("click: %d", code)
			}
		}, []string{"install_click " + slug}},
		{func() {
			if code := post("/servers/" + strings.Repeat("x", 300) + "/clicks"); code != 404 {
				t.Errorf("click on nothing: %d", code)
			}
		}, nil},
	} {
		counted = nil
		c.do()
		if !slices.Equal(counted, c.want) {
			t.Errorf("counted %q, want %q", counted, c.want)
		}
	}
}

func TestServer_clicks(t *testing.T) {
	servers := webtest.Generated(2 * 30)
	clicked := 0
	at := webtest.Now
	s := sitetest.New(t, servers, func(o *web.Options) {
		o.Site.Counter = httpd.CounterFunc(func(meter.Event, string, *http.Request) { clicked++ })
		o.Site.Now = func() time.Time { return at }
	})
	post := func(from, slug string, want int, header ...string) {
		t.Helper()
		r := httptest.NewRequest("POST", "/servers/"+slug+"/clicks", nil)
		r.RemoteAddr = from + ":1234"
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s for %s, %v: %d, want %d", from, slug, header, w.Code, want)
		}
	}
	counted := func(want int, what string) {
		t.Helper()
		if clicked != want {
			t.Errorf("%s: %d counted, want %d", what, clicked, want)
		}
		clicked = 0
	}
	one, two := servers[0].Slug, servers[1].Slug

	post("192.0.2.1", one, 403, "Sec-Fetch-Site", "cross-site")
	post("192.0.2.1", one, 403, "Sec-Fetch-Site", "same-site")
	post("192.0.2.1", one, 403, "Origin", "http://census.example") // which is https
	post("192.0.2.1", one, 403, "Origin", "https://evil.example")
	post("192.0.2.1", one, 403, "Origin", "null")
	counted(0, "pages of other sites")

	for range 5 {
		post("192.0.2.1", one, 204, "Sec-Fetch-Site", "same-origin", "Origin", "https://census.example")
	}
	counted(1, "the same again")
	post("192.0.2.1", two, 204)
	post("192.0.2.2", one, 204, "Origin", "https://census.example")
	counted(2, "another server, another client")
	at = at.Add(10 * time.Minute)
	post("192.0.2.1", one, 204)
	counted(1, "later")

	at = at.Add(10 * time.Minute)
	for _, x := range servers {
		post("192.0.2.1", x.Slug, 204)
	}
	counted(30, "everything there is")
	post("192.0.2.2", one, 204)
	counted(1, "somebody else meanwhile")
}

// The links of clients are shown byte for byte: clients expect parentheses as
// encodeURIComponent leaves them.
func TestServer_install_link_bytes(t *testing.T) {
	s := webtest.Hostile("good", "Weather")
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"},
		EnvironmentVariables: []registry.Variable{{Name: "WEATHER_KEY", Description: "Your key (required)!", IsRequired: true, IsSecret: true}}}}
	page := sitetest.New(t, []registry.Server{s}).Page("/servers/good", 200)
	if !strings.Contains(page, "Your%20key%20(required)!") || strings.Contains(page, "%28required%29") {
		t.Error("the link for VS Code is not what encodeURIComponent would give")
	}
}

func TestServer_endpoints(t *testing.T) {
	uptime := .975
	servers := append(webtest.Generated(1), webtest.Plain("without-endpoint"))
	servers[0].Liveness = registry.LivenessGated
	servers[0].Remotes = []registry.Remote{
		{Type: "streamable-http", URL: "https://mcp.weather.example/mcp", Liveness: &registry.Liveness{
			State: registry.ProbeGated, CheckedAt: webtest.Now,
			Since: webtest.Now.AddDate(0, 0, -40), Uptime30: &uptime, Probes: 120}},
		{Type: "sse", URL: "https://mcp.weather.example/sse"},
	}
	s := sitetest.New(t, servers)
	const want = "Online, requires a login. Uptime 97.5% of 120 probes in 30 days."
	for path, dates := range map[string]string{"/servers/" + servers[0].Slug: "", "/servers/" + servers[0].Slug + ".md": " Since " +
		text.Day(webtest.Now.AddDate(0, 0, -40)) + ". Checked " + text.Day(webtest.Now) + "."} {
		if _, body := s.Get(path); !strings.Contains(body, want+dates) {
			t.Errorf("%s: %q is missing", path, want)
		}
	}
	body := s.Page("/servers?liveness=gated", 200)
	if !strings.Contains(body, servers[0].Slug) || strings.Contains(body, "without-endpoint") {
		t.Error("not filtered by liveness")
	}
	body = s.Page("/servers", 200)
	if !strings.Contains(body, `href="/servers?liveness=gated"`) {
		t.Error("the filter is not offered")
	}
}

// weighed is a server with two tools from source code.
func weighed(slug string, tokens int) registry.Server {
	s := webtest.Plain(slug)
	yes := true
	at := webtest.Now.AddDate(0, 0, -1)
	s.Category = "data"
	s.ToolsFrom, s.ToolsVersion, s.ToolsAt, s.ToolTokens = registry.ToolsFromSource, "1.4.0", &at, &tokens
	s.Tools = []registry.Tool{
		{Name: "get_page", Title: "Get page", Tokens: 10, InputSchema: []byte("{}"),
			Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
		{Name: "drop_all", Title: "Delete everything", Tokens: tokens - 10, InputSchema: []byte("{}"),
			Annotations: &registry.ToolAnnotations{Destructive: &yes}},
	}
	return s
}

func TestServer_tools(t *testing.T) {
	var servers []registry.Server
	for i := range 8 {
		servers = append(servers, weighed(fmt.Sprint("s", i), 1000*(i+1)))
	}
	servers = append(servers, weighed("big", 24_321))
	servers[2].Suspicious = []registry.SuspiciousText{{Rule: "R1", Tool: "get_page", Field: "description",
		Quote: "a<U+200B>b <script>"}}
	s := sitetest.New(t, servers)
	list := s.Page("/servers?sort=toolTokens", 200)
	if at := strings.Index(list, "/servers/s0"); at < 0 || at > strings.Index(list, "/servers/s7") ||
		strings.Index(list, "/servers/s7") > strings.Index(list, "/servers/big") {
		t.Error("the lightest tools are not first")
	}
	if !strings.Contains(list, "<b>24k tokens</b></li>") {
		t.Error("rows lack the tokens of the tools")
	}
	for slug, wants := range map[string][]string{
		"s2": {
			`title="Read from the source code of version 1.4.0 on 19 Nov 2026."`, " 3,000 tokens. Heaviest",
			"Heaviest: <code>drop_all</code> (2,990), <code>get_page</code> (10).",
			"Can change or delete <span", "Read-only <span", "Effect declared by the owner.", "Delete everything",
			"Invisible characters", "<q>a&lt;U&#43;200B&gt;b &lt;script&gt;</q>", "Findings, not verdicts",
			`href="/docs/tools#rules"`,
		},
		"big": {`<span class="status">heavy</span>`, " 24,321 tokens, 12.2% of"},
	} {
		body := tabs(s, slug)
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", slug, want)
			}
		}
		if strings.Contains(body, "Get page") {
			t.Errorf("%s: a title repeats the name", slug)
		}
		if (slug == "big") == strings.Contains(body, "Suspicious texts") {
			t.Errorf("%s: suspicious texts", slug)
		}
	}
	md := s.Text("/servers/s2.md")
	for _, want := range []string{
		"Read from the source code of version 1.4.0 on 19 Nov 2026.", "\n3,000 tokens.", "`drop_all` (2990)",
		"(Delete everything)", "  - Can change or delete, declared by the owner.",
		"- Invisible characters (R1), `description` of `get_page`: ",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the Markdown lacks %q:\n%s", want, md)
		}
	}
	compared := s.Page("/compare?s=s2&s=big", 200)
	if !strings.Contains(compared, "24,321") || !strings.Contains(compared, "Tokens (about)") {
		t.Error("the comparison lacks tokens")
	}
	rules := s.Page("/docs/tools", 200)
	if !strings.Contains(rules, `id="rules"`) || !strings.Contains(rules, `href="/docs/scoring#hidden_instructions"`) {
		t.Error("the rules")
	}
}

// TestServer_pictures checks that the site serves the pictures that a README names, and no others.
func TestServer_pictures(t *testing.T) {
	asked := 0
	figures := &sitetest.Figures{Text: registry.Readme{Path: "README.md",
		Text: "![Map](map.png) ![Gone](https://x.example/gone.png)"}}
	s := sitetest.New(t, []registry.Server{webtest.Plain("tides")}, func(o *web.Options) {
		o.Pages.Figures = figures
		o.Pages.Picture = func(_ context.Context, address string) ([]byte, string, error) {
			asked++
			if strings.Contains(address, "gone") {
				return nil, "", registry.ErrNotFound
			}
			return []byte("\x89PNG"), "image/png", nil
		}
	})
	found := regexp.MustCompile(`/servers/tides/pictures/[0-9a-f]+`).
		FindAllString(s.Page("/servers/tides/readme", 200), -1)
	if len(found) != 2 {
		t.Fatal(found)
	}
	for range 2 {
		res, body := s.Get(found[0])
		if res.StatusCode != 200 || body != "\x89PNG" || res.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%d %v %q", res.StatusCode, res.Header, body)
		}
		for _, path := range []string{found[1], "/servers/tides/pictures/0", "/servers/none/pictures/0"} {
			if res, _ := s.Get(path); res.StatusCode != 404 {
				t.Errorf("%s: %d", path, res.StatusCode)
			}
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

// TestServer_toolFilter checks that the groups of tools have all tools, and that a text filters them.
func TestServer_toolFilter(t *testing.T) {
	server := webtest.Plain("tides")
	server.Tools = nil
	for i := range 60 {
		server.Tools = append(server.Tools, registry.Tool{Name: fmt.Sprint("list_", i), Description: "Says it",
			Inferred: &registry.ToolEffect{Effect: registry.EffectRead, Basis: registry.BasisName}})
	}
	server.Tools = append(server.Tools, registry.Tool{Name: "delete_all", Description: "Of Harbours",
		Inferred: &registry.ToolEffect{Effect: registry.EffectDestructive, Basis: registry.BasisName}})
	s := sitetest.New(t, []registry.Server{server, webtest.Plain("waves")})
	for path, want := range map[string][2]string{
		"/servers/tides/tools":           {"Can change or delete 1", "Read-only 60"},
		"/servers/tides/tools?q=harbour": {"Can change or delete 1", "Find among its tools"},
		"/servers/tides/tools?q=%3Cb%3E": {"No tool contains “<b>”.", "Show all"},
	} {
		body := s.Page(path, 200)
		text := strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(body, " "))), " ")
		if !strings.Contains(text, want[0]) || !strings.Contains(text, want[1]) ||
			strings.Contains(path, "?") == strings.Contains(body, "list_59") {
			t.Errorf("%s: %s", path, text)
		}
	}
	if strings.Contains(s.Page("/servers/waves/tools", 200), "Find among") {
		t.Error("a few tools can be filtered")
	}
}

var tags = regexp.MustCompile("<[^>]*>")

// TestServer_variables checks that many optional variables are folded, and required ones are not.
func TestServer_variables(t *testing.T) {
	server := webtest.Plain("tides")
	for i := range 30 {
		server.Variables = append(server.Variables, registry.Variable{Name: fmt.Sprint("TIDES_", i), IsRequired: i == 29})
	}
	body := sitetest.New(t, []registry.Server{server}).Page("/servers/tides", 200)
	open, folded, ok := strings.Cut(body, "27 more optional variables")
	if !ok || !strings.Contains(open, "TIDES_29<") || strings.Contains(open, "TIDES_28<") ||
		!strings.Contains(folded, "TIDES_28<") {
		t.Error(body)
	}
}

func TestServer_toolChanges(t *testing.T) {
	list := func(from, version string, days int, tools ...registry.Tool) registry.ToolList {
		return registry.ToolList{From: from, Version: version, At: webtest.Now.AddDate(0, 0, -days), Tools: tools}
	}
	old := registry.Tool{Name: "read", Description: "Reads one file."}
	changed := registry.Tool{Name: "read", Description: "Reads and deletes one <b>file."}
	figures := &sitetest.Figures{Tools: []registry.ToolList{
		list("run", "1.0", 1, changed, registry.Tool{Name: "send"}),
		list("run", "1.0", 2, old),
		list("source", "1.0", 3, changed),
		list("source", "0.9", 4, old, registry.Tool{Name: "gone"}),
	}}
	servers := []registry.Server{webtest.Plain("x")}
	s := sitetest.New(t, servers, func(o *web.Options) { o.Pages.Figures = figures })
	body := tabs(s, "x")
	for _, want := range []string{
		"Tool changes", "19 Nov 2026", "changed without a new version",
		"Changed: <code>read</code>", "Added: <code>send</code>", "Removed: <code>gone</code>",
		"Reads <ins>and deletes</ins> one <del>file.</del> <ins>&lt;b&gt;file.</ins>",
		"The previous list was read from the source code, so the differences may not be changes of the server.",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	md := s.Text("/servers/x.md")
	for _, want := range []string{
		"### Tool changes\n\n- Stored 19 Nov 2026, version 1.0: Listed by running its package in a sandbox; " +
			"2 tools; changed without a new version\n  - Changed: `read` (description)\n" +
			"    - Added: `and deletes`\n    - Removed: `file.`\n    - Added: `<b>file.`\n  - Added: `send`\n" +
			"- Stored 18 Nov 2026, version 1.0:",
		"  - The previous list was read from the source code, so the differences",
		"  - Removed: `gone`\n",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the Markdown lacks %q:\n%s", want, md)
		}
	}
	if n := strings.Count(body, "changed without a new version"); n != 1 {
		t.Errorf("%d changes without a new version", n)
	}
	figures = &sitetest.Figures{Tools: figures.Tools[:1]}
	body = tabs(sitetest.New(t, servers, func(o *web.Options) { o.Pages.Figures = figures }), "x")
	if strings.Contains(body, "Tool changes") {
		t.Error("a single list is shown as a change")
	}
	away := sitetest.New(t, servers, func(o *web.Options) {
		o.Pages.Figures = &sitetest.Figures{Err: registry.Errorf(registry.ErrUnavailable, "away")}
	})
	if md := away.Text("/servers/x.md"); !strings.Contains(md, "Tool changes are unavailable right now.") {
		t.Errorf("the Markdown hides that the history is missing:\n%s", md)
	}
}

// TestServer_visible checks that the rows of tools show what their warnings show.
func TestServer_visible(t *testing.T) {
	x := webtest.Plain("x")
	x.Tools = []registry.Tool{{Name: "re\u200Bad", Title: "A\u202Etitle", Description: "Reads\u200B\x1b[8m files",
		Tokens: 5, InputSchema: []byte(`{"properties":{"pa\u200Bth":{"type":"string","description":"Where\u2060 to",` +
			`"default":"\u200Bhome","enum":["a\uFEFF"]}}}`)}, {Name: "se\u200Bnd", Tokens: 3}}
	x.ToolsFrom = registry.ToolsFromRun
	tokens := 8
	x.ToolTokens = &tokens
	s := sitetest.New(t, []registry.Server{x}, func(o *web.Options) {
		o.Pages.Figures = &sitetest.Figures{Tools: []registry.ToolList{
			{From: registry.ToolsFromRun, Version: "2", At: webtest.Now, Tools: x.Tools},
			{From: registry.ToolsFromRun, Version: "1", At: webtest.Now.AddDate(0, 0, -1), Tools: x.Tools[:1]}}}
	})
	for path, body := range map[string]string{"/servers/x": html.UnescapeString(tabs(s, "x")),
		"/servers/x.md": strings.ReplaceAll(s.Text("/servers/x.md"), `\`, "")} {
		for _, want := range []string{"re<U+200B>ad", "A<U+202E>title", "Reads<U+200B><U+001B>[8m files",
			"pa<U+200B>th", "Where<U+2060> to", "<U+200B>home", "a<U+FEFF>", "se<U+200B>nd"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
		if strings.ContainsAny(body, "\u200B\u202E\u2060\uFEFF\x1b") {
			t.Errorf("%s has invisible characters", path)
		}
	}
	compared := html.UnescapeString(s.Page("/compare?s=x", 200))
	if !strings.Contains(compared, "re<U+200B>ad") {
		t.Error("the comparison hides characters")
	}
}
