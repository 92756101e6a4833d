package postgres

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxPath is the maximum length of a path or subfolder. Longer ones exceed the index
// limit and are skipped.
const maxPath = 1000

// A repoRow is the part of a stored repository that SaveResult uses.
type repoRow struct {
	ID        int64
	Host      string
	HostID    sql.NullInt64
	NodeID    string
	Owner     string
	Name      string
	Key       sql.NullString
	Repo      []byte // that documents share, see [strip]
	Snapshot  document
	Priority  int `db:"wanted"`
	Forced    bool
	FetchedAt *time.Time
	Sources   jsonColumn[[]registry.Discovery] // nil if they were not read
}

// SaveResult stores the result of a visit in one transaction: the snapshot and texts,
// the servers with their facts, and the next due time. It returns
// [registry.ErrLeaseLost] if another worker has the lease, and [ErrNewer] if that is so. A result for
// an unknown repository is not stored.
//
// A repository is identified by the host's id, which the first visit with metadata stores; until
// then by its name. If it was renamed, the former name still finds it, and slugs stay. If another
// row is the same repository, both are merged into the older row. If the host
// returns another id than the stored one, the name now belongs to another
// repository: that one is queued, and for this one the visit counts as a miss.
// A result without an id for a name that another row with an id has is not stored: the row waits
// for its id as after a failed visit.
//
// A server gets a new sequence number only if its record has changed. A record that
// differs only in times of observation is written once a day.
func (db *DB) SaveResult(ctx context.Context, result registry.Result) error {
	w := result.Visit.Work
	if w.ID == 0 {
		return nil
	}
	err := Write(ctx, db.db, func(tx *sqlx.Tx) error { return saveResult(ctx, tx, result) })
	if errors.Is(err, registry.ErrLeaseLost) {
		return err
	}
	return Wrapped(err, "save %s", w.Ref)
}

func saveResult(ctx context.Context, tx *sqlx.Tx, result registry.Result) error {
	visit := result.Visit
	said := repoOfHost(visit)
	names, err := lockNew(ctx, tx, visit.Work.ID, said)
	if err != nil {
		return err
	}
	var row repoRow
	err = tx.GetContext(ctx, &row, `
		SELECT id, host, host_id, node_id, owner, name, key, repo,
			CASE WHEN NOT $3 THEN `+wholeSnapshot+` END AS snapshot, wanted, forced, fetched_at,
			`+sourcesOfRepo("r.id")+` AS sources
		FROM repositories r WHERE id = $1 AND lease = $2 FOR UPDATE`,
		visit.Work.ID, visit.Work.Lease, // whose snapshot does not change while the lease holds:
		!names && visit.Outcome == registry.Unchanged && visit.Work.Stored != nil)
	if errors.Is(err, sql.ErrNoRows) {
		return registry.ErrLeaseLost
	}
	if err != nil {
		return err
	}
	if names {
		if said.ID != 0 && row.HostID.Valid && row.HostID.Int64 != said.ID && !readByName(visit.Work) {
			return saveReused(ctx, tx, row, *said, result)
		}
		if why, err := nameTaken(ctx, tx, row, *said); err != nil {
			return err
		} else if why != nil {
			result.Visit.Err, result.State, result.Reason = why, "", ""
			result.NextAt = result.Now.Add(time.Hour) // when single requests are allowed again
			return saveFailed(ctx, tx, row, result)
		}
		if row, err = identify(ctx, tx, row, *said, result.Now); err != nil {
			return err
		}
	}
	shared, err := repoAfter(row, result)
	if err != nil {
		return err
	}
	var fetched storedSnapshot
	if visit.Outcome == registry.Fetched {
		if fetched, err = saveTextsOf(ctx, tx, row, shared, result); err != nil {
			return err
		}
	}
	var servers serverChanges
	if result.Scored != nil { // before the shared repository changes
		if servers, err = saveFacts(ctx, tx, row, shared, result.Scored, result.Now); err != nil {
			return err
		}
	}
	if err := saveOutcome(ctx, tx, row, shared, result, fetched); err != nil {
		return err
	}
	return servers.save(ctx, tx, row.ID, result.Now)
}

// saveOutcome stores what a visit says of its repository, and ends its lease.
func saveOutcome(
	ctx context.Context, tx *sqlx.Tx, row repoRow, shared []byte, result registry.Result,
	fetched storedSnapshot,
) error {
	switch result.Visit.Outcome {
	case registry.Fetched:
		return saveVisited(ctx, tx, row, shared, result, fetched.text, result.Visit.Snapshot.Repo,
			fetched.changed)
	case registry.Unchanged:
		return saveUnchanged(ctx, tx, row, shared, result)
	case registry.Missing:
		return saveMissing(ctx, tx, row.ID, result)
	case registry.Blocked, registry.ListedOnly:
		return saveOther(ctx, tx, row, shared, result)
	default:
		return saveFailed(ctx, tx, row, result)
	}
}

