-- The counts of one service's packages are asked for, and most packages have
-- none: they are due for ever and stood in the way.
DROP INDEX packages_downloads_due;
CREATE INDEX packages_downloads_due ON packages (registry_type, downloads_due_at);

-- Leases of the dead are looked for every few seconds.
CREATE INDEX packages_leased ON packages (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX packages_downloads_leased ON packages (downloads_lease_until) WHERE downloads_lease_until IS NOT NULL;
