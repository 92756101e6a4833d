-- What is asked about packages and when: one row for each package and kind of request. Types
-- that are never asked for have none. Copies the columns of all packages, without their facts:
-- about a minute for two million.
CREATE TABLE package_tasks (
    registry_type text        NOT NULL,
    identifier    text        NOT NULL,
    kind          text        NOT NULL CHECK (kind IN ('facts', 'downloads', 'probe')),
    due_at        timestamptz NOT NULL,
    lease_until   timestamptz,
    attempt       integer     NOT NULL DEFAULT 0,
    error         text        NOT NULL DEFAULT '', -- of the last request
    error_at      timestamptz
);
INSERT INTO package_tasks
SELECT registry_type, identifier, CASE registry_type WHEN 'remote' THEN 'probe' ELSE 'facts' END,
    due_at, lease_until, attempt, last_error, last_error_at
FROM packages
WHERE registry_type IN ('npm', 'pypi', 'cargo', 'nuget', 'oci', 'project', 'remote')
UNION ALL
SELECT registry_type, identifier, 'downloads', downloads_due_at, downloads_lease_until,
    downloads_attempt, downloads_error, downloads_error_at
FROM packages WHERE registry_type IN ('npm', 'pypi');

ALTER TABLE package_tasks ADD PRIMARY KEY (registry_type, identifier, kind),
    ADD FOREIGN KEY (registry_type, identifier) REFERENCES packages ON DELETE CASCADE;
CREATE INDEX package_tasks_due ON package_tasks (kind, due_at);
-- Packages of a service that refuses requests must not stand in the way of others.
CREATE INDEX package_tasks_type_due ON package_tasks (registry_type, due_at)
    WHERE kind = 'downloads';
CREATE INDEX package_tasks_leased ON package_tasks (kind) WHERE lease_until IS NOT NULL;
CREATE INDEX package_tasks_failing ON package_tasks (kind) WHERE error <> '';

-- The indexes of these columns go with them.
ALTER TABLE packages DROP due_at, DROP lease_until, DROP attempt, DROP last_error,
    DROP last_error_at, DROP downloads_due_at, DROP downloads_lease_until,
    DROP downloads_attempt, DROP downloads_error, DROP downloads_error_at;
