package install

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// The kinds of a [Snippet].
const (
	KindJSON    = "json"    // Text belongs into File
	KindTOML    = "toml"    // Text belongs into File
	KindCommand = "command" // Text is for a shell
	KindLink    = "link"    // URL opens the client or its page
	KindManual  = "manual"  // Note says where to enter Text
)

// A Snippet is one way to configure a client for a server.
type Snippet struct {
	Client string `json:"client"` // "claude-desktop"
	Name   string `json:"name"`   // "Claude Desktop"
	Via    string `json:"via"`    // ViaPackage, ViaRemote or ViaStarted
	Kind   string `json:"kind"`
	Text   string `json:"text,omitempty"`
	URL    string `json:"url,omitempty"`
	File   string `json:"file,omitempty"` // file of Text; ~ is the user's home
	Note   string `json:"note,omitempty"` // instructions, in sentences
	// Windows is Text or URL on Windows, "" if it is the same.
	Windows string `json:"windows,omitempty"`

	// The names in the instructions.
	replace []string // placeholders in Text or URL
	set     []string // environment variables to set before the client starts
	lacks   []string // variables that the link does not contain
	asks    []string // values that the client prompts for
}

// How a client reaches a server.
const (
	ViaPackage = "package" // the client starts its package
	ViaRemote  = "remote"  // it connects to the hosted endpoint
	ViaStarted = "started" // it connects to the user's machine, where the user has started the package
)

// Clients returns the snippets of all clients for s, in display order: for the first package
// that clients can start, for the first remote, and, if clients cannot start a package, for
// the URL of the first package that the user starts. It is empty if there are none of these.
func Clients(s *registry.Server) []Snippet { return targetOf(s).snippets() }

func (t target) snippets() (out []Snippet) {
	for _, c := range clients {
		windows := t.onWindows(c.id)
		for i, w := range t.ways() {
			all := withWindows(c.snippets(t.of(c.id), w), c.snippets(windows.of(c.id), windows.ways()[i]))
			for _, s := range all {
				s.Client, s.Name = c.id, c.name
				s.Note = strings.TrimSpace(s.Note + s.steps())
				out = append(out, s)
			}
		}
	}
	return out
}

// steps returns the instructions in sentences that each begin with a space.
func (s *Snippet) steps() (text string) {
	if len(s.set) > 0 {
		text += " Set " + strings.Join(s.set, ", ") + " in your environment first"
		if s.Kind == KindCommand && s.Windows != "" { // see [target.expanded]
			var replace []string
			for _, name := range s.set {
				replace = append(replace, asPlaceholder.of(value{name: name}))
			}
			text += "; on Windows, replace " + strings.Join(replace, ", ") + " instead"
		}
		text += "."
	}
	if len(s.lacks) > 0 {
		text += " Then set " + strings.Join(s.lacks, ", ") + " in " + s.Name + "'s settings."
	}
	if len(s.replace) > 0 {
		if s.Kind == KindLink {
			text += " Then replace " + strings.Join(s.replace, ", ") + " in " + s.Name + "'s settings."
		} else {
			text += " Replace " + strings.Join(s.replace, ", ") + "."
		}
	}
	if s.Kind == KindLink && len(s.lacks)+len(s.replace) > 0 {
		text += " Install links never contain secrets."
	}
	if len(s.asks) > 0 {
		text += " " + s.Name + " asks for " + strings.Join(s.asks, ", ") + "."
	}
	return text
}

// JSON returns the shortest setup of each client that supports links or commands, and the
// configuration of most others, with placeholders because few of them expand variables:
//
//	{"mcpServers": {…}, "claude-code": "claude mcp add …", "cursor": "cursor://…"}
//
// Those that differ on Windows are also in its member "windows". It prefers a package that the
// client starts, then a remote, then a package that the user starts. It is {} if there is none of
// these.
func JSON(s *registry.Server) (json.RawMessage, error) {
	t := targetOf(s)
	if len(t.ways()) == 0 {
		return json.RawMessage("{}"), nil
	}
	out := t.shortest(target.of)
	windows := t.shortest(func(t target, id string) target { return t.onWindows(id).of(id) })
	var differing object
	for i, m := range windows {
		if !bytes.Equal(compact(m.value), compact(out[i].value)) {
			differing = append(differing, m)
		}
	}
	if len(differing) > 0 {
		out = append(out, member{"windows", differing})
	}
	return json.RawMessage(compact(out)), nil
}

