-- States are checked. The tables are read once, without their documents.
UPDATE repositories SET state = 'unknown'
WHERE state NOT IN ('new', 'server', 'not_server', 'empty', 'gone', 'blocked', 'unknown');
ALTER TABLE repositories ADD CONSTRAINT repositories_state
    CHECK (state IN ('new', 'server', 'not_server', 'empty', 'gone', 'blocked', 'unknown'));
DELETE FROM checks WHERE state NOT IN ('running', 'done', 'not_found', 'failed');
ALTER TABLE checks ADD CONSTRAINT checks_state
    CHECK (state IN ('running', 'done', 'not_found', 'failed'));
DELETE FROM tool_lists WHERE source NOT IN ('probe', 'run', 'manifest', 'source', 'readme');
ALTER TABLE tool_lists ADD CONSTRAINT tool_lists_source
    CHECK (source IN ('probe', 'run', 'manifest', 'source', 'readme'));

-- Events are stored by name (meter.Event.String), no longer by number or place in an array.
-- Rewrites the events of two days, and event_days: about a minute for 20 million rows.
ALTER TABLE events ALTER event TYPE text USING (ARRAY['view', 'api_hit', 'impression',
    'health_check', 'install_click', 'badge_view'])[event + 1];

CREATE TABLE event_sums (
    server_id bigint NOT NULL REFERENCES servers ON DELETE CASCADE,
    date      date   NOT NULL,
    event     text   NOT NULL,
    count     bigint NOT NULL,
    PRIMARY KEY (server_id, date, event)
);
INSERT INTO event_sums (server_id, date, event, count)
SELECT d.server_id, d.date, name.event, c.count
FROM event_days d, unnest(d.counts) WITH ORDINALITY AS c (count, place)
JOIN unnest(ARRAY['view', 'api_hit', 'impression', 'health_check', 'install_click', 'badge_view'])
    WITH ORDINALITY AS name (event, place) ON name.place = c.place
WHERE c.count > 0;
DROP TABLE event_days;
ALTER TABLE event_sums RENAME TO event_days;
ALTER INDEX event_sums_pkey RENAME TO event_days_pkey;
ALTER TABLE event_days RENAME CONSTRAINT event_sums_server_id_fkey TO event_days_server_id_fkey;
