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
	"mcpcensus/internal/text"
)

// packageDays is how many days of downloads are stored: a year, and the time until the
// next request.
const packageDays = 400

// maxIdentifier is the maximum length of a package's name.
const maxIdentifier = 500

// packageColumns returns the keys sorted, as two columns.
func packageColumns(keys map[registry.PackageKey]bool) (types, identifiers []string) {
	clean := make(map[registry.PackageKey]bool)
	for k := range keys {
		k.RegistryType, k.Identifier = cleanText(k.RegistryType), cleanText(k.Identifier)
		if k.RegistryType != "" && len(k.RegistryType) < 50 && k.Identifier != "" &&
			len(k.Identifier) <= maxIdentifier {
			clean[k] = true
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(clean), func(a, b registry.PackageKey) int {
		return cmp.Or(cmp.Compare(a.RegistryType, b.RegistryType), cmp.Compare(a.Identifier, b.Identifier))
	}) {
		types, identifiers = append(types, k.RegistryType), append(identifiers, k.Identifier)
	}
	return types, identifiers
}

func keySet(keys []registry.PackageKey) map[registry.PackageKey]bool {
	set := make(map[registry.PackageKey]bool)
	for _, k := range keys {
		set[k] = true
	}
	return set
}

// taskTypes are the registry types of each kind of request.
var taskTypes = map[string][]string{
	registry.PackageFactsKind:     registry.FactTypes,
	registry.PackageDownloadsKind: registry.DownloadTypes,
	registry.PackageProbeKind:     {registry.RemoteType},
}

// EnqueuePackages queues packages and endpoints that servers name. New ones are due
// immediately for each kind of request of their type.
func (db *DB) EnqueuePackages(
	ctx context.Context, keys []registry.PackageKey, now time.Time,
) error {
	types, identifiers := packageColumns(keySet(keys))
	// Each visit names its packages: known ones are written at most once an hour.
	_, err := db.db.ExecContext(ctx, `
		WITH named AS (
			INSERT INTO packages AS p (registry_type, identifier, asked_at)
			SELECT t, i, $3 FROM unnest($1::text[], $2::text[]) AS n (t, i)
			ON CONFLICT (registry_type, identifier) DO UPDATE SET asked_at = excluded.asked_at
				WHERE p.asked_at < excluded.asked_at - interval '1 hour'
		)
		INSERT INTO package_tasks (registry_type, identifier, kind, due_at)
		SELECT n.t, n.i, k.kind, $3 FROM unnest($1::text[], $2::text[]) AS n (t, i)
		JOIN json_each($4) AS k (kind, types) ON n.t IN (SELECT json_array_elements_text(k.types))
		ORDER BY n.t, n.i, k.kind ON CONFLICT DO NOTHING`,
		pq.Array(types), pq.Array(identifiers), now, AsJSON{taskTypes})
	return Wrapped(err, "store packages")
}

// LeasePackages leases up to n due packages of the given types for ttl, the longest
// overdue first. kind is one of the Package…Kind constants; each has its own due time and
// lease. No types means all.
func (db *DB) LeasePackages(
	ctx context.Context, kind string, registryTypes []string, n int, ttl time.Duration,
	now time.Time,
) ([]registry.PackageWork, error) {
	if taskTypes[kind] == nil {
		return nil, fmt.Errorf("lease packages: no kind %q", kind)
	}
	works := []registry.PackageWork{}
	err := db.db.SelectContext(ctx, &works, `
		WITH due AS (
			SELECT registry_type, identifier, kind FROM package_tasks
			WHERE kind = $1 AND due_at <= $2 AND (lease_until IS NULL OR lease_until <= $2)
				AND (coalesce(cardinality($5::text[]), 0) = 0 OR registry_type = ANY($5))
			ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
		)
		UPDATE package_tasks AS p SET lease_until = $4 FROM due
		WHERE p.registry_type = due.registry_type AND p.identifier = due.identifier
			AND p.kind = due.kind
		RETURNING p.registry_type, p.identifier, p.attempt`,
		kind, now, n, now.Add(ttl), pq.Array(registryTypes))
	return works, Wrapped(err, "lease packages")
}

// FreePackages ends all leases of one kind. The caller must hold the lock of that kind,
// so the leases belong to dead processes.
func (db *DB) FreePackages(ctx context.Context, kind string) error {
	_, err := db.db.ExecContext(ctx, `
		UPDATE package_tasks SET lease_until = NULL
		WHERE kind = $1 AND lease_until IS NOT NULL`, kind)
	return Wrapped(err, "free packages")
}

// SavePackage stores the facts of a package, and when it is due again. If ObservedAt is set,
// it stores everything except downloads; if DownloadsObservedAt is set, it stores the
// downloads, and adds DownloadDays to the stored days. The other part stays. errText names a
// part that could not be read, "" if none. Without a time of observation only the error is
// stored, and the lease is due again at next; see [DB.FailPackage].
func (db *DB) SavePackage(
	ctx context.Context, f registry.PackageFacts, next time.Time, errText string,
) error {
	key := registry.PackageKey{RegistryType: f.RegistryType, Identifier: f.Identifier}
	registryType, identifier := cleanText(f.RegistryType), cleanText(f.Identifier)
	facts, downloads := f.ObservedAt != nil, f.DownloadsObservedAt != nil
	err := Write(ctx, db.db, func(tx *sqlx.Tx) error {
		var stored jsonColumn[registry.PackageFacts]
		err := tx.GetContext(ctx, &stored, `
			SELECT facts FROM packages WHERE registry_type = $1 AND identifier = $2 FOR UPDATE`,
			registryType, identifier)
		if errors.Is(err, sql.ErrNoRows) {
			return registry.Wrap(registry.ErrNotFound, err, "no such package")
		}
		if err != nil {
			return err
		}
		if !facts && !downloads {
			return endTasks(ctx, tx, key, nil, next, cmp.Or(errText, noAnswer))
		}
		var kinds []string
		merged, counted := f, f
		if facts {
			kinds = append(kinds, registry.PackageFactsKind)
		} else if stored.V.RegistryType != "" {
			merged = stored.V
		}
		if downloads {
			kinds = append(kinds, registry.PackageDownloadsKind)
		} else {
			counted = stored.V
		}
		merged.Downloads, merged.DownloadsPrev = counted.Downloads, counted.DownloadsPrev
		merged.DownloadsObservedAt = counted.DownloadsObservedAt
		merged.Inspection = nil // it is stored separately
		if _, err := tx.ExecContext(ctx,
			`UPDATE packages SET facts = $3 WHERE registry_type = $1 AND identifier = $2`,
			registryType, identifier, AsJSON{merged}); err != nil {
			return err
		}
		if err := endTasks(ctx, tx, key, kinds, next, errText); err != nil || len(f.DownloadDays) == 0 {
			return err
		}
		return Exec(ctx, tx, `
			INSERT INTO package_days AS had (registry_type, identifier, days) VALUES ($1, $2, $3)
			ON CONFLICT (registry_type, identifier) DO UPDATE SET days = (
				SELECT coalesce(jsonb_object_agg(d.day, d.downloads), '{}')
				FROM jsonb_each(had.days || excluded.days) AS d (day, downloads)
				WHERE d.day::date > $4::date - $5::int)`,
			registryType, identifier, AsJSON{f.DownloadDays}, DateOf(*f.DownloadsObservedAt), packageDays)
	})
	return Wrapped(err, "save package %s %s", key.RegistryType, key.Identifier)
}

// noAnswer is stored as the error of a request that failed without one.
const noAnswer = "no answer"

// FailPackage stores that a request about a package failed, and when it is due again.
// Its facts stay.
func (db *DB) FailPackage(
	ctx context.Context, kind string, key registry.PackageKey, next time.Time, errText string,
) error {
	return Write(ctx, db.db, func(tx *sqlx.Tx) error {
		return endTasks(ctx, tx, key, []string{kind}, next, cmp.Or(errText, noAnswer))
	})
}

// endTasks ends the leases of a package's requests of the given kinds, nil for the leased
// ones, and sets when they are due again. A non-empty errText counts as a failed attempt.
func endTasks(
	ctx context.Context, tx *sqlx.Tx, key registry.PackageKey, kinds []string, next time.Time,
	errText string,
) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE package_tasks SET due_at = $4, lease_until = NULL, error = $5,
			attempt = CASE WHEN $5 = '' THEN 0 ELSE attempt + 1 END,
			error_at = CASE WHEN $5 <> '' THEN now() END
		WHERE registry_type = $1 AND identifier = $2
			AND (kind = ANY($3) OR $3::text[] IS NULL AND lease_until IS NOT NULL)`,
		cleanText(key.RegistryType), cleanText(key.Identifier), pq.Array(kinds), next,
		text.Cut(cleanText(errText), 500))
	return Wrapped(err, "package %s %s", key.RegistryType, key.Identifier)
}

// PackageFacts returns the stored facts of packages. Packages without facts are absent.
func (db *DB) PackageFacts(
	ctx context.Context, keys []registry.PackageKey,
) (map[registry.PackageKey]registry.PackageFacts, error) {
	types, identifiers := packageColumns(keySet(keys))
	var rows []struct {
		registry.PackageKey
		Facts      jsonColumn[registry.PackageFacts]
		Inspection jsonColumn[*registry.Inspection]
	}
	err := db.db.SelectContext(ctx, &rows, `
		SELECT p.registry_type, p.identifier, p.facts, i.result AS inspection
		FROM packages p JOIN unnest($1::text[], $2::text[]) AS k (t, i) ON p.registry_type = k.t
			AND p.identifier = k.i
		LEFT JOIN inspections i ON i.registry_type = k.t AND i.identifier = k.i
		WHERE p.facts IS NOT NULL`, pq.Array(types), pq.Array(identifiers))
	facts := make(map[registry.PackageKey]registry.PackageFacts, len(rows))
	for _, r := range rows {
		if r.Inspection.V != nil {
			r.Facts.V.Inspection = r.Inspection.V
		}
		facts[r.PackageKey] = r.Facts.V
	}
	return facts, Wrapped(err, "facts of packages")
}

// ServersWithPackages returns the IDs of the listed servers that publish one of the
// packages, sorted.
func (db *DB) ServersWithPackages(
	ctx context.Context, keys []registry.PackageKey,
) ([]int64, error) {
	types, identifiers := packageColumns(keySet(keys))
	var ids []int64
	err := db.db.SelectContext(ctx, &ids, `
		SELECT DISTINCT sp.server_id
		FROM server_packages sp
		JOIN unnest($1::text[], $2::text[]) AS k (t, i) ON sp.registry_type = k.t
			AND sp.identifier = k.i
		JOIN servers s ON s.id = sp.server_id AND s.listed
		ORDER BY sp.server_id`, pq.Array(types), pq.Array(identifiers))
	return ids, Wrapped(err, "servers of packages")
}

// DayDownloads returns the daily downloads of a server's packages between two UTC days,
// both included, oldest first. A day is absent unless it is known for every package with
// download counts. The server is found by its slug, current or former; an unknown one has no
// days.
func (db *DB) DayDownloads(
	ctx context.Context, slug string, from, to time.Time,
) (days []registry.DayDownloads, err error) {
	err = db.db.SelectContext(ctx, &days, `
		WITH counted AS (
			SELECT d.days
			FROM server_packages sp
			JOIN packages p ON p.registry_type = sp.registry_type AND p.identifier = sp.identifier
			LEFT JOIN package_days d ON d.registry_type = sp.registry_type
				AND d.identifier = sp.identifier
			WHERE sp.server_id = `+serverOfSlug+` AND p.facts->>'downloads' IS NOT NULL
		)
		SELECT d.day::date::timestamptz AS date, sum(d.downloads::bigint)::bigint AS downloads
		FROM counted, jsonb_each_text(counted.days) AS d (day, downloads)
		WHERE d.day::date BETWEEN $2::date AND $3::date
		GROUP BY d.day HAVING count(*) = (SELECT count(*) FROM counted)
		ORDER BY date`, cleanText(slug), DateOf(from), DateOf(to))
	return days, Wrapped(err, "downloads of %s", slug)
}

// Published returns the known versions of the listed servers with the given
// slugs, by slug.
func (db *DB) Published(
	ctx context.Context, slugs []string,
) (map[string]registry.Published, error) {
	var rows []struct {
		Slug  string
		Facts document
		Due   *time.Time
	}
	err := db.db.SelectContext(ctx, &rows, `
		SELECT slug, `+wholeFacts+` AS facts,
			(SELECT due_at FROM repositories r WHERE r.id = s.repo_id) AS due
		FROM servers s WHERE slug = ANY($1) AND listed
			AND hidden_at IS NULL`, cleanTexts(slugs))
	all := make(map[string]registry.Published, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		var facts registry.Facts
		err = json.Unmarshal(rows[i].Facts, &facts)
		p := registry.Published{Packages: facts.Packages, Releases: facts.Repo.LatestReleases,
			NextVisit: rows[i].Due}
		if len(p.Releases) == 0 && facts.Repo.LatestTag != nil {
			p.Releases = []registry.Release{*facts.Repo.LatestTag}
		}
		all[rows[i].Slug] = p
	}
	return all, Wrapped(err, "versions")
}

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

// SaveProbe stores the facts of an endpoint and when it is due again. A counted probe
// adds to its day.
func (db *DB) SaveProbe(
	ctx context.Context, f registry.PackageFacts, next time.Time, counted, up bool,
) error {
	err := Write(ctx, db.db, func(tx *sqlx.Tx) error {
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
		return Exec(ctx, tx, `
			INSERT INTO probe_days AS d (url, date, probes, up) VALUES ($1, $2, 1, $3::boolean::int)
			ON CONFLICT (url, date) DO UPDATE SET probes = d.probes + 1, up = d.up + excluded.up`,
			cleanText(f.Identifier), DateOf(f.Probe.History.LastAt), up)
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
	err := db.db.SelectContext(ctx, &rows, `
		SELECT url, sum(probes)::int AS probes, sum(up)::int AS up FROM probe_days
		WHERE url = ANY($1) AND date >= $2 GROUP BY url`,
		cleanTexts(urls), DateOf(from))
	counts := make(map[string]registry.ProbeCount, len(rows))
	for _, r := range rows {
		counts[r.URL] = r.ProbeCount
	}
	return counts, Wrapped(err, "count probes")
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
