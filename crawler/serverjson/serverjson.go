// Package serverjson reads server.json, the official MCP registry's description
// of a server, in every schema generation: snake_case before 2025-09-16, with
// "registry_name" and "version_detail" in the first, and camelCase since.
//
// Documents are untrusted. Texts are cut and sanitized, lists are limited, and invalid packages,
// remotes and variables are dropped.
package serverjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// Limits of one document.
const (
	maxItems      = 100 // packages, remotes, arguments, variables, choices: each
	maxText       = 2000
	maxAddress    = 2048
	maxIdentifier = 500
)

var nameForm = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// IsName reports whether a name has the form of the official registry's names:
// a namespace, one slash and a name.
func IsName(name string) bool {
	return len(name) >= 3 && len(name) <= 200 && nameForm.MatchString(name)
}

// Parse parses the server.json of a repository. The status of the listing is "" if the document
// has none. Names and versions that are placeholders of a template, such as "${VERSION}", are
// "". Parse fails if b is not a JSON object or does not describe a server.
func Parse(b []byte) (*registry.Listing, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	if inner := o.Object("server"); inner != nil && o.Text("name") == "" {
		o = inner // the format of the registry's API
	}
	l := listing(o)
	if len(l.Packages) == 0 && len(l.Remotes) == 0 && !IsName(l.Name) {
		return nil, errors.New("file has no packages, no remotes and no name of the form namespace/name")
	}
	return &l, nil
}

// An Entry is one version of a server in the official registry.
type Entry struct {
	Listing  registry.Listing `json:"listing"`
	Official bool             `json:"official,omitempty"` // Latest is known
	Latest   bool             `json:"latest,omitempty"`   // this is the latest version
}

// officialKey is the member of _meta with the registry's metadata.
const officialKey = "io.modelcontextprotocol.registry/official"

// ParseEntry parses one entry of the official registry in any generation: {server, _meta}, a
// server.json that contains _meta, and the snake_case forms. It fails if the entry has no valid
// name.
func ParseEntry(b []byte) (Entry, error) {
	whole, err := untyped.JSON(b)
	if err != nil {
		return Entry{}, err
	}
	server := whole
	if inner := whole.Object("server"); inner != nil {
		server = inner
	}
	e := Entry{Listing: listing(server)}
	l := &e.Listing
	l.Document = documentOf(b)
	if !IsName(l.Name) {
		return Entry{}, errors.New("name must have the form namespace/name")
	}

	var official untyped.Object
	for _, o := range []untyped.Object{whole.Object("_meta").Object(officialKey),
		server.Object("_meta").Object(officialKey), whole.Object("x-io.modelcontextprotocol.registry")} {
		if official == nil {
			official = o
		}
	}
	detail := server.Object("version_detail", "versionDetail")
	if e.Latest, e.Official = official.Bool("isLatest", "is_latest"); !e.Official {
		e.Latest, e.Official = detail.Bool("isLatest", "is_latest")
	}
	l.Status = cmp.Or(status(official.Text("status")), l.Status, "active")
	l.StatusText = untyped.Cut(official.Text("statusMessage", "status_message"), 500)
	l.PublishedAt = cmp.Or(official.Time("publishedAt", "published_at"), detail.Time("release_date"))
	l.UpdatedAt = cmp.Or(official.Time("updatedAt", "updated_at"), official.Time("statusChangedAt"), l.PublishedAt)
	return e, nil
}

// documentOf returns the server.json in an entry of the form {server, _meta}, compact;
// nil for other forms, and if it is too large or has NUL characters.
func documentOf(entry []byte) json.RawMessage {
	var whole struct {
		Server json.RawMessage `json:"server"`
	}
	var b bytes.Buffer
	if json.Unmarshal(entry, &whole) != nil || len(whole.Server) == 0 || whole.Server[0] != '{' ||
		json.Compact(&b, whole.Server) != nil || b.Len() > registry.MaxDocument ||
		bytes.Contains(b.Bytes(), []byte(`\u0000`)) {
		return nil
	}
	return bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD"))
}

