package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// manual is the source of candidates that a person added.
const manual = "manual"

// turnAt returns a repository's place in the queue: its due time, minus two
// hours for every doubling of its priority. Higher priorities are earlier, but
// every repository gets its turn.
func turnAt(due time.Time, priority int) time.Time {
	if priority <= 0 {
		return due
	}
	return due.Add(-time.Duration(math.Log2(float64(1+priority)) * float64(2*time.Hour)))
}

// candidateRow is the part of a repository that Enqueue uses.
type candidateRow struct {
	ID       int64
	Host     string
	HostID   int64  // 0: unknown
	Key      string // "": none
	Fetched  bool
	write    bool // the fields below have changed
	NodeID   string
	Owner    string
	Name     string
	Priority int `db:"wanted"`
	DueAt    time.Time
	TurnAt   time.Time
	Forced   bool
}

// candidateRecords are candidateRows of a parameter $1, in SQL.
const candidateRecords = `json_to_recordset($1) AS c ("ID" bigint, "Host" text, "HostID" bigint,
	"Key" text, "NodeID" text, "Owner" text, "Name" text, "Priority" integer, "DueAt" timestamptz,
	"TurnAt" timestamptz, "Forced" boolean)`

// maxKey is the maximum length of a repository's key, three times GitHub's.
const maxKey = 500

// enqueueBatch is how many candidates are stored in one transaction.
const enqueueBatch = 500

// Enqueue stores candidates and returns how many repositories are new. New ones are due
// immediately, by priority. A candidate with a host's id is the repository with that id,
// whatever its name; others are found by name or former name. Each candidate records a
// sighting of its source, and its entry of the official registry. A candidate of source
// "manual" is due immediately, before all others, even if it is known.
//
// Sources may be wrong about ids and names. They never take a name from a repository that was
// fetched: that repository is visited, and the host decides.
//
// Candidates with a missing or overlong owner or name are skipped; after the others are
// stored, an error of kind [registry.ErrInvalid] is returned.
func (db *DB) Enqueue(
	ctx context.Context, candidates []registry.Candidate, now time.Time,
) (added int, err error) {
	candidates = slices.Clone(candidates)
	var bad []string
	candidates = slices.DeleteFunc(candidates, func(c registry.Candidate) bool {
		wrong := c.Ref.Host == "" || c.Ref.Owner == "" || c.Ref.Name == "" ||
			len(c.Ref.Key()) > maxKey
		if wrong {
			bad = append(bad, text.Cut(c.Ref.Key(), 100))
		}
		return wrong
	})
	for batch := range slices.Chunk(candidates, enqueueBatch) {
		n := 0
		err := Write(ctx, db.db, func(tx *sqlx.Tx) error {
			n, err = enqueue(ctx, tx, batch, now)
			return err
		})
		if err != nil {
			return added, fmt.Errorf("store candidates: %w", err)
		}
		added += n
	}
	if bad != nil {
		return added, registry.Errorf(registry.ErrInvalid,
			"%d candidates need a host, an owner and a name of sensible length, such as %q", len(
				bad), bad[0])
	}
	return added, nil
}

// namesLock is the lock for assigning names and ids to repositories.
const namesLock = "names"

// enqueue stores one batch of candidates, and returns how many are new.
func enqueue(
	ctx context.Context, tx *sqlx.Tx, batch []registry.Candidate, now time.Time,
) (added int, err error) {
	if err := LockUntilEnd(ctx, tx, namesLock); err != nil {
		return 0, err
	}
	for i := range batch {
		c := &batch[i]
		c.Ref.Owner, c.Ref.Name, c.NodeID = cleanText(c.Ref.Owner), cleanText(
			c.Ref.Name), cleanText(c.NodeID)
	}
	known, err := readKnown(ctx, tx, batch, now)
	if err != nil {
		return 0, err
	}
	of := make([]*candidateRow, len(batch))
	for i, c := range batch {
		of[i] = known.resolve(c)
		known.merge(of[i], c)
	}
	if err := insertRepositories(ctx, tx, known.fresh, now); err != nil {
		return 0, err
	}
	if err := known.update(ctx, tx); err != nil {
		return 0, err
	}
	if err := sight(ctx, tx, batch, of, now); err != nil {
		return 0, err
	}
	var listed []listingRow
	for _, c := range batch {
		if c.Listing != nil {
			listed = append(listed, listingRow{listing: *c.Listing, repoKey: c.Ref.Key(),
				hostID: c.HostID})
		}
	}
	return len(known.fresh), saveListings(ctx, tx, listed, now)
}

