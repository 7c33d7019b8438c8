-- oldest: 11
-- Applications that people connect with their sign-in (OAuth 2.1). Times are Unix
-- microseconds, 0 is none. Of codes and tokens there are only digests (SHA-256).

-- Applications that registered themselves. Those that are known by the address of a
-- document are not kept.
CREATE TABLE oauth_clients (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    name       TEXT   COLLATE "C" NOT NULL,
    uri        TEXT   COLLATE "C" NOT NULL,
    redirects  TEXT   COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);

CREATE INDEX oauth_clients_by_use ON oauth_clients (used_at);

-- What a person has allowed an application. Key_id is the key of the organisation under
-- which it is counted and charged. A grant ends for good.
CREATE TABLE oauth_grants (
    id         TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    client_id  TEXT   COLLATE "C" NOT NULL,
    name       TEXT   COLLATE "C" NOT NULL,
    person_id  TEXT   COLLATE "C" NOT NULL REFERENCES people (id),
    org_id     TEXT   COLLATE "C" NOT NULL REFERENCES organisations (id),
    key_id     TEXT   COLLATE "C" NOT NULL UNIQUE REFERENCES api_keys (id),
    resource   TEXT   COLLATE "C" NOT NULL,
    scopes     TEXT   COLLATE "C" NOT NULL,
    monthly_cap BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL
);

CREATE INDEX oauth_grants_by_organisation ON oauth_grants (org_id, created_at);
CREATE INDEX oauth_grants_by_client ON oauth_grants (client_id);
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at) WHERE ended_at = 0;

-- Asked is what was allowed, in JSON. Grant_id is '' until the code is exchanged.
CREATE TABLE oauth_codes (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    asked      TEXT   COLLATE "C" NOT NULL,
    grant_id   TEXT   COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX oauth_codes_by_expiry ON oauth_codes (expires_at);

-- Used_at is when a refresh token was exchanged for the next one.
CREATE TABLE oauth_tokens (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    grant_id   TEXT   COLLATE "C" NOT NULL REFERENCES oauth_grants (id),
    refresh    BIGINT NOT NULL CHECK (refresh IN (0, 1)),
    scopes     TEXT   COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);

CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_by_expiry ON oauth_tokens (expires_at);