// repoAfter returns the repository that documents share after a visit: from the facts of its
// servers, because these are most of the documents.
func repoAfter(row repoRow, result registry.Result) ([]byte, error) {
	switch {
	case len(result.Scored) > 0:
		return sharedRepo(result.Scored[0].Facts.Repo)
	case repoOfHost(result.Visit) != nil:
		return sharedRepo(result.Visit.Snapshot.Repo)
	default:
		return row.Repo, nil
	}
}

// newRepo returns the repository that documents share, as a value of Postgres, nil if it is
// the stored one.
func newRepo(row repoRow, shared []byte) any {
	if bytes.Equal(shared, row.Repo) {
		return nil
	}
	return string(shared)
}

// readByName reports whether the stored contents of a repository were read by its name, while its
// id was unknown. An id that only a source named then does not count.
func readByName(w registry.Work) bool { return w.Stored != nil && !w.Stored.Repo.Identified() }

// lockNew takes the lock of names, which must be held before any row is locked, if the host
// names the repository differently than the store. It reports whether it did.
func lockNew(ctx context.Context, tx *sqlx.Tx, id int64, said *registry.Repository) (bool, error) {
	if said == nil {
		return false, nil
	}
	n, err := Affected(tx.ExecContext(ctx, `
		SELECT pg_advisory_xact_lock($6)
		WHERE NOT EXISTS (SELECT 1 FROM repositories WHERE id = $1 AND owner = $3 AND name = $4
			AND ($2::bigint = 0 OR host_id = $2 AND node_id = $5) AND key IS NOT NULL)`,
		id, said.ID, cleanText(said.Owner), cleanText(said.Name), cleanText(said.NodeID),
		LockID(namesLock)))
	return n > 0, err
}

// repoOfHost returns the repository as named by the code host, or nil. Its ID is 0 if it was read
// by its name.
func repoOfHost(v registry.Visit) *registry.Repository {
	if v.Outcome != registry.Fetched && v.Outcome != registry.Unchanged || v.Snapshot == nil {
		return nil
	}
	r := &v.Snapshot.Repo
	if r.ID == 0 && r.Identified() || r.Owner == "" || r.Name == "" {
		return nil
	}
	return r
}

// A storedSnapshot is the stored form of a snapshot without its texts.
type storedSnapshot struct {
	text    []byte
	changed bool // since the last one, in a way that a probe detects
}

// saveTextsOf stores the texts of a fetched snapshot, and encodes the rest.
func saveTextsOf(
	ctx context.Context, tx *sqlx.Tx, row repoRow, shared []byte, result registry.Result,
) (stored storedSnapshot, err error) {
	if result.Visit.Snapshot == nil {
		return stored, errors.New("a fetched result has no snapshot")
	}
	snapshot := *result.Visit.Snapshot
	if !snapshot.TextsStored {
		if err := saveTexts(ctx, tx, row.ID, snapshot); err != nil {
			return stored, err
		}
	}
	snapshot.Texts = nil
	if stored.text, err = toJSON(snapshot); err != nil {
		return stored, err
	}
	if stored.text, err = strip(stored.text, snapshot.Repo, shared); err != nil {
		return stored, err
	}
	stored.changed = true
	if row.Snapshot != nil {
		var before registry.Snapshot
		if err := json.Unmarshal(row.Snapshot, &before); err != nil {
			return stored, err
		}
		stored.changed = differs(before.Repo, snapshot.Repo)
	}
	return stored, nil
}

// saveVisited stores a visit that the host responded to. The snapshot is nil if it need not
// be written.
func saveVisited(
	ctx context.Context, tx *sqlx.Tx, row repoRow, shared []byte, result registry.Result,
	snapshot []byte, repo registry.Repository, changed bool,
) error {
	priority := max(row.Priority, stars(repo))
	return Exec(ctx, tx, `
		UPDATE repositories SET snapshot = coalesce($2, snapshot),
			state = coalesce(nullif($3, ''), state),
			reason = CASE WHEN $11 THEN $4 ELSE coalesce(nullif($4, ''), reason) END,
			interval_days = $5, due_at = $6, turn_at = $7, wanted = $8, forced = false,
			lease = NULL, attempt = 0, last_error = $13,
			last_error_at = CASE WHEN $13 <> '' THEN $9::timestamptz END,
			misses = 0, missing_since = NULL, last_miss_at = NULL, probed_at = $9,
			fetched_at = CASE WHEN $11 THEN $9 ELSE fetched_at END,
			changed_at = CASE WHEN $10 THEN $9 ELSE changed_at END, repo = coalesce($12, repo)
		WHERE id = $1`,
		row.ID, nullJSON(snapshot), result.State, cleanText(result.Reason), finite(result.Interval),
		result.NextAt, turnAt(result.NextAt, priority), priority, result.Now, changed,
		result.Visit.Outcome == registry.Fetched, newRepo(row, shared), errorText(result.Visit.Err))
}

