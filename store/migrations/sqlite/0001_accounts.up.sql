-- Organisations, their keys, and what each key used in each UTC month.
-- Times are Unix microseconds.

CREATE TABLE organisations (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id GLOB 'org_*'),
    name       TEXT    NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    plan       TEXT    NOT NULL CHECK (plan <> ''),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Of a secret only its SHA-256 and its last four characters are kept.
CREATE TABLE api_keys (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id GLOB 'key_*'),
    org_id     TEXT    NOT NULL REFERENCES organisations (id),
    label      TEXT    NOT NULL CHECK (length(label) BETWEEN 1 AND 200),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    last_four  TEXT    NOT NULL CHECK (length(last_four) = 4),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_organisation ON api_keys (org_id, created_at, id);

CREATE TABLE key_months (
    key_id     TEXT    NOT NULL REFERENCES api_keys (id),
    period     TEXT    NOT NULL CHECK (period GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]'),
    requests   INTEGER NOT NULL CHECK (requests >= 0),
    characters INTEGER NOT NULL CHECK (characters >= 0),
    audio_ms   INTEGER NOT NULL CHECK (audio_ms >= 0),
    PRIMARY KEY (key_id, period)
) STRICT, WITHOUT ROWID;

-- One row, written to find out whether the database can be written.
CREATE TABLE probes (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
) STRICT;
