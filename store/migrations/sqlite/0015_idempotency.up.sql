-- oldest: 11
-- Requests that came with an Idempotency-Key, for a day. Id is a digest of whose key it is, of
-- which route, and of the key. Request is the digest of what was asked. Operation names the
-- charge of all runs of the request. Status is 0 while no run has ended; then holder has it
-- until lease_until. Bodied is 0 for an answer whose body was too large to keep.
CREATE TABLE idempotent_requests (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 32),
    org_id      TEXT    NOT NULL,
    request     BLOB    NOT NULL CHECK (length(request) = 32),
    operation   TEXT    NOT NULL,
    holder      TEXT    NOT NULL,
    lease_until INTEGER NOT NULL,
    status      INTEGER NOT NULL DEFAULT 0,
    header      TEXT    NOT NULL DEFAULT '',
    bodied      INTEGER NOT NULL DEFAULT 0,
    bytes       INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    body        BLOB,
    expires_at  INTEGER NOT NULL
) STRICT;

-- What is kept is counted from this index alone.
CREATE INDEX idempotent_requests_room ON idempotent_requests (org_id, bytes);
CREATE INDEX idempotent_requests_expired ON idempotent_requests (expires_at);
