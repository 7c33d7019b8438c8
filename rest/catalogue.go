package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// getDataset serves GET /api/catalogue/datasets/{slug}. An id leads to the slug.
func (a *api) getDataset(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	name := r.PathValue("slug")
	d, err := a.dataset(r, name)
	if err != nil {
		return err
	}
	if name != d.Slug {
		return toSlug(w, r, "/api/catalogue/datasets/"+d.Slug)
	}
	text, err := encodeJSON(d)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("Link", describedBy(d.Croissant, "application/ld+json"))
	return serveText(w, r, `"`+hex.EncodeToString(sum[:12])+`"`, text)
}

// getDatasetFile serves the public files of a dataset, whole or in part.
func (a *api) getDatasetFile(w http.ResponseWriter, r *http.Request, _ *noInput) error {
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
		return toSlug(w, r, datasetPaths+d.Slug+"/"+path)
	}
	file, err := a.Catalogue.Content(r.Context(), slug, name)
	if err != nil {
		return err
	}
	defer file.Body.Close() // read only
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=300")
	if r.URL.Query().Get("v") == catalogue.FileVersion(file.File) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Content-Type", file.ContentType)
	h.Set("ETag", `"`+file.SHA256+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(&contentWriter{ResponseWriter: w, r: r, refuse: inCatalogue.refuse}, r, "", file.Modified, file.Body)
	return nil
}

// dataset returns a record.
func (a *api) dataset(r *http.Request, name string) (*catalogue.Dataset, error) {
	d, err := a.Catalogue.Dataset(r.Context(), name)
	return d, a.unknown(err, name)
}

// unknown returns the error of looking for a dataset; that of one that is not there
// has slugs that may have been meant.
func (a *api) unknown(err error, name string) error {
	if fault.KindOf(err) == fault.NotFound {
		return a.resembling(err, name)
	}
	return err
}

// resembling returns err with slugs that resemble what was looked for.
func (a *api) resembling(err error, name string) error {
	return unknownDataset{err, strings.ToValidUTF8(name[:min(len(name), 100)], ""), a.Catalogue.Similar(name)}
}

// toSlug sends a caller from an id to the slug.
func toSlug(w http.ResponseWriter, r *http.Request, path string) error {
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", path)
	w.Header().Set("Cache-Control", "public, max-age=60")
	w.WriteHeader(http.StatusPermanentRedirect)
	return nil
}

// unknownDataset is the error of a dataset that is not there.
type unknownDataset struct {
	error
	slug    string
	similar []string
}

// Unwrap returns the error.
func (e unknownDataset) Unwrap() error { return e.error }

// catalogueError is the body of errors of the catalogue.
type catalogueError struct {
	Error      string   `json:"error" doc:"Stable, for programs." example:"not_found"`
	Code       string   `json:"code" doc:"The same."`
	Message    string   `json:"message" doc:"What is wrong, what is allowed and what was sent, in a sentence."`
	Parameter  string   `json:"parameter,omitempty" doc:"Which parameter is at fault."`
	Slug       string   `json:"slug,omitempty" doc:"Of 404: what was asked for."`
	DidYouMean []string `json:"didYouMean,omitempty" doc:"Of 404: slugs that resemble it."`
	RetryAfter int      `json:"retryAfterSeconds,omitempty" doc:"Of 429 and 503: seconds to wait, as Retry-After says."`
}

// catalogueErrorOf returns the body of an error.
func catalogueErrorOf(err error, h http.Header) catalogueError {
	f := faultOf(err)
	e := catalogueError{Error: f.Code, Code: f.Code, Message: f.Msg, Parameter: f.Field}
	if unknown, ok := errors.AsType[unknownDataset](err); ok {
		e.Parameter, e.Slug, e.DidYouMean = "", unknown.slug, unknown.similar
	}
	e.RetryAfter, _ = strconv.Atoi(h.Get("Retry-After")) // absent is 0, which is left out
	return e
}
