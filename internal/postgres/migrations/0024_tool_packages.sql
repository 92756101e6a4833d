-- The published package whose archive was read for a list, "npm weather-mcp"; '' if none was.
ALTER TABLE tool_lists ADD COLUMN package text NOT NULL DEFAULT '';
