-- Endpoints are packages of the type "remote": they have their own worker and
-- must not stand in the way of the others.
DROP INDEX packages_due;
CREATE INDEX packages_due ON packages (due_at) WHERE registry_type <> 'remote';
CREATE INDEX packages_remotes_due ON packages (due_at) WHERE registry_type = 'remote';

-- Probes of endpoints by UTC day, and how many of them were answered.
CREATE TABLE probe_days (
    url    text    NOT NULL,
    date   date    NOT NULL,
    probes integer NOT NULL,
    up     integer NOT NULL,
    PRIMARY KEY (url, date)
);
CREATE INDEX probe_days_date ON probe_days (date);

-- Endpoints of the servers that are already stored.
WITH remotes AS (
    SELECT DISTINCT s.id, r->>'url' AS url
    FROM servers s, json_array_elements(CASE json_typeof(s.facts->'detection'->'remotes')
        WHEN 'array' THEN s.facts->'detection'->'remotes' ELSE '[]' END) AS r
    WHERE s.listed AND length(r->>'url') <= 500
        AND r->>'url' ~ '^https://[a-z0-9.-]+(:(443|8443))?(/[^{}<>$ %#]*)?$'
), queued AS (
    INSERT INTO packages (registry_type, identifier, asked_at, due_at, downloads_due_at)
    SELECT DISTINCT 'remote', url, now(), now(), now() FROM remotes
    ON CONFLICT DO NOTHING
)
INSERT INTO server_packages (server_id, registry_type, identifier)
SELECT id, 'remote', url FROM remotes
ON CONFLICT DO NOTHING;
