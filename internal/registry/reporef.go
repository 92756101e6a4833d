package registry

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/text"
)

// A RepoRef is a repository as people write it: an address, not an identity.
type RepoRef struct {
	Host  string // ID of one of [Hosts]
	Owner string // as written; with slashes where groups nest
	Name  string // as written, without ".git"
	// Path is a branch, which may contain slashes, and a folder, such as "main/src/git": the
	// part after /tree/ or /blob/ in a GitHub URL.
	Path string
}

// String returns owner/name verbatim, after the host's domain unless the host is the first of
// [Hosts].
func (r RepoRef) String() string {
	if h := HostOf(r.Host); h != Hosts[0] && h.Domain != "" {
		return h.Domain + "/" + r.FullName()
	}
	return r.FullName()
}

// FullName returns owner/name verbatim, of a folder without owner its name.
func (r RepoRef) FullName() string {
	if r.Owner == "" {
		return r.Name
	}
	return r.Owner + "/" + r.Name
}

// Folder returns the folder in Path, "" for the root. A branch other than the given one is
// assumed to have no slash in its name.
func (r RepoRef) Folder(branch string) string {
	folder, ok := strings.CutPrefix(r.Path+"/", branch+"/")
	if branch == "" || !ok {
		_, folder, _ = strings.Cut(r.Path, "/")
	}
	return strings.Trim(folder, "/")
}

// Key returns host, owner and name in lower case, for comparison: code hosts
// ignore case.
func (r RepoRef) Key() string {
	return r.Host + ":" + strings.ToLower(r.Owner) + "/" + strings.ToLower(r.Name)
}

// maxRef is the greatest length in characters of an address that is parsed.
const maxRef = 512

// otherHosts are well-known code hosts that are not supported.
var otherHosts = map[string]string{
	"gitlab.com": "GitLab", "codeberg.org": "Codeberg", "bitbucket.org": "Bitbucket",
	"git.sr.ht": "SourceHut", "sr.ht": "SourceHut", "gitee.com": "Gitee", "huggingface.co": "Hugging Face",
}

// ParseRepoRef parses a repository's address in any common form: a page of one of [Hosts] or
// of its mirrors with or without scheme, clone URLs (https, ssh, git, scp-like), the host's ID
// before the path (github:owner/name), other forms that [Host.Parse] accepts, and owner/name
// alone, on the first of the hosts. The address may be in quotes, brackets or a Markdown link,
// be followed by punctuation, or be the argument of a clone command; a longer text may contain
// one address with a domain. It does not look anything up: a name of the official registry in
// the namespace of a host's user (io.github.owner/name) is taken for the repository of the
// same name; see [RegistryName].
//
// The error is a displayable [*Error]: of kind [ErrUnsupported] for addresses on other hosts
// and for gists, otherwise [ErrInvalid].
func ParseRepoRef(s string) (RepoRef, error) {
	if utf8.RuneCountInString(s) > maxRef {
		return RepoRef{}, badRef("is longer than %d characters", maxRef)
	}
	if address, ok := cloned(s); ok {
		return parseAddress(address)
	}
	ref, err := parseAddress(s)
	if err != nil && strings.ContainsAny(s, " \t\r\n<>()[]|`") {
		return refWithin(s, err)
	}
	return ref, err
}

// parseAddress parses an address without surrounding text.
func parseAddress(s string) (RepoRef, error) {
	s, err := cleanRef(s)
	if err != nil {
		return RepoRef{}, err
	}
	domain, path, err := splitRef(s)
	if err != nil {
		return RepoRef{}, err
	}
	host, err := supportedHost(domain)
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
	ref, err := host.Parse(domain, parts)
	switch {
	case errors.Is(err, ErrUnsupported):
		return RepoRef{}, unsupported("%v", err)
	case err != nil:
		return RepoRef{}, badRef("%v", err)
	}
	for part := range strings.SplitSeq(ref.Path, "/") {
		if part == "." || part == ".." {
			return RepoRef{}, badRef("has a path that leaves the repository")
		}
	}
	ref.Host = host.ID
	return ref, nil
}

