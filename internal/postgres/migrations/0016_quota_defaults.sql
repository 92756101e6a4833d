-- Leases are computed by the program. These columns, quota_processes.turn,
-- quota_shares.gone and quota_answers are only for processes of the version
-- before, which may still run.
ALTER TABLE quota_counts
    ALTER COLUMN last SET DEFAULT 0,
    ALTER COLUMN spread SET DEFAULT false,
    ALTER COLUMN fresh SET DEFAULT false,
    ALTER COLUMN lim SET DEFAULT 0,
    ALTER COLUMN unused SET DEFAULT 0,
    ALTER COLUMN want SET DEFAULT 0,
    ALTER COLUMN given SET DEFAULT 0;
