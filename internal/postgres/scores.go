package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// factsPage is how many servers EachFacts holds in memory at a time, twice.
const factsPage = 500

// EachFacts calls f with every listed or hidden server and the facts it was
// last scored from, in order of id, and stops at the first error. The server
// has its Seq, by which [DB.SaveScores] notices that another has written it
// since.
func (db *DB) EachFacts(ctx context.Context, f func(id int64, facts registry.Facts, server registry.Server) error) error {
	return db.eachFacts(ctx, nil, f)
}

// FactsOf is [DB.EachFacts] for the servers with the given ids, which must be
// in order.
func (db *DB) FactsOf(ctx context.Context, ids []int64, f func(id int64, facts registry.Facts, server registry.Server) error) error {
	for page := range slices.Chunk(ids, factsPage) {
		if err := db.eachFacts(ctx, page, f); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) eachFacts(ctx context.Context, ids []int64, f func(id int64, facts registry.Facts, server registry.Server) error) error {
	type page struct {
		scored []registry.Scored
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages := make(chan page) // the next is read while this one is worked on
	go func() {
		defer close(pages)
		for after := int64(0); ; {
			var p page
			var rows []scoredRow
			p.err = db.db.SelectContext(ctx, &rows, `
				SELECT id, seq, slug, listed, hidden_at IS NOT NULL AS hidden, record, readme, facts,
					ARRAY(SELECT a.slug FROM slug_aliases a WHERE a.server_id = s.id ORDER BY a.slug) AS aliases
				FROM servers s WHERE id > $1 AND listed AND ($3::bigint[] IS NULL OR id = ANY($3))
				ORDER BY id LIMIT $2`, after, factsPage, pq.Array(ids))
			if p.err == nil {
				p.scored, p.err = scoredOf(rows)
			}
			select {
			case pages <- p:
			case <-ctx.Done():
				return
			}
			if p.err != nil || len(rows) < factsPage {
				return
			}
			after = rows[len(rows)-1].ID
		}
	}()
	for p := range pages {
		if p.err != nil {
			return fmt.Errorf("read facts: %w", p.err)
		}
		for _, s := range p.scored {
			if err := f(s.Server.ID, s.Facts, s.Server); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// scoresBatch is how many servers are written in one transaction: other
// writers wait meanwhile.
const scoresBatch = 1000

// SaveScores stores servers that were scored anew, by their ID, and returns
// how many records changed; only those get a new number. A server that was
// written by another since it was read (its Seq differs) is left alone: that
// writer scored newer facts.
func (db *DB) SaveScores(ctx context.Context, scored []registry.Scored) (changed int, err error) {
	for batch := range slices.Chunk(scored, scoresBatch) {
		n := 0
		err := inTx(ctx, db.db, func(tx *sqlx.Tx) error {
			n, err = saveScores(ctx, tx, batch)
			return err
		})
		if err != nil {
			return changed, fmt.Errorf("save scores: %w", err)
		}
		changed += n
	}
	return changed, nil
}

func saveScores(ctx context.Context, tx *sqlx.Tx, batch []registry.Scored) (changed int, err error) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	var ids []int64
	for _, sc := range batch {
		ids = append(ids, sc.Server.ID)
	}
	var rows []serverRow
	if err := tx.SelectContext(ctx, &rows, `
		SELECT id, repo_id, subfolder, slug, seq, digest, facts_digest, listed, listed_at, written_at, updated_at
		FROM servers WHERE id = ANY($1)`, pq.Array(ids)); err != nil {
		return 0, err
	}
	byID := make(map[int64]serverRow, len(rows))
	for _, r := range rows {
		byID[r.ID] = r
	}
	drafts := make([]*draft, 0, len(batch))
	for _, sc := range batch {
		row, ok := byID[sc.Server.ID]
		if !ok || sc.Server.Seq != 0 && sc.Server.Seq != row.Seq {
			continue
		}
		drafts = append(drafts, &draft{row: row, server: sc.Server, facts: sc.Facts})
	}
	if err := parallel(len(drafts), func(i int) error { return drafts[i].prepare(now) }); err != nil {
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
	if _, err := tx.ExecContext(ctx, `
		CREATE TEMPORARY TABLE scored (
			id bigint, old_seq bigint, place bigint, record text, digest text, facts text, facts_digest text, facts_at timestamptz,
			readme text, registry_name text, verified boolean, score integer, stars integer, forks integer, downloads bigint,
			listed boolean, updated_at timestamptz, whole boolean
		) ON COMMIT DROP;
		ALTER TABLE scored -- is read once: compressing it would take longer than all the rest
			ALTER record SET STORAGE EXTERNAL, ALTER facts SET STORAGE EXTERNAL, ALTER readme SET STORAGE EXTERNAL`); err != nil {
		return 0, err
	}
	stmt, err := tx.PrepareContext(ctx, pq.CopyIn("scored", "id", "old_seq", "place", "record", "digest", "facts", "facts_digest", "facts_at",
		"readme", "registry_name", "verified", "score", "stars", "forks", "downloads", "listed", "updated_at", "whole"))
	if err != nil {
		return 0, err
	}
	place := 0
	for _, d := range append(records, facts...) {
		s := d.server
		var record, factsText, readme any
		if d.writeRecord {
			record = string(d.record)
		}
		if d.writeReadme {
			readme = s.Readme
		}
		if d.writeFacts {
			factsText = string(d.factsText)
		}
		if _, err := stmt.ExecContext(ctx, d.row.ID, d.row.Seq, place, record, fmt.Sprintf("%x", d.digest), factsText,
			fmt.Sprintf("%x", d.factsDigest), d.facts.Repo.ObservedAt,
			readme, cut(cleanText(s.RegistryName), 500), s.Verified, s.Health.Score, s.Stars, s.Forks, s.Downloads,
			d.listed, s.UpdatedAt, d.writeRecord); err != nil {
			stmt.Close()
			return 0, err
		}
		place++
	}
	if _, err := stmt.ExecContext(ctx); err != nil {
		stmt.Close()
		return 0, err
	}
	if err := stmt.Close(); err != nil {
		return 0, err
	}
	if len(facts) > 0 {
		if _, err := tx.ExecContext(ctx, `
			UPDATE servers AS s SET facts = v.facts::json, facts_digest = decode(v.facts_digest, 'hex'), facts_at = v.facts_at
			FROM scored v WHERE s.id = v.id AND s.seq = v.old_seq AND s.facts_at <= v.facts_at AND NOT v.whole`); err != nil {
			return 0, err
		}
	}
	if len(records) > 0 {
		// Numbers of servers that another has written in between stay unused.
		first, err := takeSeqs(ctx, tx, len(records))
		if err != nil {
			return 0, err
		}
		done, err := tx.ExecContext(ctx, `
			UPDATE servers AS s SET seq = $1 + v.place, record = v.record::json, digest = decode(v.digest, 'hex'),
				facts = CASE WHEN v.facts IS NULL OR s.facts_at > v.facts_at THEN s.facts ELSE v.facts::json END,
				facts_digest = CASE WHEN v.facts IS NULL OR s.facts_at > v.facts_at THEN s.facts_digest ELSE decode(v.facts_digest, 'hex') END,
				facts_at = greatest(s.facts_at, v.facts_at),
				readme = coalesce(v.readme, s.readme), registry_name = v.registry_name, verified = v.verified,
				score = v.score, stars = v.stars, forks = v.forks, downloads = v.downloads, listed = v.listed,
				written_at = $2, updated_at = v.updated_at, gone_at = CASE WHEN v.listed THEN NULL ELSE coalesce(s.gone_at, $2) END
			FROM scored v WHERE s.id = v.id AND s.seq = v.old_seq AND v.whole`, first, now)
		if err != nil {
			return 0, err
		}
		n, err := done.RowsAffected()
		if err != nil {
			return 0, err
		}
		changed = int(n)
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

// samePackages reports whether new facts name no packages beyond those that
// the detection named, which are stored already.
func samePackages(d *draft) bool {
	named := make(map[registry.PackageKey]bool)
	for _, p := range d.facts.Detection.Packages {
		named[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = true
	}
	for _, p := range d.facts.Packages {
		if !named[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] {
			return false
		}
	}
	return true
}