// FindRepoRef parses a repository's address in package metadata, with any text before the
// host's domain, such as "scm:git:https://github.com/owner/name.git". It reports whether it
// found one.
func FindRepoRef(s string) (RepoRef, bool) {
	if ref, err := ParseRepoRef(s); err == nil {
		return ref, true
	}
	for _, h := range Hosts {
		for _, domain := range append([]string{h.Domain}, h.Aliases...) {
			i := indexFold(s, domain)
			if i <= 0 || isAlphanumeric(s[i-1]) || s[i-1] == '-' || s[i-1] == '.' {
				continue
			}
			if ref, err := ParseRepoRef(s[i:]); err == nil {
				return ref, true
			}
		}
	}
	return RepoRef{}, false
}

// cleanRef returns an address without surrounding space, quotes and punctuation. It fails if
// the rest cannot be an address.
func cleanRef(s string) (string, error) {
	if s = trimPunctuation(s); s == "" {
		return "", badRef("is empty")
	}
	// In a query string the plus of git+https means a space.
	if rest, ok := cutFold(s, "git "); ok && strings.Contains(rest, "://") {
		s = "git+" + rest
	}
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || r == '\\' {
			return "", badRef("has a character that is not allowed in a repository address (%q)", r)
		}
	}
	return s, nil
}

// splitRef returns the domain in lower case, by default the first host's, and the path.
func splitRef(s string) (domain, path string, err error) {
	s = withoutPURL(s)
	scheme, rest, hasScheme := strings.Cut(s, "://")
	if !hasScheme {
		for _, h := range Hosts {
			if after, ok := cutFold(s, h.ID+":"); ok && !strings.HasPrefix(after, "/") {
				return h.Domain, after, nil
			}
		}
		return splitBare(s)
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "http", "https", "ssh", "git", "git+https", "git+http", "git+ssh":
	default:
		return "", "", badRef("starts with %s://, which is not supported", text.Shorten(scheme, maxQuoted))
	}
	authority, path, _ := strings.Cut(rest, "/")
	if i := strings.IndexAny(authority, "?#"); i >= 0 {
		return "", "", badRef("names no repository")
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:] // do not repeat a user name and a password
	}
	// ssh://git@github.com:owner/name is invalid but common.
	before, after, ok := strings.Cut(authority, ":")
	if ok && strings.HasSuffix(scheme, "ssh") && after != "" && !isDigits(after) {
		authority, path = before, after+"/"+path
	}
	domain, err = domainOf(authority)
	return domain, path, err
}

// withoutPURL returns a package URL of a repository, such as
// "pkg:github/owner/name@v1#folder", as the host's ID, a colon and a path; other texts
// unchanged.
func withoutPURL(s string) string {
	rest, ok := cutFold(s, "pkg:")
	if !ok {
		return s
	}
	rest, folder, _ := strings.Cut(strings.TrimLeft(rest, "/"), "#")
	rest, _, _ = strings.Cut(rest, "?")
	rest, version, _ := strings.Cut(rest, "@")
	kind, name, _ := strings.Cut(rest, "/")
	if folder != "" {
		name += "/tree/" + cmp.Or(version, "HEAD") + "/" + folder
	}
	return kind + ":" + name
}

// splitBare splits owner/name, domain/owner/name and user@domain:owner/name.
func splitBare(s string) (domain, path string, err error) {
	if i := strings.IndexByte(s, ':'); i >= 0 && !strings.Contains(s[:i], "/") {
		return splitColon(s[:i], s[i+1:])
	}
	first, rest, ok := strings.Cut(strings.TrimLeft(s, "/"), "/")
	switch {
	case !ok:
		return "", "", badRef("names no repository")
	case strings.Contains(first, "@"):
		return "", "", badRef("is not a repository address")
	case strings.Contains(first, "."):
		if h, owner := NamespaceOf(s); h != nil {
			return h.Domain, owner + "/" + rest, nil
		}
		domain, err := domainOf(first)
		return domain, rest, err
	}
	return Hosts[0].Domain, s, nil
}

// splitColon splits the parts around the colon of user@domain:owner/name,
// domain:owner/name and domain:443/owner/name.
func splitColon(before, after string) (domain, path string, err error) {
	if at := strings.LastIndexByte(before, '@'); at >= 0 {
		domain, err = domainOf(before[at+1:])
		return domain, after, err
	}
	if !strings.Contains(before, ".") {
		return "", "", badRef("is not a repository address")
	}
	if port, path, _ := strings.Cut(after, "/"); isDigits(port) {
		domain, err = domainOf(before + ":" + port)
		return domain, path, err
	}
	domain, err = domainOf(before)
	return domain, after, err
}

