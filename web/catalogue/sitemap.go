package catalogue

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"vaak/catalogue"
	"vaak/web/site"
)

// SitemapPath is where the sitemap is.
const SitemapPath = "/sitemap.xml"

// sitemapMax is how many addresses a sitemap may hold (sitemaps.org).
const sitemapMax = 50_000

// sitemap lists the addresses that search engines should know. It is written again when the
// catalogue has changed. It is safe for concurrent use.
type sitemap struct {
	pages *pages

	mu   sync.Mutex
	tag  string // tag of the list that the page was written from
	page *site.Document
}

// ServeHTTP answers with the sitemap.
func (s *sitemap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, err := s.current()
	if err != nil {
		s.pages.CatalogueFailed(w, r, err)
		return
	}
	page.ServeHTTP(w, r)
}

func (s *sitemap) current() (*site.Document, error) {
	// Its tag changes with any dataset, so one page tells whether the sitemap is still right.
	first, err := s.pages.reader.List(catalogue.Query{Limit: catalogue.MaxPage})
	if err != nil {
		return nil, fmt.Errorf("list datasets for the sitemap: %w", err)
	}
	s.mu.Lock()
	// Held while it is written, so that requests at the same time do not write it several times.
	defer s.mu.Unlock()
	if s.page != nil && first.Tag != "" && s.tag == first.Tag {
		return s.page, nil
	}
	body, err := s.write(first)
	if err != nil {
		return nil, err
	}
	page := site.NewDocument("application/xml; charset=utf-8", site.FilePolicy, body)
	page.Cache = site.Cache
	s.tag, s.page = first.Tag, page
	return page, nil
}

// write returns the sitemap: the fixed pages, and the datasets of the first page of the list
// and of all that follow.
func (s *sitemap) write(page catalogue.Page) ([]byte, error) {
	var b strings.Builder
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	count := 0
	add := func(path string) {
		b.WriteString("<url><loc>")
		_ = xml.EscapeText(&b, []byte(s.pages.PublicURL()+path)) // a builder takes everything
		b.WriteString("</loc></url>\n")
		count++
	}
	for _, path := range []string{"/", "/docs", site.ListPath} {
		add(path)
	}
	for {
		for _, d := range page.Datasets {
			if count == sitemapMax {
				break
			}
			add(site.DatasetPath(d.Slug))
		}
		if page.Next == "" || count == sitemapMax {
			break
		}
		var err error
		if page, err = s.pages.reader.List(catalogue.Query{Limit: catalogue.MaxPage, Cursor: page.Next}); err != nil {
			return nil, fmt.Errorf("list datasets for the sitemap: %w", err)
		}
	}
	b.WriteString("</urlset>\n")
	return []byte(b.String()), nil
}
