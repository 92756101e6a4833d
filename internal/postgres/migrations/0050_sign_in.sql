-- People sign in with a mailed link, GitHub or OpenID Connect. Passwords, second factors,
-- recovery codes, passkeys and known browsers are gone; all sessions end.
DROP TABLE links, passkey_challenges, passkeys, recovery_codes, second_factors, devices, attempts;
DELETE FROM sessions;

-- Nobody has shown that the address of an unconfirmed account is theirs, so nothing of it is
-- kept unless the operator gave it keys or a plan. It belongs to whoever signs in with the address.
DELETE FROM accounts a WHERE confirmed_at IS NULL AND plan = 'basic'
    AND NOT EXISTS (SELECT 1 FROM keys WHERE account = a.id);
ALTER TABLE accounts DROP COLUMN password, DROP COLUMN confirmed_at;

-- Single-use links, sent by mail or printed for the operator.
CREATE TABLE links (
    hash       bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),   -- of the token
    purpose    text        NOT NULL CHECK (purpose IN ('sign_in', 'email')),
    account    bigint      REFERENCES accounts ON DELETE CASCADE,   -- of email
    email      text        NOT NULL,   -- to sign in with, or the new address
    email_key  text        NOT NULL,
    browser    bytea       CHECK (octet_length(browser) = 32),      -- hash of the token of the browser that asked; null: any
    code       bytea       CHECK (octet_length(code) = 32),         -- of the code in the mail and the token of the browser
    tries      int         NOT NULL DEFAULT 0,                      -- wrong codes
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX links_browser ON links (browser);
CREATE INDEX links_email ON links (email_key);
CREATE INDEX links_account ON links (account);

-- Mails of the last hour, for limits. A key is the SHA-256 of what is limited.
CREATE TABLE mail_counts (
    key bytea       NOT NULL CHECK (octet_length(key) = 32),
    at  timestamptz NOT NULL
);
CREATE INDEX mail_counts_key ON mail_counts (key, at);
CREATE INDEX mail_counts_at ON mail_counts (at);
