package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// quotaChannel is where processes ask each other to give back leases. The
// payload is: who asks, what the tally counts, its start and its subject.
const quotaChannel = "census_quota"

// A Quota is where processes share their counts of requests. It has its own
// connections, so that neither a busy pool nor a server that has vanished makes
// requests wait.
type Quota struct {
	db  *sqlx.DB
	url string
}

// How long the server may be silent: while it is asked for something, and on
// the connection that listens, which is tested every ten seconds.
const (
	quotaPatience  = 3 * time.Second
	recallPatience = 25 * time.Second
)

// Quota returns the shared counts of the database. Close must be called.
func (db *DB) Quota() (*Quota, error) {
	connector, err := pq.NewConnector(db.url)
	if err != nil {
		return nil, fmt.Errorf("connections for counts: %w", err)
	}
	connector.Dialer(impatient(quotaPatience))
	q := &Quota{db: sqlx.NewDb(sql.OpenDB(connector), "postgres"), url: db.url}
	q.db.SetMaxOpenConns(3)
	q.db.SetMaxIdleConns(3)
	return q, nil
}

// Close closes the connections.
func (q *Quota) Close() error { return q.db.Close() }

// Join enters a process among those that count requests, and returns its
// number.
func (q *Quota) Join(ctx context.Context) (process int32, err error) {
	if err := q.db.GetContext(ctx, &process, `INSERT INTO quota_processes (seen_at) VALUES (now()) RETURNING id`); err != nil {
		return 0, fmt.Errorf("join those that count requests: %w", err)
	}
	return process, nil
}

// Beat says that a process lives, and returns the database's time, which
// all processes go by. It forgets processes that have been dead for a week.
func (q *Quota) Beat(ctx context.Context, process int32) (now time.Time, err error) {
	if err := q.db.GetContext(ctx, &now, `
		WITH forgotten AS (DELETE FROM quota_processes WHERE seen_at < now() - interval '7 days' AND id <> $1)
		INSERT INTO quota_processes (id, seen_at) OVERRIDING SYSTEM VALUE VALUES ($1, now())
		ON CONFLICT (id) DO UPDATE SET seen_at = now()
		RETURNING clock_timestamp()`, process); err != nil {
		return time.Time{}, fmt.Errorf("sign of life: %w", err)
	}
	return now, nil
}

// Share returns the shares of a window. If there are none yet, total is
// split evenly among the processes seen within alive; the first to ask decides
// for all.
func (q *Quota) Share(ctx context.Context, of quota.Limited, starts int64, total int, alive time.Duration) (quota.LeaseShares, error) {
	if _, err := q.db.ExecContext(ctx, `
		INSERT INTO quota_shares (kind, starts, each, processes)
		SELECT $1, $2, $3 / greatest(count(*), 1)::int, coalesce(array_agg(id ORDER BY id), '{}')
		FROM quota_processes WHERE seen_at > now() - $4 * interval '1 microsecond'
		ON CONFLICT (kind, starts) DO NOTHING`, of, starts, total, alive.Microseconds()); err != nil {
		return quota.LeaseShares{}, fmt.Errorf("split a limit: %w", err)
	}
	var row struct {
		Each      int
		Processes pq.Int32Array
	}
	if err := q.db.GetContext(ctx, &row, `SELECT each, processes FROM quota_shares WHERE kind = $1 AND starts = $2`, of, starts); err != nil {
		return quota.LeaseShares{}, fmt.Errorf("shares of a limit: %w", err)
	}
	return quota.LeaseShares{Each: row.Each, Processes: row.Processes}, nil
}

// reserveMost bounds how many requests a process gets beyond those that wait:
// what a process that dies takes with it.
const reserveMost = 100

