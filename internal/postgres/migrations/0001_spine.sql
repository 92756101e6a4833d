-- Every listed change has a number from this one row. The row stays locked
-- until the change commits, so numbers become visible in order: who has seen
-- number 10 has seen all before it.
CREATE TABLE changes (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    seq bigint  NOT NULL
);
INSERT INTO changes (seq) VALUES (0);

-- A row per repository; the row is also its place in the queue.
CREATE TABLE repositories (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    host          text        NOT NULL,
    host_id       bigint,                          -- null until the host has said it
    node_id       text        NOT NULL DEFAULT '',
    owner         text        NOT NULL,
    name          text        NOT NULL,
    key           text,                            -- host:owner/name in lower case; null once another id has the name
    snapshot      json,                            -- registry.Snapshot without texts
    state         text        NOT NULL DEFAULT 'new',
    reason        text        NOT NULL DEFAULT '',

    due_at        timestamptz NOT NULL,
    wanted        integer     NOT NULL DEFAULT 0,
    turn_at       timestamptz NOT NULL,            -- due_at, earlier the more it is wanted: the order of the queue
    forced        boolean     NOT NULL DEFAULT false,
    lease         text,
    lease_until   timestamptz,
    leased_by     text,
    attempt       integer     NOT NULL DEFAULT 0,
    last_error    text        NOT NULL DEFAULT '',
    last_error_at timestamptz,

    misses        integer     NOT NULL DEFAULT 0,
    missing_since timestamptz,
    last_miss_at  timestamptz,
    interval_days double precision NOT NULL DEFAULT 0,
    fetched_at    timestamptz,
    probed_at     timestamptz,
    changed_at    timestamptz,
    created_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX repositories_host_id ON repositories (host, host_id) WHERE host_id IS NOT NULL;
CREATE UNIQUE INDEX repositories_key ON repositories (key) WHERE key IS NOT NULL;
CREATE INDEX repositories_turn ON repositories (forced DESC, turn_at, id);

-- Names that repositories had before. A name that another repository has
-- since taken is not trusted to lead here.
CREATE TABLE repository_names (
    key      text        NOT NULL,
    repo_id  bigint      NOT NULL REFERENCES repositories ON DELETE CASCADE,
    trusted  boolean     NOT NULL,
    until    timestamptz NOT NULL,
    PRIMARY KEY (key, repo_id)
);
CREATE INDEX repository_names_repo ON repository_names (repo_id);

CREATE TABLE repository_texts (
    repo_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    path    text   NOT NULL,
    oid     text   NOT NULL,
    text    text   NOT NULL,
    PRIMARY KEY (repo_id, path)
);

CREATE TABLE sightings (
    repo_id       bigint      NOT NULL REFERENCES repositories ON DELETE CASCADE,
    source        text        NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at  timestamptz NOT NULL,
    PRIMARY KEY (repo_id, source)
);

-- A row per MCP server. A row is never deleted but for a merge of two
-- repositories that turn out to be one: slugs are for ever.
CREATE TABLE servers (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repo_id       bigint      NOT NULL REFERENCES repositories,
    subfolder     text        NOT NULL,
    slug          text COLLATE "C" NOT NULL UNIQUE, -- of ASCII, and searched by its beginning
    seq           bigint      NOT NULL UNIQUE,
    record        json        NOT NULL,            -- registry.Server
    digest        bytea       NOT NULL,            -- of the record without the times of observation
    facts         json        NOT NULL,            -- registry.Facts
    facts_digest  bytea       NOT NULL,
    facts_at      timestamptz NOT NULL,            -- when the facts' repository was observed
    readme        text        NOT NULL DEFAULT '',
    registry_name text        NOT NULL DEFAULT '',
    verified      boolean     NOT NULL DEFAULT false,
    score         integer,
    stars         integer,
    forks         integer,
    downloads     bigint,
    listed        boolean     NOT NULL,
    listed_at     timestamptz NOT NULL,            -- first listed
    written_at    timestamptz NOT NULL,            -- when record was last written
    updated_at    timestamptz NOT NULL,            -- when something in it last changed
    gone_at       timestamptz,                     -- since when it is not listed
    hidden_at     timestamptz,                     -- by the operator
    hidden_reason text        NOT NULL DEFAULT '',
    UNIQUE (repo_id, subfolder)
);
CREATE INDEX servers_registry_name ON servers (registry_name) WHERE registry_name <> '';

-- Slugs of servers that turned out to be other servers.
CREATE TABLE slug_aliases (
    slug      text COLLATE "C" PRIMARY KEY,
    server_id bigint NOT NULL REFERENCES servers ON DELETE CASCADE
);
CREATE INDEX slug_aliases_server ON slug_aliases (server_id);

CREATE TABLE server_packages (
    server_id     bigint NOT NULL REFERENCES servers ON DELETE CASCADE,
    registry_type text   NOT NULL,
    identifier    text   NOT NULL,
    PRIMARY KEY (server_id, registry_type, identifier)
);
CREATE INDEX server_packages_package ON server_packages (registry_type, identifier);

-- Entries of the official registry, with the repository that each names.
CREATE TABLE listings (
    name      text        PRIMARY KEY,
    repo_key  text,
    host_id   bigint,
    listing   json        NOT NULL,                -- registry.Listing
    seen_at   timestamptz NOT NULL
);
CREATE INDEX listings_repo_key ON listings (repo_key) WHERE repo_key IS NOT NULL;
CREATE INDEX listings_host_id ON listings (host_id) WHERE host_id IS NOT NULL;

CREATE TABLE packages (
    registry_type         text        NOT NULL,
    identifier            text        NOT NULL,
    facts                 json,                    -- registry.PackageFacts
    asked_at              timestamptz NOT NULL,    -- when a server last named it
    due_at                timestamptz NOT NULL,
    lease_until           timestamptz,
    attempt               integer     NOT NULL DEFAULT 0,
    last_error            text        NOT NULL DEFAULT '',
    last_error_at         timestamptz,
    downloads_due_at      timestamptz NOT NULL,
    downloads_lease_until timestamptz,
    downloads_attempt     integer     NOT NULL DEFAULT 0,
    downloads_error       text        NOT NULL DEFAULT '',
    downloads_error_at    timestamptz,
    PRIMARY KEY (registry_type, identifier)
);
CREATE INDEX packages_due ON packages (due_at);
CREATE INDEX packages_downloads_due ON packages (downloads_due_at);

CREATE TABLE day_stats (
    server_id bigint NOT NULL REFERENCES servers ON DELETE CASCADE,
    date      date   NOT NULL,
    score     integer,
    stars     integer,
    forks     integer,
    downloads bigint,
    PRIMARY KEY (server_id, date)
);

CREATE TABLE source_states (
    name          text PRIMARY KEY,
    cursor        json,
    last_started  timestamptz,
    last_success  timestamptz,
    last_error    text NOT NULL DEFAULT '',
    last_error_at timestamptz,
    found         integer NOT NULL DEFAULT 0
);

CREATE TABLE budgets (
    upstream    text        NOT NULL,
    credential  text        NOT NULL,
    resource    text        NOT NULL,
    "limit"     integer     NOT NULL,
    remaining   integer     NOT NULL,
    reset_at    timestamptz NOT NULL,
    observed_at timestamptz NOT NULL,
    problem     text        NOT NULL DEFAULT '',
    PRIMARY KEY (upstream, credential, resource)
);

CREATE TABLE job_runs (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job         text        NOT NULL,
    started_at  timestamptz NOT NULL,
    finished_at timestamptz,
    note        text        NOT NULL DEFAULT '',
    error       text        NOT NULL DEFAULT ''
);
CREATE INDEX job_runs_job ON job_runs (job, started_at DESC);

-- Health checks asked for by address.
CREATE TABLE checks (
    key            text        PRIMARY KEY,
    state          text        NOT NULL,
    result         bytea,
    misses         integer     NOT NULL DEFAULT 0,
    negative_until timestamptz,
    started_at     timestamptz NOT NULL,
    running_until  timestamptz,                    -- a run that takes longer has died
    finished_at    timestamptz
);
CREATE INDEX checks_started ON checks (started_at);

-- lz4 reads several times faster than the default; not every build has it.
DO $$
BEGIN
    ALTER TABLE servers ALTER record SET COMPRESSION lz4, ALTER facts SET COMPRESSION lz4, ALTER readme SET COMPRESSION lz4;
    ALTER TABLE repositories ALTER snapshot SET COMPRESSION lz4;
    ALTER TABLE repository_texts ALTER text SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;

-- Servers that were merged into others, for readers to forget.
CREATE TABLE tombstones (
    seq       bigint PRIMARY KEY,
    server_id bigint NOT NULL,
    slug      text   NOT NULL
);