// hostID identifies a repository at its host.
type hostID struct {
	host string
	id   int64
}

// knownRepositories are the stored repositories that a batch of candidates may refer to, and
// those that it adds.
type knownRepositories struct {
	now    time.Time
	rows   []*candidateRow // stored, locked for update
	fresh  []*candidateRow // to be inserted
	byID   map[hostID]*candidateRow
	byKey  map[string]*candidateRow
	former map[string]*candidateRow // by a key that the repository had before
}

// readKnown reads and locks the repositories that batch may refer to: by their key, their id
// at the host, or a former name.
func readKnown(
	ctx context.Context, tx *sqlx.Tx, batch []registry.Candidate, now time.Time,
) (*knownRepositories, error) {
	var keys, hosts []string
	var ids []int64
	for _, c := range batch {
		keys = append(keys, c.Ref.Key())
		if c.HostID != 0 {
			hosts, ids = append(hosts, c.Ref.Host), append(ids, c.HostID)
		}
	}
	k := &knownRepositories{
		now: now, byID: map[hostID]*candidateRow{}, byKey: map[string]*candidateRow{},
		former: map[string]*candidateRow{},
	}
	if err := tx.SelectContext(ctx, &k.rows, `
		SELECT id, host, coalesce(host_id, 0) AS host_id, coalesce(key, '') AS key,
			fetched_at IS NOT NULL AS fetched, node_id, owner, name, wanted, due_at, forced
		FROM repositories
		WHERE id IN (
			SELECT id FROM repositories WHERE key = ANY($1)
			UNION
			SELECT r.id FROM unnest($2::text[], $3::bigint[]) AS given (host, host_id)
			JOIN repositories r ON r.host = given.host AND r.host_id = given.host_id
				AND r.host_id IS NOT NULL
			UNION
			SELECT repo_id FROM repository_names WHERE trusted AND key = ANY($1))
		ORDER BY id
		FOR UPDATE`, pq.Array(keys), pq.Array(hosts), pq.Array(ids)); err != nil {
		return nil, err
	}
	byRow := make(map[int64]*candidateRow)
	for _, r := range k.rows {
		byRow[r.ID] = r
		if r.HostID != 0 {
			k.byID[hostID{r.Host, r.HostID}] = r
		}
		if r.Key != "" {
			k.byKey[r.Key] = r
		}
	}
	var aliases []struct {
		Key    string
		RepoID int64
	}
	if err := tx.SelectContext(ctx, &aliases, `
		SELECT key, repo_id FROM repository_names WHERE trusted AND key = ANY($1) ORDER BY until`,
		pq.Array(keys)); err != nil {
		return nil, err
	}
	for _, a := range aliases {
		k.former[a.Key] = byRow[a.RepoID]
	}
	return k, nil
}

// resolve returns the repository of a candidate; a new one if none is known. A repository that
// was fetched keeps its name: it becomes due instead.
func (k *knownRepositories) resolve(c registry.Candidate) *candidateRow {
	key := c.Ref.Key()
	holder := k.byKey[key]
	if c.HostID == 0 {
		switch {
		case holder != nil:
			return holder
		case k.former[key] != nil:
			return k.former[key]
		}
		return k.insert(c, key)
	}
	id := hostID{c.Ref.Host, c.HostID}
	if r := k.byID[id]; r != nil {
		switch {
		case r.Key == key || k.former[key] == r:
		case r.Fetched || holder != nil:
			k.makeDue(r) // it may have been renamed: the host decides
		default:
			delete(k.byKey, r.Key)
			r.Key, r.Owner, r.Name, r.write = key, c.Ref.Owner, c.Ref.Name, true
			k.byKey[key] = r
		}
		return r
	}
	switch {
	case holder == nil:
		return k.insert(c, key)
	case holder.HostID == 0:
		holder.HostID, holder.write = c.HostID, true
		k.byID[id] = holder
		return holder
	}
	// The name belongs to another id now, or the source is wrong: the candidate is another
	// repository, without a name until the host responds.
	k.makeDue(holder)
	return k.insert(c, "")
}

