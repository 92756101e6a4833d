-- Calls of the payment provider about a customer are numbered, so that no late response replaces
-- a newer one: asked is the number of the last call, settled that of the last stored response.
ALTER TABLE customers
    ADD COLUMN asked   bigint NOT NULL DEFAULT 0,
    ADD COLUMN settled bigint NOT NULL DEFAULT 0;
