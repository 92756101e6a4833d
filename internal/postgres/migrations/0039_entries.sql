-- Names that entries of servers at /v0.1 no longer have: the server left, lost its entry
-- or got another name. Servers that left before this migration are not among them.
CREATE TABLE entry_tombstones (
    name      text        NOT NULL,
    server_id bigint      NOT NULL,   -- may be merged or deleted since
    version   text        NOT NULL,
    published boolean     NOT NULL,   -- by its owner, in the official registry
    at        timestamptz NOT NULL,
    PRIMARY KEY (name, server_id)
);
CREATE INDEX entry_tombstones_at ON entry_tombstones (at);

-- Entries that views at /r have or had, by the names that they show. Stored when a view is
-- listed.
CREATE TABLE view_members (
    view    text   NOT NULL,          -- name, or the token of a custom endpoint
    name    text   NOT NULL,
    version text   NOT NULL,
    left_at timestamptz,              -- null: it is a member
    PRIMARY KEY (view, name)
);
CREATE INDEX view_members_left ON view_members (left_at) WHERE left_at IS NOT NULL;

-- Entries of the official registry that a later version has replaced.
CREATE TABLE listing_versions (
    name         text        NOT NULL,
    version      text        NOT NULL,
    published_at timestamptz NOT NULL,
    listing      json        NOT NULL,   -- like listings.listing
    PRIMARY KEY (name, version)
);
