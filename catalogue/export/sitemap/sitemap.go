// Package sitemap writes sitemaps and their index, as sitemaps.org describes them: the addresses
// that search engines should know, with the dates of their last changes.
package sitemap

import (
	"bytes"
	"encoding/xml"
	"time"
)

// Most is how many addresses one file may have, a sitemap or an index (sitemaps.org).
const Most = 50_000

// ContentType is the content type of both kinds of files.
const ContentType = "application/xml; charset=utf-8"

// Location is an address in a sitemap, or that of a sitemap in an index.
type Location struct {
	URL      string
	Modified time.Time // when it last changed; zero if it is not known
}

// URLs returns a sitemap. It panics with more than [Most] locations.
func URLs(locations []Location) []byte { return write("urlset", "url", locations) }

// Index returns an index of sitemaps. It panics with more than [Most] locations.
func Index(locations []Location) []byte { return write("sitemapindex", "sitemap", locations) }

func write(root, element string, locations []Location) []byte {
	if len(locations) > Most {
		panic("sitemap: too many locations for one file")
	}
	var b bytes.Buffer
	b.WriteString(xml.Header + "<" + root + ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, l := range locations {
		b.WriteString("<" + element + "><loc>")
		_ = xml.EscapeText(&b, []byte(l.URL)) // a buffer takes everything
		b.WriteString("</loc>")
		// The Unix time 0 stands for a change of which nobody knows when it was.
		if l.Modified.Unix() > 0 {
			b.WriteString("<lastmod>" + l.Modified.UTC().Format(time.RFC3339) + "</lastmod>")
		}
		b.WriteString("</" + element + ">\n")
	}
	b.WriteString("</" + root + ">\n")
	return b.Bytes()
}
