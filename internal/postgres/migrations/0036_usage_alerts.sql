-- Mails about used parts of the daily limit: whether an account wants them, and which it got.
ALTER TABLE accounts ADD COLUMN usage_alerts boolean NOT NULL DEFAULT true;
CREATE TABLE usage_alerts (
    account bigint   NOT NULL REFERENCES accounts ON DELETE CASCADE,
    day     date     NOT NULL,
    percent smallint NOT NULL,
    PRIMARY KEY (account, day, percent)
);
