-- Where entries of the audit log come from. Entries that repeat within an hour, such as
-- failed sign-ins, are one row.
ALTER TABLE audit
    ADD COLUMN network text NOT NULL DEFAULT '',   -- /24 of an IPv4 address, /48 of an IPv6 one
    ADD COLUMN agent   text NOT NULL DEFAULT '',   -- User-Agent
    ADD COLUMN times   int  NOT NULL DEFAULT 1;
CREATE INDEX audit_at ON audit (at);

-- What owners see of their sessions.
ALTER TABLE sessions
    ADD COLUMN id         bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN network    text NOT NULL DEFAULT '',
    ADD COLUMN agent      text NOT NULL DEFAULT '';

-- Second factors: time-based one-time passwords (RFC 6238).
CREATE TABLE second_factors (
    account    bigint      PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    secret     text        NOT NULL,   -- in base32; needed to compare, so it cannot be a hash
    step       bigint      NOT NULL,   -- of the last code; each code works once
    created_at timestamptz NOT NULL
);
CREATE TABLE recovery_codes (
    account bigint NOT NULL REFERENCES second_factors ON DELETE CASCADE,
    hash    bytea  NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (account, hash)
);
