package catalogue

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/export/sitemap"
	"vaak/web/site"
)

// SitemapPath is where the index of the sitemaps is.
const SitemapPath = "/sitemap.xml"

// Sitemaps are below this prefix: that of the pages, and those of the datasets by number from 1.
const (
	sitemapPrefix = "/sitemaps/"
	pagesSitemap  = "pages.xml"
	setsSitemap   = "datasets-"
)

// fixedPages are the pages that are always there.
var fixedPages = []string{"/", "/docs", site.ListPath, site.CheckPath, site.RulesPath}

// serveSitemaps answers with the index of the sitemaps.
func (s *pages) serveSitemaps(w http.ResponseWriter, r *http.Request) {
	changes := s.reader.Changes()
	s.serveMade(w, r, s.sitemaps, keptKey{changes.Tag(), SitemapPath}, func(context.Context) (*site.Document, error) {
		all := []sitemap.Location{{URL: s.PublicURL() + sitemapPrefix + pagesSitemap}}
		for from := 0; from < changes.Len(); from += sitemap.Most {
			// Every file has the time of the catalogue: a dataset that comes or goes moves those
			// after it to other files, though they have not changed.
			all = append(all, sitemap.Location{URL: s.PublicURL() + sitemapPrefix + setsSitemap + strconv.Itoa(from/sitemap.Most+1) + ".xml", Modified: changes.Modified()})
		}
		return s.newSitemap(sitemap.Index(all), changes.Modified()), nil
	})
}

// serveSitemap answers with one sitemap.
func (s *pages) serveSitemap(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if name == pagesSitemap {
		s.serveMade(w, r, s.sitemaps, keptKey{"", name}, func(context.Context) (*site.Document, error) {
			var all []sitemap.Location
			for _, path := range fixedPages {
				all = append(all, sitemap.Location{URL: s.PublicURL() + path})
			}
			return s.newSitemap(sitemap.URLs(all), time.Time{}), nil
		})
		return
	}
	changes := s.reader.Changes()
	from, ok := sitemapPart(changes, name)
	if !ok {
		s.SendTrouble(w, r, http.StatusNotFound, site.Trouble{Heading: "There is no such sitemap", Words: "The index at " + SitemapPath + " names those that there are."})
		return
	}
	s.serveMade(w, r, s.sitemaps, keptKey{changes.Tag(), name}, func(context.Context) (*site.Document, error) {
		var all []sitemap.Location
		for _, c := range changes.BySlug(from, sitemap.Most) {
			all = append(all, sitemap.Location{URL: s.PublicURL() + site.DatasetPath(c.Slug), Modified: c.Modified})
		}
		return s.newSitemap(sitemap.URLs(all), changes.Modified()), nil
	})
}

// sitemapPart returns the position of the first dataset of a sitemap, in the order of slugs, and whether
// there is a sitemap of that name.
func sitemapPart(changes *catalogue.Changes, name string) (from int, ok bool) {
	number, ok := strings.CutPrefix(name, setsSitemap)
	number, end := strings.CutSuffix(number, ".xml")
	n, err := strconv.Atoi(number)
	if !ok || !end || err != nil || n < 1 || n > changes.Len()/sitemap.Most+1 || strconv.Itoa(n) != number {
		return 0, false
	}
	from = (n - 1) * sitemap.Most
	return from, from < changes.Len()
}

func (s *pages) newSitemap(body []byte, modified time.Time) *site.Document {
	d := site.NewDocument(sitemap.ContentType, site.FilePolicy, body).Compress()
	d.Cache, d.Modified = site.Cache, modified
	return d
}
