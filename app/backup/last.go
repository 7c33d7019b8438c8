package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vaak/app/deployment"
)

// lastName is the file in the data directory that says when the last backup was made. No
// backup has it.
const lastName = "last-backup"

// Last is the last backup of a deployment that succeeded.
type Last struct {
	File    string    `json:"file"` // where it was written: a path, or a place in object storage
	Created time.Time `json:"created"`
	Schema  int       `json:"schema"` // version of the tables in it
	Bytes   int64     `json:"bytes"`
}

// note keeps what is known of the last backup. A data directory that cannot be written
// fails no backup.
func (c Source) note(m Manifest, whole Archive) error {
	last := Last{File: c.File, Created: m.Created, Schema: m.Schema, Bytes: whole.Bytes}
	text, err := json.Marshal(last)
	if err != nil {
		return err
	}
	// Written whole or not at all: somebody may read it at this moment.
	part, err := os.CreateTemp(c.Place.DataDir, lastName+"-*")
	if err != nil {
		return err
	}
	_, err = part.Write(text)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), c.Place.In(lastName))
	}
	if err != nil {
		_ = os.Remove(part.Name()) // err says more
	}
	return err
}

// ReadLast returns the last backup of a deployment; the zero value if none is known.
func ReadLast(p deployment.Place) (last Last, err error) {
	text, err := os.ReadFile(p.In(lastName))
	if errors.Is(err, fs.ErrNotExist) {
		return Last{}, nil
	}
	if err == nil && json.Unmarshal(text, &last) != nil {
		err = fmt.Errorf("%s is no JSON as vaak backup writes it", p.In(lastName))
	}
	return last, err
}

// Size returns how many bytes a backup would hold before they are compressed: the files of the
// data directory, with a database that is there, and voices elsewhere. It counts until
// the context ends.
func (c Source) Size(ctx context.Context) int64 {
	bytes := below(ctx, c.Place.DataDir, leavesOut)
	if c.Voices != "" && c.voicesName() == "" && !c.WithoutVoices {
		bytes += below(ctx, c.Voices, func(string) bool { return false })
	}
	return bytes
}

// below returns how many bytes the files below a directory have, but for those for which skip
// is true of their path.
func below(ctx context.Context, dir string, skip func(name string) bool) (bytes int64) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil {
			return nil // what cannot be read is not counted
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err == nil && name != "." && skip(name) && d.IsDir():
			return fs.SkipDir
		case err == nil && name != "." && skip(name) || !d.Type().IsRegular():
			return nil
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
