-- Enquiries, the mails that deliver them, the journal, what waits at links, and
-- samples that were released. Times are Unix microseconds, 0 is none.
--
-- What persons typed, and their addresses, stand in these columns and no other:
-- enquiries (name, email, company, message, agent), enquiry_mails (to_address,
-- reply_to, text, problem), enquiry_journal (shown), sample_releases (licence, which
-- may name the person) and enquiry_links (form). A purge empties them, and deletes
-- links. Sender and client are keyed digests.

CREATE TABLE enquiries (
    id          TEXT    NOT NULL PRIMARY KEY CHECK (id GLOB 'enq_?*'),
    received_at INTEGER NOT NULL CHECK (received_at > 0),
    intent      TEXT    NOT NULL CHECK (intent <> ''),
    method      TEXT    NOT NULL CHECK (method <> ''), -- there is none without consent
    purged      INTEGER NOT NULL DEFAULT 0 CHECK (purged IN (0, 1)),
    sender      TEXT    NOT NULL CHECK (sender <> '' OR purged = 1),
    client      TEXT    NOT NULL,
    dataset     TEXT    NOT NULL,
    about       TEXT    NOT NULL, -- JSON, '' without a dataset
    name        TEXT    NOT NULL,
    email       TEXT    NOT NULL,
    company     TEXT    NOT NULL,
    agent       TEXT    NOT NULL,
    message     TEXT    NOT NULL,
    CHECK (purged = 0 OR (name = '' AND email = '' AND company = '' AND agent = '' AND message = ''))
) STRICT;

CREATE INDEX enquiries_by_time ON enquiries (received_at, id);
CREATE INDEX enquiries_by_sender ON enquiries (sender, received_at) WHERE sender <> '';
CREATE INDEX enquiries_by_client ON enquiries (client, received_at) WHERE client <> '';
CREATE INDEX enquiries_whole ON enquiries (received_at) WHERE purged = 0;
CREATE INDEX enquiries_counted ON enquiries (received_at) WHERE purged = 1 AND sender <> '';

-- Which enquiry came of a sealed state or a link, of which comes no other.
CREATE TABLE enquiry_burns (
    burn       TEXT NOT NULL PRIMARY KEY CHECK (burn <> ''),
    enquiry_id TEXT NOT NULL REFERENCES enquiries (id)
) STRICT;

CREATE TABLE enquiry_mails (
    n            INTEGER NOT NULL PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE CHECK (id GLOB 'mail_?*'),
    enquiry_id   TEXT    NOT NULL REFERENCES enquiries (id),
    kind         TEXT    NOT NULL CHECK (kind <> ''),
    message_id   TEXT    NOT NULL CHECK (message_id <> ''),
    date_at      INTEGER NOT NULL,
    from_address TEXT    NOT NULL,
    to_address   TEXT    NOT NULL,
    reply_to     TEXT    NOT NULL,
    subject      TEXT    NOT NULL,
    text         TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('queued', 'delivered', 'failed')),
    attempts     INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    problem      TEXT    NOT NULL DEFAULT '',
    changed_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX enquiry_mails_by_enquiry ON enquiry_mails (enquiry_id, n);

-- Source is JSON. Entries of one fold are one row; those without have NULL.
CREATE TABLE enquiry_journal (
    n           INTEGER NOT NULL PRIMARY KEY,
    at          INTEGER NOT NULL,
    outcome     TEXT    NOT NULL CHECK (outcome <> ''),
    code        TEXT    NOT NULL,
    method      TEXT    NOT NULL,
    enquiry_id  TEXT    REFERENCES enquiries (id),
    content     TEXT    NOT NULL,
    shown       TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    client      TEXT    NOT NULL,
    source      TEXT    NOT NULL,
    asked_at    INTEGER NOT NULL,
    answered_at INTEGER NOT NULL,
    fold        TEXT    UNIQUE CHECK (fold <> ''),
    times       INTEGER NOT NULL CHECK (times > 0)
) STRICT;

CREATE INDEX enquiry_journal_by_enquiry ON enquiry_journal (enquiry_id, at, n) WHERE enquiry_id IS NOT NULL;
CREATE INDEX enquiry_journal_of_none ON enquiry_journal (at, n) WHERE enquiry_id IS NULL;
CREATE INDEX enquiry_journal_declined ON enquiry_journal (content) WHERE outcome = 'declined';
CREATE INDEX enquiry_journal_cancelled ON enquiry_journal (state) WHERE outcome = 'cancelled';
CREATE INDEX enquiry_journal_by_state ON enquiry_journal (state) WHERE enquiry_id IS NULL AND state <> '';
CREATE INDEX enquiry_journal_unsent ON enquiry_journal (at) WHERE shown <> '' AND enquiry_id IS NULL;

-- Form and source are JSON. Sent is the enquiry that came of it.
CREATE TABLE enquiry_links (
    digest     TEXT    NOT NULL PRIMARY KEY CHECK (digest <> ''),
    put_at     INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    asked_at   INTEGER NOT NULL,
    client     TEXT    NOT NULL,
    content    TEXT    NOT NULL,
    source     TEXT    NOT NULL,
    sent       TEXT    REFERENCES enquiries (id),
    form       TEXT    NOT NULL
) STRICT;

CREATE INDEX enquiry_links_by_time ON enquiry_links (put_at);
CREATE INDEX enquiry_links_by_client ON enquiry_links (client, put_at) WHERE client <> '';
CREATE INDEX enquiry_links_by_expiry ON enquiry_links (expires_at);
CREATE INDEX enquiry_links_sent ON enquiry_links (sent) WHERE sent IS NOT NULL;

CREATE TABLE sample_releases (
    n           INTEGER NOT NULL PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE CHECK (id GLOB 'rel_?*'),
    enquiry_id  TEXT    NOT NULL REFERENCES enquiries (id),
    dataset_id  TEXT    NOT NULL CHECK (dataset_id <> ''),
    licence     TEXT    NOT NULL,
    released_at INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    downloads   INTEGER NOT NULL CHECK (downloads BETWEEN 0 AND most),
    most        INTEGER NOT NULL
) STRICT;

CREATE INDEX sample_releases_by_enquiry ON sample_releases (enquiry_id, n);
