-- Every use has a row of holds, also on a plan without a bound; day (UTC) is the one
-- that a settled hold is counted on. Times are Unix microseconds.
ALTER TABLE holds ADD COLUMN day TEXT COLLATE "C" CHECK (length(day) = 10);

-- The first day all of whose uses have such a row; '' is every day. Programs from
-- before may write until the end of the day after this one.
CREATE TABLE charges_known (
    id    BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    since TEXT   COLLATE "C" NOT NULL
);

INSERT INTO charges_known (id, since)
    SELECT 1, CASE WHEN EXISTS (SELECT 1 FROM organisations)
        THEN to_char((now() AT TIME ZONE 'UTC') + interval '2 days', 'YYYY-MM-DD') ELSE '' END;