// domainOf checks an authority without user and returns the domain.
func domainOf(authority string) (string, error) {
	domain, port, hasPort := strings.Cut(authority, ":")
	if hasPort {
		switch port {
		case "80", "443", "22", "9418", "":
		default:
			return "", badRef("has a port that code hosts do not use")
		}
	}
	domain = strings.TrimSuffix(strings.ToLower(domain), ".")
	if domain == "" {
		return "", badRef("has no domain")
	}
	return domain, nil
}

// supportedHost returns the host with a domain. The error names an unsupported host.
func supportedHost(domain string) (*Host, error) {
	if h := hostAt(domain); h != nil {
		return h, nil
	}
	name := cmp.Or(otherHosts[strings.TrimPrefix(domain, "www.")], text.Shorten(domain, maxQuoted))
	return nil, unsupported("is on %s, which is not supported yet", name)
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// cutFold is strings.CutPrefix in any case.
func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// trimFold is strings.TrimSuffix in any case, except that it does not return "".
func trimFold(s, suffix string) string {
	if n := len(s) - len(suffix); n > 0 && strings.EqualFold(s[n:], suffix) {
		return s[:n]
	}
	return s
}

// indexFold is strings.Index for an ASCII needle in any case.
func indexFold(s, needle string) int {
	for i := 0; i+len(needle) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(needle)], needle) {
			return i
		}
	}
	return -1
}

// maxQuoted is how many bytes of an address an error repeats.
const maxQuoted = 60

// accepted lists the accepted forms of addresses.
func accepted() string {
	h := Hosts[0]
	return fmt.Sprintf("give a %s repository as owner/name or https://%s/owner/name", HostNames(), h.Domain)
}

func badRef(format string, args ...any) *Error {
	e := Invalid("url", format, args...)
	e.Msg += ": " + accepted()
	e.Fields[0].Message += ": " + accepted()
	return e
}

func unsupported(format string, args ...any) error {
	e := badRef(format, args...)
	e.Kind, e.Code = ErrUnsupported, "unsupported_host"
	return e
}

// certainBranch matches first parts of paths that are hardly the beginning of a branch with
// slashes in its name.
var certainBranch = regexp.MustCompile(`^(?:main|master|develop|trunk|HEAD|[0-9a-f]{40})$`)

// fileName matches paths whose last part probably names a file, not a folder.
var fileName = regexp.MustCompile(`(?:^|/)[^/]*\.[a-z][a-z0-9]{0,4}$`)

// Among returns the index of the server at the address, among a repository's servers given by
// their subfolders ("" is the root): the one in its folder or in the nearest folder above, or
// the only one below it. An address without a folder means the server at the root, otherwise
// the first. The index is -1 for a folder without a server in a repository that has several.
// Folder is the folder of the address, "" if it is a server's.
//
// If the branch may have a slash in its name, the folder is not certain. Then an address that
// matches no server means the same as one without a folder.
func (r RepoRef) Among(subfolders []string) (index int, folder string) {
	if len(subfolders) == 0 {
		return -1, ""
	}
	whole := max(0, slices.Index(subfolders, ""))
	branch, rest, _ := strings.Cut(strings.Trim(r.Path, "/"), "/")
	sure := certainBranch.MatchString(branch)
	if i := around(subfolders, rest, sure); i >= 0 {
		return i, ""
	}
	if fileName.MatchString(rest) {
		rest = strings.TrimSuffix(rest[:strings.LastIndexByte("/"+rest, '/')], "/")
	}
	if rest == "" {
		return whole, ""
	}
	if i := below(subfolders, rest); i >= 0 {
		return i, rest
	}
	if len(subfolders) == 1 || !sure {
		return whole, rest
	}
	return -1, rest
}

// around returns the longest of the folders that is path or above it, -1 if none.
func around(folders []string, path string, sure bool) int {
	best := -1
	for i, f := range folders {
		if f != "" && within(path, f, sure) && (best < 0 || len(f) > len(folders[best])) {
			best = i
		}
	}
	return best
}

// below returns the only one of the folders that is below path, -1 if there is
// none or more than one.
func below(folders []string, path string) int {
	only := -1
	for i, f := range folders {
		if strings.HasPrefix(f, path+"/") {
			if only >= 0 {
				return -1
			}
			only = i
		}
	}
	return only
}

// within reports whether path is f or below it; unless it is sure where the
// branch ends, f may begin at any slash.
func within(path, f string, sure bool) bool {
	path, f = path+"/", f+"/"
	return strings.HasPrefix(path, f) || !sure && strings.Contains(path, "/"+f)
}
