-- How the registry stood at the end of a day: servers that left it since were
-- part of it then.
CREATE TABLE day_totals (
    date    date    PRIMARY KEY,
    servers integer NOT NULL,
    score   double precision -- mean of those that have one
);
INSERT INTO day_totals (date, servers, score) SELECT date, count(*), avg(score) FROM day_stats GROUP BY date;

-- What changed from one day to the next, in all servers.
CREATE INDEX day_stats_date ON day_stats (date, server_id) INCLUDE (score);

-- What is due, of a table in which little is.
CREATE INDEX repositories_due ON repositories (due_at);
