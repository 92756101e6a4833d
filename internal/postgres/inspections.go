package postgres

import (
	"context"
	"time"

	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// LeaseInspections leases up to n packages of listed servers for ttl: packages whose latest
// version was not inspected, and due ones. The most popular are first, then the latest
// releases.
func (db *DB) LeaseInspections(
	ctx context.Context, registryTypes []string, n int, ttl time.Duration, now time.Time,
) ([]registry.InspectionLease, error) {
	leases := []registry.InspectionLease{}
	err := db.db.SelectContext(ctx, &leases, `
		WITH due AS (
			SELECT p.registry_type, p.identifier, p.facts->>'latest' AS latest
			FROM packages p
			JOIN server_packages sp USING (registry_type, identifier)
			JOIN servers s ON s.id = sp.server_id AND s.listed
			LEFT JOIN inspections i USING (registry_type, identifier)
			WHERE p.registry_type = ANY($1) AND p.facts->>'latest' <> ''
				AND (i.lease_until IS NULL OR i.lease_until <= $4)
				AND (i.due_at IS NULL OR i.due_at <= $4 OR i.version <> p.facts->>'latest')
			GROUP BY p.registry_type, p.identifier
			ORDER BY max((s.record->'popularity'->>'score')::float8) DESC NULLS LAST,
				p.facts->>'latestAt' DESC NULLS LAST, p.identifier
			LIMIT $2
		)
		INSERT INTO inspections AS i (registry_type, identifier, version, due_at, lease_until)
		SELECT registry_type, identifier, latest, $4, $3 FROM due
		ON CONFLICT (registry_type, identifier) DO UPDATE SET version = excluded.version,
			lease_until = excluded.lease_until, due_at = excluded.due_at,
			attempt = CASE WHEN i.version = excluded.version THEN i.attempt ELSE 0 END
			WHERE i.lease_until IS NULL OR i.lease_until <= $4
		RETURNING i.registry_type, i.identifier, i.version, i.attempt`,
		pq.Array(registryTypes), n, now.Add(ttl), now)
	return leases, Wrapped(err, "lease inspections")
}

// SaveInspection stores the result of a leased inspection, and when the same version is
// due again. The previous result stays without a new one, and if only it has the lists of
// the version. SaveInspection returns false, and stores nothing, if another version has
// been leased since or the lease was returned.
func (db *DB) SaveInspection(
	ctx context.Context, lease registry.InspectionLease, result *registry.Inspection,
	next time.Time,
) (bool, error) {
	n, err := Affected(db.db.ExecContext(ctx, `
		UPDATE inspections SET lease_until = NULL, attempt = attempt + 1, due_at = $5,
			result = CASE WHEN result->>'version' = $3 AND result->>'outcome' = $6
				AND $4::jsonb->>'outcome' <> $6 THEN result ELSE coalesce($4::jsonb, result) END
		WHERE registry_type = $1 AND identifier = $2 AND version = $3 AND lease_until IS NOT NULL`,
		cleanText(lease.RegistryType), cleanText(lease.Identifier), cleanText(lease.Version),
		AsJSON{result}, next, registry.InspectionListed))
	return n > 0, Wrapped(err, "save inspection of %s", lease.Identifier)
}
