package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/oid"

	"encoding/json"

	"mcpcensus/internal/registry"
)

// factsPage is the number of servers that EachFacts holds in memory, twice.
const factsPage = 100

// EachFacts calls f with every listed or hidden server and the facts of its last score,
// in order of ID, and stops at the first error. Of the server only the fields that are
// not in the facts are set: ID, slugs, times of listing and change, and Seq, by which
// [DB.SaveScores] detects later writes.
func (db *DB) EachFacts(ctx context.Context, f func(registry.Scored) error) error {
	return db.eachFacts(ctx, nil, f)
}

// FactsOf is [DB.EachFacts] for the servers with the given IDs, which must be sorted.
func (db *DB) FactsOf(ctx context.Context, ids []int64, f func(registry.Scored) error) error {
	for page := range slices.Chunk(ids, factsPage) {
		if err := db.eachFacts(ctx, page, f); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) eachFacts(ctx context.Context, ids []int64, f func(registry.Scored) error) error {
	return eachPage(ctx, db.db, factsPage, "read facts", `
		SELECT `+scoredColumns+` FROM servers s
		WHERE id > $1 AND listed AND ($3::bigint[] IS NULL OR id = ANY($3)) ORDER BY id LIMIT $2`,
		func(rows []scoredRow) (after int64, err error) {
			scored, err := scoredOf(rows)
			for i := 0; i < len(rows) && err == nil; i++ {
				after, err = rows[i].ID, f(scored[i])
			}
			return after, err
		}, pq.Array(ids))
}

// eachPage calls f with pages of rows, which returns the place of the last one. The query
// returns rows after the place $1 in their order, at most $2, which is size; its other
// parameters are args.
func eachPage[Place, Row any](
	ctx context.Context, q sqlx.QueryerContext, size int, what, query string,
	f func([]Row) (after Place, err error), args ...any,
) error {
	for after := *new(Place); ; {
		var rows []Row
		err := sqlx.SelectContext(ctx, q, &rows, query, append([]any{after, size}, args...)...)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if after, err = f(rows); err != nil || len(rows) < size {
			return err
		}
	}
}

// scoresBatch is how many servers are written in one transaction, which blocks other
// writers.
const scoresBatch = 1000

// SaveScores stores servers that were rescored at now, by ID, and returns how many records
// changed; only those get a new sequence number. A server that was written since it was read
// (its Seq differs) is skipped: that writer scored newer facts. Nil sources keep the stored
// ones.
func (db *DB) SaveScores(
	ctx context.Context, scored []registry.Scored, now time.Time,
) (changed int, err error) {
	for batch := range slices.Chunk(scored, scoresBatch) {
		n := 0
		err := Write(ctx, db.db, func(tx *sqlx.Tx) error {
			n, err = saveScores(ctx, tx, batch, now)
			return err
		})
		if err != nil {
			return changed, fmt.Errorf("save scores: %w", err)
		}
		changed += n
	}
	return changed, nil
}

func saveScores(
	ctx context.Context, tx *sqlx.Tx, batch []registry.Scored, now time.Time,
) (changed int, err error) {
	drafts, err := draftScores(ctx, tx, batch, now.UTC().Truncate(time.Microsecond))
	if err != nil {
		return 0, err
	}
	var records, facts []*draft
	for _, d := range drafts {
		switch {
		case d.writeRecord:
			records = append(records, d)
		case d.writeFacts:
			facts = append(facts, d)
		}
	}
	if len(records)+len(facts) == 0 {
		return 0, nil
	}
	// Planning for the values themselves would copy them, megabytes, several times.
	if _, err := tx.ExecContext(ctx, `SET LOCAL plan_cache_mode = force_generic_plan`); err != nil {
		return 0, err
	}
	if err := updateFacts(ctx, tx, facts); err != nil {
		return 0, err
	}
	if changed, err = updateRecords(ctx, tx, records, now); err != nil {
		return 0, err
	}
	if err := saveToolLists(ctx, tx, records, now); err != nil {
		return 0, err
	}
	for _, d := range drafts {
		if d.writeFacts && !samePackages(d) {
			if err := savePackagesOf(ctx, tx, d.row.ID, d); err != nil {
				return 0, err
			}
		}
	}
	return changed, nil
}

// draftScores prepares the servers of batch that were not written since they
// were read.
func draftScores(
	ctx context.Context, tx *sqlx.Tx, batch []registry.Scored, now time.Time,
) ([]*draft, error) {
	ids := make([]int64, len(batch))
	for i, sc := range batch {
		ids[i] = sc.Server.ID
	}
	var rows []struct {
		serverRow
		Sources jsonColumn[[]registry.Discovery]
	}
	if err := tx.SelectContext(ctx, &rows, `
		SELECT id, repo_id, subfolder, slug, seq, digest, facts_digest, listed, listed_at,
			written_at, updated_at, copy, `+sharedOfServer+` AS repo,
			`+sourcesOfRepo("s.repo_id")+` AS sources
		FROM servers s WHERE id = ANY($1)`, pq.Array(ids)); err != nil {
		return nil, err
	}
	byID := make(map[int64]int, len(rows))
	for i, r := range rows {
		byID[r.ID] = i
	}
	drafts := make([]*draft, 0, len(batch))
	for _, sc := range batch {
		i, ok := byID[sc.Server.ID]
		if !ok || sc.Server.Seq != 0 && sc.Server.Seq != rows[i].Seq {
			continue
		}
		drafts = append(drafts, newDraft(rows[i].serverRow, sc))
	}
	err := parallel(len(drafts), func(i int) error {
		d := drafts[i]
		if d.server.Sources == nil {
			d.server.Sources = rows[byID[d.row.ID]].Sources.V
		}
		return d.prepare(now)
	})
	return drafts, err
}

// updateFacts writes the facts of drafts, unless newer ones are stored or the server has another
// sequence number than the draft; 0 stands for any.
func updateFacts(ctx context.Context, tx *sqlx.Tx, drafts []*draft) error {
	if len(drafts) == 0 {
		return nil
	}
	c, err := columnsOf(drafts)
	if err != nil {
		return err
	}
	return Exec(ctx, tx, `
		UPDATE servers AS s SET facts = v.facts, facts_digest = v.facts_digest, facts_at = v.facts_at
		FROM unnest($1::bigint[], $2::bigint[], $3::json[], $4::bytea[], $5::timestamptz[])
			AS v (id, old_seq, facts, facts_digest, facts_at)
		WHERE s.id = v.id AND v.old_seq IN (s.seq, 0) AND s.facts_at <= v.facts_at`,
		pq.Array(c.ids), pq.Array(c.seqs), c.facts, c.factsDigests, pq.Array(c.factsAt))
}

// updateRecords writes the records of drafts, and returns how many. Sequence
// numbers of servers that another writer has changed stay unused.
func updateRecords(
	ctx context.Context, tx *sqlx.Tx, drafts []*draft, now time.Time,
) (changed int, err error) {
	if len(drafts) == 0 {
		return 0, nil
	}
	was, err := formerOf(ctx, tx, drafts) // before other writers must wait
	if err != nil {
		return 0, err
	}
	first, err := takeSeqs(ctx, tx, len(drafts))
	if err != nil {
		return 0, err
	}
	var told report
	if changed, err = writeRecords(ctx, tx, drafts, was, first, now, &told); err != nil {
		return 0, err
	}
	return changed, told.insert(ctx, tx)
}

// writeRecords writes the records of drafts of known servers with sequence numbers from first on,
// and reports those that it wrote: whose number is still that of the draft; 0 stands for any.
func writeRecords(
	ctx context.Context, tx *sqlx.Tx, drafts []*draft, was map[int64]previousState, first int64,
	now time.Time, told *report,
) (changed int, err error) {
	if len(drafts) == 0 {
		return 0, nil
	}
	c, err := columnsOf(drafts)
	if err != nil {
		return 0, err
	}
	var written []struct{ ID, Seq int64 }
	err = tx.SelectContext(ctx, &written, `
		UPDATE servers AS s SET seq = $1 + v.number - 1, record = v.record, digest = v.digest,
			facts = CASE WHEN v.facts IS NULL OR s.facts_at > v.facts_at THEN s.facts ELSE v.facts END,
			facts_digest = CASE WHEN v.facts IS NULL OR s.facts_at > v.facts_at
				THEN s.facts_digest ELSE v.facts_digest END,
			facts_at = CASE WHEN v.facts IS NULL THEN s.facts_at ELSE greatest(s.facts_at,
				v.facts_at) END,
			readme = coalesce(v.readme, s.readme), registry_name = v.registry_name,
				verified = v.verified,
			score = v.score, stars = v.stars, forks = v.forks, downloads = v.downloads,
				listed = v.listed,
			written_at = $2, updated_at = v.updated_at,
			gone_at = CASE WHEN v.listed THEN NULL ELSE coalesce(s.gone_at, $2) END
		FROM unnest($3::bigint[], $4::bigint[], $5::json[], $6::bytea[], $7::json[], $8::bytea[],
				$9::timestamptz[], $10::text[], $11::text[], $12::boolean[], $13::integer[],
					$14::integer[],
				$15::integer[], $16::bigint[], $17::boolean[], $18::timestamptz[])
			WITH ORDINALITY AS v (id, old_seq, record, digest, facts, facts_digest, facts_at,
				readme, registry_name,
				verified, score, stars, forks, downloads, listed, updated_at, number)
		WHERE s.id = v.id AND v.old_seq IN (s.seq, 0)
		RETURNING s.id, s.seq`, first, now,
		pq.Array(c.ids), pq.Array(c.seqs), c.records, c.digests, c.facts, c.factsDigests, pq.Array(
			c.factsAt),
		c.readmes, pq.Array(c.names), pq.Array(c.verified), pq.Array(c.scores), pq.Array(
			c.stars), pq.Array(c.forks),
		pq.Array(c.downloads), pq.Array(c.listed), pq.Array(c.updatedAt))
	if err != nil {
		return 0, err
	}
	by := make(map[int64]*draft, len(drafts))
	for _, d := range drafts {
		by[d.row.ID] = d
	}
	for _, w := range written {
		if err := told.addDraft(by[w.ID], was[w.ID], w.Seq, now); err != nil {
			return 0, err
		}
	}
	return len(written), nil
}

// columns are drafts as arrays for one statement.
type columns struct {
	ids, seqs                                      []int64
	records, facts, readmes, digests, factsDigests []byte // arrays of Postgres, in binary
	names                                          []string
	verified, listed                               []bool
	scores, stars, forks                           []*int
	downloads                                      []*int64
	factsAt, updatedAt                             []time.Time
}

func columnsOf(drafts []*draft) (c columns, err error) {
	var records, facts, readmes, digests, factsDigests [][]byte
	for _, d := range drafts {
		s := d.server
		var factsText, readme []byte // nil: unchanged
		if d.writeFacts {
			if factsText, err = strip(d.factsText, d.facts.Repo, d.row.Repo); err != nil {
				return c, err
			}
		}
		record, err := strip(d.record, s.Repo, d.row.Repo)
		if err != nil {
			return c, err
		}
		if d.writeReadme {
			readme = append([]byte{}, s.Readme...)
		}
		c.ids, c.seqs = append(c.ids, d.row.ID), append(c.seqs, d.row.Seq)
		records, digests = append(records, record), append(digests, d.digest)
		facts, factsDigests = append(facts, factsText), append(factsDigests, d.factsDigest)
		readmes, c.names = append(readmes, readme), append(c.names, registryName(&s))
		c.verified, c.listed = append(c.verified, s.Verified), append(c.listed, d.listed)
		c.scores, c.stars, c.forks = append(c.scores, s.Health.Score), append(c.stars,
			s.Stars), append(c.forks, s.Forks)
		c.downloads = append(c.downloads, s.Downloads)
		c.factsAt, c.updatedAt = append(c.factsAt, d.facts.Repo.ObservedAt), append(c.updatedAt,
			s.UpdatedAt)
	}
	c.records, c.facts, c.readmes = binaryArray(oid.T_json, records), binaryArray(oid.T_json,
		facts), binaryArray(oid.T_text, readmes)
	c.digests, c.factsDigests = binaryArray(oid.T_bytea, digests), binaryArray(oid.T_bytea,
		factsDigests)
	return c, nil
}

// binaryArray returns values as an array in Postgres' binary format; a nil value is
// null. Type is the OID of the values' type.
func binaryArray(typ oid.Oid, values [][]byte) []byte {
	size := 20
	for _, v := range values {
		size += 4 + len(v)
	}
	b := make([]byte, 0, size)
	put := func(n int) { b = binary.BigEndian.AppendUint32(b, uint32(n)) }
	put(1) // dimension
	put(1) // there may be nulls
	put(int(typ))
	put(len(values))
	put(1) // the first index
	for _, v := range values {
		if v == nil {
			put(-1)
			continue
		}
		put(len(v))
		b = append(b, v...)
	}
	return b
}

// samePackages reports whether the facts name only packages that the detection named,
// which are stored already.
func samePackages(d *draft) bool {
	named := make(map[registry.PackageKey]bool)
	for _, p := range d.facts.Detection.Packages {
		named[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = true
	}
	return !slices.ContainsFunc(d.facts.Packages, func(p registry.PackageFacts) bool {
		return !named[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}]
	})
}

// A scoredRow holds the facts of a server, and its fields that only the store has.
type scoredRow struct {
	ID        int64
	Seq       int64
	Slug      string
	Aliases   pq.StringArray
	ListedAt  time.Time
	UpdatedAt time.Time
	Facts     document
}

// scoredColumns are the columns of a scoredRow, of a server s.
var scoredColumns = `s.id, s.seq, s.slug, s.listed_at, s.updated_at, ` + wholeFacts + ` AS facts,
	` + serverAliases + ` AS aliases`

func scoredOf(rows []scoredRow) ([]registry.Scored, error) {
	scored := make([]registry.Scored, len(rows))
	err := parallel(len(rows), func(i int) error {
		r, s := &rows[i], &scored[i]
		s.ReadmeKept = true
		s.Server = registry.Server{ID: r.ID, Seq: r.Seq, Slug: r.Slug, OldSlugs: r.Aliases,
			ListedAt: r.ListedAt, UpdatedAt: r.UpdatedAt}
		return Wrapped(json.Unmarshal(r.Facts, &s.Facts), "facts of %s", r.Slug)
	})
	return scored, err
}

// ScoredOfRepo returns the listed servers of the repository with that id in
// this database, including hidden ones, with the facts of their scores. Only
// fields of the server that the facts do not hold are set: ID, Seq, slugs, and
// times of listing and change.
func (db *DB) ScoredOfRepo(ctx context.Context, repoID int64) ([]registry.Scored, error) {
	var rows []scoredRow
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT `+scoredColumns+` FROM servers s
		WHERE repo_id = $1 AND listed ORDER BY subfolder`, repoID); err != nil {
		return nil, fmt.Errorf("servers of repository %d: %w", repoID, err)
	}
	return scoredOf(rows)
}
