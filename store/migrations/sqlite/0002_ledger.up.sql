-- Plans, terms, books and records of use. Times are Unix microseconds; a limit
-- of -1 does not bind.

CREATE TABLE plans (
    id                  TEXT    NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
    name                TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    monthly_characters  INTEGER NOT NULL CHECK (monthly_characters >= -1),
    requests_per_minute INTEGER NOT NULL CHECK (requests_per_minute = -1 OR requests_per_minute > 0),
    max_streams         INTEGER NOT NULL CHECK (max_streams = -1 OR max_streams > 0)
) STRICT, WITHOUT ROWID;

INSERT INTO plans (id, name, monthly_characters, requests_per_minute, max_streams) VALUES
    ('free',      'Free',         10000,   10,   2),
    ('starter',   'Starter',     100000,   60,   5),
    ('growth',    'Growth',     2000000,  300,  20),
    ('scale',     'Scale',     20000000, 1200, 100),
    ('unlimited', 'Unlimited',       -1,   -1,  -1);

-- Terms: plan holds while there is no subscription; sub_plan is null then.
ALTER TABLE organisations ADD COLUMN mode TEXT NOT NULL DEFAULT 'lots' CHECK (mode IN ('lots', 'wallet', 'allowance'));
ALTER TABLE organisations ADD COLUMN sub_plan TEXT REFERENCES plans (id);
ALTER TABLE organisations ADD COLUMN sub_expires_at INTEGER;
ALTER TABLE organisations ADD COLUMN sub_anchor_day INTEGER CHECK (sub_anchor_day BETWEEN 1 AND 31);
ALTER TABLE organisations ADD COLUMN sub_auto_renew INTEGER NOT NULL DEFAULT 0 CHECK (sub_auto_renew IN (0, 1));
ALTER TABLE organisations ADD COLUMN sub_renewal_plan TEXT REFERENCES plans (id);
ALTER TABLE organisations ADD COLUMN sub_falls_back_to TEXT REFERENCES plans (id);
-- What the plan has granted in the month of its last grant.
ALTER TABLE organisations ADD COLUMN granted_period TEXT NOT NULL DEFAULT '';
ALTER TABLE organisations ADD COLUMN granted_characters INTEGER NOT NULL DEFAULT 0 CHECK (granted_characters >= 0);
-- Limits over all keys of the organisation.
ALTER TABLE organisations ADD COLUMN request_ceiling INTEGER NOT NULL DEFAULT -1 CHECK (request_ceiling = -1 OR request_ceiling > 0);
ALTER TABLE organisations ADD COLUMN stream_ceiling INTEGER NOT NULL DEFAULT -1 CHECK (stream_ceiling = -1 OR stream_ceiling > 0);

CREATE INDEX organisations_by_window ON organisations (sub_expires_at) WHERE sub_expires_at IS NOT NULL;

ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
ALTER TABLE api_keys ADD COLUMN monthly_cap INTEGER NOT NULL DEFAULT -1 CHECK (monthly_cap >= -1);
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;

-- Is_open changes once: indexes that ask for no more need not be written with
-- every posting.
CREATE TABLE lots (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id GLOB 'lot_*'),
    org_id     TEXT    NOT NULL REFERENCES organisations (id),
    kind       TEXT    NOT NULL CHECK (kind IN ('plan_grant', 'purchase', 'promo')),
    source     TEXT    NOT NULL CHECK (source <> ''),
    expires_at INTEGER,
    created_at INTEGER NOT NULL,
    granted    INTEGER NOT NULL CHECK (granted > 0),
    remaining  INTEGER NOT NULL CHECK (remaining >= 0),
    held       INTEGER NOT NULL CHECK (held >= 0),
    charged    INTEGER NOT NULL CHECK (charged >= 0),
    expired    INTEGER NOT NULL CHECK (expired >= 0),
    is_open    INTEGER NOT NULL GENERATED ALWAYS AS (remaining > 0 OR held > 0) VIRTUAL,
    UNIQUE (org_id, source),
    CHECK (granted = remaining + held + charged + expired)
) STRICT, WITHOUT ROWID;

