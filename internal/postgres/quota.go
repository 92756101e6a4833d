package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/quota"
)

// quotaChannel is the channel of recalls: requests of a process that others
// return leases. A notification holds the requesting process, and the kind,
// start and subject of the key.
const quotaChannel = "census_quota"

// Quota is the [quota.Store] of a database. It has its own connections, so that
// a busy pool or a server that has vanished does not delay requests.
type Quota struct {
	db  *sqlx.DB
	url string
}

// Timeouts for a server that does not respond: during a statement, and on the
// listening connection, which is tested every ten seconds.
const (
	quotaTimeout  = 3 * time.Second
	recallTimeout = 25 * time.Second
)

// Quota returns the database's store of request counts. Close must be called.
func (db *DB) Quota() (*Quota, error) {
	conns, err := open(db.url, dialWithin(quotaTimeout), 3)
	return &Quota{db: conns, url: db.url}, err
}

// Close closes the connections.
func (q *Quota) Close() error { return q.db.Close() }

// Join implements [quota.Store].
func (q *Quota) Join(ctx context.Context) (process int32, err error) {
	err = q.db.GetContext(ctx, &process,
		`INSERT INTO quota_processes (seen_at) VALUES (now()) RETURNING id`)
	return process, quotaError(err)
}

func quotaError(err error) error { return wrapped(err, "request counts") }

// Beat implements [quota.Store]. It deletes processes that have been silent
// for a week.
func (q *Quota) Beat(ctx context.Context, process int32) (now time.Time, err error) {
	err = q.db.GetContext(ctx, &now, `
		WITH deleted AS (DELETE FROM quota_processes WHERE seen_at < now() - interval '7 days' AND id <> $1)
		INSERT INTO quota_processes (id, seen_at) OVERRIDING SYSTEM VALUE VALUES ($1, now())
		ON CONFLICT (id) DO UPDATE SET seen_at = now()
		RETURNING clock_timestamp()`, process)
	return now, quotaError(err)
}

// Share implements [quota.Store].
func (q *Quota) Share(ctx context.Context, starts int64, total int) (s quota.Share, err error) {
	if _, err := q.db.ExecContext(ctx, `
		INSERT INTO quota_shares (kind, starts, each, processes)
		SELECT $1, $2, $3 / greatest(count(*), 1)::int, coalesce(array_agg(id ORDER BY id), '{}')
		FROM quota_processes WHERE seen_at > now() - make_interval(secs => $4)
		ON CONFLICT (kind, starts) DO NOTHING`,
		quota.ClientHour, starts, total, quota.AliveFor.Seconds()); err != nil {
		return s, quotaError(err)
	}
	err = q.db.QueryRowContext(ctx,
		`SELECT each, processes FROM quota_shares WHERE kind = $1 AND starts = $2`,
		quota.ClientHour, starts).Scan(&s.Each, (*pq.Int32Array)(&s.Processes))
	return s, quotaError(err)
}

// Granted implements [quota.Store].
func (q *Quota) Granted(ctx context.Context, k quota.Key) (n int, err error) {
	err = q.db.GetContext(ctx, &n, `
		SELECT coalesce(
			(SELECT granted FROM quota_counts WHERE kind = $1 AND starts = $2 AND subject = $3),
			(SELECT each * cardinality(processes) FROM quota_shares WHERE kind = $1 AND starts = $2), 0)`,
		k.Of, k.Starts, int64(k.ID))
	return n, quotaError(err)
}

// Lease implements [quota.Store].
func (q *Quota) Lease(
	ctx context.Context, process int32, requests []quota.LeaseRequest,
) (leases []quota.Lease, err error) {
	tx, err := q.db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, quotaError(err)
	}
	if leases, err = lease(ctx, tx, process, requests); err != nil {
		_ = tx.Rollback()
	} else if err = tx.Commit(); err != nil {
		err = fmt.Errorf("%w: %w", quota.ErrUncertain, err)
	}
	return leases, quotaError(err)
}

// A countRow is a row of quota_counts.
type countRow struct {
	Kind    quota.Kind    `json:"kind"`
	Starts  int64         `json:"starts"`
	Subject int64         `json:"subject"`
	Granted int           `json:"granted"`
	Holders pq.Int32Array `json:"holders"`
	Alive   int           `json:"-"` // the number of other holders that are alive
}

