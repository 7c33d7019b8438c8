-- oldest: 11
-- Single-use tokens: of each the digest of its secret, who made it, and what it allows. An
-- empty text and 0 set no limit. Origins is a list in JSON. A key_id may stand for the
-- console of the organisation, which has no key.
CREATE TABLE single_use_tokens (
    id             TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (starts_with(id, 'tok_') AND length(id) > 4),
    org_id         TEXT COLLATE "C" NOT NULL REFERENCES organisations (id),
    key_id         TEXT COLLATE "C" NOT NULL CHECK (key_id <> ''),
    hash           BYTEA  NOT NULL UNIQUE CHECK (length(hash) = 32),
    voice          TEXT COLLATE "C" NOT NULL,
    language       TEXT COLLATE "C" NOT NULL,
    max_characters BIGINT NOT NULL CHECK (max_characters >= 0),
    max_session    BIGINT NOT NULL CHECK (max_session >= 0),
    origins        TEXT COLLATE "C" NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    used_at        BIGINT
);

CREATE INDEX single_use_tokens_open ON single_use_tokens (org_id, key_id, expires_at) WHERE used_at IS NULL;
CREATE INDEX single_use_tokens_expired ON single_use_tokens (expires_at);
