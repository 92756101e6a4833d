package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	segment "github.com/segmentio/encoding/json" // decodes records in a fifth of the time
	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// rewriteAfter is the maximum age of a stored record of which only the times of
// observation have changed.
const rewriteAfter = 24 * time.Hour

// scoreAfter is the same for a record that was rescored from the same facts.
const scoreAfter = 7 * 24 * time.Hour

// steadyDigest returns a hash of a server without the times of observation and without
// anything that changes with time alone while the score stays the same: elapsed reasons,
// fractions of points and the chance of a commit.
func steadyDigest(s registry.Server) ([]byte, error) {
	s.Slug = ""
	s.UpdatedAt, s.ListedAt, s.LastCrawledAt, s.ScoredAt = time.Time{}, time.Time{}, nil, nil
	s.Health.ComputedAt, s.Repo.ObservedAt, s.ToolsAt = time.Time{}, time.Time{}, nil
	s.DownloadsAt, s.VersionFrom, s.VersionAt, s.StatusFrom, s.StatusAt = nil, "", nil, "", nil
	s.Suspicious = slices.Clone(s.Suspicious)
	for i := range s.Suspicious {
		s.Suspicious[i].ReadAt = nil
	}
	s.Sources = slices.Clone(s.Sources)
	for i := range s.Sources {
		s.Sources[i].LastSeenAt = time.Time{}
	}
	s.Health.Uncapped, s.Health.CommitChance = 0, nil
	s.Health.Categories = slices.Clone(s.Health.Categories)
	for i := range s.Health.Categories {
		c := &s.Health.Categories[i]
		c.Score, c.Checks = nil, slices.Clone(c.Checks)
		for j := range c.Checks {
			k := &c.Checks[j]
			k.ObservedAt, k.Points = nil, 0
			if k.Elapsed {
				k.Reason = ""
			}
		}
	}
	s.Health.Caps = slices.Clone(s.Health.Caps)
	for i := range s.Health.Caps {
		if s.Health.Caps[i].Elapsed {
			s.Health.Caps[i].Reason = ""
		}
	}
	s.Health.Improve = slices.Clone(s.Health.Improve)
	for i := range s.Health.Improve {
		s.Health.Improve[i].Gain = 0
	}
	slices.SortFunc(s.Health.Improve,
		func(a, b registry.Improvement) int { return strings.Compare(a.Check, b.Check) })
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return digestOf(text), nil
}

func digestOf(text []byte) []byte {
	sum := sha256.Sum256(text)
	return sum[:digestLen]
}

// digestLen is the length of each of the three hashes of a digest: of the steady part
// of the record, of the README, and of the whole record.
const digestLen = 16

// A serverRow is a stored server without its documents.
type serverRow struct {
	ID          int64
	RepoID      int64
	Subfolder   string
	Slug        string
	Seq         int64
	Digest      []byte
	FactsDigest []byte
	Listed      bool
	ListedAt    time.Time
	WrittenAt   time.Time
	UpdatedAt   time.Time
	Copy        jsonColumn[*registry.Copy]
	Repo        []byte // that its documents share, see [strip]
}

// A draft is a server to be written.
type draft struct {
	row    serverRow // zero for a new one
	server registry.Server
	facts  registry.Facts

	record, factsText   []byte
	digest, factsDigest []byte
	listed              bool
	writeRecord         bool
	writeReadme         bool
	writeFacts          bool
	keepReadme          bool
	keepFacts           bool
	requested           bool // requested manually, so the time of reading is written
}

// newDraft returns a server that replaces row.
func newDraft(row serverRow, sc registry.Scored) *draft {
	stored := row.ID != 0
	return &draft{row: row, server: sc.Server, facts: sc.Facts, keepReadme: sc.ReadmeKept && stored,
		keepFacts: sc.FactsKept && stored}
}

