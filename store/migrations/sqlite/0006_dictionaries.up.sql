-- Pronunciation dictionaries and the versions of their rules that are kept. Times are
-- Unix microseconds.
--
-- What is said of the latest version stands in the dictionary too, so that looking for
-- a dictionary or listing them reads no versions. Rules are JSON of ours and bytes their
-- length; they come last, so that what is said of versions is read without them.

CREATE TABLE dictionaries (
    id            TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    org_id        TEXT    NOT NULL REFERENCES organisations (id),
    name          TEXT    NOT NULL,
    description   TEXT    NOT NULL,
    created_by    TEXT    NOT NULL, -- a key, as its id was
    created_at    INTEGER NOT NULL,
    latest_id     TEXT    NOT NULL CHECK (latest_id <> ''),
    latest_number INTEGER NOT NULL CHECK (latest_number > 0),
    latest_rules  INTEGER NOT NULL CHECK (latest_rules >= 0), -- how many
    latest_at     INTEGER NOT NULL
) STRICT;

CREATE INDEX dictionaries_by_organisation ON dictionaries (org_id, created_at, id);

CREATE TABLE dictionary_versions (
    id            TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    dictionary_id TEXT    NOT NULL REFERENCES dictionaries (id) ON DELETE CASCADE,
    number        INTEGER NOT NULL CHECK (number > 0),
    created_at    INTEGER NOT NULL,
    rule_count    INTEGER NOT NULL CHECK (rule_count >= 0),
    bytes         INTEGER NOT NULL CHECK (bytes >= 0),
    rules         TEXT    NOT NULL,
    UNIQUE (dictionary_id, number)
) STRICT;
