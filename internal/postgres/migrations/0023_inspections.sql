-- Packages that the inspector has run or is running in its sandbox.
CREATE TABLE inspections (
    registry_type text        NOT NULL,
    identifier    text        NOT NULL,
    version       text        NOT NULL, -- that was last leased
    result        jsonb,                -- registry.Inspection; NULL if there was none
    attempt       integer     NOT NULL DEFAULT 0, -- inspections of the version
    due_at        timestamptz NOT NULL,
    lease_until   timestamptz,
    PRIMARY KEY (registry_type, identifier),
    FOREIGN KEY (registry_type, identifier) REFERENCES packages ON DELETE CASCADE
);