// prepare fills in the fields that the store owns, and determines the changes.
func (d *draft) prepare(now time.Time) error {
	now = now.UTC().Truncate(time.Microsecond) // the precision of Postgres
	s := &d.server
	s.Slug = d.row.Slug
	s.Readme = cleanText(s.Readme)
	s.ListedAt, s.UpdatedAt = d.row.ListedAt, d.row.UpdatedAt
	d.listed = s.Status != registry.StatusDeleted
	s.Copy = d.row.Copy.V
	var err error
	if d.digest, err = steadyDigest(*s); err != nil {
		return err
	}
	stored := d.row.Digest
	if len(stored) != 3*digestLen {
		stored = make([]byte, 3*digestLen)
	}
	if d.keepReadme {
		d.digest = append(d.digest, stored[digestLen:2*digestLen]...)
	} else {
		d.digest = append(d.digest, digestOf([]byte(s.Readme))...)
	}
	d.writeReadme = !bytes.Equal(stored[digestLen:2*digestLen], d.digest[digestLen:])
	switch {
	case d.row.ID == 0:
		s.ListedAt, s.UpdatedAt = now, now
		d.writeRecord = true
	case d.writeReadme || d.listed != d.row.Listed ||
		!bytes.Equal(stored[:digestLen], d.digest[:digestLen]):
		s.UpdatedAt = now
		d.writeRecord = true
	}
	old := now.Sub(d.row.WrittenAt)
	if d.writeRecord || d.requested || old >= scoreAfter || old >= rewriteAfter && !d.keepFacts {
		if err := d.render(); err != nil {
			return err
		}
		d.writeRecord = d.writeRecord || !bytes.Equal(stored, d.digest)
	}
	if d.keepFacts {
		d.factsDigest = d.row.FactsDigest
		return nil
	}
	if d.factsText, err = toJSON(d.facts); err != nil {
		return err
	}
	d.factsDigest = digestOf(d.factsText)
	d.writeFacts = !bytes.Equal(d.factsDigest, d.row.FactsDigest)
	return nil
}

// render encodes the record and completes the digest.
func (d *draft) render() (err error) {
	if d.record, err = toJSON(d.server); err != nil {
		return err
	}
	d.digest = append(d.digest[:2*digestLen], digestOf(d.record)...)
	return nil
}

// keepRepo has the documents written if they may share a stored repository that is replaced
// by another one than theirs.
func (d *draft) keepRepo(before []byte) error {
	if d.row.ID == 0 || bytes.Equal(before, d.row.Repo) {
		return nil
	}
	own, err := sharedRepo(d.server.Repo)
	if err != nil || bytes.Equal(own, d.row.Repo) {
		return err
	}
	d.writeRecord, d.writeFacts = true, !d.keepFacts
	return d.render()
}

type serverChanges struct {
	changed, vanished []*draft
	was               map[int64]previousState
}

// saveFacts saves what can be read of the servers of a repository and changes no record. shared is
// the repository that their documents share from then on.
func saveFacts(
	ctx context.Context, tx *sqlx.Tx, repo repoRow, shared []byte, scored []registry.Scored,
	now time.Time,
) (c serverChanges, err error) {
	var rows []serverRow
	if err := tx.SelectContext(ctx, &rows, `
		SELECT id, repo_id, subfolder, slug, seq, digest, facts_digest, listed, listed_at, written_at,
			updated_at, copy
		FROM servers WHERE repo_id = $1 ORDER BY id`, repo.ID); err != nil {
		return c, err
	}
	drafts, err := draftServers(ctx, tx, repo, rows, scored, now)
	if err != nil {
		return c, err
	}
	var facts []*draft
	present := make(map[string]bool)
	for _, d := range drafts {
		present[d.server.Subfolder] = true
		d.row.Repo = shared
		if err := d.keepRepo(repo.Repo); err != nil {
			return c, err
		}
		if d.writeRecord {
			c.changed = append(c.changed, d)
		} else if d.writeFacts {
			d.row.Seq = 0 // even if another transaction changes the record
			facts = append(facts, d)
		}
	}
	if err := updateFacts(ctx, tx, facts); err != nil {
		return c, err
	}
	for _, d := range facts {
		if err := savePackagesOf(ctx, tx, d.row.ID, d); err != nil {
			return c, err
		}
	}
	for _, r := range rows {
		if r.Listed && !present[r.Subfolder] {
			c.vanished = append(c.vanished, &draft{row: r})
		}
	}
	c.was, err = formerOf(ctx, tx, slices.Concat(c.changed, c.vanished))
	return c, err
}

