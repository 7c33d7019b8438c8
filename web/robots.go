package web

import (
	"strings"

	"vaak/enquiry"
	"vaak/web/catalogue"
)

// robots returns /robots.txt. Crawlers may read the pages. They may not call the API, most
// of which needs a key, nor open links that are meant for one person.
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
		b.WriteString("\nSitemap: " + cfg.PublicURL + catalogue.SitemapPath + "\n")
	}
	return []byte(b.String())
}
