-- Passkeys: WebAuthn credentials of accounts.
CREATE TABLE passkeys (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account       bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    credential_id bytea       NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    credential    jsonb       NOT NULL,   -- public key, flags and transports
    sign_count    bigint      NOT NULL,   -- of the last use; only a higher one is accepted, unless both are 0
    name          text        NOT NULL,
    created_at    timestamptz NOT NULL,
    used_at       timestamptz
);
CREATE INDEX passkeys_account ON passkeys (account);

-- Challenges that browsers have to sign. Each works once.
CREATE TABLE passkey_challenges (
    hash       bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),   -- of a token in the session
    data       jsonb       NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_expires ON passkey_challenges (expires_at);