CREATE INDEX lots_open ON lots (org_id) WHERE is_open;
CREATE INDEX lots_by_expiry ON lots (expires_at) WHERE is_open AND expires_at IS NOT NULL;

-- Draws is JSON: [{"lot": id, "n": characters}, ...], empty once the hold ended.
CREATE TABLE holds (
    id         TEXT    NOT NULL PRIMARY KEY,
    org_id     TEXT    NOT NULL REFERENCES organisations (id),
    key_id     TEXT    NOT NULL REFERENCES api_keys (id),
    state      TEXT    NOT NULL CHECK (state IN ('held', 'settled', 'released', 'lapsed')),
    amount     INTEGER NOT NULL CHECK (amount >= 0),
    charged    INTEGER NOT NULL CHECK (charged BETWEEN 0 AND amount),
    draws      TEXT    NOT NULL,
    lease_at   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at   INTEGER,
    CHECK ((state = 'held') = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX holds_open ON holds (org_id, lease_at) WHERE state = 'held';
CREATE INDEX holds_by_key ON holds (key_id) WHERE state = 'held';
CREATE INDEX holds_by_end ON holds (ended_at) WHERE ended_at IS NOT NULL;

-- The journal: rows are only ever added.
CREATE TABLE ledger_entries (
    id      INTEGER NOT NULL PRIMARY KEY,
    org_id  TEXT    NOT NULL REFERENCES organisations (id),
    kind    TEXT    NOT NULL CHECK (kind IN ('grant', 'charge', 'expire', 'unmetered', 'written_off')),
    lot_id  TEXT    REFERENCES lots (id),
    hold_id TEXT,
    amount  INTEGER NOT NULL CHECK (amount > 0),
    at      INTEGER NOT NULL
) STRICT;

CREATE INDEX ledger_entries_by_lot ON ledger_entries (lot_id, kind, amount) WHERE lot_id IS NOT NULL;

-- What was spoken before there were books.
INSERT INTO ledger_entries (org_id, kind, amount, at)
    SELECT k.org_id, 'unmetered', sum(m.characters), CAST(unixepoch() AS INTEGER) * 1000000
    FROM key_months AS m JOIN api_keys AS k ON k.id = m.key_id
    GROUP BY k.org_id HAVING sum(m.characters) > 0;

CREATE TABLE usage_days (
    key_id     TEXT    NOT NULL REFERENCES api_keys (id),
    day        TEXT    NOT NULL CHECK (length(day) = 10),
    voice      TEXT    NOT NULL,
    language   TEXT    NOT NULL,
    requests   INTEGER NOT NULL CHECK (requests >= 0),
    characters INTEGER NOT NULL CHECK (characters >= 0),
    audio_ms   INTEGER NOT NULL CHECK (audio_ms >= 0),
    PRIMARY KEY (key_id, day, voice, language)
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (
    seq            INTEGER NOT NULL PRIMARY KEY,
    id             TEXT    NOT NULL,
    at             INTEGER NOT NULL,
    org_id         TEXT    NOT NULL,
    key_id         TEXT    NOT NULL,
    route          TEXT    NOT NULL,
    voice          TEXT    NOT NULL,
    language       TEXT    NOT NULL,
    characters     INTEGER NOT NULL,
    first_audio_us INTEGER NOT NULL,
    audio_ms       INTEGER NOT NULL,
    status         INTEGER NOT NULL,
    code           TEXT    NOT NULL
) STRICT;

CREATE INDEX requests_by_age ON requests (at);
CREATE INDEX requests_by_organisation ON requests (org_id, at);

-- One row a topic: its version grows with every change of it.
CREATE TABLE versions (
    topic   TEXT    NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The processes that serve from this database.
CREATE TABLE replicas (
    id         TEXT    NOT NULL PRIMARY KEY,
    address    TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
