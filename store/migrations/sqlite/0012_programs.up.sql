-- oldest: 11
-- From which version of the schema on programs may use what a step leaves, see Step; NULL in the
-- rows of earlier steps.
ALTER TABLE schema_migrations ADD COLUMN oldest INTEGER;

-- Which program a server runs, and up to which version it knows the schema; '' and 0 are a
-- program from before this step.
ALTER TABLE replicas ADD COLUMN program TEXT NOT NULL DEFAULT '';
ALTER TABLE replicas ADD COLUMN knows INTEGER NOT NULL DEFAULT 0;
