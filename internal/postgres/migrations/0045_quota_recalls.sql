-- Processes read which of their leases others wait for.
CREATE INDEX quota_counts_scarce ON quota_counts (starts) WHERE scarce;
-- Remains of the statements before 0016. The other columns, quota_processes and
-- quota_shares are only for processes of the version before, which may still run.
DROP TABLE quota_answers;
ALTER TABLE quota_processes DROP COLUMN turn;
ALTER TABLE quota_shares DROP COLUMN gone;
ALTER TABLE quota_counts DROP COLUMN last, DROP COLUMN spread, DROP COLUMN fresh, DROP COLUMN lim,
    DROP COLUMN unused, DROP COLUMN want, DROP COLUMN given;
