package registry

import (
	"fmt"
	"strings"
)

// A RepoRef is a repository as people write it: an address, not an identity.
type RepoRef struct {
	Host  string // GitHub
	Owner string // as written
	Name  string // as written, without ".git"
	// Path is what followed /tree/ or /blob/ in the address, such as
	// "main/src/git": a branch, which may hold slashes, and a folder.
	Path string
}

// String returns owner/name as written.
func (r RepoRef) String() string { return r.Owner + "/" + r.Name }

// Key returns host, owner and name in lower case, for comparison: code hosts
// ignore case.
func (r RepoRef) Key() string {
	return r.Host + ":" + strings.ToLower(r.Owner) + "/" + strings.ToLower(r.Name)
}

const accepted = "give a GitHub repository as owner/name or https://github.com/owner/name"

// maxRef is the length in bytes of the longest address that is looked at.
const maxRef = 512

// otherHosts are code hosts that are known and not supported.
var otherHosts = map[string]string{
	"gitlab.com": "GitLab", "codeberg.org": "Codeberg", "bitbucket.org": "Bitbucket",
	"git.sr.ht": "SourceHut", "sr.ht": "SourceHut", "gitee.com": "Gitee", "huggingface.co": "Hugging Face",
}

// reservedOwners are first parts of GitHub paths that are no accounts.
var reservedOwners = map[string]bool{
	"about": true, "account": true, "apps": true, "blog": true, "business": true, "codespaces": true,
	"collections": true, "contact": true, "customer-stories": true, "dashboard": true, "discussions": true,
	"enterprise": true, "events": true, "explore": true, "features": true, "gist": true, "home": true,
	"issues": true, "join": true, "login": true, "logout": true, "marketplace": true, "mobile": true,
	"new": true, "notifications": true, "organizations": true, "orgs": true, "pricing": true, "pulls": true,
	"readme": true, "search": true, "security": true, "sessions": true, "settings": true, "signup": true,
	"site": true, "solutions": true, "sponsors": true, "stars": true, "team": true, "topics": true, "user-attachments": true,
	"trending": true, "users": true, "watching": true,
}

// ParseRepoRef reads a repository's address in any form in which people write
// one: owner/name, a page of github.com with or without scheme, clone addresses
// (https, ssh, git, scp-like), github:owner/name, and the addresses of GitHub's
// API and of its raw files. It never looks anything up.
//
// The error is an [*Error] fit to show: of kind ErrUnsupported for addresses
// on other hosts and for gists, else ErrInvalid.
func ParseRepoRef(s string) (RepoRef, error) {
	if len(s) > maxRef {
		return RepoRef{}, badRef("is longer than %d bytes", maxRef)
	}
	s = strings.Trim(s, " \t\r\n<>\"'`")
	if s == "" {
		return RepoRef{}, badRef("is empty")
	}
	// In a query string the plus of git+https means a space.
	if rest, ok := cutFold(s, "git "); ok && strings.Contains(rest, "://") {
		s = "git+" + rest
	}
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || r == '\\' {
			return RepoRef{}, badRef("has a character that no repository address has (%q)", r)
		}
	}
	host, path, err := splitRef(s)
	if err != nil {
		return RepoRef{}, err
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if strings.Contains(path, "%") {
		return RepoRef{}, badRef("has an escaped character (%%) in its path")
	}
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	switch host {
	case "api.github.com":
		if len(parts) == 0 || parts[0] != "repos" {
			return RepoRef{}, badRef("is an API address of no repository")
		}
		parts = parts[1:]
	case "gist.github.com", "gist.githubusercontent.com":
		return RepoRef{}, &Error{Kind: ErrUnsupported, Code: "unsupported_host", Msg: "gists have no health: " + accepted}
	}
	if len(parts) < 2 {
		return RepoRef{}, badRef("names no repository")
	}
	return makeRef(host, parts)
}

// splitRef returns the host in lower case ("github.com" if none was written)
// and the path.
func splitRef(s string) (host, path string, err error) {
	scheme, rest, hasScheme := strings.Cut(s, "://")
	if !hasScheme {
		if after, ok := cutFold(s, "github:"); ok && !strings.HasPrefix(after, "/") {
			return "github.com", after, nil
		}
		return splitBare(s)
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "http", "https", "ssh", "git", "git+https", "git+http", "git+ssh":
	default:
		return "", "", badRef("starts with %s://, which is no way to a repository", clip(scheme))
	}
	authority, path, _ := strings.Cut(rest, "/")
	if i := strings.IndexAny(authority, "?#"); i >= 0 {
		return "", "", badRef("names no repository")
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:] // a user name and a password are nobody's business
	}
	// ssh://git@github.com:owner/name is wrong and common.
	if h, port, ok := strings.Cut(authority, ":"); ok && strings.HasSuffix(scheme, "ssh") && port != "" && !isDigits(port) {
		authority, path = h, port+"/"+path
	}
	host, err = hostOf(authority)
	return host, path, err
}

