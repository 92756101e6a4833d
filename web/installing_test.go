package web

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// plainServer is one without anything hostile in it.
func plainServer(slug string, packages ...registry.Package) registry.Server {
	s := hostile(slug, "Weather")
	s.Status, s.Subfolder, s.InstallCommand, s.Packages, s.Remotes, s.Variables = registry.StatusActive, "", "", packages, nil, nil
	s.InstallCommand, _ = install.For(packages)
	return s
}

func TestWhyThereIsNoCommandIsSaidWhereAPackageIsKnown(t *testing.T) {
	cargo := registry.Package{RegistryType: "cargo", Identifier: "octo-weather", Version: "0.4.2"}
	elsewhere := registry.Package{RegistryType: "pypi", Identifier: "weather", RegistryBaseURL: "https://pypi.octo.example"}
	bundle := registry.Package{RegistryType: "mcpb", Identifier: "https://github.com/octo/w/releases/download/v1/w.mcpb"}
	hosted := plainServer("hosted", registry.Package{RegistryType: "npm", Identifier: "w", Version: "^1"})
	hosted.Remotes = []registry.Remote{{Type: "streamable-http", URL: "https://mcp.octo.example/mcp"}}
	hosted.Variables = []registry.Variable{{Name: "WEATHER_KEY", IsRequired: true}}
	s := newSite(t, []registry.Server{plainServer("crate", cargo), plainServer("elsewhere", elsewhere), plainServer("bundle", bundle), hosted, plainServer("none"), plainServer("npm", registry.Package{RegistryType: "npm", Identifier: "w"})})
	const guess = "No published package and no hosted address is known"
	for slug, wants := range map[string][]string{
		"crate":     {"octo-weather", "Clients do not start Cargo packages", "cargo install octo-weather --version 0.4.2"},
		"elsewhere": {"on a private registry (pypi.octo.example); the same name on PyPI may be a different package"},
		"bundle":    {"It is an MCP bundle", "https://github.com/octo/w/releases/download/v1/w.mcpb"},
		"hosted":    {"“^1” as the version", "whoever uses the hosted one sets none"},
		"none":      {guess},
	} {
		page, md := html.UnescapeString(s.page("/servers/"+slug, 200)), strings.ReplaceAll(s.text("/servers/"+slug+".md"), `\`, "")
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
		if !strings.Contains(page, "How its owners start it stands in the README") || !strings.Contains(md, "stands in the README") {
			t.Errorf("%s: nobody is sent to the README", slug)
		}
	}
	if page := s.page("/servers/npm", 200); strings.Contains(page, "There is no command") || strings.Contains(page, "How its owners start it") {
		t.Error("a package that is started has an excuse")
	}
}

func (s site) text(path string) string {
	s.t.Helper()
	r, body := s.get(path)
	if r.StatusCode != 200 {
		s.t.Fatalf("%s: %d", path, r.StatusCode)
	}
	return body
}

func TestWhatToPutInAndWhereItRunsIsShown(t *testing.T) {
	image := registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather:1", Transport: registry.PackageTransport{Type: "streamable-http", URL: "http://localhost:8080/mcp"},
		RuntimeArguments: []registry.Argument{{Type: "named", Name: "-v", IsRequired: true, Description: "Where <notes> lie", Placeholder: "~/notes:/notes:ro"}}}
	silent := image
	silent.Transport.URL = "https://evil.example/mcp"
	s := newSite(t, []registry.Server{plainServer("image", image), plainServer("silent", silent)})
	page, md := s.page("/servers/image", 200), s.text("/servers/image.md")
	for _, want := range []string{"docker run -i --rm -v YOUR_VOLUME ghcr.io/octo/weather:1", "<code>YOUR_VOLUME</code>", "Where &lt;notes&gt; lie", "<code>~/notes:/notes:ro</code>",
		"Once it runs, clients connect to it at this address", "http://localhost:8080/mcp", "claude mcp add --transport http image http://localhost:8080/mcp", "For the server that you have started"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, want := range []string{"- Put in for `YOUR_VOLUME`, for `-v`: Where \\<notes\\> lie; for example `~/notes:/notes:ro`", "http://localhost:8080/mcp"} {
		if !strings.Contains(md, want) {
			t.Errorf("the twin does not say %q:\n%s", want, md)
		}
	}
	if page := s.page("/servers/silent", 200); !strings.Contains(page, "At which address is not declared") || strings.Contains(page, "evil.example/mcp") || strings.Contains(page, "In your client") {
		t.Error("an address elsewhere is taken for the user's machine")
	}
}

// The page has the links as the clients' own pages write them: html/template
// would encode ' ( ) once more.
func TestLinksOnThePageAreTheOnesThatWereMade(t *testing.T) {
	key := registry.Variable{Name: "WEATHER_KEY", Description: "It's the key (required)!*~ & \"more\" <b>", IsRequired: true, IsSecret: true}
	server := plainServer("weather", registry.Package{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}, EnvironmentVariables: []registry.Variable{key}})
	server.Description = "Wind (and rain), isn't it?"
	s := newSite(t, []registry.Server{server})
	doc, err := html.Parse(strings.NewReader(s.page("/servers/weather", 200)))
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
	}
	if !slices.Equal(shown, made) || len(made) < 6 || !strings.Contains(strings.Join(made, " "), "It's%20the%20key%20(required)!*~") {
		t.Errorf("shown\n%s\nmade\n%s", strings.Join(shown, "\n"), strings.Join(made, "\n"))
	}
}
