-- Links that sign in, sent by mail.
ALTER TABLE links DROP CONSTRAINT links_purpose_check;
ALTER TABLE links ADD CONSTRAINT links_purpose_check
    CHECK (purpose IN ('confirm', 'email', 'reset', 'sign_in'));
