-- One row holds the expiry of the leases of a batch, so that a renewal updates one row and no index.
CREATE TABLE leases (
    id     text        PRIMARY KEY, -- repositories.lease
    worker text        NOT NULL,    -- random name of a process, which holds the lock of that name
    until  timestamptz NOT NULL
) WITH (fillfactor = 50);
INSERT INTO leases (id, worker, until)
SELECT lease, coalesce(max(leased_by), ''), coalesce(max(lease_until), 'epoch') FROM repositories
WHERE lease IS NOT NULL GROUP BY lease;
DROP INDEX repositories_leased;
CREATE INDEX repositories_leased ON repositories (lease) WHERE lease IS NOT NULL;
DROP INDEX repositories_due;
CREATE INDEX repositories_due ON repositories (due_at) INCLUDE (lease);
-- A process of the release before still uses them; a later release drops them.
COMMENT ON COLUMN repositories.lease_until IS 'unused since 0084';
COMMENT ON COLUMN repositories.leased_by IS 'unused since 0084';
