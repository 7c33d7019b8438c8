// Package croissant serves the Croissant documents of datasets over HTTP, and checks documents
// that callers send.
package croissant

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vaak/croissant"
	"vaak/croissant/badge"
	"vaak/croissant/publish"
	"vaak/internal/fault"
	"vaak/internal/negotiate"
	"vaak/rest/frame"
)

// api has the handlers.
type api struct {
	Croissant *publish.Service
	Catalogue frame.Similar
	Links     *badge.Links
}

// Register declares the operations on Croissant documents. Both services may be nil where
// they are only described. Without links, answers to checks have none.
func Register(desc huma.API, service *publish.Service, catalogue frame.Similar, links *badge.Links) {
	(&api{service, catalogue, links}).registerCroissant(desc, frame.SlugParameter())
}

// getCroissant serves GET /catalogue/datasets/{slug}/croissant.json. It redirects an id to the
// slug.
func (a *api) getCroissant(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	version, err := croissantVersion(r)
	if err != nil {
		return err
	}
	name := r.PathValue("slug")
	d, err := a.Croissant.Document(r.Context(), name, version)
	if err != nil {
		return frame.Unknown(err, name, a.Catalogue)
	}
	if name != d.Slug {
		return frame.ToSlug(w, r, frame.DatasetPaths+d.Slug+"/croissant.json")
	}
	h := w.Header()
	if r.URL.RawQuery != "" {
		if ignored := frame.IgnoredParameters(r.URL.Query(), "version"); ignored != "" {
			h.Set(frame.IgnoredHeader, ignored)
		}
	}
	h["Cache-Control"], h["Vary"] = frame.OneMinute, frame.ByAccept
	h.Set("Link", frame.DescribedBy(d.Record, "application/json")+", <"+d.Page+`>; rel="describes"; type="text/html"`)
	t := frame.Tagged{ContentType: version.MediaType(), Etag: d.ETag, Body: d.Body}
	if negotiate.Gzip(r.Header["Accept-Encoding"]) {
		// A strong tag names exact bytes, so the compressed form has its own.
		t.Encoding, t.Etag, t.Body = "gzip", strings.TrimSuffix(d.ETag, `"`)+`-gzip"`, d.Gzip
	}
	return t.Serve(w, r)
}

// croissantVersion returns the version that the parameter asks for, else the one that Accept
// asks for, else the default.
func croissantVersion(r *http.Request) (croissant.Version, error) {
	var sent []string
	if r.URL.RawQuery != "" {
		sent = r.URL.Query()["version"]
	}
	if n := len(sent); n > 1 {
		return "", fault.BadParameter("version", "version was sent %d times; once is allowed", n)
	}
	if len(sent) == 1 && sent[0] != "" {
		return croissant.ParseVersion(sent[0])
	}
	return AcceptedVersion(r.Header["Accept"]), nil
}

// AcceptedVersion returns the version that an Accept header prefers. Version 1.1 is named by its
// profile. A type without a profile means 1.0, which has none.
func AcceptedVersion(accept []string) croissant.Version {
	// The usual request names no version, and needs no parsing.
	if !slices.ContainsFunc(accept, func(line string) bool { return strings.Contains(line, "/1.1") }) {
		return croissant.V10
	}
	var older, newer float64
	for entry := range negotiate.Accept(accept) {
		if entry.Type != "application/ld+json" {
			continue
		}
		// A profile is a list of addresses (RFC 6906).
		if slices.Contains(strings.Fields(entry.Params["profile"]), croissant.V11.ConformsTo()) {
			newer = max(newer, entry.Weight)
		} else {
			older = max(older, entry.Weight)
		}
	}
	if newer > 0 && newer >= older {
		return croissant.V11
	}
	return croissant.V10
}

// bytesInput is a body of any bytes.
type bytesInput struct {
	RawBody []byte
}

// validateCroissant serves POST /api/catalogue/croissant/validate.
func (a *api) validateCroissant(w http.ResponseWriter, r *http.Request, in *bytesInput) error {
	report, err := a.Croissant.Validate(r.Context(), in.RawBody)
	if err != nil {
		return err
	}
	if a.Links != nil {
		page, picture := a.Links.Of(badge.Of(in.RawBody, report, time.Now()))
		w.Header().Set("Link", "<"+page+`>; rel="alternate"; type="text/html", <`+picture+`>; rel="icon"; type="`+badge.ContentType+`"`)
	}
	return frame.AnswerJSON(w, r, report)
}

// getBadge serves GET /catalogue/datasets/{slug}/croissant.svg: what a check finds in the document
// of 1.1.
func (a *api) getBadge(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	name := r.PathValue("slug")
	d, err := a.Croissant.Document(r.Context(), name, croissant.V11)
	if err != nil {
		return frame.Unknown(err, name, a.Catalogue)
	}
	if name != d.Slug {
		return frame.ToSlug(w, r, frame.DatasetPaths+d.Slug+"/croissant.svg")
	}
	report, err := a.Croissant.Report(r.Context(), d)
	if err != nil {
		return err
	}
	h := w.Header()
	h["Cache-Control"] = frame.OneMinute
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	picture := badge.Of(d.Body, report, time.Time{}).Picture()
	// Of the picture and not of the document: a new version of the rules or of the picture changes it.
	sum := sha256.Sum256(picture)
	return frame.Tagged{ContentType: badge.ContentType, Etag: `"` + hex.EncodeToString(sum[:12]) + `"`, Body: picture}.Serve(w, r)
}
