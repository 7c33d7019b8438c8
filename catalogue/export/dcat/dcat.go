// Package dcat writes records of datasets, and the catalogue as a whole, in DCAT-AP 3.0, the
// profile of the W3C's Data Catalog Vocabulary that European data portals harvest. Documents are
// JSON-LD with their context inside.
//
// Nothing is invented: a property that the record does not have is left out. Licensed files have
// no public address, so their distribution leads to the page where a person asks for them.
package dcat

import (
	"encoding/json"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/clean"
)

// MediaType is the content type of the documents.
const MediaType = "application/ld+json"

// Profile is the address of the profile that the documents follow.
const Profile = "http://data.europa.eu/r5r/"

// node is an object of a document. Keys are written in alphabetical order, so the same record
// gives the same bytes.
type node = map[string]any

// context has the prefixes of all terms.
var context = node{
	"adms": "http://www.w3.org/ns/adms#", "dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/",
	"foaf": "http://xmlns.com/foaf/0.1/", "hydra": "http://www.w3.org/ns/hydra/core#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
	"skos": "http://www.w3.org/2004/02/skos/core#", "spdx": "http://spdx.org/rdf/terms#", "vcard": "http://www.w3.org/2006/vcard/ns#",
	"xsd": "http://www.w3.org/2001/XMLSchema#",
}

// Authority tables of the Publications Office of the European Union, which the profile asks for.
const (
	languages = "http://publications.europa.eu/resource/authority/language/"
	rights    = "http://publications.europa.eu/resource/authority/access-right/"
	fileTypes = "http://publications.europa.eu/resource/authority/file-type/"
	states    = "http://publications.europa.eu/resource/authority/dataset-status/"
	themes    = "http://publications.europa.eu/resource/authority/data-theme/"
	iana      = "https://www.iana.org/assignments/media-types/"
)

// cc0 is the licence of the manifest: it has facts alone.
const cc0 = "https://creativecommons.org/publicdomain/zero/1.0/"

// Dataset returns the document of one dataset. s is a complete record, as
// [catalogue.Service.Filed] returns it; base is the public address of the server, without a slash
// at its end.
func Dataset(s *catalogue.Stored, base string) ([]byte, error) {
	out := dataset(s)
	out["@context"] = context
	return encode(out, s.Dataset.Slug)
}

// Page is a part of the catalogue.
type Page struct {
	Base     string // public address of the server, without a slash at its end
	Self     string // address of this page
	First    string // address of the first page
	Next     string // address of the next page; "" on the last
	Count    int    // datasets on all pages
	Modified time.Time
	Sets     []*catalogue.Stored
}

// Catalogue returns the document of a part of the catalogue, with its datasets. Parts are linked as
// harvesters expect it (Hydra's PartialCollectionView).
func Catalogue(p Page) ([]byte, error) {
	at := p.Base + "/catalogue"
	sets := make([]node, 0, len(p.Sets))
	for _, s := range p.Sets {
		sets = append(sets, dataset(s))
	}
	out := node{
		"@id": at + "#catalogue", "@type": "dcat:Catalog",
		"dct:title": english("Speech datasets to license"), "dct:description": english("Conversational speech that can be licensed, measured from its files."),
		"dct:publisher": agent("Catalogue of "+host(p.Base), p.Base+"/"), "foaf:homepage": ref(at, "foaf:Document"),
		"dct:language": ref(languages+"ENG", "dct:LinguisticSystem"), "dcat:dataset": sets,
		"dct:license": ref(cc0, "dct:LicenseDocument"),
	}
	if p.Modified.Unix() > 0 {
		out["dct:modified"] = typed(p.Modified.UTC().Format(time.RFC3339), "xsd:dateTime")
	}
	view := node{"@id": p.Self, "@type": "hydra:PartialCollectionView", "hydra:first": node{"@id": p.First}}
	if p.Next != "" {
		view["hydra:next"] = node{"@id": p.Next}
	}
	list := node{"@id": p.First, "@type": "hydra:PagedCollection", "hydra:totalItems": p.Count, "hydra:view": view}
	return encode(node{"@context": context, "@graph": []node{out, list}}, "the catalogue")
}

func encode(out node, what string) ([]byte, error) {
	body, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write DCAT of %s: %w", what, err)
	}
	return body, nil
}

func host(base string) string {
	if _, rest, ok := strings.Cut(base, "://"); ok {
		return rest
	}
	return "Vaak"
}

