// Package catalogue serves the records of datasets and their public files over HTTP.
package catalogue

import (
	"context"
	"net/http"
	"net/url"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"vaak/catalogue"
	"vaak/internal/recent"
	"vaak/rest/frame"
)

// api has the handlers.
type api struct {
	Catalogue catalogue.Reader
	pages     *recent.Memory[pageKey, *page]
}

// Register declares the operations on datasets. The reader may be nil where they are only
// described.
func Register(desc huma.API, reader catalogue.Reader) {
	(&api{reader, recent.New(maxPages, pageSize)}).registerCatalogue(desc)
	frame.DescribeNulls(desc, reflect.TypeFor[catalogue.Dataset](), reflect.TypeFor[DatasetList]())
}

// getDataset serves GET /api/catalogue/datasets/{slug}. It redirects an id to the slug.
func (a *api) getDataset(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	name := r.PathValue("slug")
	d, err := a.Catalogue.Answer(r.Context(), name)
	if err != nil {
		return frame.Unknown(err, name, a.Catalogue)
	}
	if name != d.Slug {
		return frame.ToSlug(w, r, "/api/catalogue/datasets/"+d.Slug)
	}
	h := w.Header()
	h["Cache-Control"] = frame.OneMinute
	h.Set("Link", frame.DescribedBy(d.Croissant, "application/ld+json"))
	return frame.ServeText(w, r, `"`+d.Tag+`"`, d.JSON)
}

// getDatasetFile serves the public files of a dataset, whole or in part.
func (a *api) getDatasetFile(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	slug := r.PathValue("slug")
	name, path := catalogue.ManifestFile, catalogue.ManifestFile
	if part := r.PathValue("name"); part != "" {
		name, path = "sample/"+part, "sample/"+url.PathEscape(part)
	}
	d, err := a.dataset(r, slug)
	if err != nil {
		return err
	}
	if slug != d.Slug {
		return frame.ToSlug(w, r, frame.DatasetPaths+d.Slug+"/"+path)
	}
	h := w.Header()
	h.Set("Link", "<"+d.URL+`>; rel="collection"; type="text/html"`) // also where the file is elsewhere
	if elsewhere, err := a.elsewhere(r, slug, name); err != nil {
		return err
	} else if elsewhere != "" {
		frame.Elsewhere(w, elsewhere)
		return nil
	}
	file, err := a.Catalogue.Content(r.Context(), slug, name)
	if err != nil {
		return err
	}
	defer file.Body.Close() // read only
	h.Set("Cache-Control", "public, max-age=300")
	if r.URL.Query().Get("v") == catalogue.FileVersion(file.File) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Content-Type", file.ContentType)
	h.Set("ETag", `"`+file.SHA256+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	frame.InCatalogue.ServeContent(w, r, file.Modified, file.Body)
	return nil
}

// elsewhere returns where a client is to read a file instead of here, or "".
func (a *api) elsewhere(r *http.Request, slug, name string) (string, error) {
	if links, ok := a.Catalogue.(linker); ok && frame.Follows(r) {
		return links.Link(r.Context(), slug, name)
	}
	return "", nil
}

// linker is a catalogue whose files clients may read elsewhere; see [catalogue.Service.Link].
type linker interface {
	Link(ctx context.Context, slugOrID, name string) (string, error)
}

// dataset returns a record.
func (a *api) dataset(r *http.Request, name string) (*catalogue.Dataset, error) {
	d, err := a.Catalogue.Dataset(r.Context(), name)
	return d, frame.Unknown(err, name, a.Catalogue)
}
