-- Accounts as the payment provider knows them. subscription is the one that
-- gives the account its plan, '' if the operator does.
CREATE TABLE customers (
    account      bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    id           text        NOT NULL UNIQUE,
    subscription text        NOT NULL DEFAULT '',
    checked_at   timestamptz NOT NULL      -- when the provider was last asked
);

-- Customers whose account is gone, until the provider has deleted them and
-- with them their subscriptions. A trigger, so that no way to delete an
-- account can forget it.
CREATE TABLE former_customers (
    id      text PRIMARY KEY,
    gone_at timestamptz NOT NULL
);
CREATE FUNCTION customer_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO former_customers (id, gone_at) VALUES (OLD.id, now()) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER customer_gone AFTER DELETE ON customers FOR EACH ROW EXECUTE FUNCTION customer_gone();
