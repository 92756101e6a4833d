-- The lists of tools that servers have had, each from when it was first seen
-- until the next one of the server.
CREATE TABLE tool_lists (
    server_id bigint      NOT NULL REFERENCES servers ON DELETE CASCADE,
    since     timestamptz NOT NULL,
    hash      text        NOT NULL,
    source    text        NOT NULL, -- "probe", "run", "manifest", "source" or "readme"
    version   text        NOT NULL, -- of the server; '' if unknown
    tools     jsonb       NOT NULL,
    PRIMARY KEY (server_id, since)
);
