-- How far a check that is running has come, for those who wait for it. What
-- does not belong to the run that is going on is of an earlier one.
CREATE TABLE check_progress (
    key        text        PRIMARY KEY REFERENCES checks ON DELETE CASCADE,
    started_at timestamptz NOT NULL,
    progress   bytea       NOT NULL
);
