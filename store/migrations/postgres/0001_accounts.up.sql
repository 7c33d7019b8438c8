-- Organisations, their keys, and what each key used in each UTC month.
-- Times are Unix microseconds. Text compares by code point, as in SQLite.

CREATE TABLE organisations (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (starts_with(id, 'org_')),
    name       TEXT   COLLATE "C" NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    plan       TEXT   COLLATE "C" NOT NULL CHECK (plan <> ''),
    created_at BIGINT NOT NULL
);

-- Of a secret only its SHA-256 and its last four characters are kept.
CREATE TABLE api_keys (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (starts_with(id, 'key_')),
    org_id     TEXT   COLLATE "C" NOT NULL REFERENCES organisations (id),
    label      TEXT   COLLATE "C" NOT NULL CHECK (length(label) BETWEEN 1 AND 200),
    hash       BYTEA  NOT NULL UNIQUE CHECK (length(hash) = 32),
    last_four  TEXT   COLLATE "C" NOT NULL CHECK (length(last_four) = 4),
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE INDEX api_keys_by_organisation ON api_keys (org_id, created_at, id);

CREATE TABLE key_months (
    key_id     TEXT   COLLATE "C" NOT NULL REFERENCES api_keys (id),
    period     TEXT   COLLATE "C" NOT NULL CHECK (period ~ '^[0-9]{4}-[01][0-9]$'),
    requests   BIGINT NOT NULL CHECK (requests >= 0),
    characters BIGINT NOT NULL CHECK (characters >= 0),
    audio_ms   BIGINT NOT NULL CHECK (audio_ms >= 0),
    PRIMARY KEY (key_id, period)
);

-- One row, written to find out whether the database can be written.
CREATE TABLE probes (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    at BIGINT NOT NULL
);