// insert adds a repository. An empty key means that its name is not certain.
func (k *knownRepositories) insert(c registry.Candidate, key string) *candidateRow {
	r := &candidateRow{Host: c.Ref.Host, HostID: c.HostID, Key: key, Owner: c.Ref.Owner,
		Name: c.Ref.Name, NodeID: c.NodeID, DueAt: k.now}
	if key != "" {
		k.byKey[key] = r
	}
	if c.HostID != 0 {
		k.byID[hostID{c.Ref.Host, c.HostID}] = r
	}
	k.fresh = append(k.fresh, r)
	return r
}

func (k *knownRepositories) makeDue(r *candidateRow) {
	if r.DueAt.After(k.now) {
		r.DueAt, r.write = k.now, true
	}
}

// merge adds the data of a candidate to its repository.
func (k *knownRepositories) merge(r *candidateRow, c registry.Candidate) {
	if c.NodeID != "" && r.NodeID == "" && r.HostID == c.HostID {
		r.NodeID, r.write = c.NodeID, true
	}
	if c.Priority > r.Priority {
		r.Priority, r.write = min(c.Priority, math.MaxInt32), true
	}
	if c.Source == manual || c.Force {
		r.Forced, r.write = true, true
		k.makeDue(r)
	}
}

// update writes the stored rows that have changed.
func (k *knownRepositories) update(ctx context.Context, tx *sqlx.Tx) error {
	changed := slices.DeleteFunc(slices.Clone(k.rows), func(r *candidateRow) bool { return !r.write })
	if len(changed) == 0 {
		return nil
	}
	for _, r := range changed {
		r.TurnAt = turnAt(r.DueAt, r.Priority)
	}
	return Exec(ctx, tx, `
		UPDATE repositories SET host_id = nullif("HostID", 0), node_id = "NodeID", owner = "Owner",
			name = "Name", key = nullif("Key", ''), wanted = "Priority", due_at = "DueAt",
			turn_at = "TurnAt", forced = "Forced"
		FROM `+candidateRecords+` WHERE id = "ID"`, AsJSON{changed})
}

// insertRepositories stores new rows and sets their ids.
func insertRepositories(
	ctx context.Context, tx *sqlx.Tx, rows []*candidateRow, now time.Time,
) error {
	if len(rows) == 0 {
		return nil
	}
	for _, r := range rows {
		r.TurnAt = turnAt(r.DueAt, r.Priority)
	}
	var ids []int64
	if err := tx.SelectContext(ctx, &ids, `
		INSERT INTO repositories (host, host_id, node_id, owner, name, key, wanted, due_at, turn_at,
			forced, created_at)
		SELECT "Host", nullif("HostID", 0), "NodeID", "Owner", "Name", nullif("Key", ''), "Priority",
			"DueAt", "TurnAt", "Forced", $2
		FROM `+candidateRecords+` RETURNING id`, AsJSON{rows}, now); err != nil {
		return err
	}
	slices.Sort(ids) // in the order of the rows
	for i, r := range rows {
		r.ID = ids[i]
	}
	return nil
}

// sight stores sightings of the repositories by the candidates' sources.
func sight(
	ctx context.Context, tx *sqlx.Tx, batch []registry.Candidate, of []*candidateRow, now time.Time,
) error {
	var repos []int64
	var sources []string
	for i, c := range batch {
		if c.Source != "" {
			repos = append(repos, of[i].ID)
			sources = append(sources, text.Cut(cleanText(c.Source), 200))
		}
	}
	return Exec(ctx, tx, `
		INSERT INTO sightings (repo_id, source, first_seen_at, last_seen_at)
		SELECT DISTINCT repo_id, source, $3::timestamptz, $3::timestamptz
		FROM unnest($1::bigint[], $2::text[]) AS s (repo_id, source) ORDER BY repo_id, source
		ON CONFLICT (repo_id, source) DO UPDATE SET last_seen_at = greatest(sightings.last_seen_at,
			excluded.last_seen_at)`,
		pq.Array(repos), pq.Array(sources), now)
}

// sourcesOfRepo is the JSON of the sightings of a repository with an ID, in SQL.
func sourcesOfRepo(id string) string {
	return `(SELECT json_agg(json_build_object('name', g.source, 'firstSeenAt', g.first_seen_at,
		'lastSeenAt', g.last_seen_at) ORDER BY g.first_seen_at, g.source)
		FROM sightings g WHERE g.repo_id = ` + id + `)`
}

