-- Strikes against repositories and packages that could not be read, stored before they are read,
-- and what was read: a commit or a version, and the version of the rules.
CREATE TABLE readings (
    what    text PRIMARY KEY,
    of      text NOT NULL,
    strikes smallint NOT NULL
);
INSERT INTO readings (what, of, strikes)
SELECT 'repository ' || host || ' ' || host_id, reading_of, reading_strikes
FROM repositories WHERE reading_strikes > 0 AND host_id IS NOT NULL
ON CONFLICT DO NOTHING;
ALTER TABLE repositories DROP COLUMN reading_strikes, DROP COLUMN reading_of;
