package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// LeaseInspections leases up to n packages of listed servers for ttl: those whose latest
// version was not inspected, and those that are due again. The most popular come first,
// then the latest releases.
func (db *DB) LeaseInspections(
	ctx context.Context, registryTypes []string, n int, ttl time.Duration, now time.Time,
) ([]registry.InspectionLease, error) {
	var rows []struct {
		RegistryType string `db:"registry_type"`
		Identifier   string
		Version      string
		Attempt      int
	}
	if err := db.db.SelectContext(ctx, &rows, `
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
		pq.Array(nonNil(registryTypes)), n, now.Add(ttl), now); err != nil {
		return nil, fmt.Errorf("lease inspections: %w", err)
	}
	leases := make([]registry.InspectionLease, 0, len(rows))
	for _, r := range rows {
		leases = append(leases, registry.InspectionLease{PackageKey: registry.PackageKey{
			RegistryType: r.RegistryType, Identifier: r.Identifier}, Version: r.Version,
			Attempt: r.Attempt})
	}
	return leases, nil
}

// SaveInspection stores the result of a leased inspection, and when the same version is
// due again. Without a result, the last one stays. It returns false, and stores nothing,
// if another version has been leased since or the lease was returned.
func (db *DB) SaveInspection(
	ctx context.Context, lease registry.InspectionLease, result *registry.Inspection,
	next time.Time,
) (bool, error) {
	var text *string
	if result != nil {
		b, err := toJSON(result)
		if err != nil {
			return false, err
		}
		s := string(b)
		text = &s
	}
	done, err := db.db.ExecContext(ctx, `
		UPDATE inspections SET result = coalesce($4::jsonb, result), lease_until = NULL,
			attempt = attempt + 1, due_at = $5
		WHERE registry_type = $1 AND identifier = $2 AND version = $3 AND lease_until IS NOT NULL`,
		cleanText(lease.RegistryType), cleanText(lease.Identifier), cleanText(lease.Version), text,
		next)
	if err != nil {
		return false, fmt.Errorf("save inspection of %s: %w", lease.Identifier, err)
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// inspections adds the results of inspections to facts of packages.
func (db *DB) inspections(
	ctx context.Context, types, identifiers []string,
	facts map[registry.PackageKey]registry.PackageFacts,
) error {
	var rows []struct {
		RegistryType string `db:"registry_type"`
		Identifier   string
		Result       []byte
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT i.registry_type, i.identifier, i.result
		FROM inspections i JOIN unnest($1::text[], $2::text[]) AS k (t, i)
			ON i.registry_type = k.t AND i.identifier = k.i
		WHERE i.result IS NOT NULL`, pq.Array(types), pq.Array(identifiers)); err != nil {
		return err
	}
	for _, r := range rows {
		key := registry.PackageKey{RegistryType: r.RegistryType, Identifier: r.Identifier}
		f, ok := facts[key]
		if !ok {
			continue
		}
		f.Inspection = new(registry.Inspection)
		if err := json.Unmarshal(r.Result, f.Inspection); err != nil {
			return fmt.Errorf("inspection of %s %s: %w", r.RegistryType, r.Identifier, err)
		}
		facts[key] = f
	}
	return nil
}
