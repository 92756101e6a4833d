package detect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// A repoKind is the kind of a repository as a whole.
type repoKind struct {
	name     string // "", "list", "registry", "sdk", "docs", "client"
	text     string // the decisive words
	weight   float64
	evidence []registry.Evidence
}

// Names of repositories of a kind.
var (
	listName     = regexp.MustCompile(`(?i)(?:^|[-_.])awesome(?:[-_.]|$)`)
	registryName = regexp.MustCompile(`(?i)(?:^|[-_.])(?:marketplace|catalog|directory)$|registry$`)
	clientName   = regexp.MustCompile(`(?i)(?:^|[-_.])(?:clients?|inspector|hosts?)$`)
)

// kindRules determine the kind of a repository by names and words. The highest weight wins; of
// equal ones, the first.
var kindRules = []struct {
	kind    string
	weight  float64
	byName  bool // match the name instead of the descriptions
	sdkless bool // only if the repository uses no SDK
	re      *regexp.Regexp
}{
	{"list", 4, true, false, listName},
	{"registry", 3, true, false, registryName},
	{"sdk", 3.5, true, false, sdkName},
	{"client", 3, true, false, clientName},
	{"list", 3.5, false, false, listRE},
	{"registry", 2.5, false, false, registryRE},
	{"sdk", 2.5, false, false, mcpSDKRE},
	{"sdk", 1, false, false, sdkRE},
	{"docs", 2, false, false, docsRE},
	{"docs", 2, true, true, docsName},
	{"client", 1.5, false, false, managerRE},
	{"client", 1, false, false, clientRE},
}

// manyLinks is the number of linked repositories that makes a README a list.
const manyLinks = 40

// kind returns the kind of the repository by its name and descriptions.
func (r *repo) kind() repoKind {
	var k repoKind
	consider := func(kind string, weight float64, text string) {
		if text = strings.TrimSpace(text); text != "" && weight > k.weight {
			k = repoKind{name: kind, text: text, weight: weight}
		}
	}
	// The first three headings of the README are descriptions, too.
	sdkless, about, root := r.sdkless(), r.about, r.unit("")
	if root.readme != nil {
		headings := root.readme.Headings
		about += "\n" + strings.ToLower(strings.Join(headings[:min(len(headings), 3)], "\n"))
	}
	for _, rule := range kindRules {
		text := about
		if rule.byName {
			text = r.snap.Repo.Name
		}
		if sdkless || !rule.sdkless {
			consider(rule.kind, rule.weight, rule.re.FindString(text))
		}
	}
	if topics := r.snap.Repo.Topics; slices.Contains(topics, "mcp-client") &&
		!slices.Contains(topics, "mcp-server") && !slices.Contains(topics, "mcp-servers") {
		consider("client", 2, "mcp-client")
	}
	for _, name := range root.names() {
		if ecosystem, pkg, _ := strings.Cut(name, ":"); isSDK(ecosystem, pkg) {
			consider("sdk", 4, pkg)
		}
	}
	if n := r.linkedRepositories(); n >= manyLinks && sdkless {
		consider("list", 4, fmt.Sprintf("links to %d other repositories", n))
	}
	if k.name != "" {
		ref := cmp.Or(root.readmeAt, "description")
		k.evidence = []registry.Evidence{{Type: "file", Ref: ref, Text: k.text}}
	}
	return k
}

// linkedRepositories returns the number of third-party repositories that the README links to.
func (r *repo) linkedRepositories() int {
	m := r.unit("").readme
	if m == nil {
		return 0
	}
	seen := map[string]bool{}
	for _, l := range m.Links {
		if o, n := repoParts(l); o != "" && !strings.EqualFold(o, r.snap.Repo.Owner) {
			seen[strings.ToLower(o+"/"+n)] = true
		}
	}
	return len(seen)
}

// sdkless reports whether no unit of the repository uses an SDK.
func (r *repo) sdkless() bool {
	return !slices.ContainsFunc(r.units, func(u *unit) bool { return u.sdk.pkg != "" })
}

// catalogue reports whether the repository lists third-party servers.
func (k repoKind) catalogue() bool {
	return k.name == "list" || k.name == "registry" && k.weight >= 2.5
}

// kindReasons are the reasons why repositories of a kind have no servers.
var kindReasons = map[string]string{
	"list":     "a list of servers, not a server",
	"registry": "a registry or catalogue of servers, not a server",
	"sdk":      "an SDK, framework or template for servers, not a server",
	"docs":     "documentation, a course or examples, not a server",
	"client":   "a client or a tool for servers, not a server",
}

// reason returns why a repository of this kind has no servers.
func (k repoKind) reason(r *repo) string {
	words := strings.ToLower(r.about + r.sample)
	switch {
	case k.name != "":
		return kindReasons[k.name]
	case slices.ContainsFunc(r.units, func(u *unit) bool { return u.sdk.pkg != "" && !excluded(u.dir) }):
		return "it uses an MCP SDK, but does not describe itself as a server"
	case !strings.Contains(words+strings.ToLower(r.snap.Repo.Name), "mcp") && !strings.Contains(words, protocolName):
		return "no sign of the Model Context Protocol was found"
	}
	return "it is about the Model Context Protocol, but does not describe itself as a server"
}

// ownRepo reports whether the repository is about its only server, so that the server's folder is
// a detail.
func (r *repo) ownRepo(k repoKind) bool {
	named := strings.Contains(strings.ToLower(r.snap.Repo.Name), "mcp")
	return k.weight < 2.5 && (named || serverRE.MatchString(r.about))
}
