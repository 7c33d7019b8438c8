-- Links that are mailed to the person, and their mails. Recipient is the digest of the
-- address that a link was mailed to; '' is a link of an older version, which the agent was
-- given, or a question of an agent's host: nothing can be sent from either. Whole is the
-- digest of all that the person is shown.
ALTER TABLE enquiry_links ADD COLUMN recipient TEXT NOT NULL DEFAULT '';
ALTER TABLE enquiry_links ADD COLUMN whole TEXT NOT NULL DEFAULT '';

CREATE INDEX enquiry_links_by_recipient ON enquiry_links (recipient, put_at) WHERE recipient <> '';
CREATE INDEX enquiry_links_mailed ON enquiry_links (put_at) WHERE recipient <> '';

-- A mail goes with its link. Persons' addresses stand in to_address and problem. Text is
-- sealed, as the link stands in it, and emptied when a mail server has taken the mail.
CREATE TABLE enquiry_link_mails (
    id           TEXT    NOT NULL PRIMARY KEY CHECK (id GLOB 'mail_?*'),
    digest       TEXT    NOT NULL UNIQUE REFERENCES enquiry_links (digest) ON DELETE CASCADE,
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