func lease(
	ctx context.Context, tx *sqlx.Tx, process int32, requests []quota.LeaseRequest,
) ([]quota.Lease, error) {
	rows := make([]countRow, len(requests))
	at := make(map[quota.Key]int, len(requests))
	for i, r := range requests {
		rows[i] = countRow{Kind: r.Of, Starts: r.Starts, Subject: int64(r.ID)}
		at[r.Key] = i
	}
	keys := asJSON{rows}
	rows = nil
	// Rows are locked in the order of the primary key, so that transactions do
	// not deadlock.
	if err := tx.SelectContext(ctx, &rows, `
		INSERT INTO quota_counts AS c (kind, starts, subject, granted, holders, scarce)
		SELECT r.kind, r.starts, r.subject,
			coalesce(s.each * cardinality(s.processes), 0), coalesce(s.processes, '{}'), false
		FROM jsonb_to_recordset($1) AS r (kind int, starts bigint, subject bigint)
		LEFT JOIN quota_shares s ON s.kind = r.kind AND s.starts = r.starts
		ORDER BY 1, 2, 3
		ON CONFLICT (kind, starts, subject) DO UPDATE SET granted = c.granted
		RETURNING kind, starts, subject, granted, holders, (
			SELECT count(*) FROM quota_processes p
			WHERE p.id = ANY (holders) AND p.id <> $2 AND p.seen_at > now() - make_interval(secs => $3)) AS alive`,
		keys, process, quota.AliveFor.Seconds()); err != nil {
		return nil, err
	}
	leases := make([]quota.Lease, len(requests))
	var recalls []string
	for n := range rows {
		row := &rows[n]
		i := at[quota.Key{Subject: quota.Subject{Of: row.Kind, ID: uint64(row.Subject)},
			Starts: row.Starts}]
		c := quota.Count{Granted: row.Granted, Holders: row.Holders}
		leases[i] = c.Lease(process, requests[i])
		row.Granted, row.Holders = c.Granted, c.Holders
		if leases[i].Given < requests[i].Want && row.Alive > 0 {
			leases[i].Alive = row.Alive
			recalls = append(recalls, fmt.Sprintln(process, row.Kind, row.Starts, row.Subject))
		}
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE quota_counts c SET granted = n.granted, holders = n.holders
		FROM jsonb_to_recordset($1)
			AS n (kind int, starts bigint, subject bigint, granted int, holders int[])
		WHERE c.kind = n.kind AND c.starts = n.starts AND c.subject = n.subject`, asJSON{rows})
	if err == nil && len(recalls) > 0 {
		_, err = tx.ExecContext(ctx,
			`SELECT pg_notify($1, recall) FROM unnest($2::text[]) AS recall`,
			quotaChannel, pq.Array(recalls))
	}
	return leases, err
}

// Leave implements [quota.Store].
func (q *Quota) Leave(ctx context.Context, process int32) error {
	return quotaError(inTx(ctx, q.db, func(tx *sqlx.Tx) error {
		// The lock waits for transactions that have read the shares.
		return execAll(ctx, tx, map[string]any{"process": process},
			`LOCK TABLE quota_shares IN ACCESS EXCLUSIVE MODE`, `
			WITH left_shares AS (
				UPDATE quota_shares SET processes = array_remove(processes, :process)
				WHERE :process = ANY (processes)
				RETURNING kind, starts, each
			), left_processes AS (
				DELETE FROM quota_processes WHERE id = :process
			)
			UPDATE quota_counts c SET granted = granted - s.each,
				holders = array_remove(holders, :process)
			FROM left_shares s
			WHERE c.kind = s.kind AND c.starts = s.starts AND :process = ANY (c.holders)`)
	}))
}

// Recalls implements [quota.Store]. Recalls can be missed while the connection
// is broken; processes that need a lease repeat them.
func (q *Quota) Recalls(ctx context.Context, process int32) (<-chan quota.Key, error) {
	out := make(chan quota.Key, 256)
	listener := pq.NewDialListener(dialWithin(recallTimeout), q.url, 100*time.Millisecond,
		5*time.Second, nil)
	err := follow(ctx, listener, quotaChannel, 10*time.Second, func(n *pq.Notification) {
		if k, ok := recallFor(process, n); ok {
			select {
			case out <- k:
			case <-ctx.Done():
			}
		}
	}, func() { close(out) })
	return out, err
}

// recallFor returns the key of a notification of another process. n is nil
// after the connection was restored.
func recallFor(process int32, n *pq.Notification) (k quota.Key, ok bool) {
	if n == nil {
		return k, false
	}
	var from int32
	var id int64
	_, err := fmt.Sscan(n.Extra, &from, &k.Of, &k.Starts, &id)
	k.ID = uint64(id)
	return k, err == nil && from != process && k.Of < quota.Kinds
}

// ForgetQuota deletes counts of windows that ended at least one window ago, and
// returns how many.
func (db *DB) ForgetQuota(ctx context.Context, now time.Time) (n int, err error) {
	for k := range quota.Kinds {
		var deleted int
		if err := db.db.GetContext(ctx, &deleted, `
			WITH shares AS (DELETE FROM quota_shares WHERE kind = $1 AND starts < $2),
			counts AS (DELETE FROM quota_counts WHERE kind = $1 AND starts < $2 RETURNING 1)
			SELECT count(*) FROM counts`, k, now.Add(-2*k.Window()).Unix()); err != nil {
			return n, fmt.Errorf("delete old counts: %w", err)
		}
		n += deleted
	}
	return n, nil
}
