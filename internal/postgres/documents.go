package postgres

import (
	"bytes"
	"slices"

	"mcpcensus/internal/registry"
)

// A document is the JSON of a snapshot, or of a server's record or facts. Each has the
// repository, which is stored once for all of them, in repositories.repo: there all members
// but the time of observation, in the document that time only, as its first member. A
// document whose repository differs has the whole.
// sharedOfServer is the stored repository of a server s, in SQL.
const sharedOfServer = `(SELECT r.repo FROM repositories r WHERE r.id = s.repo_id)`

// A document is the JSON of a snapshot, or of a server's record or facts. Each has the
// repository, of which all members but the time of observation are stored once, in
// repositories.repo. A stored document begins with that time, as the only member of its
// repository; one whose repository differs has all of it. These are whole documents in SQL,
// of a server s or a repository.
var (
	wholeRecord   = whole("s.record", sharedOfServer)
	wholeFacts    = whole("s.facts", sharedOfServer)
	wholeSnapshot = whole("snapshot", "repo")
)

// whole returns the SQL expression of a stored document with its repository, as text.
func whole(document, repo string) string {
	return `CASE WHEN left(` + document + `::text, 22) = '{"repo":{"observedAt":'
		THEN '{"repo":' || left(` + repo + `::text, -1) || ',' || substr(` + document + `::text, 10)
		ELSE ` + document + `::text END`
}

// splitRepo returns the JSON of a repository, and where the time of observation, its last
// member, begins with a comma.
func splitRepo(r registry.Repository) (text []byte, at int, err error) {
	text, err = toJSON(r)
	return text, bytes.LastIndex(text, []byte(`,"observedAt":`)), err
}

// sharedRepo returns what is stored of a repository for all its documents.
func sharedRepo(r registry.Repository) ([]byte, error) {
	text, at, err := splitRepo(r)
	if err != nil {
		return nil, err
	}
	return append(text[:at], '}'), nil
}

// strip returns a document, of which r is the repository, as it is stored with shared.
func strip(document []byte, r registry.Repository, shared []byte) ([]byte, error) {
	text, at, err := splitRepo(r)
	if err != nil {
		return nil, err
	}
	member := slices.Concat([]byte(`"repo":`), text, []byte(","))
	before, after, found := bytes.Cut(document, member)
	if !found || !bytes.Equal(append(text[:at:at], '}'), shared) {
		return document, nil
	}
	return slices.Concat([]byte(`{"repo":{`), text[at+1:], []byte(","), before[1:], after), nil
}