// listing reads the members of a server.json.
func listing(o untyped.Object) registry.Listing {
	detail := o.Object("version_detail", "versionDetail")
	repo := o.Object("repository")
	l := registry.Listing{
		Name:        filled(untyped.Cut(o.Text("name"), 300)),
		Title:       untyped.Cut(o.Text("title", "display_name"), 200),
		Description: untyped.Cut(o.Text("description"), maxText),
		Version:     cmp.Or(version(o), version(detail)),
		WebsiteURL:  WebAddress(o.Text("websiteUrl", "website_url")),
		SchemaURL:   WebAddress(o.Text("$schema")),
		Status:      status(o.Text("status")),
		RepoURL:     untyped.Cut(repo.Text("url"), maxAddress),
		RepoSource:  strings.ToLower(untyped.Cut(repo.Text("source"), 100)),
		RepoID:      untyped.Cut(repo.Text("id"), 100),
		Subfolder:   subfolder(repo.Text("subfolder")),
	}
	for _, icon := range o.Objects("icons") {
		if src := WebAddress(icon.Text("src")); strings.HasPrefix(src, "https://") && len(src) <= 255 {
			l.IconURL = cmp.Or(l.IconURL, src)
		}
	}
	for _, r := range bounded(o.Objects("remotes")) {
		if parsed, ok := parseRemote(r); ok {
			l.Remotes = append(l.Remotes, parsed)
		}
	}
	for _, p := range bounded(o.Objects("packages")) {
		scraped := isScraped(o, detail, p)
		parsed, ok := parsePackage(p, scraped)
		if ok && (!scraped || !connects(parsed, l.Remotes)) {
			l.Packages = append(l.Packages, parsed)
		}
	}
	return l
}

// isScraped reports whether a package was extracted from a README when the registry was first
// filled: its entry is of the first generation or has a seed version.
func isScraped(entry, detail, p untyped.Object) bool {
	return p.Text("registry_name") != "" || strings.HasSuffix(entry.Text("version"), seedVersion) ||
		strings.HasSuffix(detail.Text("version"), seedVersion)
}

// connects reports whether an argument of a package is the URL of a remote: the command that it was
// extracted from runs a bridge to it.
func connects(p registry.Package, remotes []registry.Remote) bool {
	return slices.ContainsFunc(p.PackageArguments, func(a registry.Argument) bool {
		return slices.ContainsFunc(remotes, func(r registry.Remote) bool {
			return r.URL == cmp.Or(a.Value, a.ValueHint)
		})
	})
}

// seedVersion is the suffix of versions invented when the registry was first filled.
const seedVersion = "-seed"

func status(s string) string {
	switch s = strings.ToLower(s); s {
	case "active", "deprecated", "deleted":
		return s
	}
	return ""
}

// version returns the version of a server or a package, "" for "latest" and placeholders. It does
// not change ranges.
func version(o untyped.Object) string {
	v := filled(untyped.Cut(o.Text("version"), 255))
	if v == "latest" || strings.HasSuffix(v, seedVersion) {
		return ""
	}
	return v
}

var placeholder = regexp.MustCompile(`<<|\{\{|\$\{|\$\(|\$[A-Za-z_]|%[A-Z_]{3,}%|__[A-Z_]+__|^<.*>$|/<`)

// IsPlaceholder reports whether s contains placeholders of a template,
// such as "${VERSION}", "$VERSION", "{{name}}" or "<owner>/<name>".
func IsPlaceholder(s string) bool { return placeholder.MatchString(s) }

// filled returns s, or "" if it is a placeholder.
func filled(s string) string {
	if IsPlaceholder(s) {
		return ""
	}
	return s
}

// bounded cuts a list to [maxItems].
func bounded[T any](list []T) []T { return list[:min(len(list), maxItems)] }
