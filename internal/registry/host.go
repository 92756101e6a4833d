package registry

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
)

// GitHub is the ID of the first code host.
const GitHub = "github"

// A Host holds the static facts of a code host: its name and the forms of its URLs. To support
// another host, add it to [Hosts], and a client for it to the crawl.
type Host struct {
	// ID is the value of [RepoRef.Host] and of the database: lower-case letters and digits. A
	// source that searches the host has the same name.
	ID     string
	Name   string // "GitHub"
	Domain string // of its pages: "github.com"
	// Aliases are other domains in its repositories' URLs, such as clone URLs and raw files.
	Aliases []string
	// Mirrors are domains of other services that show a repository under its path on Domain,
	// such as "github.dev".
	Mirrors []string
	// Parse reads the path of a URL on Domain or one of Aliases, split at its slashes, without
	// empty parts. It returns owner, name and the path within the repository, if any. Owner
	// may contain slashes where groups nest. The error continues a sentence about the URL,
	// such as "has no owner"; it is of kind [ErrUnsupported] for pages of similar things, such
	// as gists.
	Parse func(domain string, parts []string) (RepoRef, error)
	Pages HostPages
	// RawFile is an example of a raw file's URL if these are on another domain than pages,
	// which programs should not read; "" otherwise.
	RawFile string

	// Folder is the folder of files for the host in repositories: a README, policies and
	// settings of bots, such as ".github". Workflows is the folder of workflows, in the syntax
	// of GitHub Actions. "" means none.
	Folder, Workflows string
	// Avatars is the address below which it serves the avatars of owners, "" if
	// these are not read.
	Avatars string

	// Namespace is the official registry's prefix of this host's users, such as "io.github.";
	// "" if it has none.
	Namespace string
	// Images is the container registry with an owner's images below the owner's name, such as
	// "ghcr.io"; "" for none.
	Images string
	// ImagePage returns the page of one of these images, "" if it has none.
	// It may be nil.
	ImagePage func(owner, image string) string
	// Project is deps.dev's prefix of project IDs, before owner/name, such as "github.com/";
	// "" if it does not cover the host.
	Project string
}

// HostPages are the paths of a host's pages below the repository's URL, each followed by a
// revision, a revision and a path, a tag or a number.
type HostPages struct {
	Tree, Blob, Raw           string // "/tree/" + revision + "/" + path
	Commit, Releases, Release string // "/commit/" + id, "/releases", "/releases/tag/" + tag
	Issue                     string // "/issues/" + number
}

// Hosts are the supported code hosts. The first is the default. They do not change while the
// program runs.
var Hosts = []*Host{&github}

// unknownHost represents unsupported hosts: it has no pages.
var unknownHost = &Host{Name: "an unknown code host"}

// HostOf returns the host with the given ID, the first of [Hosts] for "". For unsupported
// hosts it returns one with only a name.
func HostOf(id string) *Host {
	if id == "" {
		return Hosts[0]
	}
	if h := FindHost(id); h != nil {
		return h
	}
	return unknownHost
}

// FindHost returns the host with the given ID, or nil.
func FindHost(id string) *Host {
	for _, h := range Hosts {
		if h.ID == id {
			return h
		}
	}
	return nil
}

// hostAt returns the host with a domain, nil if none has it.
func hostAt(domain string) *Host {
	for _, h := range Hosts {
		if h.Domain == domain || slices.Contains(h.Aliases, domain) ||
			slices.Contains(h.Mirrors, domain) {
			return h
		}
	}
	return nil
}

// IsWorkflow reports whether a file is a workflow that the host runs.
func (h *Host) IsWorkflow(p string) bool {
	return h.Workflows != "" && path.Dir(p) == h.Workflows && isYAML(p)
}

// IsAction reports whether a file defines an action of a repository's own, which
// workflows use.
func (h *Host) IsAction(p string) bool {
	return h.Workflows != "" && isYAML(p) && strings.HasPrefix(path.Base(p), "action.") &&
		strings.HasPrefix(p, h.Folder+"/actions/")
}

