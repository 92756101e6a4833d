-- Secrets are derived from the key of the installation, which is not in the database, or stored as
-- SHA-256. key_check is derived from the key, too, to recognize another one; null: none is known.
ALTER TABLE identity ADD COLUMN key_check bytea;

-- Secrets of webhook endpoints are derived. Endpoints of generation 0 have the stored one until its
-- rotation; a later release drops both columns.
ALTER TABLE webhook_endpoints ADD COLUMN generation integer NOT NULL DEFAULT 0;
ALTER TABLE webhook_endpoints ALTER secret SET DEFAULT '';
COMMENT ON COLUMN webhook_endpoints.secret IS 'of generation 0';
COMMENT ON COLUMN webhook_endpoints.old_secret IS 'the one before generation 0';

-- Tokens of custom endpoints are SHA-256 in hexadecimal; null: none was created.
ALTER TABLE customs ALTER token DROP DEFAULT, ALTER token DROP NOT NULL;
UPDATE customs SET token = encode(sha256(convert_to(token, 'UTF8')), 'hex');
UPDATE view_members SET view = encode(sha256(convert_to(view, 'UTF8')), 'hex')
WHERE length(view) > 15;