// Lease gives process what it asks for, at most what the limits leave,
// and takes back what it no longer needs; all of it in one statement, which is
// why it holds against any number of others. What is given beyond Want is a
// reserve, an eighth of what is left, or a 32nd while several processes ask. There must not be two asks for one
// tally, and process must have nothing of the tally left that it does not give
// back. If there is less than was wanted, or if process is the second to ask,
// the other processes that have a reserve are told (see [Quota.Recalls]).
//
// Each question has a greater turn than the one before. One that is sent again
// with the same turn, because its answer got lost, changes nothing and gives
// what it gave; one that comes after a later one is of kind registry.ErrConflict.
func (q *Quota) Lease(ctx context.Context, process int32, turn int64, alive time.Duration, asks []quota.LeaseAsk) ([]quota.Lease, error) {
	n := len(asks)
	kinds, limits, unused, wants := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	starts, subjects := make([]int64, n), make([]int64, n)
	at := make(map[quota.Tally]int, n)
	for i, a := range asks {
		kinds[i], starts[i], subjects[i] = int32(a.Of), a.Starts, int64(a.ID)
		limits[i], unused[i], wants[i] = int32(a.Limit), int32(a.Unused), int32(a.Want)
		at[a.Tally] = i
	}
	// Rows are locked in the order of the key, so that statements never wait
	// for each other in a circle.
	rows, err := q.db.QueryContext(ctx, `
		WITH turn AS (
			UPDATE quota_processes SET turn = $11 WHERE id = $1 AND turn < $11 RETURNING id
		), asked AS (
			SELECT * FROM unnest($2::int[], $3::bigint[], $4::bigint[], $5::int[], $6::int[], $7::int[])
				WITH ORDINALITY AS a (kind, starts, subject, lim, unused, want, place)
		), done AS (
			INSERT INTO quota_counts AS c (kind, starts, subject, granted, holders, scarce, last, spread, fresh, lim, unused, want, given)
			SELECT a.kind, a.starts, a.subject, b.granted + g.given,
				b.holders || CASE WHEN g.given > a.want THEN ARRAY[$1::int] ELSE '{}' END,
				g.given < a.want, $1::int, n.spread, n.spread, a.lim, a.unused, a.want, g.given
			FROM asked a
			LEFT JOIN quota_shares s ON s.kind = a.kind AND s.starts = a.starts
			CROSS JOIN LATERAL (
				SELECT count(p)::int * coalesce(s.each, 0) - a.unused AS granted,
					coalesce(array_agg(p) FILTER (WHERE p <> $1 AND s.each > 0), '{}') AS holders
				FROM unnest(s.processes) p WHERE p <> ALL (s.gone)
			) b
			CROSS JOIN LATERAL (SELECT a.want > 0 AND cardinality(b.holders) > 0 AS spread) n
			CROSS JOIN LATERAL (
				SELECT CASE WHEN a.want > 0
					THEN least(greatest(a.lim - b.granted, 0),
						greatest(a.want, least($8, (a.lim - b.granted) / CASE WHEN n.spread THEN 32 ELSE 8 END)))
					ELSE 0 END AS given
			) g
			WHERE EXISTS (SELECT FROM turn)
			ORDER BY 1, 2, 3
			ON CONFLICT (kind, starts, subject) DO UPDATE
			SET (granted, holders, scarce, last, spread, fresh, lim, unused, want, given) = (
				SELECT b.granted + g.given,
					b.holders || CASE WHEN g.given > excluded.want THEN ARRAY[$1::int] ELSE '{}' END,
					g.given < excluded.want OR n.scarce, CASE WHEN excluded.want > 0 THEN $1::int ELSE c.last END,
					n.spread, n.spread AND NOT c.spread, excluded.lim, excluded.unused, excluded.want, g.given
				FROM (
					-- A process that has gone had used nothing of its share if it is still a holder.
					SELECT c.granted - excluded.unused - (count(*) FILTER (WHERE h = ANY (s.gone)))::int * coalesce(max(s.each), 0) AS granted,
						coalesce(array_agg(h) FILTER (WHERE h <> $1 AND (s.gone IS NULL OR h <> ALL (s.gone))), '{}') AS holders
					FROM unnest(c.holders) h LEFT JOIN quota_shares s ON s.kind = c.kind AND s.starts = c.starts
				) b
				CROSS JOIN LATERAL (
					SELECT c.scarce AND (excluded.lim - b.granted) * 8 < excluded.lim AS scarce,
						CASE WHEN excluded.want > 0 THEN cardinality(b.holders) > 0 OR c.spread AND c.last <> $1 ELSE c.spread END AS spread
				) n
				CROSS JOIN LATERAL (
					SELECT CASE WHEN excluded.want > 0
						THEN least(greatest(excluded.lim - b.granted, 0),
							greatest(excluded.want, CASE WHEN n.scarce THEN 0 ELSE least($8, (excluded.lim - b.granted) / CASE WHEN n.spread THEN 32 ELSE 8 END) END))
						ELSE 0 END AS given
				) g
			)
			RETURNING c.kind, c.starts, c.subject, c.given, c.granted, c.spread,
				cardinality(array_remove(c.holders, $1)) AS lost,
				CASE WHEN c.want > c.given OR c.fresh THEN (
					SELECT count(*) FROM quota_processes p
					WHERE p.id = ANY (c.holders) AND p.id <> $1 AND p.seen_at > now() - $9 * interval '1 microsecond')
				ELSE 0 END AS others
		), kept AS (
			INSERT INTO quota_answers (process, turn, given)
			SELECT $1, $11, array_agg(d.given ORDER BY a.place) FROM asked a JOIN done d USING (kind, starts, subject) HAVING count(*) > 0
			ON CONFLICT (process) DO UPDATE SET turn = excluded.turn, given = excluded.given
		)
		SELECT kind, starts, subject, given, granted, others, lost, spread,
			CASE WHEN others > 0 THEN pg_notify($10, format('%s %s %s %s', $1::int, kind, starts, subject))::text END AS told
		FROM done`,
		process, pq.Array(kinds), pq.Array(starts), pq.Array(subjects), pq.Array(limits), pq.Array(unused), pq.Array(wants),
		reserveMost, alive.Microseconds(), quotaChannel, turn)
	if err != nil {
		return nil, fmt.Errorf("lease requests: %w", err)
	}
	defer rows.Close()
	leases := make([]quota.Lease, n)
	seen := 0
	for rows.Next() {
		var t quota.Tally
		var id int64
		var l quota.Lease
		var told sql.NullString
		if err := rows.Scan(&t.Of, &t.Starts, &id, &l.Given, &l.Granted, &l.Others, &l.Lost, &l.Spread, &told); err != nil {
			return nil, fmt.Errorf("lease requests: %w", err)
		}
		t.ID = uint64(id)
		i, ok := at[t]
		if !ok {
			return nil, errors.New("lease requests: an answer that nobody asked for")
		}
		leases[i] = l
		seen++
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("lease requests: %w", err)
	}
	switch seen {
	case n:
		return leases, nil
	case 0:
		return q.leaseAgain(ctx, process, turn, alive, asks)
	}
	return nil, fmt.Errorf("lease requests: %d answers to %d asks", seen, n)
}