func isYAML(p string) bool { return strings.HasSuffix(p, ".yml") || strings.HasSuffix(p, ".yaml") }

// ExampleURL returns an address of the form that repositories of the first host
// have, for hints.
func ExampleURL() string { return RepoRef{Owner: "owner", Name: "repository"}.URL() }

// HostNames returns the names of all hosts as a phrase: "GitHub", "GitHub or
// GitLab".
func HostNames() string {
	var names []string
	for _, h := range Hosts {
		names = append(names, h.Name)
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// NamespaceOf returns the owner of a namespace of the official registry: a host and the owner
// there, such as GitHub and "octo" for "io.github.octo/x". It returns nil for the namespace of
// a domain.
func NamespaceOf(registryName string) (h *Host, owner string) {
	space, _, ok := strings.Cut(registryName, "/")
	if !ok {
		return nil, ""
	}
	for _, h := range Hosts {
		if owner, in := cutFold(space, h.Namespace); in && h.Namespace != "" {
			return h, owner
		}
	}
	return nil, ""
}

// OwnsName reports whether a name of the official registry is in the namespace
// of the repository's owner.
func (r RepoRef) OwnsName(registryName string) bool {
	h, owner := NamespaceOf(registryName)
	return h != nil && owner != "" && h == HostOf(r.Host) && strings.EqualFold(owner, r.Owner)
}

// URL returns the address of the repository's page, "" if the host is not known.
func (r RepoRef) URL() string {
	h := HostOf(r.Host)
	if h.Domain == "" || r.Owner == "" || r.Name == "" {
		return ""
	}
	return "https://" + h.Domain + "/" + escapePath(r.Owner) + "/" + escapePath(r.Name)
}

// BlobURL returns the URL of a file's page at a revision; "" is the head of the default
// branch.
func (r RepoRef) BlobURL(revision, path string) string {
	return r.page(HostOf(r.Host).Pages.Blob, cmp.Or(revision, "HEAD"), path)
}

// RawURL returns the address of a file's bytes at a revision, as in [RepoRef.BlobURL].
func (r RepoRef) RawURL(revision, path string) string {
	return r.page(HostOf(r.Host).Pages.Raw, cmp.Or(revision, "HEAD"), path)
}

// TreeURL returns the address of a folder's page at a revision, as in [RepoRef.BlobURL].
func (r RepoRef) TreeURL(revision, path string) string {
	return r.page(HostOf(r.Host).Pages.Tree, cmp.Or(revision, "HEAD"), path)
}

// CommitURL returns the address of a commit's page.
func (r RepoRef) CommitURL(id string) string { return r.page(HostOf(r.Host).Pages.Commit, id) }

func (r RepoRef) ReleasesURL() string { return r.page(HostOf(r.Host).Pages.Releases) }

// ReleaseURL returns the address of the page of the release with a tag.
func (r RepoRef) ReleaseURL(tag string) string {
	base := r.page(HostOf(r.Host).Pages.Release)
	if base == "" {
		return ""
	}
	return base + "/" + url.PathEscape(tag)
}

// IssueURL returns the address of the page of an issue or a pull request.
func (r RepoRef) IssueURL(number string) string { return r.page(HostOf(r.Host).Pages.Issue, number) }

// page returns the address of a page of the repository, "" if the host has none
// of that kind.
func (r RepoRef) page(kind string, parts ...string) string {
	base := r.URL()
	if base == "" || kind == "" {
		return ""
	}
	return strings.TrimSuffix(base+kind+escapePath(strings.Join(parts, "/")), "/")
}

// escapePath makes a slash-separated path fit for a URL.
func escapePath(path string) string {
	for i := range len(path) {
		if c := path[i]; !isAlphanumeric(c) && c != '/' && c != '-' && c != '_' && c != '.' {
			return (&url.URL{Path: path}).EscapedPath()
		}
	}
	return path
}
