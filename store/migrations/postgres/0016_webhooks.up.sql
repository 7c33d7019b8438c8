-- oldest: 11
-- Addresses that get events. The owner is the id of an organisation, or '' for the operator. Types,
-- thresholds and secrets are JSON; secrets are sealed. Watches is 1 while postings have to look for the
-- endpoint: it is enabled, and wants events that the books make.
CREATE TABLE webhook_endpoints (
    n             BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            TEXT COLLATE "C" NOT NULL UNIQUE,
    owner         TEXT COLLATE "C" NOT NULL,
    url           TEXT    NOT NULL,
    description   TEXT    NOT NULL,
    types         TEXT    NOT NULL,
    thresholds    TEXT    NOT NULL,
    notice_days   INTEGER NOT NULL CHECK (notice_days BETWEEN 1 AND 28),
    state         TEXT COLLATE "C" NOT NULL CHECK (state IN ('enabled', 'disabled', 'gone', 'failing')),
    watches       INTEGER NOT NULL CHECK (watches IN (0, 1)),
    stopped_at    BIGINT  NOT NULL,
    failing_since BIGINT  NOT NULL,
    created_at    BIGINT  NOT NULL,
    changed_at    BIGINT  NOT NULL,
    secrets       TEXT    NOT NULL
);

CREATE INDEX webhook_endpoints_by_owner ON webhook_endpoints (owner);
CREATE INDEX webhook_endpoints_watching ON webhook_endpoints (owner) WHERE watches = 1;

-- What happened. Body is what is sent and signed.
CREATE TABLE webhook_events (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    type       TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    owner      TEXT COLLATE "C" NOT NULL,
    at         BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL,
    body       TEXT    NOT NULL
);

CREATE INDEX webhook_events_by_age ON webhook_events (created_at);

-- Events on their way to endpoints. Those of one endpoint and subject go in the order of n.
CREATE TABLE webhook_deliveries (
    n             BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            TEXT COLLATE "C" NOT NULL UNIQUE,
    endpoint_id   TEXT COLLATE "C" NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    event_id      TEXT COLLATE "C" NOT NULL REFERENCES webhook_events (id),
    subject       TEXT COLLATE "C" NOT NULL,
    state         TEXT COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    replayed      INTEGER NOT NULL CHECK (replayed IN (0, 1)),
    attempts      INTEGER NOT NULL CHECK (attempts >= 0),
    next_at       BIGINT  NOT NULL,
    claimed_until BIGINT  NOT NULL,
    created_at    BIGINT  NOT NULL,
    changed_at    BIGINT  NOT NULL,
    status        INTEGER NOT NULL,
    problem       TEXT    NOT NULL,
    response      TEXT    NOT NULL,
    took_us       BIGINT  NOT NULL
);

CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (endpoint_id, subject, n) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, n);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (changed_at);

-- How many characters an organisation has used since its last grant, and the share of what it had, in
-- percent. There are rows only while an endpoint watches.
CREATE TABLE webhook_usage (
    org_id  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    used    BIGINT  NOT NULL CHECK (used >= 0),
    percent INTEGER NOT NULL CHECK (percent BETWEEN 0 AND 100)
);
