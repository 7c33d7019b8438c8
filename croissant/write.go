package croissant

import (
	"encoding/json"
	"fmt"

	"vaak/catalogue"
)

// Write returns the document of a dataset in a version: compact JSON with its
// members in a fixed order, in which <, > and & are escaped, so that it can stand
// in a page as it is. The same record always gives the same bytes. s is filled in,
// as [catalogue.Service.Filed] returns it; publicURL is where clients reach the
// server, without a slash at its end.
//
// What the record does not hold is left out, also where the format requires it:
// nothing is made up. The public files can be read by anybody; the licensed ones
// are named by their patterns, without an address.
func Write(s *catalogue.Stored, publicURL string, v Version) ([]byte, error) {
	return WritePart(s, publicURL, v, Whole)
}

// WritePart is [Write] of a part of the document.
func WritePart(s *catalogue.Stored, publicURL string, v Version, part Part) ([]byte, error) {
	e := emitter{d: &s.Dataset, files: s.Files, base: publicURL, version: v}
	out := e.dataset()
	out.only(part)
	body, err := json.Marshal(out)
	if err != nil { // a figure that is no number
		return nil, fmt.Errorf("write croissant %s of dataset %s: %w", v, s.Dataset.Slug, err)
	}
	return body, nil
}

// emitter makes the parts of the document of one dataset.
type emitter struct {
	d       *catalogue.Dataset
	files   []catalogue.File
	base    string
	version Version
}

// file returns the public file that is served at an address; nil when there is none.
func (e *emitter) file(url string) *catalogue.File {
	for i := range e.files {
		if url != "" && e.files[i].URL == url {
			return &e.files[i]
		}
	}
	return nil
}

// named returns the public file with a name; nil when there is none.
func (e *emitter) named(name string) *catalogue.File {
	for i := range e.files {
		if e.files[i].Name == name {
			return &e.files[i]
		}
	}
	return nil
}
