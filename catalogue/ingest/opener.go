package ingest

import (
	"os"
	"path/filepath"

	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/measure"
)

// listedOpener opens the files that were listed when the folder was read, and no others.
type listedOpener struct {
	root   *os.Root
	folder *folder.Folder
}

// Open opens a file. The error is [tree.ErrChanged] if it is not the one that was listed.
func (o listedOpener) Open(path string) (measure.File, error) {
	f, err := o.folder.Open(o.root, path)
	if err != nil {
		return nil, err // not f: a nil *os.File in the interface would not be nil
	}
	return f, nil
}

// Opener opens the files of a folder for a worker that measures them for another process;
// see [measure.Work]. It follows no link, does not leave the folder, and opens no pipe.
func Opener(root *os.Root) measure.Opener { return rootOpener{root} }

type rootOpener struct{ root *os.Root }

// Open opens a plain file.
func (o rootOpener) Open(path string) (measure.File, error) {
	info, err := o.root.Lstat(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	f, err := tree.OpenSeen(o.root, path, info)
	if err != nil {
		return nil, err // not f: a nil *os.File in the interface would not be nil
	}
	return f, nil
}
