-- Links that are mailed to the person, and their mails. Recipient is the digest of the
-- address that a link was mailed to; '' is a link of an older version, which the agent was
-- given, or a question of an agent's host: nothing can be sent from either. Whole is the
-- digest of all that the person is shown.
ALTER TABLE enquiry_links ADD COLUMN recipient TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE enquiry_links ADD COLUMN whole TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX enquiry_links_by_recipient ON enquiry_links (recipient, put_at) WHERE recipient <> '';
CREATE INDEX enquiry_links_mailed ON enquiry_links (put_at) WHERE recipient <> '';

-- A mail goes with its link. Persons' addresses stand in to_address and problem. Text is
-- sealed, as the link stands in it, and emptied when a mail server has taken the mail.
CREATE TABLE enquiry_link_mails (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (starts_with(id, 'mail_') AND length(id) > 5),
    digest       TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES enquiry_links (digest) ON DELETE CASCADE,
    message_id   TEXT COLLATE "C" NOT NULL CHECK (message_id <> ''),
    date_at      BIGINT NOT NULL,
    from_address TEXT COLLATE "C" NOT NULL,
    to_address   TEXT COLLATE "C" NOT NULL,
    reply_to     TEXT COLLATE "C" NOT NULL,
    subject      TEXT COLLATE "C" NOT NULL,
    text         TEXT COLLATE "C" NOT NULL,
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'delivered', 'failed')),
    attempts     BIGINT NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    problem      TEXT COLLATE "C" NOT NULL DEFAULT '',
    changed_at   BIGINT NOT NULL
);
