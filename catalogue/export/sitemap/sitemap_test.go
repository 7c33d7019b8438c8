package sitemap

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"
)

func TestURLs(t *testing.T) {
	t.Parallel()
	body := URLs([]Location{
		{"https://x.test/a?b=1&c=<2>", time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600))},
		{"https://x.test/b", time.Time{}},
		{"https://x.test/c", time.Unix(0, 0)},
	})
	var got struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []struct {
			Loc     string `xml:"loc"`
			LastMod string `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	if len(got.URLs) != 3 || got.URLs[0].Loc != "https://x.test/a?b=1&c=<2>" || got.URLs[0].LastMod != "2026-03-04T04:06:07Z" {
		t.Errorf("URLs = %+v", got.URLs)
	}
	if strings.Count(string(body), "lastmod") != 2 {
		t.Errorf("dates that nobody knows are written:\n%s", body)
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	body := string(Index([]Location{{"https://x.test/sitemaps/1.xml", time.Unix(1, 0)}}))
	if !strings.Contains(body, "<sitemap><loc>https://x.test/sitemaps/1.xml</loc><lastmod>1970-01-01T00:00:01Z</lastmod></sitemap>") {
		t.Errorf("Index = %s", body)
	}
}
