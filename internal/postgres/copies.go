package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// unsigned selects listed servers whose README has changed since it was signed. The hash
// of the README is the second part of the digest.
const unsigned = `FROM servers s LEFT JOIN readme_signatures g ON g.server_id = s.id
	WHERE s.listed AND s.hidden_at IS NULL
		AND g.digest IS DISTINCT FROM substring(s.digest FROM 17 FOR 16)`

// CountUnsigned returns how many listed servers have a README without a signature.
func (db *DB) CountUnsigned(ctx context.Context) (n int, err error) {
	err = db.db.GetContext(ctx, &n, `SELECT count(*) `+unsigned)
	return n, Wrapped(err, "count READMEs")
}

// UnsignedReadmes returns at most limit READMEs without a signature, in the order of the
// servers' IDs after the given one.
func (db *DB) UnsignedReadmes(
	ctx context.Context, after int64, limit int,
) (texts []registry.ReadmeText, err error) {
	err = db.db.SelectContext(ctx, &texts, `
		SELECT s.id, substring(s.digest FROM 17 FOR 16) AS digest, s.readme `+unsigned+`
			AND s.id > $1 ORDER BY s.id LIMIT $2`, after, limit)
	return texts, Wrapped(err, "read READMEs")
}

func (db *DB) SaveSignatures(ctx context.Context, signed []registry.ReadmeSignature) error {
	ids := make([]int64, len(signed))
	digests, signatures := make(pq.ByteaArray, len(signed)), make(pq.ByteaArray, len(signed))
	for i, s := range signed {
		ids[i], digests[i], signatures[i] = s.ID, s.Digest, append([]byte{}, s.Signature...)
	}
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO readme_signatures (server_id, digest, signature)
		SELECT v.* FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS v (id, digest, signature)
		WHERE EXISTS (SELECT 1 FROM servers WHERE servers.id = v.id)
		ON CONFLICT (server_id) DO UPDATE
			SET digest = excluded.digest, signature = excluded.signature`,
		pq.Array(ids), digests, signatures)
	return Wrapped(err, "save signatures")
}

// EachCopyCandidate calls f with every listed server that is not hidden, in order of ID,
// and stops at the first error.
func (db *DB) EachCopyCandidate(
	ctx context.Context, f func(registry.CopyCandidate) error,
) error {
	type row struct {
		ID        int64
		Slug      string
		Record    document
		Names     pq.StringArray
		Packages  jsonColumn[[]registry.PackageFacts]
		Signature []byte
	}
	return eachPage(ctx, db.db, factsPage, "read servers to compare", `
		SELECT s.id, s.slug, `+wholeRecord+` AS record, g.signature,
			ARRAY(SELECT n.key FROM repository_names n WHERE n.repo_id = s.repo_id) AS names,
			(SELECT json_agg(json_build_object('registryType', p.registry_type,
				'identifier', p.identifier, 'repoUrl', coalesce(p.facts->>'repoUrl', ''),
				'firstAt', p.facts->'firstAt'))
			FROM server_packages sp JOIN packages p USING (registry_type, identifier)
			WHERE sp.server_id = s.id AND p.facts IS NOT NULL) AS packages
		FROM servers s LEFT JOIN readme_signatures g ON g.server_id = s.id
		WHERE s.id > $1 AND s.listed AND s.hidden_at IS NULL
		ORDER BY s.id LIMIT $2`, func(rows []row) (after int64, err error) {
		candidates := make([]registry.CopyCandidate, len(rows))
		err = parallel(len(rows), func(i int) error {
			r, c := &rows[i], &candidates[i]
			c.FormerNames, c.Packages, c.Signature = r.Names, r.Packages.V, r.Signature
			err := json.Unmarshal(r.Record, &c.Server)
			c.Server.ID, c.Server.Slug = r.ID, r.Slug
			return Wrapped(err, "record of %s", r.Slug)
		})
		for i := 0; i < len(rows) && err == nil; i++ {
			after, err = rows[i].ID, f(candidates[i])
		}
		return after, err
	})
}

// A copyRow is a server whose copy may change.
type copyRow struct {
	ID      int64
	Seq     int64
	Slug    string
	NotCopy bool
	Copy    jsonColumn[*registry.Copy]
	Record  document
	Repo    []byte // that the record shares, see [strip]
	Digest  []byte
}

// SaveCopies stores which servers, by ID, are copies; all others are not. It retains since
// when a known copy of the same original is known, and the operator's decisions that a server
// is not a copy. It returns how many records changed; only those get a new sequence number. A
// server that is written concurrently follows at the next call.
func (db *DB) SaveCopies(
	ctx context.Context, found map[int64]registry.Copy, now time.Time,
) (changed int, err error) {
	var ids []int64
	if err := db.db.SelectContext(ctx, &ids, `
		SELECT id FROM servers WHERE copy IS NOT NULL
		UNION SELECT unnest($1::bigint[]) ORDER BY 1`,
		pq.Array(slices.Sorted(maps.Keys(found)))); err != nil {
		return 0, fmt.Errorf("save copies: %w", err)
	}
	for batch := range slices.Chunk(ids, scoresBatch) {
		n := 0
		if err := Write(ctx, db.db, func(tx *sqlx.Tx) (err error) {
			n, err = saveCopies(ctx, tx, batch, found, now)
			return err
		}); err != nil {
			return changed, fmt.Errorf("save copies: %w", err)
		}
		changed += n
	}
	return changed, nil
}

var copyColumns = `id, seq, slug, not_copy, copy, digest, ` + wholeRecord + ` AS record,
	` + sharedOfServer + ` AS repo`

func saveCopies(
	ctx context.Context, tx *sqlx.Tx, ids []int64, found map[int64]registry.Copy, now time.Time,
) (changed int, err error) {
	var rows []copyRow
	if err := tx.SelectContext(ctx, &rows, `
		SELECT `+copyColumns+` FROM servers s
		WHERE id = ANY($1) ORDER BY id`, pq.Array(ids)); err != nil {
		return 0, err
	}
	var drafts []*copyDraft
	for _, r := range rows {
		var c *registry.Copy
		if f, ok := found[r.ID]; ok && !r.NotCopy {
			c = &f
		}
		d, err := draftCopy(r, c, now)
		if err != nil {
			return 0, err
		}
		if d != nil {
			drafts = append(drafts, d)
		}
	}
	return len(drafts), updateCopies(ctx, tx, drafts, now)
}

// A copyDraft is a server of which only the copy changes.
type copyDraft struct {
	row    copyRow
	copy   *registry.Copy
	digest []byte
	record stripped
}

// draftCopy returns the server of row with the given copy, nil if it is stored already.
func draftCopy(row copyRow, c *registry.Copy, now time.Time) (*copyDraft, error) {
	var s registry.Server
	if err := json.Unmarshal(row.Record, &s); err != nil {
		return nil, fmt.Errorf("record of %s: %w", row.Slug, err)
	}
	stored := row.Copy.V
	if c != nil {
		c.Since = now.UTC().Truncate(time.Second)
		if stored != nil && stored.Of == c.Of && stored.Kind == c.Kind {
			c.Since = stored.Since
		}
	}
	if sameCopy(c, stored) && sameCopy(c, s.Copy) {
		return nil, nil
	}
	s.Slug, s.Copy, s.UpdatedAt = row.Slug, c, now.UTC().Truncate(time.Microsecond)
	record, err := toJSON(s)
	if err != nil {
		return nil, err
	}
	steady, err := steadyDigest(s)
	if err != nil {
		return nil, err
	}
	readme := make([]byte, digestLen)
	if len(row.Digest) == 3*digestLen {
		readme = row.Digest[digestLen : 2*digestLen]
	}
	return &copyDraft{row, c, slices.Concat(steady, readme, digestOf(record)),
		stripped{record, s.Repo, row.Repo}}, nil
}

func sameCopy(a, b *registry.Copy) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Of == b.Of && a.Kind == b.Kind && a.Reason == b.Reason && a.Since.Equal(b.Since)
}

// updateCopies writes drafts, except those whose server was written since it was read.
func updateCopies(ctx context.Context, tx *sqlx.Tx, drafts []*copyDraft, now time.Time) error {
	if len(drafts) == 0 {
		return nil
	}
	seq, err := takeSeqs(ctx, tx, len(drafts))
	for i := 0; i < len(drafts) && err == nil; i++ {
		d := drafts[i]
		_, err = tx.ExecContext(ctx, `
			UPDATE servers SET copy = $3, record = $4, digest = $5, seq = $6, written_at = $7,
				updated_at = $7
			WHERE id = $1 AND seq = $2`, d.row.ID, d.row.Seq, AsJSON{d.copy}, d.record, d.digest,
			seq+int64(i), now)
	}
	return err
}

// SetNotCopy stores the operator's decision that a server is not a copy, which removes
// its mark, or revokes it: then the next comparison decides.
func (db *DB) SetNotCopy(ctx context.Context, slug string, not bool, now time.Time) error {
	slug = cleanText(slug)
	err := InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var row copyRow
		err := tx.GetContext(ctx, &row, `
			UPDATE servers AS s SET not_copy = $2
			WHERE slug = $1 OR id = (SELECT server_id FROM slug_aliases WHERE slug = $1)
			RETURNING `+copyColumns, slug, not)
		if errors.Is(err, sql.ErrNoRows) {
			return noServer(slug)
		}
		if err != nil || !not {
			return err
		}
		d, err := draftCopy(row, nil, now)
		if err != nil || d == nil {
			return err
		}
		return updateCopies(ctx, tx, []*copyDraft{d}, now)
	})
	return Wrapped(err, "change the copy mark of %s", cmp.Or(slug, `""`))
}
