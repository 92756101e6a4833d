-- What each process was given last, by the place in its question, so that a
-- question whose answer got lost can be asked again and has the same answer.
CREATE TABLE quota_answers (
    process integer   PRIMARY KEY REFERENCES quota_processes ON DELETE CASCADE,
    turn    bigint    NOT NULL,
    given   integer[] NOT NULL
);