// save writes the records, last in the transaction because it takes sequence numbers. It fails as
// [InTx] expects if another transaction has changed one of them since they were read.
func (c serverChanges) save(ctx context.Context, tx *sqlx.Tx, repoID int64, now time.Time) error {
	if len(c.changed)+len(c.vanished) == 0 {
		return nil
	}
	seq, err := takeSeqs(ctx, tx, len(c.changed)+len(c.vanished))
	if err != nil {
		return err
	}
	var told report
	if err := saveVanished(ctx, tx, c, seq, now, &told); err != nil {
		return err
	}
	if err := writeServers(ctx, tx, repoID, c, seq+int64(len(c.vanished)), now, &told); err != nil {
		return err
	}
	if err := told.insert(ctx, tx); err != nil {
		return err
	}
	return saveToolLists(ctx, tx, c.changed, now)
}

// errMeanwhile repeats a transaction.
var errMeanwhile = &pq.Error{Code: "40001", Message: "another transaction wrote the servers"}

// saveVanished unlists servers that their repository no longer has, with the sequence
// numbers from seq on, and reports that.
func saveVanished(
	ctx context.Context, tx *sqlx.Tx, c serverChanges, seq int64, now time.Time, told *report,
) error {
	ids, seqs := make([]int64, len(c.vanished)), make([]int64, len(c.vanished))
	for i, d := range c.vanished {
		ids[i], seqs[i] = d.row.ID, d.row.Seq
		if err := told.add(d.row.ID, c.was[d.row.ID].state, nil, seq+int64(i), now); err != nil {
			return err
		}
	}
	n, err := Affected(tx.ExecContext(ctx, `
		UPDATE servers s SET listed = false, gone_at = $2, seq = $3 + v.number - 1
		FROM unnest($1::bigint[], $4::bigint[]) WITH ORDINALITY AS v (id, old_seq, number)
		WHERE s.id = v.id AND s.seq = v.old_seq`, pq.Array(ids), now, seq, pq.Array(seqs)))
	if err == nil && int(n) < len(ids) {
		err = errMeanwhile
	}
	return err
}

// draftServers prepares the servers of a repository, one for each subfolder.
func draftServers(
	ctx context.Context, tx *sqlx.Tx, repo repoRow, rows []serverRow, scored []registry.Scored,
	now time.Time,
) ([]*draft, error) {
	bySubfolder := make(map[string]serverRow)
	for _, r := range rows {
		bySubfolder[r.Subfolder] = r
	}
	if repo.Sources.V == nil {
		if err := tx.GetContext(ctx, &repo.Sources, `SELECT `+sourcesOfRepo("$1"), repo.ID); err != nil {
			return nil, err
		}
	}
	var drafts []*draft
	present := make(map[string]bool)
	for _, sc := range scored {
		subfolder := cleanText(sc.Server.Subfolder)
		if present[subfolder] || len(subfolder) > maxPath {
			continue
		}
		present[subfolder] = true
		d := newDraft(bySubfolder[subfolder], sc)
		d.server.Subfolder, d.requested = subfolder, repo.Forced
		if d.server.Sources == nil {
			d.server.Sources = repo.Sources.V
		}
		if err := d.prepare(now); err != nil {
			return nil, err
		}
		drafts = append(drafts, d)
	}
	return drafts, nil
}