func ref(id string, types ...string) node { return node{"@id": id, "@type": types} }

func typed(value, kind string) node { return node{"@value": value, "@type": kind} }

func english(s string) node { return node{"@value": s, "@language": "en"} }

func agent(name, at string) node {
	out := node{"@type": "foaf:Agent", "foaf:name": name}
	if at != "" {
		out["foaf:homepage"] = ref(at, "foaf:Document")
	}
	return out
}

// put sets a property whose value is not empty text.
func put(n node, key, value string, make func(string) any) {
	if value != "" {
		n[key] = make(value)
	}
}

func plain(s string) any { return english(s) }

func date(s string) any { return typed(s, "xsd:date") }

func dataset(s *catalogue.Stored) node {
	d := &s.Dataset
	// The page is a document about the dataset and has an address of its own.
	out := node{"@id": d.URL + "#dataset", "@type": "dcat:Dataset", "dcat:landingPage": ref(d.URL, "foaf:Document")}
	put(out, "dct:title", clean.Line(d.Title), plain)
	put(out, "dct:description", clean.Prose(d.Description), plain)
	put(out, "dct:identifier", d.ID, func(s string) any { return s })
	put(out, "dcat:version", clean.Line(d.Version), func(s string) any { return s })
	put(out, "dct:issued", clean.Day(d.DatePublished), date)
	if d.DateModified.Unix() > 0 {
		out["dct:modified"] = typed(d.DateModified.UTC().Format(time.RFC3339), "xsd:dateTime")
	}
	out["foaf:page"] = []node{ref(d.Croissant, "foaf:Document"), ref(d.Record, "foaf:Document")}
	out["dcat:theme"] = node{"@id": themes + "TECH", "@type": "skos:Concept", "skos:prefLabel": english("Science and technology")}
	if words := keywords(d); len(words) > 0 {
		out["dcat:keyword"] = words
	}
	if spoken := spokenIn(d); len(spoken) > 0 {
		out["dct:language"] = spoken
	}
	if d.Status == catalogue.Retired {
		out["adms:status"] = node{"@id": states + "WITHDRAWN", "@type": "skos:Concept", "skos:prefLabel": english("Withdrawn")}
	} else {
		// What the recordings cost does not matter here: they have no public address, and are
		// delivered after an agreement.
		out["dct:accessRights"] = ref(rights+"RESTRICTED", "dct:RightsStatement")
	}
	offered(out, d)
	covered(out, d)
	var all []node
	for i := range s.Files {
		if n := distribution(d, &s.Files[i]); n != nil {
			all = append(all, n)
		}
	}
	if n := licensed(d); n != nil {
		all = append(all, n)
	}
	if len(all) > 0 {
		out["dcat:distribution"] = all
	}
	return out
}

func keywords(d *catalogue.Dataset) []node {
	words := []string{"speech", clean.Line(d.Language.Name)}
	if d.Collection != nil {
		words = append(words, strings.ReplaceAll(clean.Line(*d.Collection), "-", " "))
	}
	for _, domain := range d.Domains {
		words = append(words, clean.Line(domain))
	}
	var out []node
	seen := map[string]bool{"": true}
	for _, w := range words {
		if key := strings.ToLower(w); !seen[key] {
			seen[key] = true
			out = append(out, english(w))
		}
	}
	return out
}

// spokenIn returns the language that is spoken most. The table has it under its code of ISO 639-3.
func spokenIn(d *catalogue.Dataset) []node {
	code := strings.ToUpper(d.Language.ISO6393)
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return nil
	}
	return []node{ref(languages+code, "dct:LinguisticSystem")}
}

// offered sets who made the dataset and whom to ask.
func offered(out node, d *catalogue.Dataset) {
	if p := d.Provenance; p != nil {
		for key, o := range map[string]*catalogue.Organisation{"dct:creator": p.Creator, "dct:publisher": p.Publisher} {
			if o != nil && clean.Line(o.Name) != "" {
				out[key] = agent(clean.Line(o.Name), clean.Web(o.URL))
			}
		}
		if p.Synthetic {
			out["dct:provenance"] = node{"@type": "dct:ProvenanceStatement", "rdfs:label": english(strings.TrimSpace("Made by machine. " + clean.Line(p.Generator)))}
		}
	}
	c := d.Contact
	if c == nil {
		return
	}
	card := node{"@type": "vcard:Kind"}
	put(card, "vcard:fn", clean.Line(clean.Text(c.Name)), func(s string) any { return s })
	if mail := clean.Line(clean.Text(c.Email)); mail != "" && !strings.ContainsAny(mail, " <>\"") {
		card["vcard:hasEmail"] = node{"@id": "mailto:" + mail}
	}
	put(card, "vcard:hasURL", clean.Web(clean.Text(c.URL)), func(s string) any { return node{"@id": s} })
	if len(card) > 1 {
		out["dcat:contactPoint"] = card
	}
}

