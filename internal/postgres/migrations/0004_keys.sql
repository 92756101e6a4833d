-- API keys. A key itself is nowhere: only its SHA-256, and its first
-- characters for people to tell keys apart.
CREATE TABLE keys (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account      bigint      NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name         text        NOT NULL,
    prefix       text        NOT NULL,
    hash         bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    replaced_by  bigint,                 -- the key it was rotated to
    expires_at   timestamptz,            -- set when it was rotated
    revoked_at   timestamptz
);
CREATE INDEX keys_account ON keys (account, id);

-- Which accounts' keys or plans have changed, numbered in the order in which
-- the changes become visible: the number is given under the lock of the one
-- row of key_seq, as late as can be. A row whose account is gone says that its
-- keys are gone too, so it stays. (Accounts that never had a key have none.)
CREATE TABLE key_seq (one boolean PRIMARY KEY DEFAULT true CHECK (one), seq bigint NOT NULL);
INSERT INTO key_seq (seq) VALUES (0);
CREATE TABLE key_changes (account bigint PRIMARY KEY, seq bigint NOT NULL);
CREATE INDEX key_changes_seq ON key_changes (seq);

-- Triggers, so that no statement on these tables can be forgotten, nor one
-- typed by hand. They are deferred: the lock is taken when the transaction
-- commits and has nothing else left to wait for. With an account its keys are
-- deleted, which is noted.
CREATE FUNCTION key_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    who  bigint;
    next bigint;
BEGIN
    IF TG_TABLE_NAME = 'accounts' THEN
        who := OLD.id;
    ELSIF TG_OP = 'DELETE' THEN
        who := OLD.account;
    ELSE
        who := NEW.account;
    END IF;
    UPDATE key_seq SET seq = seq + 1 RETURNING seq INTO next;
    INSERT INTO key_changes (account, seq) VALUES (who, next) ON CONFLICT (account) DO UPDATE SET seq = next;
    PERFORM pg_notify('census_keys', next::text);
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER key_changed AFTER INSERT OR DELETE OR UPDATE OF account, hash, expires_at, revoked_at ON keys
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION key_changed();
CREATE CONSTRAINT TRIGGER key_changed AFTER UPDATE OF plan, plan_until, plan_next ON accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION key_changed();
