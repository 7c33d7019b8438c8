// Package write makes the Croissant document of a dataset of the catalogue from its
// record and its public files.
package write

import (
	"encoding/json"
	"fmt"

	"vaak/catalogue"
	"vaak/croissant"
)

// Document returns the document of a dataset, or one part of it, in version v. It is
// compact JSON with its members in a fixed order; <, > and & are escaped, so it can be
// embedded in an HTML page as it is. The same record always gives the same bytes.
//
// s is a complete record, as [catalogue.Service.Filed] returns it. publicURL is the
// address at which clients reach the server, without a slash at its end.
//
// Document invents nothing: a property that the record does not have is left out, even
// where the format requires it, and croissant/check reports it. Public files get their
// addresses. Licensed files are described by path patterns without an address, because
// the server does not hold them.
func Document(s *catalogue.Stored, publicURL string, v croissant.Version, part croissant.Part) ([]byte, error) {
	w := writer{d: &s.Dataset, files: s.Files, base: publicURL, version: v}
	out := w.dataset()
	out.only(part)
	body, err := json.Marshal(out)
	if err != nil { // a figure is NaN or infinite
		return nil, fmt.Errorf("write croissant %s of dataset %s: %w", v, s.Dataset.Slug, err)
	}
	return body, nil
}

// writer makes the parts of one document.
type writer struct {
	d       *catalogue.Dataset
	files   []catalogue.File // the public files of the dataset
	base    string           // public address of the server
	version croissant.Version
}

// file returns the public file that is served at url, or nil.
func (w *writer) file(url string) *catalogue.File {
	for i := range w.files {
		if url != "" && w.files[i].URL == url {
			return &w.files[i]
		}
	}
	return nil
}

// named returns the public file that has a name, or nil.
func (w *writer) named(name string) *catalogue.File {
	for i := range w.files {
		if w.files[i].Name == name {
			return &w.files[i]
		}
	}
	return nil
}
