-- The records of datasets, and what files of theirs measure. Times are Unix
-- microseconds. Columns of JSON are text of ours, kept as it was written.

CREATE TABLE datasets (
    id          TEXT   COLLATE "C" NOT NULL PRIMARY KEY CHECK (starts_with(id, 'ds_')),
    slug        TEXT   COLLATE "C" NOT NULL UNIQUE CHECK (slug <> '' AND NOT starts_with(slug, 'ds_')),
    revision    BIGINT NOT NULL CHECK (revision > 0),
    status      TEXT   COLLATE "C" NOT NULL CHECK (status <> ''),
    created_at  BIGINT NOT NULL,
    modified_at BIGINT NOT NULL,
    entry       TEXT   COLLATE "C" NOT NULL,
    files       TEXT   COLLATE "C" NOT NULL,
    record      TEXT   COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX datasets_by_revision ON datasets (revision);

-- Report is what a file with that digest measures by a method.
CREATE TABLE measurements (
    sha256      TEXT   COLLATE "C" NOT NULL,
    method      TEXT   COLLATE "C" NOT NULL,
    measured_at BIGINT NOT NULL,
    report      BYTEA  NOT NULL,
    PRIMARY KEY (sha256, method)
);