// splitBare reads owner/name, host/owner/name and user@host:owner/name.
func splitBare(s string) (host, path string, err error) {
	if i := strings.IndexByte(s, ':'); i >= 0 && !strings.Contains(s[:i], "/") {
		before := s[:i]
		if at := strings.LastIndexByte(before, '@'); at >= 0 {
			host, err := hostOf(before[at+1:])
			return host, s[i+1:], err
		}
		if strings.Contains(before, ".") { // github.com:443/o/r or github.com:o/r
			rest := s[i+1:]
			if port, path, _ := strings.Cut(rest, "/"); isDigits(port) {
				host, err := hostOf(before + ":" + port)
				return host, path, err
			}
			host, err := hostOf(before)
			return host, rest, err
		}
		return "", "", badRef("is no repository address")
	}
	first, rest, ok := strings.Cut(strings.TrimLeft(s, "/"), "/")
	if !ok {
		return "", "", badRef("names no repository")
	}
	if strings.Contains(first, "@") {
		return "", "", badRef("is no repository address")
	}
	if strings.Contains(first, ".") {
		host, err := hostOf(first)
		return host, rest, err
	}
	return "github.com", s, nil
}

// hostOf checks an authority without user and returns the host.
func hostOf(authority string) (string, error) {
	host, port, hasPort := strings.Cut(authority, ":")
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if hasPort {
		switch port {
		case "80", "443", "22", "9418", "":
		default:
			return "", badRef("has a port that GitHub does not use")
		}
	}
	switch host {
	case "github.com", "www.github.com", "ssh.github.com", "raw.githubusercontent.com", "codeload.github.com",
		"api.github.com", "gist.github.com", "gist.githubusercontent.com":
		return host, nil
	case "raw.github.com":
		return "raw.githubusercontent.com", nil
	case "":
		return "", badRef("has no host")
	}
	name := otherHosts[strings.TrimPrefix(host, "www.")]
	if name == "" {
		name = clip(host)
	}
	return "", &Error{Kind: ErrUnsupported, Code: "unsupported_host", Msg: fmt.Sprintf("repositories on %s are not supported yet: %s", name, accepted)}
}

func makeRef(host string, parts []string) (RepoRef, error) {
	owner, name := parts[0], parts[1]
	if n := len(name) - len(".git"); n > 0 && strings.EqualFold(name[n:], ".git") {
		name = name[:n]
	}
	if n := len(name) - len(".wiki"); n > 0 && strings.EqualFold(name[n:], ".wiki") {
		name = name[:n]
	}
	if !validOwner(owner) {
		return RepoRef{}, badRef("has an owner that GitHub does not allow (%q)", clip(owner))
	}
	if reservedOwners[strings.ToLower(owner)] {
		return RepoRef{}, badRef("is a page of GitHub, not a repository (%q)", clip(owner))
	}
	if !validRepo(name) {
		return RepoRef{}, badRef("has a repository name that GitHub does not allow (%q)", clip(name))
	}
	ref := RepoRef{Host: GitHub, Owner: owner, Name: name}
	rest := parts[2:]
	if host != "raw.githubusercontent.com" && host != "codeload.github.com" && len(rest) >= 2 && (rest[0] == "tree" || rest[0] == "blob") {
		for _, p := range rest[1:] {
			if p == "." || p == ".." {
				return RepoRef{}, badRef("has a path that leaves the repository")
			}
		}
		ref.Path = strings.Join(rest[1:], "/")
	}
	return ref, nil
}

func validOwner(s string) bool {
	if len(s) == 0 || len(s) > 39 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && (i == 0 || c != '-' && c != '_') {
			return false
		}
	}
	return true
}

func validRepo(s string) bool {
	if len(s) == 0 || len(s) > 100 || s == "." || s == ".." || strings.EqualFold(s, ".git") || strings.EqualFold(s, ".wiki") {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

func badRef(format string, args ...any) *Error {
	e := Invalid("url", format, args...)
	e.Msg += ": " + accepted
	e.Fields[0].Message += ": " + accepted
	return e
}
