-- Processes that count requests. One that has not been seen for some seconds
-- is taken for dead: nobody waits for what it holds, and nobody else gets it.
CREATE TABLE quota_processes (
    id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seen_at timestamptz NOT NULL,
    turn    bigint      NOT NULL DEFAULT 0 -- number of its last question
);

-- What each process may use of every subject's limit in a window without
-- asking. The row is there before the first row of quota_counts of its window
-- and does not change but for gone: processes that have accounted for all.
CREATE TABLE quota_shares (
    kind      smallint  NOT NULL,
    starts    bigint    NOT NULL, -- Unix seconds
    each      integer   NOT NULL,
    processes integer[] NOT NULL,
    gone      integer[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (kind, starts)
);

-- How much of a subject's limit in a window is used or leased. What was asked
-- for and given last stands beside it, for the statement that does both.
CREATE TABLE quota_counts (
    kind    smallint  NOT NULL,
    starts  bigint    NOT NULL,
    subject bigint    NOT NULL,
    granted integer   NOT NULL,
    holders integer[] NOT NULL, -- processes that may have some that they have not used
    scarce  boolean   NOT NULL, -- somebody got less than was wanted: no more reserves
    last    integer   NOT NULL, -- process that asked last
    spread  boolean   NOT NULL, -- several processes ask: reserves are small
    fresh   boolean   NOT NULL, -- spread since the last ask
    lim     integer   NOT NULL,
    unused  integer   NOT NULL,
    want    integer   NOT NULL,
    given   integer   NOT NULL,
    PRIMARY KEY (kind, starts, subject)
) WITH (fillfactor = 70);
