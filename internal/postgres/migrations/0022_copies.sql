-- MinHash signatures of READMEs, and the hash of the README that each is of.
CREATE TABLE readme_signatures (
    server_id bigint PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
    digest    bytea NOT NULL,
    signature bytea NOT NULL -- empty for a README that is too short
);

ALTER TABLE servers
    ADD copy     json,                          -- registry.Copy; null for an original
    ADD not_copy boolean NOT NULL DEFAULT false; -- decided by the operator
CREATE INDEX servers_copy ON servers (id) WHERE copy IS NOT NULL;
