-- What the code host says about a repository, once: snapshots, and the records and facts of
-- its servers had it each. It is stored when the repository is next visited, and documents
-- that were written before have their own until they are written. So nothing is rewritten
-- here, and this is quick whatever the size of the tables.
ALTER TABLE repositories ADD COLUMN repo json;  -- registry.Repository without observedAt
-- It is stored apart from the row, which is written several times at each visit.
ALTER TABLE repositories SET (toast_tuple_target = 512);
DO $$
BEGIN
    ALTER TABLE repositories ALTER repo SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
