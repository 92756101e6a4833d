-- The last version of the server that had the list, '' if it is the first one.
ALTER TABLE tool_lists ADD COLUMN last_version text NOT NULL DEFAULT '';
CREATE INDEX tool_lists_since ON tool_lists (since);
