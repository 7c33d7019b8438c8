-- oldest: 11
-- A hold with 0 or more here is an advance: a process keeps it for many requests. The value
-- is how many of its characters no request used when the process last posted. To programs
-- from before it is a hold like any other.
ALTER TABLE holds ADD COLUMN ahead INTEGER NOT NULL DEFAULT -1 CHECK (ahead >= -1);
