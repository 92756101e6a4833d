-- What was counted of servers. Processes append to the partition of the day;
-- when a day is over, its sums move to event_days and the partition is
-- dropped, in one transaction: a count stands in exactly one of the two.
CREATE TABLE events (
    date      date     NOT NULL,
    server_id bigint   NOT NULL,
    event     smallint NOT NULL,                   -- registry.Event
    count     bigint   NOT NULL
) PARTITION BY RANGE (date);
CREATE INDEX events_server ON events (server_id);

CREATE TABLE event_days (
    server_id bigint   NOT NULL REFERENCES servers ON DELETE CASCADE,
    date      date     NOT NULL,
    counts    bigint[] NOT NULL,                   -- by registry.Event, from 1
    PRIMARY KEY (server_id, date)
);

-- Calls of accounts on the keyed API.
CREATE TABLE call_days (
    account  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    date     date   NOT NULL,
    key      bigint NOT NULL,                      -- also of a key that is gone
    endpoint text   NOT NULL,
    calls    bigint NOT NULL,
    PRIMARY KEY (account, date, key, endpoint)
);
CREATE INDEX call_days_date ON call_days (date);

-- The last batch of counts that each process has had stored. A batch whose
-- answer got lost is sent again and not counted twice.
CREATE TABLE count_batches (
    process text        PRIMARY KEY,
    batch   bigint      NOT NULL,
    at      timestamptz NOT NULL
);

-- Downloads by registry type, as in registry.Server.
ALTER TABLE day_stats ADD COLUMN downloads_by json;