// differs reports whether a repository changed in a way that a probe detects.
func differs(a, b registry.Repository) bool {
	return a.Commit != b.Commit || a.TreeID != b.TreeID || !a.PushedAt.Equal(b.PushedAt) ||
		a.Archived != b.Archived ||
		a.Disabled != b.Disabled || a.Description != b.Description || a.Homepage != b.Homepage ||
		a.License != b.License ||
		a.DefaultBranch != b.DefaultBranch || a.Owner != b.Owner || a.Name != b.Name ||
		!slices.Equal(a.Topics, b.Topics)
}

func stars(r registry.Repository) int {
	if r.Stars == nil {
		return 0
	}
	return min(max(*r.Stars, 0), math.MaxInt32)
}

func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		return 0
	}
	return f
}

// saveTexts replaces the stored texts with the texts of the snapshot, writing only changes.
func saveTexts(ctx context.Context, tx *sqlx.Tx, repoID int64, s registry.Snapshot) error {
	oids := make(map[string]string)
	for _, f := range s.Files {
		oids[f.Path] = f.OID
	}
	var paths, ids, texts []string
	seen := make(map[string]bool)
	for path, text := range s.Texts {
		clean := cleanText(path)
		if len(clean) > maxPath || seen[clean] {
			continue
		}
		seen[clean] = true
		paths, ids, texts = append(paths, clean), append(ids, cleanText(oids[path])), append(texts,
			cleanText(text))
	}
	return Exec(ctx, tx, `
		WITH gone AS (DELETE FROM repository_texts WHERE repo_id = $1 AND path <> ALL($2))
		INSERT INTO repository_texts (repo_id, path, oid, text)
		SELECT $1, path, oid, text FROM unnest($2::text[], $3::text[], $4::text[]) AS t (path, oid,
			text)
		ON CONFLICT (repo_id, path) DO UPDATE SET oid = excluded.oid, text = excluded.text
		WHERE repository_texts.text <> excluded.text OR repository_texts.oid <> excluded.oid`,
		repoID, pq.Array(paths), pq.Array(ids), pq.Array(texts))
}

func saveUnchanged(
	ctx context.Context, tx *sqlx.Tx, row repoRow, shared []byte, result registry.Result,
) error {
	text, repo, err := probed(row, shared, result.Visit)
	if err != nil {
		return err
	}
	return saveVisited(ctx, tx, row, shared, result, text, repo, false)
}

// probed returns the stored repository updated by a probe, and the stored form of the snapshot
// with it. The snapshot is nil if it need not be written: most visits change only the time of
// observation and the shared parts, and snapshots are large.
func probed(row repoRow, shared []byte, visit registry.Visit) (text []byte, repo registry.Repository, err error) {
	stored := visit.Work.Stored
	if row.Snapshot != nil {
		stored = new(registry.Snapshot)
		if err := json.Unmarshal(row.Snapshot, stored); err != nil {
			return nil, repo, err
		}
	}
	if stored == nil || visit.Snapshot == nil {
		return nil, repo, nil
	}
	snapshot := *stored
	stored = &snapshot // the caller's stays as it is
	before, err := sharedRepo(stored.Repo)
	if err != nil {
		return nil, repo, err
	}
	if err := overlay(&repo, stored.Repo); err != nil { // a copy that shares nothing
		return nil, repo, err
	}
	if err := overlay(&repo, visit.Snapshot.Repo); err != nil {
		return nil, repo, err
	}
	after, err := sharedRepo(repo)
	if err != nil {
		return nil, repo, err
	}
	issues := addIssues(stored, visit.Snapshot)
	if !issues && bytes.Equal(before, row.Repo) && bytes.Equal(after, shared) || !issues &&
		!bytes.Equal(before, row.Repo) && !bytes.Equal(after, shared) && bytes.Equal(before, after) {
		return nil, repo, nil
	}
	snapshot.Repo, snapshot.Texts = repo, nil
	if text, err = toJSON(snapshot); err != nil {
		return nil, repo, err
	}
	text, err = strip(text, repo, shared)
	return text, repo, err
}

