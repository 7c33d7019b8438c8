package rest

import (
	"net/http"
	"slices"
	"strings"

	"vaak/croissant"
	"vaak/internal/fault"
	"vaak/internal/negotiate"
)

// getCroissant serves GET /catalogue/datasets/{slug}/croissant.json. An id leads to
// the slug.
func (a *api) getCroissant(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	version, err := croissantVersion(r)
	if err != nil {
		return err
	}
	name := r.PathValue("slug")
	d, err := a.Croissant.Document(r.Context(), name, version)
	if err != nil {
		return a.unknown(err, name)
	}
	if name != d.Slug {
		return toSlug(w, r, datasetPaths+d.Slug+"/croissant.json")
	}
	h := w.Header()
	if r.URL.RawQuery != "" {
		if ignored := ignoredParameters(r.URL.Query(), "version"); ignored != "" {
			h.Set(ignoredHeader, ignored)
		}
	}
	h["Cache-Control"], h["Vary"] = oneMinute, byAccept
	h.Set("Link", describedBy(d.Record, "application/json"))
	t := tagged{contentType: version.MediaType(), etag: d.ETag, body: d.Body}
	if negotiate.Gzip(r.Header["Accept-Encoding"]) {
		// Other bytes, so a strong tag of their own.
		t.encoding, t.etag, t.body = "gzip", strings.TrimSuffix(d.ETag, `"`)+`-gzip"`, d.Gzip
	}
	return t.serve(w, r)
}

// Header values that are the same in every answer, which nobody changes.
var (
	oneMinute  = []string{"public, max-age=60"}
	byAccept   = []string{"Accept, Accept-Encoding"}
	byEncoding = []string{"Accept-Encoding"}
)

// describedBy is the value of Link that leads to other metadata of the same.
func describedBy(address, mediaType string) string {
	return "<" + address + `>; rel="describedby"; type="` + mediaType + `"`
}

// croissantVersion returns the version that a request asks for: by the parameter,
// else by Accept, else the default.
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
	return acceptedVersion(r.Header["Accept"]), nil
}

// acceptedVersion returns the version that an Accept header prefers. Only 1.1 has a
// profile by which it can be named; a type without one is 1.0.
func acceptedVersion(accept []string) croissant.Version {
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
	return answerJSON(w, r, report)
}