// Texts returns the texts of a repository's files by path, as of the last fetch.
func (db *DB) Texts(ctx context.Context, repoID int64) (map[string]string, error) {
	var rows []struct{ Path, Text string }
	err := db.db.SelectContext(ctx, &rows,
		`SELECT path, text FROM repository_texts WHERE repo_id = $1`, repoID)
	texts := make(map[string]string, len(rows))
	for _, r := range rows {
		texts[r.Path] = r.Text
	}
	return texts, Wrapped(err, "texts of a repository")
}

// RepositoryKey returns the [registry.RepoRef.Key] of a repository, found as by
// [DB.RepositoryID], or "" if it is unknown.
func (db *DB) RepositoryKey(ctx context.Context, key string, hostID int64) (now string, err error) {
	id, err := db.RepositoryID(ctx, key, hostID)
	if errors.Is(err, registry.ErrNotFound) {
		return "", nil
	}
	if err == nil {
		err = db.db.GetContext(ctx, &now, `SELECT key FROM repositories WHERE id = $1`, id)
	}
	return now, Wrapped(err, "key of %s", key)
}

// RepositoryID returns the ID of a repository in this database. It is found by the
// host's id, if that is not 0, or by the key of a [registry.RepoRef], current or former.
// The error is of kind [registry.ErrNotFound] if there is none.
func (db *DB) RepositoryID(ctx context.Context, key string, hostID int64) (int64, error) {
	var id int64
	err := db.db.GetContext(ctx, &id, `
		SELECT id FROM (
			SELECT id, 1 AS rank FROM repositories WHERE host = $2 AND host_id = $3 AND $3 <> 0
			UNION ALL SELECT id, 2 FROM repositories WHERE key = $1
			UNION ALL SELECT repo_id, 3 FROM repository_names WHERE key = $1 AND trusted
		) AS found ORDER BY rank LIMIT 1`, cleanText(key), hostOfKey(key), hostID)
	return id, NoRow(err, "no such repository")
}

// DueAvatars returns owners of listed repositories whose avatars are due, at most
// limit.
func (db *DB) DueAvatars(
	ctx context.Context, now time.Time, limit int,
) (due []registry.OwnerAvatar, err error) {
	err = db.db.SelectContext(ctx, &due, `
		WITH due AS (
			SELECT host, lower(owner) AS owner, max(id) AS id FROM repositories r
			WHERE state = 'server' AND snapshot IS NOT NULL AND NOT EXISTS (
				SELECT FROM owner_avatars a
				WHERE a.host = r.host AND a.owner = lower(r.owner) AND a.due_at > $1)
			GROUP BY 1, 2 LIMIT $2)
		SELECT due.host, due.owner, coalesce(r.repo->>'ownerAvatarUrl',
			r.snapshot->'repo'->>'ownerAvatarUrl', '') AS url
		FROM due JOIN repositories r USING (id) ORDER BY due.id`, now.UTC(), limit)
	return due, Wrapped(err, "due avatars")
}

// SaveAvatar stores an owner's avatar as PNG, nil for none, and when it is due
// again.
func (db *DB) SaveAvatar(
	ctx context.Context, a registry.OwnerAvatar, image []byte, dueAt time.Time,
) error {
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO owner_avatars (host, owner, image, due_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (host, owner) DO UPDATE SET image = $3, due_at = $4`,
		a.Host, strings.ToLower(a.Owner), image, dueAt.UTC())
	return Wrapped(err, "avatar of %s", a.Owner)
}

// AvatarOwners returns the owners of which an avatar is stored, without URLs.
func (db *DB) AvatarOwners(ctx context.Context) (owners []registry.OwnerAvatar, err error) {
	err = db.db.SelectContext(ctx, &owners,
		`SELECT host, owner FROM owner_avatars WHERE image IS NOT NULL ORDER BY host, owner`)
	return owners, Wrapped(err, "owners with avatars")
}

// Avatar returns an owner's avatar as PNG. The error is of kind
// [registry.ErrNotFound] if none is stored.
func (db *DB) Avatar(ctx context.Context, host, owner string) (image []byte, err error) {
	err = db.db.GetContext(ctx, &image, `SELECT image FROM owner_avatars
		WHERE host = $1 AND owner = $2 AND image IS NOT NULL`,
		cleanText(host), cleanText(strings.ToLower(owner)))
	return image, NoRow(Wrapped(err, "avatar of %s", owner), "no avatar is stored")
}
