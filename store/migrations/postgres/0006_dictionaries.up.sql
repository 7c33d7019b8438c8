-- Pronunciation dictionaries and the versions of their rules that are kept. Times are
-- Unix microseconds.
--
-- What is said of the latest version stands in the dictionary too, so that looking for
-- a dictionary or listing them reads no versions. Rules are JSON of ours and bytes their
-- length; they come last, so that what is said of versions is read without them.

CREATE TABLE dictionaries (
    id            TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    org_id        TEXT   COLLATE "C" NOT NULL REFERENCES organisations (id),
    name          TEXT   COLLATE "C" NOT NULL,
    description   TEXT   COLLATE "C" NOT NULL,
    created_by    TEXT   COLLATE "C" NOT NULL, -- a key, as its id was
    created_at    BIGINT NOT NULL,
    latest_id     TEXT   COLLATE "C" NOT NULL CHECK (latest_id <> ''),
    latest_number BIGINT NOT NULL CHECK (latest_number > 0),
    latest_rules  BIGINT NOT NULL CHECK (latest_rules >= 0), -- how many
    latest_at     BIGINT NOT NULL
);

CREATE INDEX dictionaries_by_organisation ON dictionaries (org_id, created_at, id);

CREATE TABLE dictionary_versions (
    id            TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    dictionary_id TEXT   COLLATE "C" NOT NULL REFERENCES dictionaries (id) ON DELETE CASCADE,
    number        BIGINT NOT NULL CHECK (number > 0),
    created_at    BIGINT NOT NULL,
    rule_count    BIGINT NOT NULL CHECK (rule_count >= 0),
    bytes         BIGINT NOT NULL CHECK (bytes >= 0),
    rules         TEXT   COLLATE "C" NOT NULL,
    UNIQUE (dictionary_id, number)
);
