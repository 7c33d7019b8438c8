-- Every use has a row of holds, also on a plan without a bound; day (UTC) is the one
-- that a settled hold is counted on. Times are Unix microseconds.
ALTER TABLE holds ADD COLUMN day TEXT CHECK (length(day) = 10);

-- The first day all of whose uses have such a row; '' is every day. Programs from
-- before may write until the end of the day after this one.
CREATE TABLE charges_known (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    since TEXT    NOT NULL
) STRICT;

INSERT INTO charges_known (id, since)
    SELECT 1, CASE WHEN EXISTS (SELECT 1 FROM organisations) THEN date('now', '+2 days') ELSE '' END;
