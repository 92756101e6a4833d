package registry

import "strings"

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
