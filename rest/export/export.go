// Package export serves the records of datasets in DCAT-AP and as RO-Crate over HTTP.
package export

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/catalogue/export"
	"vaak/catalogue/export/dcat"
	"vaak/internal/negotiate"
	"vaak/rest/frame"
)

// api has the handlers.
type api struct {
	desc      huma.API
	exports   *export.Service
	catalogue frame.Similar
}

// Register declares the operations. Without a service they are described and not served.
func Register(desc huma.API, service *export.Service, catalogue frame.Similar) {
	a := &api{desc, service, catalogue}
	a.dataset(export.DCAT, "getDCAT", "Get a dataset's record in DCAT-AP",
		"The record as data portals harvest it: DCAT-AP 3.0 in JSON-LD, with its context inside.")
	a.dataset(export.ROCrate, "getROCrate", "Get a dataset's record as an RO-Crate",
		"The record as a detached RO-Crate 1.2: metadata of research data, whose public files stay where they are.")
	op := a.operation("getCatalogueDCAT", export.CataloguePath, "Get the catalogue in DCAT-AP",
		"All published datasets in DCAT-AP 3.0, in the order of their slugs, a hundred on a page. The next page is in hydra:next and in Link.",
		dcat.MediaType, 400)
	most := 200
	op.Parameters = []*huma.Param{{
		Name: "after", In: "query", Description: "The slug of the last dataset of the page before; hydra:next has it.",
		Schema: &huma.Schema{Type: "string", MaxLength: &most},
	}}
	op.Responses["200"].Headers["link"] = frame.HeaderOf("string", "The next page, with rel=next.")
	op.Responses["200"].Headers["x-ignored-parameters"] = frame.HeaderOf("string", "Parameters that were sent and mean nothing here.")
	frame.Operate(a.desc, op, a.getCatalogue)
}

// dataset declares a format of one dataset.
func (a *api) dataset(f export.Format, id, summary, doc string) {
	op := a.operation(id, frame.DatasetPaths+"{slug}/"+f.FileName(), summary, doc, f.MediaType(), 404)
	op.Metadata[frame.MetaFree] = true
	op.Parameters = []*huma.Param{frame.SlugParameter()}
	op.Responses["308"] = &huma.Response{Description: "An id was sent: Location has the address by slug."}
	op.Responses["200"].Headers["link"] = frame.HeaderOf("string", "The page of the dataset, with rel=describes.")
	frame.Operate(a.desc, op, func(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
		return a.getDataset(w, r, f)
	})
}

func (a *api) operation(id, path, summary, doc, media string, errors ...int) huma.Operation {
	good := &huma.Response{Description: "The document.", Content: map[string]*huma.MediaType{
		media: {Schema: &huma.Schema{Type: "object", Description: "JSON-LD."}},
	}}
	op := huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{frame.TagCatalogue}, Summary: summary, Description: doc,
		Metadata:  map[string]any{frame.MetaDialect: frame.InCatalogue},
		Responses: frame.CatalogueResponses(a.desc, good, errors...),
	}
	if a.exports == nil {
		op.Metadata[frame.MetaAbsent] = true
	}
	frame.Conditional(op.Responses)
	good.Headers["vary"] = frame.HeaderOf("string", "Accept-Encoding: the document is gzipped for who takes that, under a tag of its own.")
	return op
}

// getDataset serves a format of one dataset. It redirects an id to the slug.
func (a *api) getDataset(w http.ResponseWriter, r *http.Request, f export.Format) error {
	name := r.PathValue("slug")
	d, err := a.exports.Dataset(r.Context(), name, f)
	if err != nil {
		return frame.Unknown(err, name, a.catalogue)
	}
	if name != d.Slug {
		return frame.ToSlug(w, r, frame.DatasetPaths+d.Slug+"/"+f.FileName())
	}
	w.Header().Set("Link", "<"+d.Page+`>; rel="describes"; type="text/html"`)
	return answer(w, r, d)
}

// getCatalogue serves GET /catalogue/dcat.jsonld.
func (a *api) getCatalogue(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	sent := r.URL.Query()
	if ignored := frame.IgnoredParameters(sent, "after"); ignored != "" {
		w.Header().Set(frame.IgnoredHeader, ignored)
	}
	d, err := a.exports.Catalogue(r.Context(), sent.Get("after"))
	if err != nil {
		return err
	}
	if d.Next != "" {
		w.Header().Set("Link", "<"+d.Next+`>; rel="next"`)
	}
	return answer(w, r, d)
}

func answer(w http.ResponseWriter, r *http.Request, d *export.Document) error {
	h := w.Header()
	h["Cache-Control"] = frame.OneMinute
	h.Set("Vary", "Accept-Encoding")
	if d.Modified.Unix() > 0 {
		h.Set("Last-Modified", d.Modified.UTC().Format(http.TimeFormat))
	}
	t := frame.Tagged{ContentType: d.MediaType, Etag: d.ETag, Body: d.Body}
	if negotiate.Gzip(r.Header["Accept-Encoding"]) {
		// A strong tag names exact bytes, so the compressed form has its own.
		t.Encoding, t.Etag, t.Body = "gzip", strings.TrimSuffix(d.ETag, `"`)+`-gzip"`, d.Gzip
	}
	return t.Serve(w, r)
}