// covered sets when and where the recordings were made.
func covered(out node, d *catalogue.Dataset) {
	if m := d.CollectionMethod; m != nil {
		period := node{"@type": "dct:PeriodOfTime"}
		put(period, "dcat:startDate", clean.Day(m.From), date)
		put(period, "dcat:endDate", clean.Day(m.To), date)
		if len(period) > 1 {
			out["dct:temporal"] = period
		}
	}
	if d.Participants == nil {
		return
	}
	var places []node
	for _, region := range d.Participants.Regions {
		if name := clean.Line(region); name != "" {
			places = append(places, node{"@type": "dct:Location", "skos:prefLabel": english(name)})
		}
	}
	if len(places) > 0 {
		out["dct:spatial"] = places
	}
}

// formats are the kinds of files that the table of file types has.
var formats = map[string]string{"text/csv": "CSV", "application/json": "JSON", "audio/wav": "WAV", "audio/mpeg": "MP3"}

// distribution returns a public file; nil for one that only serves the page.
func distribution(d *catalogue.Dataset, f *catalogue.File) node {
	title, licence := "", ""
	switch {
	case f.URL == d.Manifest:
		title, licence = "Manifest: a row for each recording", cc0
	case d.Sample != nil && f.URL == d.Sample.URL:
		title = "Sample: the conversation that everybody may hear"
	case d.Sample != nil && d.Sample.Transcript != nil && f.URL == d.Sample.Transcript.URL:
		title = "Transcript of the sample"
	default:
		return nil
	}
	if licence == "" && d.Sample.Licence != nil {
		licence = clean.Web(d.Sample.Licence.URL)
	}
	out := node{
		"@id": d.URL + "#" + strings.ReplaceAll(f.Name, "/", "-"), "@type": "dcat:Distribution", "dct:title": english(title),
		"dcat:accessURL": ref(f.URL, "rdfs:Resource"), "dcat:downloadURL": ref(f.URL, "rdfs:Resource"),
		"dcat:byteSize": typed(strconv.FormatInt(f.SizeBytes, 10), "xsd:nonNegativeInteger"),
		"spdx:checksum": node{
			"@type": "spdx:Checksum", "spdx:algorithm": ref("spdx:checksumAlgorithm_sha256", "spdx:ChecksumAlgorithm"),
			"spdx:checksumValue": typed(f.SHA256, "xsd:hexBinary"),
		},
		"dct:modified": typed(f.Modified.UTC().Format(time.RFC3339), "xsd:dateTime"),
	}
	put(out, "dct:license", licence, func(s string) any { return ref(s, "dct:LicenseDocument") })
	if kind, _, err := mime.ParseMediaType(f.ContentType); err == nil {
		out["dcat:mediaType"] = ref(iana+kind, "dct:MediaType")
		put(out, "dct:format", formats[kind], func(s string) any { return ref(fileTypes+s, "dct:MediaTypeOrExtent") })
	}
	return out
}

// licensed returns the whole dataset, which is delivered after an agreement. A retired dataset
// is no longer offered.
func licensed(d *catalogue.Dataset) node {
	if d.Status == catalogue.Retired || d.URL == "" {
		return nil
	}
	out := node{
		"@id": d.URL + "#licensed", "@type": "dcat:Distribution", "dct:title": english("The licensed recordings and transcripts"),
		"dct:description": english(fmt.Sprintf("%d recordings, %.2f hours. Delivered after an agreement; the address leads to the people who answer.", d.Recordings, d.Hours)),
		"dcat:accessURL":  ref(d.URL+"#ask", "rdfs:Resource"),
	}
	l := d.Licence
	if l == nil {
		return out
	}
	license := node{"@type": "dct:LicenseDocument"}
	put(license, "@id", clean.Web(clean.Text(l.URL)), func(s string) any { return s })
	put(license, "dct:title", clean.Line(l.Name), plain)
	if len(license) > 1 {
		out["dct:license"] = license
	}
	return out
}
