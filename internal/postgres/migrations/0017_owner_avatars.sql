-- Avatars of owners, encoded again by us.
CREATE TABLE owner_avatars (
    host   text        NOT NULL,
    owner  text        NOT NULL, -- in lower case
    image  bytea,                -- PNG; null: there is none, or it was refused
    due_at timestamptz NOT NULL, -- when it is fetched again
    PRIMARY KEY (host, owner)
);