// writeServers writes the changed records with sequence numbers from seq on: those of known
// servers in one statement, then new servers, which get a slug.
func writeServers(
	ctx context.Context, tx *sqlx.Tx, repoID int64, c serverChanges, seq int64, now time.Time,
	told *report,
) error {
	known := slices.DeleteFunc(slices.Clone(c.changed), func(d *draft) bool { return d.row.ID == 0 })
	n, err := writeRecords(ctx, tx, known, c.was, seq, now, told)
	if err == nil && n < len(known) {
		err = errMeanwhile
	}
	if err != nil {
		return err
	}
	seq += int64(len(known))
	for _, d := range c.changed {
		if d.row.ID == 0 {
			if err := d.nameServer(ctx, tx); err != nil {
				return err
			}
			if err := insertServer(ctx, tx, repoID, d, seq, now); err != nil {
				return err
			}
			if err := told.addDraft(d, previousState{}, seq, now); err != nil {
				return err
			}
			seq++
		}
		if err := savePackagesOf(ctx, tx, d.row.ID, d); err != nil {
			return err
		}
	}
	return nil
}

// nameServer assigns a slug. The lock on sequence numbers, held until the commit, prevents
// that others use it.
func (d *draft) nameServer(ctx context.Context, tx *sqlx.Tx) error {
	base := registry.Slug(d.server.Repo.Owner, d.server.Repo.Name, d.server.Subfolder)
	var taken []string
	if err := tx.SelectContext(ctx, &taken, `
		SELECT slug FROM servers WHERE slug = $1
		UNION SELECT slug FROM slug_aliases WHERE slug = $1
		UNION SELECT slug FROM servers WHERE slug > $1 || '-' AND slug < $1 || '.' -- "." follows "-"
		UNION SELECT slug FROM slug_aliases WHERE slug > $1 || '-'
			AND slug < $1 || '.'`, base); err != nil {
		return err
	}
	slug := base
	for n := 2; slices.Contains(taken, slug); n++ {
		slug = base + "-" + strconv.Itoa(n)
	}
	d.row.Slug, d.server.Slug = slug, slug
	return d.render()
}

func insertServer(
	ctx context.Context, tx *sqlx.Tx, repoID int64, d *draft, seq int64, now time.Time,
) error {
	s := &d.server
	return tx.GetContext(ctx, &d.row.ID, `
		INSERT INTO servers (repo_id, subfolder, slug, seq, record, digest, facts, facts_digest,
			facts_at, readme, registry_name, verified, score, stars, forks, downloads, listed,
			listed_at, written_at, updated_at, copy, gone_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, CASE WHEN NOT $17 THEN $19::timestamptz END)
		RETURNING id`,
		repoID, s.Subfolder, s.Slug, seq, stripped{d.record, d.server.Repo, d.row.Repo}, d.digest,
		stripped{d.factsText, d.facts.Repo, d.row.Repo}, d.factsDigest,
		d.facts.Repo.ObservedAt, s.Readme, registryName(s), s.Verified, s.Health.Score, s.Stars,
		s.Forks, s.Downloads, d.listed, s.ListedAt, now, s.UpdatedAt, AsJSON{s.Copy})
}

// registryName returns the stored form of a server's name in the official registry.
func registryName(s *registry.Server) string { return text.Cut(cleanText(s.RegistryName), 500) }

