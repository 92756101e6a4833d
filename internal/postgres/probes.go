package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/registry"
)

// SaveProbe stores the facts of an endpoint and when it is due again. A counted probe
// adds to its day.
func (db *DB) SaveProbe(
	ctx context.Context, f registry.PackageFacts, next time.Time, counted, up bool,
) error {
	err := InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		n, err := Affected(tx.ExecContext(ctx, `
			UPDATE packages SET facts = $2 WHERE registry_type = 'remote' AND identifier = $1`,
			cleanText(f.Identifier), AsJSON{f}))
		if err != nil {
			return err
		}
		if n == 0 {
			return registry.Errorf(registry.ErrNotFound, "no such endpoint")
		}
		key := registry.PackageKey{RegistryType: registry.RemoteType, Identifier: f.Identifier}
		if err := endTasks(ctx, tx, key, []string{registry.PackageProbeKind}, next, ""); err != nil || !counted {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO probe_days AS d (url, date, probes, up) VALUES ($1, $2, 1, $3::boolean::int)
			ON CONFLICT (url, date) DO UPDATE SET probes = d.probes + 1, up = d.up + excluded.up`,
			cleanText(f.Identifier), DateOf(f.Probe.History.LastAt), up)
		return err
	})
	return Wrapped(err, "save probe of %s", f.Identifier)
}

// ProbeCounts returns the numbers of counted and of answered probes of endpoints since a UTC
// day, by URL.
func (db *DB) ProbeCounts(
	ctx context.Context, urls []string, from time.Time,
) (map[string]registry.ProbeCount, error) {
	var rows []struct {
		URL string
		registry.ProbeCount
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT url, sum(probes)::int AS probes, sum(up)::int AS up FROM probe_days
		WHERE url = ANY($1) AND date >= $2 GROUP BY url`,
		cleanTexts(urls), DateOf(from)); err != nil {
		return nil, fmt.Errorf("count probes: %w", err)
	}
	counts := make(map[string]registry.ProbeCount, len(rows))
	for _, r := range rows {
		counts[r.URL] = r.ProbeCount
	}
	return counts, nil
}

// PopularRemotes returns the endpoints of the most popular listed servers, at most n.
func (db *DB) PopularRemotes(ctx context.Context, n int) ([]string, error) {
	var urls []string
	err := db.db.SelectContext(ctx, &urls, `
		SELECT sp.identifier FROM server_packages sp JOIN servers s ON s.id = sp.server_id
		WHERE sp.registry_type = 'remote' AND s.listed
		GROUP BY sp.identifier
		ORDER BY max((s.record->'popularity'->>'score')::float8) DESC NULLS LAST, sp.identifier
		LIMIT $1`, n)
	return urls, Wrapped(err, "popular endpoints")
}

// ForgetProbes deletes counts of days before a UTC day, and endpoints that no listed server
// has had since then. It returns the number of both.
func (db *DB) ForgetProbes(ctx context.Context, before, unnamed time.Time) (int, error) {
	var n int
	err := db.db.GetContext(ctx, &n, `
		WITH days AS (DELETE FROM probe_days WHERE date < $1 RETURNING 1),
		remotes AS (
			DELETE FROM packages p WHERE registry_type = 'remote' AND asked_at < $2
				AND NOT EXISTS (SELECT 1 FROM server_packages sp JOIN servers s ON s.id = sp.server_id
					WHERE s.listed AND sp.registry_type = 'remote' AND sp.identifier = p.identifier)
			RETURNING 1
		)
		SELECT ((SELECT count(*) FROM days) + (SELECT count(*) FROM remotes))::int`,
		DateOf(before), unnamed)
	return n, Wrapped(err, "forget probes")
}