// shortest returns the setups of the first way; of returns the target of a client.
func (t target) shortest(of func(target, string) target) object {
	w := of(t, "").ways()[0]
	vs := of(t, "vscode")
	vsLink := func() member {
		return member{"vscode", vscodeLink(vs, asking(vs.ways()[0].typed(fromInput, "stdio"), w.open()))}
	}
	if w.stdio != nil {
		return append(
			wrap("mcpServers", t.key, w.stdio.object(asPlaceholder)),
			member{"claude-code", claudeAdd(of(t, "claude-code"))},
			member{"cursor", cursorLink(t.key, of(t, "cursor").stdio.object(fromEnvPrefix))},
			vsLink(),
			member{"codex", codexAdd(of(t, "codex"))},
		)
	}
	r := w.remote
	out := wrap("mcpServers", t.key, w.typed(asPlaceholder, ""))
	if w.linkable() {
		out = append(out,
			member{"claude-code", claudeAddRemote(of(t, "claude-code"), r)},
			member{"cursor", cursorLink(t.key, r.object("url", fromEnvPrefix))}, vsLink())
		if line, ok := codexAddRemote(t.key, r); ok {
			out = append(out, member{"codex", line})
		}
		if w.plainHTTP() {
			out = append(out, member{"gemini-cli", geminiAdd(t.key, r)})
		}
	}
	return out
}

const maxKey = 32

var keyForm = regexp.MustCompile(`^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$`)

// isKey reports whether all clients accept a text as the name of a server.
func isKey(s string) bool { return len(s) <= maxKey && keyForm.MatchString(s) }

// Key returns the name under which clients know s. The candidates are, in order:
//
//   - for a server in a subfolder, a name in the README's configurations or the server's name
//     if it contains all words of the folder, and the folder;
//   - the names in the README's configurations, those of packages first;
//   - the repository;
//   - the owner, if all others consist of generic words such as "mcp-server".
//
// Servers of one repository have different keys. Servers of different owners may have the
// same key: users who install both must rename one.
func Key(s *registry.Server) string {
	var names []string
	configured := configuredKeys(s)
	if parts := strings.Split(s.Subfolder, "/"); s.Subfolder != "" {
		folder := strings.ToLower(parts[len(parts)-1])
		for _, name := range append(slices.Clone(configured), s.Name) {
			if k := registry.Slug("", name, ""); len(k) <= maxKey && hasWords(k, registry.Slug("", folder, "")) {
				names = append(names, name)
			}
		}
		names = append(names, folder)
	}
	names = append(append(names, configured...), strings.ToLower(s.Repo.Name))
	for _, name := range names {
		if k := registry.Slug("", name, ""); name != "" && speaks(k) {
			if isKey(name) {
				return name
			}
			return shortKey(k)
		}
	}
	for _, name := range []string{s.Repo.Owner, s.Slug, s.Name} {
		if k := registry.Slug("", name, ""); name != "" && k != "server" {
			return shortKey(k)
		}
	}
	return "server"
}

// configuredKeys returns the names of s in configurations, without names of examples: for the
// first package, for other packages, for remotes.
func configuredKeys(s *registry.Server) (out []string) {
	first, _ := First(s.Packages)
	add := func(key string, p registry.Package) {
		if key != "" && related(registry.Slug("", key, ""), s, p) {
			out = append(out, key)
		}
	}
	for _, c := range first.Configurations {
		add(c.Key, first)
	}
	for _, p := range s.Packages {
		for _, c := range p.Configurations {
			if p.Doubt == "" {
				add(c.Key, p)
			}
		}
	}
	for _, r := range s.Remotes {
		add(r.Key, first)
	}
	return out
}

// silentWords are generic words that do not distinguish servers.
var silentWords = map[string]bool{
	"mcp": true, "mcps": true, "server": true, "servers": true, "agent": true, "agents": true, "ai": true,
	"toolkit": true, "tool": true, "tools": true, "plugin": true, "sdk": true, "api": true, "app": true,
	"core": true, "src": true, "main": true, "packages": true, "package": true, "local": true,
	"remote": true, "stdio": true, "my": true, "your": true, "name": true, "test": true,
	"dev": true, "docker": true, "the": true, "modelcontextprotocol": true,
}

// related reports whether a key shares a word with the names of the server. Other keys are
// names of examples.
func related(key string, s *registry.Server, p registry.Package) bool {
	own := registry.Slug(s.Repo.Owner+" "+s.Repo.Name, s.Name+" "+s.Title, s.Subfolder+" "+p.Identifier)
	return slices.ContainsFunc(strings.Split(own, "-"), func(word string) bool {
		return len(word) > 2 && !silentWords[word] && strings.Contains(key, word)
	})
}

// speaks reports whether a key contains a word that is not generic.
func speaks(key string) bool {
	return slices.ContainsFunc(strings.Split(key, "-"), func(word string) bool {
		return !silentWords[word] && (len(word) > 2 || strings.Trim(word, "0123456789") != "")
	})
}

// hasWords reports whether a key contains all words of another one that are not generic. It is
// false if there are none.
func hasWords(key, other string) bool {
	words := strings.Split(key, "-")
	return speaks(other) && !slices.ContainsFunc(strings.Split(other, "-"), func(w string) bool {
		return !silentWords[w] && !slices.Contains(words, w)
	})
}

// shortKey shortens a key. It drops generic words first.
func shortKey(key string) string {
	if len(key) > maxKey {
		words := slices.DeleteFunc(strings.Split(key, "-"), func(w string) bool { return silentWords[w] })
		if len(words) > 0 {
			key = strings.Join(words, "-")
		}
	}
	return strings.Trim(key[:min(len(key), maxKey)], "-")
}
