package record

import (
	"encoding/json"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// A Client is a program that uses servers, with the ways to configure it.
type Client struct {
	ID, Name string
	Snippets []Snippet
	Prefix   string // of the ids of its elements, where a page shows it several times
}

// Clients returns the programs that can use the server; none if it has neither a command nor
// a remote.
func (r Record) Clients() []Client {
	all := clientsOf(install.Clients(r.Server))
	for i := range all {
		all[i].Prefix = r.Prefix
	}
	return all
}

// Accesses returns the server with read-only and with full access, nil if it cannot be installed
// with both.
func (r Record) Accesses() []Record {
	reading, canRead := install.With(r.Server, install.AccessReadOnly)
	full, canWrite := install.With(r.Server, install.AccessFull)
	if !canRead || !canWrite {
		return nil
	}
	return []Record{{reading, r.Prefix}, {full, r.Prefix + "full-"}}
}

// Switches are the read-only switches of the command and the endpoints that r has.
func (r Record) Switches() (all []*registry.ReadOnlySwitch) {
	if r.ReadOnly != nil && r.InstallCommand != "" {
		all = append(all, r.ReadOnly)
	}
	if r.ReadOnlyEndpoint != nil && len(r.Remotes) > 0 {
		all = append(all, r.ReadOnlyEndpoint)
	}
	return all
}

// Connect returns the client configurations for an endpoint; none unless it is https or on
// this machine.
func Connect(key, title, address string) []Client {
	config, err := json.Marshal(map[string]any{key: map[string]string{"type": "http", "url": address}})
	if err != nil {
		return nil
	}
	setup, err := install.ParseSetup(config, title, "", nil)
	if err != nil {
		return nil
	}
	return clientsOf(setup.Clients())
}

func clientsOf(snippets []install.Snippet) []Client {
	var all []Client
	for _, x := range snippets {
		s := Snippet{x}
		if s.Text == "" && (s.Href() == "" || s.OnWindows().Href() == "") {
			continue
		}
		if n := len(all); n == 0 || all[n-1].Name != s.Name {
			all = append(all, Client{ID: s.Client, Name: s.Name})
		}
		last := &all[len(all)-1]
		last.Snippets = append(last.Snippets, s)
	}
	return all
}

// A Snippet is one way to set up a client.
type Snippet struct{ install.Snippet }

// Target is what the client connects to, "" if it starts a package.
func (s Snippet) Target() string {
	switch s.Via {
	case install.ViaRemote:
		return "the remote server"
	case install.ViaStarted:
		return "the server you started"
	}
	return ""
}

func (s Snippet) OnWindows() Snippet { return Snippet{s.Snippet.OnWindows()} }

// InBrowser reports whether the link opens the client through a web page.
func (s Snippet) InBrowser() bool {
	return s.Client == "vscode" && strings.HasPrefix(s.URL, "https://")
}

// installURL matches URLs in the encoding of encodeURIComponent.
var installURL = regexp.MustCompile(`^[A-Za-z0-9\-_.!~*'()%:/?&=]+$`)

// maxInstallURL is the maximum length in bytes; browsers pass shorter URLs to programs.
const maxInstallURL = 8000

// InstallURLs are the prefixes of links that open a client, directly or through
// a page of its vendor.
var InstallURLs = []string{
	"cursor://anysphere.cursor-deeplink/mcp/install?", "vscode:mcp/install?",
	"vscode-insiders:mcp/install?",
	"lmstudio://add_mcp?", "goose://extension?", "https://vscode.dev/redirect/mcp/install?",
	"https://aka.ms/vs/mcp-install?", "https://kiro.dev/launch/mcp/add?",
}

// Href returns the attribute href with the link that installs the server, ""
// if the link does not open a known client. It is the whole attribute because html/template
// would escape parentheses and quotes, which clients expect verbatim.
func (s Snippet) Href() template.HTMLAttr {
	known := slices.ContainsFunc(InstallURLs,
		func(prefix string) bool { return strings.HasPrefix(s.URL, prefix) })
	if len(s.URL) > maxInstallURL || !installURL.MatchString(s.URL) || !known {
		return ""
	}
	return template.HTMLAttr(`href="` + html.EscapeString(s.URL) + `"`)
}

// maxObstructed is the maximum number of packages that are explained.
const maxObstructed = 5

// An Uninstallable is a package without an install command, and why.
type Uninstallable struct {
	registry.Package
	install.Obstacle
}

// Obstructed returns the packages without an install command.
func (r Record) Obstructed() (all []Uninstallable) {
	for _, p := range r.Packages {
		if o := install.Why(p); o != nil && len(all) < maxObstructed {
			all = append(all, Uninstallable{p, *o})
		}
	}
	return all
}

// NoCommand is why there is no install command, "" if there is one.
func (r Record) NoCommand() string { return install.Missing(r.Server) }

// Notes are sentences about signing in, and about what the command leaves out.
func (r Record) Notes() []string { return install.Notes(r.Server) }

// OnWindows is what differs in configurations of clients on Windows, "" if nothing does.
func (r Record) OnWindows() string { return install.OnWindows(r.Server) }

// Blanks are the values for the user to fill in.
func (r Record) Blanks() []install.Blank { return install.Blanks(r.Server) }

// Started is the endpoint of the server once its command runs; nil if clients
// start it themselves.
func (r Record) Started() *install.Endpoint {
	if r.InstallCommand == "" {
		return nil
	}
	return install.Started(r.Server)
}

// VariablesNote explains when the environment variables are needed; "" if that is obvious.
func (r Record) VariablesNote() string {
	switch {
	case len(r.Remotes) == 0:
		return ""
	case r.InstallCommand == "":
		return "Only needed if you run the server yourself, not for the hosted server."
	}
	return "Only needed for the package, not the hosted server."
}