// leaseAgain returns what a question that was answered before has given. The
// rest of the answer is as it is now.
func (q *Quota) leaseAgain(ctx context.Context, process int32, turn int64, alive time.Duration, asks []quota.LeaseAsk) ([]quota.Lease, error) {
	var given pq.Int32Array
	err := q.db.GetContext(ctx, &given, `SELECT given FROM quota_answers WHERE process = $1 AND turn = $2`, process, turn)
	if errors.Is(err, sql.ErrNoRows) || err == nil && len(given) != len(asks) {
		return nil, registry.Errorf(registry.ErrConflict, "lease requests: the question is not the last one of its process")
	}
	if err != nil {
		return nil, fmt.Errorf("lease requests: %w", err)
	}
	kinds, starts, subjects := make([]int32, len(asks)), make([]int64, len(asks)), make([]int64, len(asks))
	for i, a := range asks {
		kinds[i], starts[i], subjects[i] = int32(a.Of), a.Starts, int64(a.ID)
	}
	var rows []struct {
		Granted, Others, Lost int
		Spread                bool
	}
	if err := q.db.SelectContext(ctx, &rows, `
		SELECT coalesce(c.granted, 0) AS granted, coalesce(c.spread, false) AS spread, coalesce(cardinality(array_remove(c.holders, $1)), 0) AS lost, (
			SELECT count(*) FROM quota_processes p
			WHERE p.id = ANY (c.holders) AND p.id <> $1 AND p.seen_at > now() - $5 * interval '1 microsecond') AS others
		FROM unnest($2::int[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS a (kind, starts, subject, place)
		LEFT JOIN quota_counts c USING (kind, starts, subject) -- none of windows that are long over
		ORDER BY a.place`,
		process, pq.Array(kinds), pq.Array(starts), pq.Array(subjects), alive.Microseconds()); err != nil {
		return nil, fmt.Errorf("lease requests: %w", err)
	}
	leases := make([]quota.Lease, len(asks))
	for i, r := range rows {
		leases[i] = quota.Lease{Given: int(given[i]), Granted: r.Granted, Lost: r.Lost, Spread: r.Spread}
		if leases[i].Given < asks[i].Want {
			leases[i].Others = r.Others
		}
	}
	return leases, nil
}