// savePackagesOf stores which packages and endpoints a server has, and its repository as
// a project, for which the package services have facts too.
func savePackagesOf(ctx context.Context, tx *sqlx.Tx, id int64, d *draft) error {
	keys := make(map[registry.PackageKey]bool)
	for _, p := range d.server.Packages {
		keys[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = true
	}
	for _, p := range d.facts.Detection.Packages {
		keys[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = true
	}
	for _, p := range d.facts.Packages {
		keys[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = true
	}
	for _, r := range d.facts.Detection.Remotes {
		if key, ok := registry.RemoteKey(r.URL); ok {
			keys[key] = true
		}
	}
	if key, ok := d.facts.Repo.ProjectKey(); ok && d.facts.Repo.Commit != "" {
		keys[key] = true
	}
	types, identifiers := packageColumns(keys)
	return Exec(ctx, tx, `
		WITH gone AS (
			DELETE FROM server_packages WHERE server_id = $1
				AND (registry_type, identifier) NOT IN (SELECT * FROM unnest($2::text[], $3::text[]))
		)
		INSERT INTO server_packages (server_id, registry_type, identifier)
		SELECT $1, t, i FROM unnest($2::text[], $3::text[]) AS p (t, i)
		ON CONFLICT DO NOTHING`, id, pq.Array(types), pq.Array(identifiers))
}

// A feedRow is a row of the change feed.
type feedRow struct {
	ID      int64
	Seq     int64
	Slug    string
	Listed  bool
	Hidden  bool
	Why     string   // state of the repository of an unlisted server
	Record  document // nil: not listed
	Readme  string
	Aliases pq.StringArray
}

// A feedServer is a server whose checks and improvements, most of a record, are not decoded.
type feedServer struct {
	*registry.Server
	Health struct {
		*registry.Health
		Categories skipped `json:"breakdown"`
		Improve    skipped `json:"improve"`
	} `json:"health"`
}

type skipped struct{}

// UnmarshalJSON implements [json.Unmarshaler].
func (skipped) UnmarshalJSON([]byte) error { return nil }

func (r feedRow) server() (registry.Server, error) {
	var s registry.Server
	f := feedServer{Server: &s}
	f.Health.Health = &s.Health
	err := segment.Unmarshal(r.Record, &f)
	if err == nil && len(s.Health.Caps) > 0 { // risks tell the sources of checks
		err = segment.Unmarshal(r.Record, &s)
	}
	if err != nil {
		return s, fmt.Errorf("record of %s: %w", r.Slug, err)
	}
	s.ID, s.Seq, s.Slug, s.Readme, s.OldSlugs = r.ID, r.Seq, r.Slug, r.Readme, r.Aliases
	return s, nil
}

// ServersAfter returns the changes after the sequence number seq, at most limit: listed
// servers with README, but without checks and improvements unless their health has caps, and
// removals. last is the number to continue from;
// it is seq if there are no changes.
func (db *DB) ServersAfter(
	ctx context.Context, seq int64, limit int,
) (servers []registry.Server, removed []registry.Change, last int64, err error) {
	return db.serversAfter(ctx, seq, limit, true)
}

// RecordsAfter is [DB.ServersAfter] without READMEs, but with the records' JSON.
func (db *DB) RecordsAfter(
	ctx context.Context, seq int64, limit int,
) (servers []registry.Server, removed []registry.Change, last int64, err error) {
	return db.serversAfter(ctx, seq, limit, false)
}

func (db *DB) serversAfter(
	ctx context.Context, seq int64, limit int, readme bool,
) (servers []registry.Server, removed []registry.Change, last int64, err error) {
	var rows []feedRow
	if err := db.db.SelectContext(ctx, &rows, `
		(SELECT id, seq, slug, listed, hidden_at IS NOT NULL AS hidden,
			CASE WHEN listed THEN '' ELSE (SELECT r.state FROM repositories r
				WHERE r.id = s.repo_id) END AS why,
			CASE WHEN listed AND hidden_at IS NULL THEN `+wholeRecord+` END AS record,
			CASE WHEN $3 AND listed AND hidden_at IS NULL THEN readme ELSE '' END AS readme,
			`+serverAliases+` AS aliases
		FROM servers s WHERE seq > $1 ORDER BY seq LIMIT $2)
		UNION ALL
		(SELECT server_id, seq, slug, false, true, '', NULL, '', '{}' FROM tombstones
			WHERE seq > $1 ORDER BY seq LIMIT $2)
		ORDER BY seq LIMIT $2`, seq, limit, readme); err != nil {
		return nil, nil, seq, fmt.Errorf("changes after %d: %w", seq, err)
	}
	last = seq
	var live []feedRow
	for _, r := range rows {
		last = r.Seq
		if r.Record == nil {
			removed = append(removed,
				registry.Change{Seq: r.Seq, ID: r.ID, Slug: r.Slug, Deleted: true, Gone: !r.Hidden,
					Why: r.Why})
		} else {
			live = append(live, r)
		}
	}
	servers = make([]registry.Server, len(live))
	err = parallel(len(live), func(i int) (err error) {
		servers[i], err = live[i].server()
		if !readme {
			servers[i].Record = live[i].Record
		}
		return err
	})
	return servers, removed, last, err
}

// parallel calls f for 0 to n-1 on all processors and returns the first error.
func parallel(n int, f func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return f(i) })
	}
	return group.Wait()
}

