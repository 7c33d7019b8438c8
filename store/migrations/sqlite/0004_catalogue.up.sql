-- The records of datasets, and what files of theirs measure. Times are Unix
-- microseconds. Columns of JSON are text of ours; entry comes before the large
-- ones, so that listing entries reads none of their pages.

CREATE TABLE datasets (
    id          TEXT    NOT NULL PRIMARY KEY CHECK (id GLOB 'ds_*'),
    slug        TEXT    NOT NULL UNIQUE CHECK (slug <> '' AND slug NOT GLOB 'ds_*'),
    revision    INTEGER NOT NULL CHECK (revision > 0),
    status      TEXT    NOT NULL CHECK (status <> ''),
    created_at  INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    entry       TEXT    NOT NULL,
    files       TEXT    NOT NULL,
    record      TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX datasets_by_revision ON datasets (revision);

-- Report is what a file with that digest measures by a method.
CREATE TABLE measurements (
    sha256      TEXT    NOT NULL,
    method      TEXT    NOT NULL,
    measured_at INTEGER NOT NULL,
    report      BLOB    NOT NULL,
    PRIMARY KEY (sha256, method)
) STRICT;
