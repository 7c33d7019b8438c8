-- People who sign in to the console, and what it shows. Times are Unix microseconds, 0
-- is none.
--
-- What proves who a person is stands in password, codes and subject: a digest of
-- argon2id, a secret that is sealed, and what an identity provider calls them.

CREATE TABLE people (
    id           TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    email        TEXT    NOT NULL UNIQUE CHECK (email <> ''),
    name         TEXT    NOT NULL,
    role         TEXT    NOT NULL CHECK (role IN ('operator', 'member')),
    org_id       TEXT    REFERENCES organisations (id),
    created_at   INTEGER NOT NULL,
    signed_in_at INTEGER NOT NULL,
    disabled_at  INTEGER NOT NULL,
    epoch        INTEGER NOT NULL,
    password     TEXT    NOT NULL,
    codes        TEXT    NOT NULL,
    codes_used   INTEGER NOT NULL,
    subject      TEXT    UNIQUE CHECK (subject <> ''),
    CHECK ((role = 'member') = (org_id IS NOT NULL))
) STRICT;

CREATE TABLE invitations (
    person_id  TEXT    NOT NULL PRIMARY KEY REFERENCES people (id),
    hash       BLOB    NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    token      TEXT    NOT NULL PRIMARY KEY CHECK (token <> ''),
    data       BLOB    NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Rows are added, never changed, and forgotten after a year.
CREATE TABLE events (
    seq     INTEGER NOT NULL PRIMARY KEY,
    at      INTEGER NOT NULL,
    actor   TEXT    NOT NULL,
    org_id  TEXT    NOT NULL,
    action  TEXT    NOT NULL,
    target  TEXT    NOT NULL,
    outcome TEXT    NOT NULL,
    address TEXT    NOT NULL
) STRICT;

CREATE INDEX events_by_organisation ON events (org_id, seq);

-- Usage_days of an organisation, once by key, once by voice and once by language: part
-- is the id of the key, the id of the voice or the code of the language. So the days of
-- an organisation are few rows, which stand together.
CREATE TABLE organisation_days (
    org_id     TEXT    NOT NULL REFERENCES organisations (id),
    kind       TEXT    NOT NULL CHECK (kind IN ('key', 'voice', 'language')),
    day        TEXT    NOT NULL CHECK (length(day) = 10),
    part       TEXT    NOT NULL,
    requests   INTEGER NOT NULL CHECK (requests >= 0),
    characters INTEGER NOT NULL CHECK (characters >= 0),
    audio_ms   INTEGER NOT NULL CHECK (audio_ms >= 0),
    PRIMARY KEY (org_id, kind, day, part)
) STRICT, WITHOUT ROWID;

INSERT INTO organisation_days (org_id, kind, day, part, requests, characters, audio_ms)
    SELECT k.org_id, 'key', d.day, d.key_id, sum(d.requests), sum(d.characters), sum(d.audio_ms)
    FROM usage_days AS d JOIN api_keys AS k ON k.id = d.key_id GROUP BY k.org_id, d.day, d.key_id;
INSERT INTO organisation_days (org_id, kind, day, part, requests, characters, audio_ms)
    SELECT k.org_id, 'voice', d.day, d.voice, sum(d.requests), sum(d.characters), sum(d.audio_ms)
    FROM usage_days AS d JOIN api_keys AS k ON k.id = d.key_id GROUP BY k.org_id, d.day, d.voice;
INSERT INTO organisation_days (org_id, kind, day, part, requests, characters, audio_ms)
    SELECT k.org_id, 'language', d.day, d.language, sum(d.requests), sum(d.characters), sum(d.audio_ms)
    FROM usage_days AS d JOIN api_keys AS k ON k.id = d.key_id GROUP BY k.org_id, d.day, d.language;

-- For requests by their id, and for lists of those of a key and of those that failed.
CREATE INDEX requests_by_id ON requests (org_id, id);
CREATE INDEX requests_by_key ON requests (org_id, key_id, at);
CREATE INDEX requests_failed ON requests (org_id, at) WHERE code <> '';
