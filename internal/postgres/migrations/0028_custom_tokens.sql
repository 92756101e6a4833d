-- The path segment under which a custom endpoint is a view of the registry API, whose
-- clients send no key: 122 random bits.
ALTER TABLE customs ADD COLUMN token text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '');
CREATE UNIQUE INDEX customs_token ON customs (token);
