-- Accounts of several people. The person who signed up with an account is its owner and has
-- no row here: every account is an organisation of one at first.
CREATE TABLE members (
    account bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    member  bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    role    text        NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    since   timestamptz NOT NULL,
    PRIMARY KEY (account, member),
    CHECK (account <> member)
);
CREATE INDEX members_member ON members (member);

CREATE TABLE invitations (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account    bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash       bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    email      text        NOT NULL,
    email_key  text        NOT NULL,
    role       text        NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    invited_by bigint      NOT NULL,   -- accounts.id
    expires_at timestamptz NOT NULL,
    UNIQUE (account, email_key)
);

ALTER TABLE keys ADD COLUMN made_by bigint;                  -- accounts.id of a member; null: the owner
ALTER TABLE audit ADD COLUMN member text NOT NULL DEFAULT ''; -- address of the member who did it

-- A former member has no keys and no invitations in it, also when
-- the person's own account is deleted.
CREATE FUNCTION member_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE keys SET revoked_at = now()
        WHERE account = OLD.account AND made_by = OLD.member AND revoked_at IS NULL;
    DELETE FROM invitations WHERE account = OLD.account AND invited_by = OLD.member;
    RETURN NULL;
END $$;
CREATE TRIGGER member_left AFTER DELETE ON members FOR EACH ROW EXECUTE FUNCTION member_left();
