// Package migrations holds the steps of the schema, in the SQL of each database. A step
// that was released never changes: what is wrong with it is put right by the next one.
//
// While an upgrade is rolled out, servers of the old and of the new program use one
// database, and after a roll back the old one uses it alone. So a step only adds: the
// programs that knew the version before it go on working, and begin with `-- oldest:` and
// the version from which on programs do. What nothing uses any more is taken away by a step of a
// later release, which has a line `-- contract:` with the reason. [Released] says which
// program must be able to use the newest schema.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
)

//go:embed postgres sqlite
var files embed.FS

// Released is the schema version of the last release. No step may need a newer program,
// since servers of that release run while this one is rolled out. Raise it after a
// release, to the version that it has brought.
const Released = 11

// stated is the first version whose step says which programs may use what it leaves. Before it
// no program looked.
const stated = 12

// Step is one step of the schema. The first has version 1.
type Step struct {
	Version int
	Name    string
	// Oldest is the version from which on programs may use the database after this step: a
	// program that knows the steps up to Oldest works with the tables that this one leaves,
	// in every later version too that has no greater Oldest. It is at most Version.
	Oldest int
	SQL    string
}

// Of returns the steps of a database in order: "sqlite" or "postgres".
func Of(database string) ([]Step, error) { return read(files, database) }

var (
	fileName   = regexp.MustCompile(`^(\d{4})_([a-z0-9_]+)\.up\.sql$`)
	oldestLine = regexp.MustCompile(`^-- oldest: (\d{1,4})\n`)
)

// read reads the steps in a directory. A gap in their versions is an error, and so is a
// file with another form of name, or one that does not say which programs may go on.
func read(fsys fs.FS, dir string) ([]Step, error) {
	entries, err := fs.ReadDir(fsys, dir) // sorted by name, and so by version
	if err != nil {
		return nil, err
	}
	var out []Step
	for _, e := range entries {
		m := fileName.FindStringSubmatch(e.Name())
		if m == nil {
			return nil, fmt.Errorf("migration %s is not named like 0001_name.up.sql", e.Name())
		}
		version, err := strconv.Atoi(m[1])
		if err != nil || version != len(out)+1 {
			return nil, fmt.Errorf("migration %s does not follow version %d", e.Name(), len(out))
		}
		text, err := fs.ReadFile(fsys, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		step := Step{Version: version, Name: m[2], Oldest: version, SQL: string(text)}
		if said := oldestLine.FindStringSubmatch(step.SQL); said != nil {
			step.Oldest, err = strconv.Atoi(said[1])
			if err != nil || step.Oldest < 1 || step.Oldest > version {
				return nil, fmt.Errorf("migration %s: oldest %s is outside 1 to %d", e.Name(), said[1], version)
			}
		} else if version >= stated {
			return nil, fmt.Errorf("migration %s does not begin with a line like -- oldest: %d", e.Name(), version-1)
		}
		out = append(out, step)
	}
	return out, nil
}

// Oldest returns the version from which on programs may use a database that has all of
// these steps; 0 without steps.
func Oldest(steps []Step) (v int) {
	for _, s := range steps {
		v = max(v, s.Oldest)
	}
	return v
}
