-- oldest: 11
-- Requests that came with an Idempotency-Key, for a day. Id is a digest of whose key it is, of
-- which route, and of the key. Request is the digest of what was asked. Operation names the
-- charge of all runs of the request. Status is 0 while no run has ended; then holder has it
-- until lease_until. Bodied is 0 for an answer whose body was too large to keep.
CREATE TABLE idempotent_requests (
    id          BYTEA  NOT NULL PRIMARY KEY CHECK (length(id) = 32),
    org_id      TEXT COLLATE "C" NOT NULL,
    request     BYTEA  NOT NULL CHECK (length(request) = 32),
    operation   TEXT COLLATE "C" NOT NULL,
    holder      TEXT COLLATE "C" NOT NULL,
    lease_until BIGINT NOT NULL,
    status      BIGINT NOT NULL DEFAULT 0,
    header      TEXT COLLATE "C" NOT NULL DEFAULT '',
    bodied      BIGINT NOT NULL DEFAULT 0,
    bytes       BIGINT NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    body        BYTEA,
    expires_at  BIGINT NOT NULL
);

-- What is kept is counted from this index alone.
CREATE INDEX idempotent_requests_room ON idempotent_requests (org_id, bytes);
CREATE INDEX idempotent_requests_expired ON idempotent_requests (expires_at);
