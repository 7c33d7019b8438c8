package web

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"vaak/catalogue"
)

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
