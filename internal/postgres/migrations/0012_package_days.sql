-- How often packages were downloaded on single days, where a service counts
-- days: {"2026-10-02": 1650, …}.
CREATE TABLE package_days (
    registry_type text  NOT NULL,
    identifier    text  NOT NULL,
    days          jsonb NOT NULL,
    PRIMARY KEY (registry_type, identifier),
    FOREIGN KEY (registry_type, identifier) REFERENCES packages ON DELETE CASCADE
);
