-- Strikes against a repository whose files could not be read, stored before they are read, and
-- what was read: its commit and the version of the rules.
ALTER TABLE repositories
    ADD COLUMN reading_strikes smallint NOT NULL DEFAULT 0,
    ADD COLUMN reading_of      text     NOT NULL DEFAULT '';
