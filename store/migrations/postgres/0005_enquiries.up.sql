-- Enquiries, the mails that deliver them, the journal, what waits at links, and
-- samples that were released. Times are Unix microseconds, 0 is none.
--
-- What persons typed, and their addresses, stand in these columns and no other:
-- enquiries (name, email, company, message, agent), enquiry_mails (to_address,
-- reply_to, text, problem), enquiry_journal (shown), sample_releases (licence, which
-- may name the person) and enquiry_links (form). A purge empties them, and deletes
-- links. Sender and client are keyed digests.

CREATE TABLE enquiries (
    id          TEXT    COLLATE "C" NOT NULL PRIMARY KEY CHECK (starts_with(id, 'enq_') AND length(id) > 4),
    received_at BIGINT  NOT NULL CHECK (received_at > 0),
    intent      TEXT    COLLATE "C" NOT NULL CHECK (intent <> ''),
    method      TEXT    COLLATE "C" NOT NULL CHECK (method <> ''), -- there is none without consent
    purged      BIGINT  NOT NULL DEFAULT 0 CHECK (purged IN (0, 1)),
    sender      TEXT    COLLATE "C" NOT NULL CHECK (sender <> '' OR purged = 1),
    client      TEXT    COLLATE "C" NOT NULL,
    dataset     TEXT    COLLATE "C" NOT NULL,
    about       TEXT    COLLATE "C" NOT NULL, -- JSON, '' without a dataset
    name        TEXT    COLLATE "C" NOT NULL,
    email       TEXT    COLLATE "C" NOT NULL,
    company     TEXT    COLLATE "C" NOT NULL,
    agent       TEXT    COLLATE "C" NOT NULL,
    message     TEXT    COLLATE "C" NOT NULL,
    CHECK (purged = 0 OR (name = '' AND email = '' AND company = '' AND agent = '' AND message = ''))
);

CREATE INDEX enquiries_by_time ON enquiries (received_at, id);
CREATE INDEX enquiries_by_sender ON enquiries (sender, received_at) WHERE sender <> '';
CREATE INDEX enquiries_by_client ON enquiries (client, received_at) WHERE client <> '';
CREATE INDEX enquiries_whole ON enquiries (received_at) WHERE purged = 0;
CREATE INDEX enquiries_counted ON enquiries (received_at) WHERE purged = 1 AND sender <> '';

-- Which enquiry came of a sealed state or a link, of which comes no other.
CREATE TABLE enquiry_burns (
    burn       TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (burn <> ''),
    enquiry_id TEXT COLLATE "C" NOT NULL REFERENCES enquiries (id)
);

CREATE TABLE enquiry_mails (
    n            BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT    COLLATE "C" NOT NULL UNIQUE CHECK (starts_with(id, 'mail_') AND length(id) > 5),
    enquiry_id   TEXT    COLLATE "C" NOT NULL REFERENCES enquiries (id),
    kind         TEXT    COLLATE "C" NOT NULL CHECK (kind <> ''),
    message_id   TEXT    COLLATE "C" NOT NULL CHECK (message_id <> ''),
    date_at      BIGINT  NOT NULL,
    from_address TEXT    COLLATE "C" NOT NULL,
    to_address   TEXT    COLLATE "C" NOT NULL,
    reply_to     TEXT    COLLATE "C" NOT NULL,
    subject      TEXT    COLLATE "C" NOT NULL,
    text         TEXT    COLLATE "C" NOT NULL,
    state        TEXT    COLLATE "C" NOT NULL CHECK (state IN ('queued', 'delivered', 'failed')),
    attempts     BIGINT  NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    problem      TEXT    COLLATE "C" NOT NULL DEFAULT '',
    changed_at   BIGINT  NOT NULL
);

CREATE INDEX enquiry_mails_by_enquiry ON enquiry_mails (enquiry_id, n);

-- Source is JSON. Entries of one fold are one row; those without have NULL.
CREATE TABLE enquiry_journal (
    n           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          BIGINT  NOT NULL,
    outcome     TEXT    COLLATE "C" NOT NULL CHECK (outcome <> ''),
    code        TEXT    COLLATE "C" NOT NULL,
    method      TEXT    COLLATE "C" NOT NULL,
    enquiry_id  TEXT    COLLATE "C" REFERENCES enquiries (id),
    content     TEXT    COLLATE "C" NOT NULL,
    shown       TEXT    COLLATE "C" NOT NULL,
    state       TEXT    COLLATE "C" NOT NULL,
    client      TEXT    COLLATE "C" NOT NULL,
    source      TEXT    COLLATE "C" NOT NULL,
    asked_at    BIGINT  NOT NULL,
    answered_at BIGINT  NOT NULL,
    fold        TEXT    COLLATE "C" UNIQUE CHECK (fold <> ''),
    times       BIGINT  NOT NULL CHECK (times > 0)
);

CREATE INDEX enquiry_journal_by_enquiry ON enquiry_journal (enquiry_id, at, n) WHERE enquiry_id IS NOT NULL;
CREATE INDEX enquiry_journal_of_none ON enquiry_journal (at, n) WHERE enquiry_id IS NULL;
CREATE INDEX enquiry_journal_declined ON enquiry_journal (content) WHERE outcome = 'declined';
CREATE INDEX enquiry_journal_cancelled ON enquiry_journal (state) WHERE outcome = 'cancelled';
CREATE INDEX enquiry_journal_by_state ON enquiry_journal (state) WHERE enquiry_id IS NULL AND state <> '';
CREATE INDEX enquiry_journal_unsent ON enquiry_journal (at) WHERE shown <> '' AND enquiry_id IS NULL;

-- Form and source are JSON. Sent is the enquiry that came of it.
CREATE TABLE enquiry_links (
    digest     TEXT    COLLATE "C" NOT NULL PRIMARY KEY CHECK (digest <> ''),
    put_at     BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    asked_at   BIGINT  NOT NULL,
    client     TEXT    COLLATE "C" NOT NULL,
    content    TEXT    COLLATE "C" NOT NULL,
    source     TEXT    COLLATE "C" NOT NULL,
    sent       TEXT    COLLATE "C" REFERENCES enquiries (id),
    form       TEXT    COLLATE "C" NOT NULL
);

CREATE INDEX enquiry_links_by_time ON enquiry_links (put_at);
CREATE INDEX enquiry_links_by_client ON enquiry_links (client, put_at) WHERE client <> '';
CREATE INDEX enquiry_links_by_expiry ON enquiry_links (expires_at);
CREATE INDEX enquiry_links_sent ON enquiry_links (sent) WHERE sent IS NOT NULL;

CREATE TABLE sample_releases (
    n           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          TEXT    COLLATE "C" NOT NULL UNIQUE CHECK (starts_with(id, 'rel_') AND length(id) > 4),
    enquiry_id  TEXT    COLLATE "C" NOT NULL REFERENCES enquiries (id),
    dataset_id  TEXT    COLLATE "C" NOT NULL CHECK (dataset_id <> ''),
    licence     TEXT    COLLATE "C" NOT NULL,
    released_at BIGINT  NOT NULL,
    expires_at  BIGINT  NOT NULL,
    downloads   BIGINT  NOT NULL CHECK (downloads BETWEEN 0 AND most),
    most        BIGINT  NOT NULL
);

CREATE INDEX sample_releases_by_enquiry ON sample_releases (enquiry_id, n);
