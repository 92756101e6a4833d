-- Everything of an account refers to it ON DELETE CASCADE: deleting the row
-- deletes the person from the database.
CREATE TABLE accounts (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email        text        NOT NULL,
    email_key    text        NOT NULL UNIQUE,      -- the address as it is compared
    password     text        NOT NULL DEFAULT '',  -- argon2id in PHC form; '': none
    epoch        int         NOT NULL DEFAULT 1,   -- sessions of an earlier one are over
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

-- Browsers and programs that hold a cookie. The cookie's token is not here,
-- only its SHA-256.
CREATE TABLE sessions (
    hash       bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),
    account    bigint      REFERENCES accounts ON DELETE CASCADE,  -- null: nobody has signed in
    data       bytea       NOT NULL,
    seen_at    timestamptz NOT NULL,   -- to the minute
    idle       interval    NOT NULL,   -- it is over when unseen for so long
    expires_at timestamptz NOT NULL    -- and then in any case
);
CREATE INDEX sessions_account ON sessions (account);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- Single-use links that were sent by mail or given out by the operator.
CREATE TABLE links (
    hash       bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),
    account    bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    purpose    text        NOT NULL CHECK (purpose IN ('confirm', 'email', 'reset')),
    email      text        NOT NULL DEFAULT '',  -- of email: the new address
    email_key  text        NOT NULL DEFAULT '',
    password   text        NOT NULL DEFAULT '',  -- of confirm: that of the sign-up which the link was sent for
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX links_account ON links (account);

-- Attempts that are slowed down. A key is the SHA-256 of what is counted: an
-- address with a client, say, whether or not the address has an account.
CREATE TABLE attempts (
    key     bytea       PRIMARY KEY CHECK (octet_length(key) = 32),
    count   int         NOT NULL,
    last_at timestamptz NOT NULL,
    free_at timestamptz NOT NULL,  -- the next one before then is refused
    gone_at timestamptz NOT NULL   -- the row says nothing any more
);
CREATE INDEX attempts_gone ON attempts (gone_at);

-- Browsers in which the owner has signed in before, by the SHA-256 of a token
-- in a cookie: they are not slowed down by what strangers try.
CREATE TABLE devices (
    account bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash    bytea       NOT NULL CHECK (octet_length(hash) = 32),
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (account, hash)
);
