package catalogue

import (
	"mime"
	"strings"

	"vaak/catalogue"
	"vaak/catalogue/clean"
	"vaak/catalogue/export"
	"vaak/croissant"
	"vaak/web/site"
)

// signposts returns the value of a Link header that tells programs, without reading the page, what
// it is about and where the rest is (signposting.org, the FAIR profile, level 1): the address to
// cite, the types, the licence, the metadata in each format, the public files.
func (s *pages) signposts(d *catalogue.Dataset, files []catalogue.File, m *metadata) string {
	at := s.PublicURL() + site.DatasetPath(d.Slug)
	var all []string
	add := func(target, rel, media string, more ...string) {
		if target == "" {
			return
		}
		link := "<" + target + `>; rel="` + rel + `"`
		if media != "" {
			link += `; type="` + media + `"`
		}
		all = append(all, strings.Join(append([]string{link}, more...), "; "))
	}
	add(at, "cite-as", "")
	add("https://schema.org/AboutPage", "type", "")
	add("https://schema.org/Dataset", "type", "")
	if d.Licence != nil && d.Licence.URL != nil {
		add(clean.Web(*d.Licence.URL), "license", "")
	}
	if m != nil {
		add(m.URL, "describedby", croissant.V10.MediaType(), `profile="`+croissant.V10.ConformsTo()+`"`)
	}
	for _, f := range []export.Format{export.DCAT, export.ROCrate} {
		media, _, _ := mime.ParseMediaType(f.MediaType()) // ours, so it parses
		add(at+"/"+f.FileName(), "describedby", media, `profile="`+f.Profile()+`"`)
	}
	add(s.PublicURL()+recordPrefix+d.Slug, "describedby", "application/json")
	items := 0
	for _, f := range files {
		if f.Name == waveformFile || items == mostItems {
			continue // the picture of the player is no part of the dataset
		}
		media, _, _ := mime.ParseMediaType(f.ContentType) // "" on error
		add(clean.Web(f.URL), "item", media)
		items++
	}
	return strings.Join(all, ", ")
}

// waveformFile has the picture of the sample.
const waveformFile = "sample/waveform.json"

// mostItems bounds the files in the header: proxies have room for 4 KiB of headers as a rule. A
// dataset has about seven, of some 150 bytes each.
const mostItems = 12
