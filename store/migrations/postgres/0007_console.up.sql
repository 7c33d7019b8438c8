-- People who sign in to the console, and what it shows. Times are Unix microseconds, 0
-- is none.
--
-- What proves who a person is stands in password, codes and subject: a digest of
-- argon2id, a secret that is sealed, and what an identity provider calls them.

CREATE TABLE people (
    id           TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    email        TEXT   COLLATE "C" NOT NULL UNIQUE CHECK (email <> ''),
    name         TEXT   COLLATE "C" NOT NULL,
    role         TEXT   COLLATE "C" NOT NULL CHECK (role IN ('operator', 'member')),
    org_id       TEXT   COLLATE "C" REFERENCES organisations (id),
    created_at   BIGINT NOT NULL,
    signed_in_at BIGINT NOT NULL,
    disabled_at  BIGINT NOT NULL,
    epoch        BIGINT NOT NULL,
    password     TEXT   COLLATE "C" NOT NULL,
    codes        TEXT   COLLATE "C" NOT NULL,
    codes_used   BIGINT NOT NULL,
    subject      TEXT   COLLATE "C" UNIQUE CHECK (subject <> ''),
    CHECK ((role = 'member') = (org_id IS NOT NULL))
);

CREATE TABLE invitations (
    person_id  TEXT   COLLATE "C" NOT NULL PRIMARY KEY REFERENCES people (id),
    hash       BYTEA  NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL
);

CREATE TABLE sessions (
    token      TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (token <> ''),
    data       BYTEA  NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Rows are added, never changed, and forgotten after a year.
CREATE TABLE events (
    seq     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    actor   TEXT   COLLATE "C" NOT NULL,
    org_id  TEXT   COLLATE "C" NOT NULL,
    action  TEXT   COLLATE "C" NOT NULL,
    target  TEXT   COLLATE "C" NOT NULL,
    outcome TEXT   COLLATE "C" NOT NULL,
    address TEXT   COLLATE "C" NOT NULL
);

CREATE INDEX events_by_organisation ON events (org_id, seq);

-- Usage_days of an organisation, once by key, once by voice and once by language: part
-- is the id of the key, the id of the voice or the code of the language. So the days of
-- an organisation are few rows, which stand together.
CREATE TABLE organisation_days (
    org_id     TEXT   COLLATE "C" NOT NULL REFERENCES organisations (id),
    kind       TEXT   COLLATE "C" NOT NULL CHECK (kind IN ('key', 'voice', 'language')),
    day        TEXT   COLLATE "C" NOT NULL CHECK (length(day) = 10),
    part       TEXT   COLLATE "C" NOT NULL,
    requests   BIGINT NOT NULL CHECK (requests >= 0),
    characters BIGINT NOT NULL CHECK (characters >= 0),
    audio_ms   BIGINT NOT NULL CHECK (audio_ms >= 0),
    PRIMARY KEY (org_id, kind, day, part)
);

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
