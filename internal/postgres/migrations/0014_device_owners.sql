-- Whose browser a request comes from is asked by its token alone.
CREATE INDEX devices_hash ON devices (hash);
