-- Saved searches of accounts: custom endpoints. They stay when the plan that
-- allows their use ends.
CREATE TABLE customs (
    account    bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name       text        NOT NULL,
    query      text        NOT NULL,
    filters    text        NOT NULL,               -- JSON as it was given; '': none
    sort       text        NOT NULL,
    fields     text[],                             -- null: those of a list entry
    page_limit integer     NOT NULL,
    facets     boolean     NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account, name)
);
