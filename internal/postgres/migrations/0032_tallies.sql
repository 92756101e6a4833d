-- How many rows of large tables there are, by a part of theirs. Triggers append differences,
-- so that writers do not wait for each other; the sum of n is the number, in every
-- snapshot. DB.SumEvents replaces the differences by their sums.
-- Reads each table once and builds six indexes: about a minute for a million repositories.
CREATE TABLE tallies (
    name text   NOT NULL, -- of the table
    part text   NOT NULL,
    n    bigint NOT NULL
);

CREATE FUNCTION repository_part(state text, misses integer, probed_at timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN misses > 0 AND state NOT IN ('gone', 'blocked') THEN 'missing' ELSE state END
        || CASE WHEN probed_at IS NULL THEN ' unvisited' ELSE '' END
$$;
CREATE FUNCTION server_part(listed boolean, hidden_at timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN hidden_at IS NOT NULL THEN 'hidden' WHEN listed THEN 'listed' ELSE 'gone' END
$$;
-- Endpoints of servers by the state of their last probe; all others together.
CREATE FUNCTION package_part(registry_type text, facts json)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN registry_type <> 'remote' THEN 'package'
        ELSE 'remote ' || coalesce(facts->'probe'->>'state', '') END
$$;

LOCK TABLE repositories, servers, packages, sightings, listings IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO tallies (name, part, n)
SELECT 'repositories', repository_part(state, misses, probed_at), count(*) FROM repositories GROUP BY 2
UNION ALL
SELECT 'servers', server_part(listed, hidden_at), count(*) FROM servers GROUP BY 2
UNION ALL
SELECT 'packages', package_part(registry_type, facts), count(*) FROM packages GROUP BY 2
UNION ALL
SELECT 'sightings', source, count(*) FROM sightings GROUP BY 2
UNION ALL
SELECT 'listings', '', count(*) FROM listings;

CREATE FUNCTION tally_repository() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO tallies
        VALUES (TG_TABLE_NAME, repository_part(OLD.state, OLD.misses, OLD.probed_at), -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO tallies
        VALUES (TG_TABLE_NAME, repository_part(NEW.state, NEW.misses, NEW.probed_at), 1);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION tally_server() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO tallies VALUES (TG_TABLE_NAME, server_part(OLD.listed, OLD.hidden_at), -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO tallies VALUES (TG_TABLE_NAME, server_part(NEW.listed, NEW.hidden_at), 1);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION tally_package() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO tallies VALUES (TG_TABLE_NAME, package_part(OLD.registry_type, OLD.facts), -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO tallies VALUES (TG_TABLE_NAME, package_part(NEW.registry_type, NEW.facts), 1);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION tally_sighting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies VALUES (TG_TABLE_NAME, coalesce(NEW.source, OLD.source),
        CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END);
    RETURN NULL;
END $$;
CREATE FUNCTION tally_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies VALUES (TG_TABLE_NAME, '', CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END);
    RETURN NULL;
END $$;

CREATE TRIGGER tally AFTER INSERT OR DELETE ON repositories
    FOR EACH ROW EXECUTE FUNCTION tally_repository();
CREATE TRIGGER tally_change AFTER UPDATE OF state, misses, probed_at ON repositories
    FOR EACH ROW WHEN (repository_part(OLD.state, OLD.misses, OLD.probed_at)
        <> repository_part(NEW.state, NEW.misses, NEW.probed_at))
    EXECUTE FUNCTION tally_repository();
CREATE TRIGGER tally AFTER INSERT OR DELETE ON servers
    FOR EACH ROW EXECUTE FUNCTION tally_server();
CREATE TRIGGER tally_change AFTER UPDATE OF listed, hidden_at ON servers
    FOR EACH ROW WHEN (server_part(OLD.listed, OLD.hidden_at) <> server_part(NEW.listed, NEW.hidden_at))
    EXECUTE FUNCTION tally_server();
CREATE TRIGGER tally AFTER INSERT OR DELETE ON packages
    FOR EACH ROW EXECUTE FUNCTION tally_package();
CREATE TRIGGER tally_change AFTER UPDATE OF facts ON packages
    FOR EACH ROW WHEN (package_part(OLD.registry_type, OLD.facts)
        <> package_part(NEW.registry_type, NEW.facts))
    EXECUTE FUNCTION tally_package();
CREATE TRIGGER tally AFTER INSERT OR DELETE ON sightings
    FOR EACH ROW EXECUTE FUNCTION tally_sighting();
CREATE TRIGGER tally AFTER INSERT OR DELETE ON listings
    FOR EACH ROW EXECUTE FUNCTION tally_row();

-- The queue, without the rows themselves.
DROP INDEX repositories_due;
CREATE INDEX repositories_due ON repositories (due_at) INCLUDE (lease_until);
CREATE INDEX repositories_leased ON repositories (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX repositories_forced ON repositories (id) WHERE forced;
CREATE INDEX repositories_failing ON repositories (id) WHERE last_error <> '';
CREATE INDEX packages_failing ON packages (identifier) WHERE last_error <> '';
CREATE INDEX packages_downloads_failing ON packages (identifier) WHERE downloads_error <> '';
