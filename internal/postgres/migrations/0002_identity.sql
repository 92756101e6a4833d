-- Tells this database from others, so that what a client keeps of one registry
-- is never taken for what another says.
CREATE TABLE identity (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id  uuid    NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO identity DEFAULT VALUES;
