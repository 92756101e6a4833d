-- One row holds the expiry of the leases of a batch, so that a renewal updates one row and no index.
CREATE TABLE leases (
    id     text        PRIMARY KEY, -- repositories.lease
    worker text        NOT NULL,    -- random name of a process, which holds the lock of that name
    until  timestamptz NOT NULL
) WITH (fillfactor = 50);
DROP INDEX repositories_leased;
CREATE INDEX repositories_leased ON repositories (lease) WHERE lease IS NOT NULL;
DROP INDEX repositories_due;
CREATE INDEX repositories_due ON repositories (due_at) INCLUDE (lease);
-- A process of the release before still sets them; a later release drops them.
COMMENT ON COLUMN repositories.lease_until IS 'of leases from before 0084';
COMMENT ON COLUMN repositories.leased_by IS 'of leases from before 0084';
