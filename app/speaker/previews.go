package speaker

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"vaak/app/deployment"
	"vaak/internal/blob"
)

// previews says where the previews of voices are, and which programs make them.
type previews struct {
	dir      string
	shared   blob.Store             // nil where files are in a directory
	revision func() (string, error) // may be called once
}

// openPreviews returns the directory of the previews and the revision of the programs that
// make them. The revision is a digest of the programs, so a program that was only copied or
// started again keeps its previews. The program files are opened now, since an upgrade may
// put others in their place, and are read only when revision is called.
func (r Room) openPreviews(library string) (previews, error) {
	paths, err := r.programs()
	if err != nil {
		return previews{}, err
	}
	var programs []*os.File
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return previews{}, errors.Join(err, closeAll(programs))
		}
		// The open file keeps the content of the program that runs, even after an upgrade
		// has put another file at the path.
		programs = append(programs, f)
	}
	shared, err := r.Place.Blobs(deployment.Previews, 0)
	if err != nil {
		return previews{}, errors.Join(err, closeAll(programs))
	}
	p := previews{dir: r.Place.In(deployment.Previews), revision: func() (string, error) {
		// The files are read to their end and closed, so a second call would fail.
		content, err := contentOf(programs)
		return library + " " + content, errors.Join(err, closeAll(programs))
	}}
	if shared != nil {
		p.shared = shared
	}
	return p, nil
}

// contentOf returns a digest of files. A program of 80 MB takes a tenth of a second.
func contentOf(files []*os.File) (string, error) {
	h := sha256.New()
	for _, f := range files {
		if _, err := io.Copy(h, f); err != nil {
			return "", fmt.Errorf("digest %s: %w", f.Name(), err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
