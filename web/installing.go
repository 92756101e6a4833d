package web

import (
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// A snippet is one way to set up a client, as the page shows it.
type snippet struct{ install.Snippet }

// Reaches says what the client gets at, where that is not a package that it
// starts.
func (s snippet) Reaches() string {
	switch s.Via {
	case install.ViaRemote:
		return "the hosted server"
	case install.ViaStarted:
		return "the server that you have started"
	}
	return ""
}

// ByPage says whether a link is the second way to the same, by a web page.
func (s snippet) ByPage() bool {
	return s.Client == "vscode" && strings.HasPrefix(s.URL, "https://")
}

// installLink is what the links of internal/install are made of: the characters
// that encodeURIComponent leaves, and those between its results.
var installLink = regexp.MustCompile(`^[A-Za-z0-9\-_.!~*'()%:/?&=]+$`)

// longestLink is more than browsers pass on to programs.
const longestLink = 8000

// installLinks are how links begin that open a client, or a page of its maker
// that does.
var installLinks = []string{
	"cursor://anysphere.cursor-deeplink/mcp/install?", "vscode:mcp/install?", "vscode-insiders:mcp/install?", "lmstudio://add_mcp?", "goose://extension?",
	"https://vscode.dev/redirect/mcp/install?", "https://aka.ms/vs/mcp-install?", "https://kiro.dev/launch/mcp/add?",
}

// opens returns the attribute href with a link that installs a server, made by
// internal/install, if it leads to one of the clients; else "". It
// is the whole attribute because html/template writes the parentheses and quotes
// of an address in another way, and the clients' own are to be kept to the byte.
func opens(link string) template.HTMLAttr {
	known := slices.ContainsFunc(installLinks, func(prefix string) bool { return strings.HasPrefix(link, prefix) })
	if len(link) > longestLink || !installLink.MatchString(link) || !known {
		return ""
	}
	return template.HTMLAttr(`href="` + html.EscapeString(link) + `"`)
}

// mostHindered bounds the packages of which it is said why they have no command.
const mostHindered = 5

// A hinderedPackage is a package for which no command is shown.
type hinderedPackage struct {
	registry.Package
	install.Obstacle
}

// Hindered are the packages for which no command is shown, and why.
func (r record) Hindered() (all []hinderedPackage) {
	for _, p := range r.Packages {
		if o := install.Why(p); o != nil && len(all) < mostHindered {
			all = append(all, hinderedPackage{p, *o})
		}
	}
	return all
}

// Blanks are what only the user knows of the command and the configurations.
func (r record) Blanks() []install.Blank { return install.Blanks(&r.Server) }

// Started is where clients find the server once its command runs; nil where they
// start it themselves.
func (r record) Started() *install.Endpoint {
	if r.Install.Command == "" {
		return nil
	}
	return install.Started(&r.Server)
}

// WhoSets says for whom environment variables are, where it is not whoever uses
// the configurations that are shown.
func (r record) WhoSets() string {
	switch {
	case len(r.Remotes) == 0:
		return ""
	case r.Install.Command == "":
		return "They are for those who run the server themselves: whoever uses the hosted one sets none."
	}
	return "They are for the package: whoever uses the hosted server sets none."
}

// OwnerFeed is the address of the feed of its owner's servers, "" if there is no
// owner.
func (p serverPage) OwnerFeed() string {
	if p.Repository.Owner == "" {
		return ""
	}
	return feedScope{Owner: strings.ToLower(p.Repository.Owner)}.path()
}

var (
	// movedOn are words with which owners send people elsewhere.
	movedOn = regexp.MustCompile(`(?i)deprecated|no longer|moved to|move to|replaced by|superseded|successor|instead|migrate`)
	// repositoryLink is a repository's address in a text or in a page.
	repositoryLink = regexp.MustCompile(`https://github\.com/[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}`)
)

const (
	readmeBeginning = 8 << 10 // of a README, in which a successor is looked for
	nearWords       = 400     // bytes behind the words that lead on
)

// successor returns the listed server that the owners of one that should not be
// used any more point to: by an address in what they say of it, or in their
// README near words that say so. It is nil where there is none.
func (p serverPage) successor(v *catalog.View) *row {
	if p.Status != "deprecated" && p.Status != "archived" {
		return nil
	}
	texts := []string{p.StatusMessage, p.Server.Description}
	if p.extras != nil && p.Readme != nil {
		text := string(p.Readme.HTML())
		text = text[:min(len(text), readmeBeginning)]
		for _, at := range movedOn.FindAllStringIndex(text, 20) {
			texts = append(texts, text[at[0]:min(len(text), at[1]+nearWords)])
		}
	}
	for _, text := range texts {
		for _, link := range repositoryLink.FindAllString(html.UnescapeString(text), 5) {
			ref, err := registry.ParseRepoRef(strings.TrimRight(link, "."))
			if err != nil || strings.EqualFold(ref.Owner, p.Repository.Owner) && strings.EqualFold(ref.Name, p.Repository.Name) {
				continue
			}
			items := v.InRepo(ref.Key())
			if at := slices.IndexFunc(items, func(i *catalog.Item) bool { return i.Slug() != p.Slug }); at >= 0 {
				if r, err := rowOf(items[at]); err == nil && r.Status == "active" {
					return &r
				}
			}
		}
	}
	return nil
}
