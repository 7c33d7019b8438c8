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

// metadata is the Croissant document of a dataset. It is part of the page, where search
// engines read it.
type metadata struct {
	Text template.JS // the same bytes as the document by itself; "" where a page cannot hold them
	Path string      // path of the document on this server
	URL  string      // its whole address, to be copied
}

// metadata returns the document of a dataset. When it cannot be made, metadata logs why and
// returns nil, and the page is shown without it.
func (s *pages) metadata(ctx context.Context, d *catalogue.Dataset) *metadata {
	doc, err := s.croissant.Document(ctx, d.Slug, croissant.V10)
	if err != nil {
		// A reader who left is no fault worth a line.
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

// inScript returns a document as the content of a script element. There only the character
// < can change how a browser reads on (</script>, <!--). Documents are written with < as an
// escape, so inScript refuses one that holds it.
func inScript(document []byte) (template.JS, error) {
	if len(document) > check.MaxDocument {
		return "", fmt.Errorf("the document has %d bytes, more than the %d of a page", len(document), check.MaxDocument)
	}
	if at := bytes.IndexByte(document, '<'); at >= 0 {
		return "", fmt.Errorf("the document holds a < at byte %d, which could end its place in a page", at)
	}
	return template.JS(document), nil
}