// serverOfSlug is the ID of the server with the slug $1, current or former, in SQL.
const serverOfSlug = `coalesce((SELECT id FROM servers WHERE slug = $1),
	(SELECT server_id FROM slug_aliases WHERE slug = $1))`

func noServer(slug string) error {
	return &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found",
		Msg: fmt.Sprintf("no server %q", text.Cut(slug, 200))}
}

// HiddenOfRepo returns the subfolders of a repository's hidden servers, and whether all
// its servers are hidden. The repository is found as by [DB.RepositoryID]; an unknown
// one has none.
func (db *DB) HiddenOfRepo(
	ctx context.Context, key string, hostID int64,
) (subfolders []string, all bool, err error) {
	id, err := db.RepositoryID(ctx, key, hostID)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var row struct {
		Hidden pq.StringArray
		Shown  int
	}
	err = db.db.GetContext(ctx, &row, `
		SELECT coalesce(array_agg(subfolder
			ORDER BY subfolder) FILTER (WHERE hidden_at IS NOT NULL), '{}') AS hidden,
			count(*) FILTER (WHERE listed AND hidden_at IS NULL) AS shown
		FROM servers WHERE repo_id = $1`, id)
	return row.Hidden, len(row.Hidden) > 0 && row.Shown == 0, Wrapped(err, "hidden servers of %s", key)
}

// Hide removes a server from the listing until [DB.Unhide], whatever visits find.
func (db *DB) Hide(ctx context.Context, slug, reason string) error {
	return db.setHidden(ctx, slug, true, reason)
}

// Unhide restores a hidden server, which counts as updated: readers of changes have seen it
// leave. The error is of kind [registry.ErrConflict] if it is not hidden.
func (db *DB) Unhide(ctx context.Context, slug string) error {
	return db.setHidden(ctx, slug, false, "")
}

func (db *DB) setHidden(ctx context.Context, slug string, hidden bool, reason string) error {
	slug = cleanText(slug)
	return Wrapped(InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		seq, err := takeSeqs(ctx, tx, 1)
		if err != nil {
			return err
		}
		var row struct {
			ID             int64
			Hidden, Listed bool
			Record         document
			Repo           []byte
			Now            time.Time
		}
		err = tx.GetContext(ctx, &row, `
			SELECT id, hidden_at IS NOT NULL AS hidden, listed, `+wholeRecord+` AS record,
				`+sharedOfServer+` AS repo, now() AS now FROM servers s
			WHERE slug = $1 OR id = (SELECT server_id FROM slug_aliases WHERE slug = $1)`, slug)
		if errors.Is(err, sql.ErrNoRows) {
			return noServer(slug)
		}
		if err != nil {
			return err
		}
		if !row.Hidden && !hidden {
			return registry.Errorf(registry.ErrConflict, "%s is not hidden: nothing was changed",
				slug)
		}
		state, err := stateOf(row.Record)
		if err != nil {
			return err
		}
		var told report
		switch {
		case !row.Listed || row.Hidden == hidden:
		case hidden:
			err = told.add(row.ID, state, nil, seq, row.Now)
		default:
			err = told.add(row.ID, nil, state, seq, row.Now)
		}
		if err == nil {
			err = told.insert(ctx, tx)
		}
		if err != nil {
			return err
		}
		if hidden {
			return Exec(ctx, tx, `
				UPDATE servers SET hidden_at = coalesce(hidden_at, now()), hidden_reason = $2,
					seq = $3 WHERE id = $1`, row.ID, text.Cut(cleanText(reason), 1000), seq)
		}
		state.Server.UpdatedAt = row.Now
		record, err := toJSON(state.Server)
		if err != nil {
			return err
		}
		return Exec(ctx, tx, `
			UPDATE servers SET hidden_at = NULL, hidden_reason = '', seq = $2, record = $3,
				updated_at = $4 WHERE id = $1`,
			row.ID, seq, stripped{record, state.Server.Repo, row.Repo}, row.Now)
	}), "hide or show %s", slug)
}