// addIssues adds the issues that a probe read to a stored snapshot, or why it could not. It
// reports whether there are any.
func addIssues(stored, probed *registry.Snapshot) bool {
	const part = "issues"
	why, failed := probed.Failures[part]
	switch {
	case failed:
		stored.Failures = with(stored.Failures, part, why)
		stored.FailedAt = with(stored.FailedAt, part, probed.FailedAt[part])
	case probed.Issues != nil:
		stored.Issues = probed.Issues
		stored.Failures, stored.FailedAt = maps.Clone(stored.Failures), maps.Clone(stored.FailedAt)
		delete(stored.Failures, part)
		delete(stored.FailedAt, part)
	default:
		return false
	}
	return true
}

// with returns a copy of a map with another member.
func with[V any](m map[string]V, key string, value V) map[string]V {
	out := map[string]V{}
	maps.Copy(out, m)
	out[key] = value
	return out
}

// overlay updates a stored repository with the fields that a probe reads.
func overlay(stored *registry.Repository, probed registry.Repository) error {
	keep := *stored
	text, err := json.Marshal(probed)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, stored); err != nil {
		return err
	}
	for _, t := range []struct {
		now  *time.Time
		then time.Time
	}{{&stored.CreatedAt, keep.CreatedAt}, {&stored.UpdatedAt, keep.UpdatedAt}, {&stored.PushedAt,
		keep.PushedAt}, {&stored.ObservedAt, keep.ObservedAt}} {
		if t.now.IsZero() {
			*t.now = t.then
		}
	}
	return nil
}

func nullJSON(text []byte) any {
	if text == nil {
		return nil
	}
	return string(text)
}

func saveMissing(ctx context.Context, tx *sqlx.Tx, id int64, result registry.Result) error {
	return Exec(ctx, tx, `
		UPDATE repositories SET state = coalesce(nullif($2, ''), state),
			reason = coalesce(nullif($3, ''), reason), interval_days = $4,
			due_at = $5, turn_at = $5, forced = false, lease = NULL,
			attempt = 0, last_error = $6,
				last_error_at = CASE WHEN $6::text = '' THEN NULL ELSE $7::timestamptz END,
			misses = misses + 1, missing_since = coalesce(missing_since, $7), last_miss_at = $7,
				probed_at = $7
		WHERE id = $1`,
		id, result.State, cleanText(result.Reason), finite(
			result.Interval), result.NextAt, errorText(result.Visit.Err), result.Now)
}

// saveOther stores visits without a snapshot.
func saveOther(
	ctx context.Context, tx *sqlx.Tx, row repoRow, shared []byte, result registry.Result,
) error {
	return Exec(ctx, tx, `
		UPDATE repositories SET state = coalesce(nullif($2, ''), state),
			reason = coalesce(nullif($3, ''), reason), interval_days = $4,
			due_at = $5::timestamptz,
				turn_at = $5::timestamptz - make_interval(secs => 7200 * log(2, 1 + greatest(wanted,
				0)::bigint)::float8),
			forced = forced AND NOT $8, lease = NULL,
			attempt = 0, last_error = $6,
				last_error_at = CASE WHEN $6::text = '' THEN NULL ELSE $7::timestamptz END,
			probed_at = CASE WHEN $8 THEN $7 ELSE probed_at END, repo = coalesce($9, repo)
		WHERE id = $1`,
		row.ID, result.State, cleanText(result.Reason), finite(
			result.Interval), result.NextAt, errorText(result.Visit.Err), result.Now,
		result.Visit.Outcome == registry.Blocked, newRepo(row, shared))
}

func saveFailed(ctx context.Context, tx *sqlx.Tx, row repoRow, result registry.Result) error {
	text := errorText(result.Visit.Err)
	text = cmp.Or(text, "failed without a reason")
	return Exec(ctx, tx, `
		UPDATE repositories SET state = coalesce(nullif($2, ''), state),
			reason = coalesce(nullif($3, ''), reason),
			due_at = $4, turn_at = $5, lease = NULL,
			attempt = attempt + 1, last_error = $6, last_error_at = $7
		WHERE id = $1`,
		row.ID, result.State, cleanText(result.Reason), result.NextAt, turnAt(result.NextAt,
			row.Priority), text, result.Now)
}

// errorText returns the stored form of an error, at most 500 bytes.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return text.Cut(cleanText(err.Error()), 500)
}
