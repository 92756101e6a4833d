package registry

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Relation compares the repository that metadata name with the repository of a server.
type Relation int

const (
	NoRepo Relation = iota // none is named
	SameRepo
	OtherRepo   // of another owner, or not the address of a repository
	SiblingRepo // another one of the same owner
	MovedRepo   // same name, other owner; this is not a fork of it
	UnknownRepo // the metadata are not known
)

// Relation compares an address with the repository.
func (f *Facts) Relation(address string) Relation {
	r := &f.Repo
	if strings.TrimSpace(address) == "" || r.Owner == "" || r.Name == "" {
		return NoRepo
	}
	ref, ok := FindRepoRef(address)
	if !ok || HostOf(ref.Host) != HostOf(r.Host) {
		return OtherRepo
	}
	owner, name := strings.EqualFold(ref.Owner, r.Owner), strings.EqualFold(ref.Name, r.Name)
	switch {
	case owner && name, slices.Contains(f.FormerNames, ref.Key()):
		return SameRepo
	case owner:
		return SiblingRepo
	case name && r.IsFork() != nil && !r.Fork:
		return MovedRepo
	}
	return OtherRepo
}

// RelationOf compares the repository that a package names with the repository.
func (f *Facts) RelationOf(p PackageFacts) Relation {
	if !p.RepoURLKnown {
		return UnknownRepo
	}
	return f.Relation(p.RepoURL)
}

// DoubtOf returns the doubt of a package of the detection, after comparison with its own facts, if they
// are known. A fork has the names of packages from its origin.
func (f *Facts) DoubtOf(p Package) string {
	var known PackageFacts
	for _, x := range f.Packages {
		if x.RegistryType == p.RegistryType && x.Identifier == p.Identifier {
			known = x
		}
	}
	named := f.Repo.Ref().OwnsName(known.MCPName())
	switch f.RelationOf(known) {
	case OtherRepo:
		// The labels of an image may be those of its base image.
		ref, ok := FindRepoRef(known.RepoURL)
		moved := strings.EqualFold(ref.Name, f.Repo.Name) && f.Repo.IsFork() == nil // or a fork
		if ok && !moved && p.RegistryType != "oci" {
			return DoubtForeign
		}
	case SameRepo, SiblingRepo:
		if p.Doubt == DoubtManifest {
			return ""
		}
	case NoRepo, UnknownRepo:
		isOwners := strings.Contains(strings.ToLower(p.Identifier), strings.ToLower(f.Repo.Owner))
		if p.Doubt == "" && f.Repo.Fork && !isOwners && !named {
			return DoubtManifest
		}
	}
	if p.Doubt == DoubtImage && known.Found != nil || p.Doubt == DoubtManifest && named {
		return ""
	}
	return p.Doubt
}

// Kinds of a [Copy].
const (
	CopyOf    = "copy"       // the same README, tools or package, or a fork
	LookAlike = "look-alike" // a name or namespace that imitates the original's
)

// A Copy names the older server of another owner that a server is a copy or look-alike of.
type Copy struct {
	Of     string    `json:"of"`     // the slug of the original
	Kind   string    `json:"kind"`   // CopyOf or LookAlike
	Reason string    `json:"reason"` // sentences with the evidence
	Since  time.Time `json:"since"`  // when it was first found
}

// OriginalOf returns the slug of the server that s is a copy of if kind is [CopyOf], and
// of the one that it imitates if kind is [LookAlike]; "" if there is none.
func (s *Server) OriginalOf(kind string) string {
	if s.Copy == nil || s.Copy.Kind != kind {
		return ""
	}
	return s.Copy.Of
}

// A ReadmeText is the plain text of a server's README, with a hash of it.
type ReadmeText struct {
	ID     int64 // of the server
	Digest []byte
	Text   string `db:"readme"`
}

// A ReadmeSignature is the stored form of a README for comparisons.
type ReadmeSignature struct {
	ID        int64 // of the server
	Digest    []byte
	Signature []byte // empty for a README that is too short
}

// A CopyCandidate holds the data of a server for comparisons.
type CopyCandidate struct {
	Server      Server
	FormerNames []string       // keys of former names of its repository
	Packages    []PackageFacts // registry type, identifier, RepoURL and FirstAt only
	Signature   []byte         // of its README; empty if unknown
}

// TagOf is the part of a repository whose version a tag names.
type TagOf int

const (
	TagOfRepository TagOf = iota // no part of the repository
	TagOfServer                  // the server: "name@1.2.3", "folder/v1.2.3"
	TagOfOther                   // another part
)

// namedTag matches tags with a name before the version.
var namedTag = regexp.MustCompile(`^(.+?)[@/_-][vV]?[0-9]+(?:\.[0-9]+)+[0-9A-Za-z.+-]*$`)

// TagOf returns the part whose version a tag names. In a repository with one server all tags
// are the repository's.
func (f *Facts) TagOf(tag string) TagOf {
	d := &f.Detection
	m := namedTag.FindStringSubmatch(tag)
	if m == nil || d.Subfolder == "" && d.Members <= 1 {
		return TagOfRepository
	}
	part := tagName(m[1])
	own := []string{d.Subfolder, path.Base(d.Subfolder)}
	for _, p := range d.Packages {
		id := p.Identifier
		own = append(own, id, id[strings.LastIndexAny(id, "/:")+1:])
	}
	switch {
	case slices.ContainsFunc(own, func(s string) bool { return s != "" && tagName(s) == part }):
		return TagOfServer
	case slices.Contains([]string{"v", "version", "release", "releases", tagName(f.Repo.Name)}, part):
		return TagOfRepository
	}
	return TagOfOther
}

// tagName normalizes the spelling of a name in tags.
func tagName(s string) string {
	return strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(strings.Trim(s, "/")))
}
