// Package catalogue has the pages of the catalogue: the list of datasets, the page of each
// with what was measured and a sample to hear, and the sitemap. They are rendered from the
// records as they are asked for.
package catalogue

import (
	"embed"
	"html/template"
	"net/http"
	"strings"

	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/internal/ui"
	"vaak/web/enquiries"
	"vaak/web/site"
)

// recordPrefix is where the API has the records of datasets.
const recordPrefix = "/api/catalogue/datasets/"

//go:embed *.html
var files embed.FS

//go:embed player.js
var playerScript []byte

// Config is what the pages need.
type Config struct {
	Site      *site.Site
	Catalogue catalogue.Reader
	Croissant *publish.Service
	Enquiries enquiries.Service // nil where nobody takes enquiries
}

// pages renders the pages. It is safe for concurrent use.
type pages struct {
	*site.Site
	reader        catalogue.Reader
	croissant     *publish.Service
	enquiries     enquiries.Service
	script        *ui.Asset
	list, dataset *template.Template
	comparison    *template.Template

	maker          *maker
	sitemaps, feed *kept
}

// New returns the routes of the pages, and the files that they load.
func New(cfg Config) ([]site.Route, []*ui.Asset, error) {
	p := &pages{
		Site: cfg.Site, reader: cfg.Catalogue, croissant: cfg.Croissant, enquiries: cfg.Enquiries,
		maker: newMaker(), sitemaps: newKept(maxSitemaps), feed: newKept(maxFeed),
		script: ui.NewAsset(site.StaticPrefix, "player.js", "text/javascript; charset=utf-8", playerScript),
	}
	var err error
	if p.list, err = site.Parse(files, "list.html"); err != nil {
		return nil, nil, err
	}
	if p.comparison, err = site.Parse(files, "compare.html"); err != nil {
		return nil, nil, err
	}
	if p.dataset, err = site.Parse(files, "dataset.html", "player.html", "profile.html", "facts.html"); err != nil {
		return nil, nil, err
	}
	if _, err = p.dataset.New("page").Parse(enquiries.Template()); err != nil {
		return nil, nil, err
	}
	return []site.Route{
		{Path: site.ListPath, Page: http.HandlerFunc(p.serveList)},
		{Path: comparePath, Page: http.HandlerFunc(p.serveComparison)},
		{Path: SitemapPath, Page: http.HandlerFunc(p.serveSitemaps)},
		{Path: sitemapPrefix, Name: "name", Page: http.HandlerFunc(p.serveSitemap)},
		{Path: FeedPath, Page: http.HandlerFunc(p.serveFeed), Counted: true},
		{Path: site.DatasetPrefix, Name: "slug", Page: http.HandlerFunc(p.serveDataset)},
	}, []*ui.Asset{p.Style(), p.script}, nil
}

// local returns the path of an address of this server, so that a page works under every
// name of the server. Other addresses stay as they are.
func (s *pages) local(address string) string {
	if path, ok := strings.CutPrefix(address, s.PublicURL()); ok && strings.HasPrefix(path, "/") {
		return path
	}
	return address
}
