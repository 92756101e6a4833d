-- What readers say is wrong with listings. Who they are is not stored, unless
-- they leave a way to be asked; that is deleted when the report is closed.
CREATE TABLE complaints (
    id        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug      text        NOT NULL, -- of the server as it was: the report outlives the listing
    reason    text        NOT NULL,
    text      text        NOT NULL,
    contact   text        NOT NULL,
    at        timestamptz NOT NULL,
    closed_at timestamptz,
    note      text        NOT NULL DEFAULT ''
);
-- The same said twice is one report, as long as it is open.
CREATE UNIQUE INDEX complaints_open ON complaints (slug, reason, md5(text)) WHERE closed_at IS NULL;
CREATE INDEX complaints_at ON complaints (at DESC);
