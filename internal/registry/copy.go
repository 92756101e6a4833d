package registry

import "time"

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
