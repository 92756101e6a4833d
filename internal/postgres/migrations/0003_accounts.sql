-- Everything of an account refers to it ON DELETE CASCADE: deleting the row
-- deletes the person from the database.
CREATE TABLE accounts (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email        text        NOT NULL,
    email_key    text        NOT NULL UNIQUE,      -- the address as it is compared
    password     text        NOT NULL DEFAULT '',  -- argon2id in PHC form; '': none
    github_id    bigint      UNIQUE,
    github_login text        NOT NULL DEFAULT '',
    confirmed_at timestamptz,
    created_at   timestamptz NOT NULL,
    plan         text        NOT NULL DEFAULT 'basic',
    plan_until   timestamptz,                      -- when plan_next takes over; null: plan stays
    plan_next    text        NOT NULL DEFAULT ''
);

CREATE TABLE audit (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL,
    account bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    actor   text        NOT NULL,
    action  text        NOT NULL,
    detail  text        NOT NULL
);
CREATE INDEX audit_account ON audit (account, id DESC);
