-- When servers were merged into others, for readers of the change feed.
ALTER TABLE tombstones ADD COLUMN at timestamptz NOT NULL DEFAULT now();

-- The dump that this registry was filled from, and how far the import has come.
CREATE TABLE imports (
    one         boolean PRIMARY KEY DEFAULT true CHECK (one),
    dump        text        NOT NULL,   -- SHA-256 of the first line of the dump
    line        bigint      NOT NULL,   -- last line that is stored
    stored      bigint      NOT NULL,   -- servers
    rejected    bigint      NOT NULL,   -- lines
    started_at  timestamptz NOT NULL,
    finished_at timestamptz
);