// Leave takes a process away that has given back what it had of every
// tally that it knows: what is left of its shares goes to the others.
func (q *Quota) Leave(ctx context.Context, process int32) error {
	if _, err := q.db.ExecContext(ctx, `
		WITH shares AS (UPDATE quota_shares SET gone = gone || $1::int WHERE $1::int = ANY (processes) AND $1::int <> ALL (gone))
		DELETE FROM quota_processes WHERE id = $1`, process); err != nil {
		return fmt.Errorf("leave those that count requests: %w", err)
	}
	return nil
}

// Recalls returns a channel of tallies of which another process than this
// one needs what is left. Some can be missed when a connection breaks: who
// needs them asks again. The channel is closed when ctx ends.
func (q *Quota) Recalls(ctx context.Context, process int32) (<-chan quota.Tally, error) {
	listener := pq.NewDialListener(impatient(recallPatience), q.url, 100*time.Millisecond, 5*time.Second, nil)
	failed := make(chan error, 1)
	go func() { failed <- listener.Listen(quotaChannel) }()
	select {
	case err := <-failed:
		if err != nil {
			listener.Close()
			return nil, fmt.Errorf("listen for recalls: %w", err)
		}
	case <-ctx.Done():
		listener.Close()
		return nil, ctx.Err()
	}
	out := make(chan quota.Tally, 256)
	go func() {
		defer close(out)
		defer listener.Close()
		alive := time.NewTicker(10 * time.Second)
		defer alive.Stop()
		pinged := make(chan struct{}, 1) // holds one while a ping is under way
		for {
			select {
			case <-ctx.Done():
				return
			case <-alive.C:
				select {
				case pinged <- struct{}{}:
					go func() { _ = listener.Ping(); <-pinged }() // finds out that the connection is dead
				default:
				}
			case n, ok := <-listener.Notify:
				if !ok {
					return
				}
				if n == nil {
					continue
				}
				var from int32
				var t quota.Tally
				var id int64
				if _, err := fmt.Sscan(n.Extra, &from, &t.Of, &t.Starts, &id); err != nil || from == process || t.Of >= quota.Limiteds {
					continue
				}
				t.ID = uint64(id)
				select {
				case out <- t:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out, nil
}

// ForgetQuota deletes what was counted in windows that have been over for as
// long as they were, and returns how many counts that were.
func (db *DB) ForgetQuota(ctx context.Context, now time.Time) (n int, err error) {
	for of := range quota.Limiteds {
		of := quota.Limited(of)
		var deleted int
		if err := db.db.GetContext(ctx, &deleted, `
			WITH shares AS (DELETE FROM quota_shares WHERE kind = $1 AND starts < $2),
			counts AS (DELETE FROM quota_counts WHERE kind = $1 AND starts < $2 RETURNING 1)
			SELECT count(*) FROM counts`, of, now.Add(-2*of.Window()).Unix()); err != nil {
			return n, fmt.Errorf("forget counts: %w", err)
		}
		n += deleted
	}
	return n, nil
}
