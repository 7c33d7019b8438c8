package catalogue

import (
	"bytes"
	"context"
	"fmt"
	"html/template"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/croissant/check"
	"vaak/internal/fault"
	"vaak/web/site"
)

// metadata is the Croissant document of a dataset, as its page has it: search
// engines read it there.
type metadata struct {
	Text template.JS // the document, byte for byte as it is served by itself; "" where it cannot stand in a page
	Path string      // of the document on this server
	URL  string      // the same with the server, to be copied
}

// metadata returns the document of a dataset. When there is none, which is logged,
// the page is shown all the same: nil.
func (s *pages) metadata(ctx context.Context, d *catalogue.Dataset) *metadata {
	doc, err := s.croissant.Document(ctx, d.Slug, croissant.V10)
	if err != nil {
		if fault.KindOf(err) != fault.Cancelled && ctx.Err() == nil {
			s.Log().ErrorContext(ctx, "a page is shown without its Croissant document", "dataset", d.Slug, "error", err)
		}
		return nil
	}
	path := site.DatasetPath(d.Slug) + "/croissant.json"
	m := &metadata{Path: path, URL: s.PublicURL() + path}
	if m.Text, err = inScript(doc.Body); err != nil {
		s.Log().ErrorContext(ctx, "a Croissant document is left out of its page", "dataset", d.Slug, "error", err)
	}
	return m
}

// inScript returns a document as it can stand in a script element. Nothing but a <
// changes how a browser reads on there; the writer of documents escapes it, and one
// that holds it nevertheless is refused.
func inScript(document []byte) (template.JS, error) {
	if len(document) > check.MaxDocument {
		return "", fmt.Errorf("the document has %d bytes, more than the %d of a page", len(document), check.MaxDocument)
	}
	if at := bytes.IndexByte(document, '<'); at >= 0 {
		return "", fmt.Errorf("the document holds a < at byte %d, which could end its place in a page", at)
	}
	return template.JS(document), nil
}

// header is the value of a Link header (RFC 8288) that names the document; "" of
// none.
func (m *metadata) header() string {
	if m == nil {
		return ""
	}
	return "<" + m.Path + `>; rel="describedby"; type="` + croissant.V10.MediaType() + `"`
}
