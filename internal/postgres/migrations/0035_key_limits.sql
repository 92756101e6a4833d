-- What keys may be used for, and from where. Existing keys have all scopes and no limits of
-- addresses. The defaults are constants, so the table is not rewritten.
ALTER TABLE keys
    ADD COLUMN scopes text[] NOT NULL DEFAULT '{read,analytics,custom,webhooks}'
        CHECK (cardinality(scopes) > 0 AND scopes <@ '{read,analytics,custom,webhooks}'::text[]),
    ADD COLUMN addresses cidr[] NOT NULL DEFAULT '{}';  -- none: all clients

DROP TRIGGER key_changed ON keys;
CREATE CONSTRAINT TRIGGER key_changed
    AFTER INSERT OR DELETE OR UPDATE OF account, hash, expires_at, revoked_at, scopes, addresses ON keys
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION key_changed();
