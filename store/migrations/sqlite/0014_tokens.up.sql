-- oldest: 11
-- Single-use tokens: of each the digest of its secret, who made it, and what it allows. An
-- empty text and 0 set no limit. Origins is a list in JSON. A key_id may stand for the
-- console of the organisation, which has no key.
CREATE TABLE single_use_tokens (
    id             TEXT    NOT NULL PRIMARY KEY CHECK (id GLOB 'tok_?*'),
    org_id         TEXT    NOT NULL REFERENCES organisations (id),
    key_id         TEXT    NOT NULL CHECK (key_id <> ''),
    hash           BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    voice          TEXT    NOT NULL,
    language       TEXT    NOT NULL,
    max_characters INTEGER NOT NULL CHECK (max_characters >= 0),
    max_session    INTEGER NOT NULL CHECK (max_session >= 0),
    origins        TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    used_at        INTEGER
) STRICT;

CREATE INDEX single_use_tokens_open ON single_use_tokens (org_id, key_id, expires_at) WHERE used_at IS NULL;
CREATE INDEX single_use_tokens_expired ON single_use_tokens (expires_at);
