package web

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"vaak/catalogue"
	"vaak/enquiry"
)

// robots tells crawlers what is worth reading: the pages, and not the operations of the
// API, most of which need a key, nor the links that are for one person.
func robots(cfg Config) []byte {
	var b strings.Builder
	b.WriteString("# Pages are for everybody. The API below /v1/ and /v2/ is not for crawlers:\n" +
		"# most of it needs a key, and /llms.txt and /openapi.json say what it does.\n" +
		"User-agent: *\nDisallow: /v1/\nDisallow: /v2/\n")
	if cfg.Catalogue != nil {
		if cfg.Enquiries != nil {
			b.WriteString("Disallow: " + enquiry.ConfirmPath + "\n")
		}
		if cfg.Samples != nil {
			b.WriteString("Disallow: " + enquiry.SamplePath + "\n")
		}
		b.WriteString("\nSitemap: " + cfg.PublicURL + sitemapPath + "\n")
	}
	return []byte(b.String())
}

// sitemapPath is where the sitemap is.
const sitemapPath = "/sitemap.xml"

// sitemapMax is how many addresses a sitemap may hold (sitemaps.org).
const sitemapMax = 50_000

// sitemap lists the addresses that search engines should know. It is written anew
// when the catalogue has changed. Safe for concurrent use.
type sitemap struct {
	shelf *shelf

	mu   sync.Mutex
	tag  string // of the list that body was written from
	page *document
}

// ServeHTTP answers with the sitemap of the present catalogue.
func (s *sitemap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, err := s.current()
	if err != nil {
		s.shelf.fail(w, r, err)
		return
	}
	page.ServeHTTP(w, r)
}

func (s *sitemap) current() (*document, error) {
	first, err := s.shelf.reader.List(catalogue.Query{Limit: catalogue.MaxPage})
	if err != nil {
		return nil, fmt.Errorf("list datasets for the sitemap: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page != nil && first.Tag != "" && s.tag == first.Tag {
		return s.page, nil
	}
	body, err := s.write(first)
	if err != nil {
		return nil, err
	}
	page := newDocument("application/xml; charset=utf-8", policyOfFiles, body)
	page.cache = shelfCache
	s.tag, s.page = first.Tag, page
	return page, nil
}

// write lists the fixed pages and every published dataset from page on.
func (s *sitemap) write(page catalogue.Page) ([]byte, error) {
	var b strings.Builder
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	count := 0
	add := func(path string) {
		b.WriteString("<url><loc>")
		_ = xml.EscapeText(&b, []byte(s.shelf.publicURL+path)) // a builder takes everything
		b.WriteString("</loc></url>\n")
		count++
	}
	for _, path := range []string{"/", "/docs", listPath} {
		add(path)
	}
	for {
		for _, d := range page.Datasets {
			if count == sitemapMax {
				break
			}
			add(datasetPath(d.Slug))
		}
		if page.Next == "" || count == sitemapMax {
			break
		}
		var err error
		if page, err = s.shelf.reader.List(catalogue.Query{Limit: catalogue.MaxPage, Cursor: page.Next}); err != nil {
			return nil, fmt.Errorf("list datasets for the sitemap: %w", err)
		}
	}
	b.WriteString("</urlset>\n")
	return []byte(b.String()), nil
}

// datasetPath is the address of a dataset's page.
func datasetPath(slug string) string { return datasetPrefix + url.PathEscape(slug) }
