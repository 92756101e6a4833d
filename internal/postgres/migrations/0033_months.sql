-- The figures of days, in one partition for each month. The table as it was becomes the
-- first partition, up to the end of this month, without copying a row; its rows are read
-- once, to check the bound. DB.SnapshotDay adds months, DB.ForgetDays drops them.
-- Without the reference to servers, which would lock that table whenever a month is added
-- or dropped; servers are deleted in one place only, which deletes their days.
ALTER TABLE day_stats RENAME TO day_stats_first;
ALTER TABLE day_stats_first DROP CONSTRAINT day_stats_server_id_fkey;
ALTER INDEX day_stats_pkey RENAME TO day_stats_first_pkey;
ALTER INDEX day_stats_date RENAME TO day_stats_first_date;

CREATE TABLE day_stats (
    server_id    bigint NOT NULL,
    date         date   NOT NULL,
    score        integer,
    stars        integer,
    forks        integer,
    downloads    bigint,
    downloads_by json,
    PRIMARY KEY (server_id, date)
) PARTITION BY RANGE (date);
CREATE INDEX day_stats_date ON day_stats (date, server_id) INCLUDE (score);

DO $$
BEGIN
    EXECUTE format('ALTER TABLE day_stats ATTACH PARTITION day_stats_first
        FOR VALUES FROM (MINVALUE) TO (%L)', (SELECT date_trunc('month',
            greatest(current_date, max(date))) + interval '1 month' FROM day_stats_first)::date);
END $$;
