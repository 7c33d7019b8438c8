// Package feed writes the Atom feed of new and changed datasets (RFC 4287). A feed that is longer
// than one document is paged (RFC 5005, section 3).
package feed

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"mime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vaak/catalogue"
	"vaak/catalogue/clean"
)

// ContentType is the content type of a feed.
const ContentType = "application/atom+xml; charset=utf-8"

// Page is one document of the feed.
type Page struct {
	Base      string              // public address of the server, without a slash at its end
	Self      string              // address of this page
	First     string              // address of the first page
	Next      string              // address of the next page; "" on the last
	Catalogue string              // address of the list for people
	Updated   time.Time           // when any dataset of the catalogue last changed
	Version   string              // of the program; "" leaves it out
	Datasets  []*catalogue.Stored // complete records, as [catalogue.Service.Filed] returns them
}

// space is the namespace of the ids of datasets and of the feed (RFC 9562, version 5). It must
// never change: readers know entries by their ids.
var space = uuid.MustParse("6f0b8e1a-52c4-5d1e-9a57-0c6a3f4f7b21")

// ID returns the id of the entry of a dataset, a URN. It depends on nothing but the id of the
// dataset, so a reader knows the entry again after the server has moved.
func ID(datasetID string) string {
	return "urn:uuid:" + uuid.NewSHA1(space, []byte(datasetID)).String()
}

// The elements of the format, in the order in which they are written.
type (
	feedXML struct {
		XMLName   xml.Name      `xml:"http://www.w3.org/2005/Atom feed"`
		Lang      string        `xml:"xml:lang,attr"`
		ID        string        `xml:"id"`
		Title     string        `xml:"title"`
		Subtitle  string        `xml:"subtitle"`
		Updated   string        `xml:"updated"`
		Author    personXML     `xml:"author"`
		Links     []linkXML     `xml:"link"`
		Icon      string        `xml:"icon"`
		Generator *generatorXML `xml:"generator"`
		Entries   []entryXML    `xml:"entry"`
	}
	entryXML struct {
		ID         string        `xml:"id"`
		Title      string        `xml:"title"`
		Updated    string        `xml:"updated"`
		Published  string        `xml:"published,omitempty"`
		Author     *personXML    `xml:"author"`
		Links      []linkXML     `xml:"link"`
		Categories []categoryXML `xml:"category"`
		Rights     string        `xml:"rights,omitempty"`
		Summary    textXML       `xml:"summary"`
	}
	personXML struct {
		Name string `xml:"name"`
		URI  string `xml:"uri,omitempty"`
	}
	linkXML struct {
		Rel    string `xml:"rel,attr"`
		Type   string `xml:"type,attr,omitempty"`
		Href   string `xml:"href,attr"`
		Title  string `xml:"title,attr,omitempty"`
		Length int64  `xml:"length,attr,omitempty"`
	}
	categoryXML struct {
		Term   string `xml:"term,attr"`
		Scheme string `xml:"scheme,attr,omitempty"`
		Label  string `xml:"label,attr,omitempty"`
	}
	generatorXML struct {
		Version string `xml:"version,attr,omitempty"`
		Name    string `xml:",chardata"`
	}
	textXML struct {
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
)

// Write returns the document.
func Write(p Page) ([]byte, error) {
	out := feedXML{
		Lang: "en", ID: ID(p.Base), Title: "Speech datasets to license", Subtitle: "New and changed datasets of the catalogue, the newest change first.",
		Updated: moment(p.Updated), Author: personXML{Name: "Catalogue of " + host(p.Base), URI: p.Catalogue}, Icon: p.Base + "/favicon.ico",
		Links: []linkXML{
			{Rel: "self", Type: "application/atom+xml", Href: p.Self},
			{Rel: "alternate", Type: "text/html", Href: p.Catalogue},
			{Rel: "first", Type: "application/atom+xml", Href: p.First},
		},
	}
	if p.Next != "" {
		out.Links = append(out.Links, linkXML{Rel: "next", Type: "application/atom+xml", Href: p.Next})
	}
	if p.Version != "" {
		out.Generator = &generatorXML{p.Version, "Vaak"}
	}
	for _, d := range p.Datasets {
		out.Entries = append(out.Entries, entry(d))
	}
	body, err := xml.MarshalIndent(out, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write the feed: %w", err)
	}
	return append([]byte(xml.Header), append(body, '\n')...), nil
}

func host(base string) string {
	_, rest, _ := strings.Cut(base, "://")
	return cmp.Or(rest, "Vaak")
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// summaryMost is how many characters of a description an entry has.
const summaryMost = 600

func entry(stored *catalogue.Stored) entryXML {
	d := &stored.Dataset
	e := entryXML{
		ID: ID(d.ID), Title: cmp.Or(clean.Line(d.Title), d.Slug), Updated: moment(d.DateModified), Summary: textXML{"text", summary(d)},
		Links: []linkXML{
			{Rel: "alternate", Type: "text/html", Href: d.URL},
			{Rel: "describedby", Type: "application/ld+json", Href: d.Croissant, Title: "Croissant"},
			{Rel: "related", Type: "application/json", Href: d.Record, Title: "Record"},
		},
		Categories: []categoryXML{{Term: d.BCP47, Scheme: languages, Label: clean.Line(d.Language.Name)}},
	}
	if day, ok := published(d); ok {
		e.Published = moment(day)
	}
	if p := d.Provenance; p != nil && p.Creator != nil && clean.Line(p.Creator.Name) != "" {
		e.Author = &personXML{Name: clean.Line(p.Creator.Name), URI: clean.Web(p.Creator.URL)}
	}
	// A podcast player or a feed reader can play the sample.
	if s := d.Sample; s != nil && s.URL != "" {
		e.Links = append(e.Links, linkXML{Rel: "enclosure", Type: mediaType(stored, s.URL), Href: s.URL, Title: "Sample", Length: s.SizeBytes})
	}
	for _, domain := range d.Domains {
		if domain = clean.Line(domain); domain != "" {
			e.Categories = append(e.Categories, categoryXML{Term: domain})
		}
	}
	if l := d.Licence; l != nil {
		e.Rights = clean.Line(l.Name)
	}
	return e
}

// languages is the scheme of categories that are BCP 47 tags.
const languages = "https://www.rfc-editor.org/info/bcp47"

// mediaType returns the media type of a public file; "" if it is not known.
func mediaType(s *catalogue.Stored, address string) string {
	for _, f := range s.Files {
		if f.URL == address {
			kind, _, _ := mime.ParseMediaType(f.ContentType) // "" on error
			return kind
		}
	}
	return ""
}

// published returns the day of publication at midnight, but never a time after the last change.
func published(d *catalogue.Dataset) (time.Time, bool) {
	if d.DatePublished == nil {
		return time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, *d.DatePublished)
	return day, err == nil && !day.After(d.DateModified)
}

func summary(d *catalogue.Dataset) string {
	text := clean.Line(d.Description)
	if utf8.RuneCountInString(text) > summaryMost {
		text = string([]rune(text)[:summaryMost-1]) + "…"
	}
	facts := fmt.Sprintf("%s, %.2f hours, %d recordings.", clean.Line(d.Language.Name), d.Hours, d.Recordings)
	return strings.TrimSpace(text + " " + facts)
}
