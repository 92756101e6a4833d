package postgres

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpcensus/internal/registry"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// A document is the JSON of a snapshot, or of a server's record or facts. Each has the
// repository, of which all members but the time of observation are stored once, in
// repositories.repo. A stored document begins with that time, as the only member of its
// repository; one whose repository differs has all of it. As a [sql.Scanner] it reads the
// expressions of [whole].
type document []byte

// sharedOfServer is the stored repository of a server s, in SQL.
const sharedOfServer = `(SELECT r.repo FROM repositories r WHERE r.id = s.repo_id)`

// Documents in SQL, of a server s or a repository.
var (
	wholeRecord   = whole("s.record", sharedOfServer)
	wholeFacts    = whole("s.facts", sharedOfServer)
	wholeSnapshot = whole("snapshot", "repo")
)

// whole returns the SQL expression of a document with the shared parts of its repository. JSON
// has no line feeds; Go joins them faster than Postgres.
func whole(stored, repo string) string {
	return `coalesce(` + repo + `::text, '') || chr(10) || ` + stored + `::text`
}

// beginning is how a document begins whose repository is stored elsewhere.
const beginning = `{"repo":{`

// Scan joins a stored document and its repository.
func (d *document) Scan(value any) error {
	*d = nil
	if value == nil {
		return nil
	}
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("a document is %T", value)
	}
	repo, stored, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(stored, beginning+`"observedAt":`) && repo != "" {
		stored = `{"repo":` + repo[:len(repo)-1] + "," + stored[len(beginning):]
	}
	*d = document(stored)
	return nil
}

// splitRepo returns the JSON of a repository, and where the time of observation, its last
// member, begins with a comma.
func splitRepo(r registry.Repository) (text []byte, at int, err error) {
	text, err = toJSON(r)
	return text, bytes.LastIndex(text, []byte(`,"observedAt":`)), err
}

// sharedRepo returns the stored form of a repository for all its documents.
func sharedRepo(r registry.Repository) ([]byte, error) {
	text, at, err := splitRepo(r)
	if err != nil {
		return nil, err
	}
	return append(text[:at], '}'), nil
}

// strip returns the stored form of a document of the repository r, without the parts in
// shared.
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
	return slices.Concat([]byte(beginning), text[at+1:], []byte(","), before[1:], after), nil
}

// A stripped document is written as [strip] returns it.
type stripped struct {
	text   []byte
	repo   registry.Repository
	shared []byte
}

// Value implements [driver.Valuer].
func (s stripped) Value() (driver.Value, error) {
	text, err := strip(s.text, s.repo, s.shared)
	return string(text), err
}

// Readme returns the README of a listed server, by its slug. The error is of
// kind [registry.ErrNotFound] if none is stored.
func (db *DB) Readme(ctx context.Context, slug string) (r registry.Readme, err error) {
	err = db.db.GetContext(ctx, &r, `
		SELECT t.path, t.text FROM servers s
		JOIN repository_texts t ON t.repo_id = s.repo_id AND t.path = s.facts->'readme'->>'path'
		WHERE s.slug = $1 AND s.listed AND s.hidden_at IS NULL`, cleanText(slug))
	return r, NoRow(Wrapped(err, "README of %s", slug), "no README is known")
}

// Readmes returns the READMEs of listed servers by slug. Servers without one are absent.
func (db *DB) Readmes(ctx context.Context, slugs []string) (map[string]registry.Readme, error) {
	var rows []struct {
		Slug string
		registry.Readme
	}
	err := db.db.SelectContext(ctx, &rows, `
		SELECT s.slug, t.path, t.text FROM servers s
		JOIN repository_texts t ON t.repo_id = s.repo_id AND t.path = s.facts->'readme'->>'path'
		WHERE s.slug = ANY($1) AND s.listed AND s.hidden_at IS NULL`, cleanTexts(slugs))
	all := make(map[string]registry.Readme, len(rows))
	for _, r := range rows {
		all[r.Slug] = r.Readme
	}
	return all, Wrapped(err, "READMEs")
}

// Records returns the records of servers by ID. Unknown servers are absent.
func Records(
	ctx context.Context, tx *sqlx.Tx, servers []int64,
) (map[int64]json.RawMessage, error) {
	var rows []struct {
		ID     int64
		Record document
	}
	if err := tx.SelectContext(ctx, &rows, `
		SELECT id, `+wholeRecord+` AS record FROM servers s WHERE id = ANY($1)`,
		pq.Array(servers)); err != nil {
		return nil, err
	}
	records := map[int64]json.RawMessage{}
	for _, r := range rows {
		records[r.ID] = json.RawMessage(r.Record)
	}
	return records, nil
}
