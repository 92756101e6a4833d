-- Events of servers, written in the transaction that changes the server. Those with an
-- account are for its endpoints only. Stored for 30 days.
CREATE TABLE server_events (
    id        text        PRIMARY KEY,
    sequence  bigint      NOT NULL,               -- number of the change
    type      text        NOT NULL,
    server_id bigint,                             -- may be merged or deleted since
    slug      text        NOT NULL,               -- '': none
    account   bigint      REFERENCES accounts ON DELETE CASCADE,
    at        timestamptz NOT NULL,
    data      json        NOT NULL
);
CREATE INDEX server_events_sequence ON server_events (sequence);
CREATE INDEX server_events_at ON server_events (at);
CREATE INDEX server_events_account ON server_events (account) WHERE account IS NOT NULL;

-- Where accounts receive events.
CREATE TABLE webhook_endpoints (
    id            bigserial   PRIMARY KEY,
    account       bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    url           text        NOT NULL,
    description   text        NOT NULL,
    events        text[],                         -- types; null: all
    servers       text[],                         -- slugs; null: all
    search        text        NOT NULL,           -- name of a custom endpoint; '': none
    secret        text        NOT NULL,           -- needed to sign, so it cannot be a hash
    old_secret    text        NOT NULL DEFAULT '',
    old_until     timestamptz,                    -- when old_secret ends
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    disabled_at   timestamptz,
    disabled_why  text        NOT NULL DEFAULT '',
    failing_since timestamptz                     -- null: the last attempt succeeded
);
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account);

-- The queue of deliveries, one row for each endpoint and event.
CREATE TABLE webhook_deliveries (
    id           bigserial   PRIMARY KEY,
    endpoint     bigint      NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    event        text        NOT NULL REFERENCES server_events ON DELETE CASCADE,
    state        text        NOT NULL DEFAULT 'pending', -- 'pending', 'delivered', 'failed'
    attempts     integer     NOT NULL DEFAULT 0,
    due_at       timestamptz NOT NULL,
    lease        text,
    lease_until  timestamptz,
    created_at   timestamptz NOT NULL,
    attempted_at timestamptz,                     -- the last attempt, and its result
    status       integer,                         -- null: no response
    error        text        NOT NULL DEFAULT '',
    took_ms      integer,
    delivered_at timestamptz,
    UNIQUE (endpoint, event)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint, due_at, id)
    WHERE state = 'pending';
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event);

-- Up to which change events have become deliveries.
CREATE TABLE webhook_progress (sequence bigint NOT NULL);
INSERT INTO webhook_progress SELECT seq FROM changes;

-- The results of the saved searches that endpoints use.
CREATE TABLE webhook_views (
    account    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name       text   NOT NULL,
    definition text   NOT NULL,                   -- filters that the results are of
    PRIMARY KEY (account, name)
);
CREATE TABLE webhook_members (
    account   bigint NOT NULL,
    name      text   NOT NULL,
    server_id bigint NOT NULL,
    slug      text   NOT NULL,
    PRIMARY KEY (account, name, server_id),
    FOREIGN KEY (account, name) REFERENCES webhook_views ON DELETE CASCADE
);
