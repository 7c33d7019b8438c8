// Package migrations holds the steps of the schema, in the SQL of each database. A step
// that was released never changes: what is wrong with it is put right by the next one.
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

// Step is one step of the schema. The first has version 1.
type Step struct {
	Version int
	Name    string
	SQL     string
}

// Of returns the steps of a database in order: "sqlite" or "postgres".
func Of(database string) ([]Step, error) { return read(files, database) }

var fileName = regexp.MustCompile(`^(\d{4})_([a-z0-9_]+)\.up\.sql$`)

// read reads the steps in a directory. A gap in their versions is an error, and so is a
// file with another form of name.
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
		out = append(out, Step{version, m[2], string(text)})
	}
	return out, nil
}
