// Package rocrate writes the record of a dataset as an RO-Crate 1.2, the packaging of research
// data with schema.org metadata. The crate is detached: its files stay where they are on the web.
//
// Nothing is invented: a property that the record does not have is left out.
package rocrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/clean"
)

// MediaType is the content type of the document, with the profile that it follows.
const MediaType = `application/ld+json; profile="` + Profile + `"`

// Profile is the version of the format.
const Profile = "https://w3id.org/ro/crate/1.2"

// FileName is the name that the format gives the document.
const FileName = "ro-crate-metadata.json"

// entity is an object of the document. Keys are written in alphabetical order, so the same record
// gives the same bytes.
type entity = map[string]any

// crate collects the entities. The format is flat: an entity that another one names has a place
// of its own, and only one.
type crate struct {
	entities []entity
	there    map[string]bool
}

func (c *crate) add(e entity) entity {
	id, _ := e["@id"].(string)
	if !c.there[id] {
		c.there[id] = true
		c.entities = append(c.entities, e)
	}
	return entity{"@id": id}
}

// Document returns the document of a dataset. s is a complete record, as
// [catalogue.Service.Filed] returns it.
func Document(s *catalogue.Stored) ([]byte, error) {
	d := &s.Dataset
	c := &crate{there: map[string]bool{}}
	root := entity{"@id": d.URL, "@type": "Dataset"}
	descriptor := entity{"@id": FileName, "@type": "CreativeWork", "about": entity{"@id": d.URL}, "conformsTo": entity{"@id": Profile}}
	c.add(descriptor) // comes first, then the root
	c.add(root)
	c.describe(root, s)
	descriptor["license"] = c.licence("CC0 1.0", cc0, aboutCC0)
	body, err := json.Marshal(entity{"@context": Profile + "/context", "@graph": c.entities})
	if err != nil {
		return nil, fmt.Errorf("write the RO-Crate of dataset %s: %w", d.Slug, err)
	}
	return body, nil
}

// The licence of the description and of the manifest, which have facts alone.
const (
	cc0      = "https://creativecommons.org/publicdomain/zero/1.0/"
	aboutCC0 = "No rights reserved."
)

// put sets a property whose text is not empty.
func put(e entity, key, value string) {
	if value != "" {
		e[key] = value
	}
}

func (c *crate) describe(root entity, s *catalogue.Stored) {
	d := &s.Dataset
	put(root, "name", clean.Line(d.Title))
	put(root, "description", clean.Prose(d.Description))
	put(root, "url", d.URL)
	root["identifier"] = c.add(entity{"@id": d.URL + "#id", "@type": "PropertyValue", "name": "Id of the dataset", "propertyID": "dataset", "value": d.ID, "url": d.URL})
	put(root, "version", clean.Line(d.Version))
	put(root, "datePublished", clean.Day(d.DatePublished)) // what is visible was published
	if d.DateModified.Unix() > 0 {
		root["dateModified"] = d.DateModified.UTC().Format(time.RFC3339)
	}
	if d.Status == catalogue.Retired {
		root["creativeWorkStatus"] = "Retired: no longer offered"
	}
	root["inLanguage"] = d.BCP47
	root["keywords"] = strings.Join(keywords(d), ", ")
	root["subjectOf"] = []entity{
		c.add(entity{"@id": d.Croissant, "@type": "CreativeWork", "name": "Croissant metadata", "encodingFormat": "application/ld+json"}),
		c.add(entity{"@id": d.Record, "@type": "CreativeWork", "name": "Record of the catalogue", "encodingFormat": "application/json"}),
	}
	if d.Citation != nil {
		put(root, "creditText", clean.Prose(*d.Citation))
	}
	c.offer(root, d)
	var parts []entity
	for i := range s.Files {
		if e := c.file(d, &s.Files[i]); e != nil {
			parts = append(parts, e)
		}
	}
	if len(parts) > 0 {
		root["hasPart"] = parts
	}
}

func keywords(d *catalogue.Dataset) []string {
	words := []string{"speech", clean.Line(d.Language.Name)}
	for _, domain := range d.Domains {
		words = append(words, clean.Line(domain))
	}
	return words
}

// offer sets who made the dataset, under which terms it is given, and whom to ask.
func (c *crate) offer(root entity, d *catalogue.Dataset) {
	if l := d.Licence; l != nil {
		// A licence without an address of its own is the one on the page.
		at := cmp.Or(clean.Web(clean.Text(l.URL)), d.URL+"#licence")
		root["license"] = c.licence(clean.Line(l.Name), at, cmp.Or(clean.Text(l.Summary), "The terms under which the recordings are given."))
	}
	if a := d.Access; a != nil {
		root["isAccessibleForFree"] = a.Free
		put(root, "conditionsOfAccess", clean.Text(a.Conditions))
	}
	contact := c.contact(d)
	if p := d.Provenance; p != nil {
		put(root, "dateCreated", clean.Day(p.Created))
		for _, o := range []struct {
			key string
			who *catalogue.Organisation
		}{{"author", p.Creator}, {"publisher", p.Publisher}} {
			if o.who == nil || clean.Line(o.who.Name) == "" {
				continue
			}
			e := entity{"@id": cmp.Or(clean.Web(o.who.URL), d.URL+"#"+o.key), "@type": "Organization", "name": clean.Line(o.who.Name)}
			put(e, "url", clean.Web(o.who.URL))
			if contact != nil {
				e["contactPoint"] = contact
			}
			root[o.key] = c.add(e)
		}
	}
	if contact != nil {
		root["contactPoint"] = contact
	}
}

func (c *crate) contact(d *catalogue.Dataset) entity {
	if d.Contact == nil {
		return nil
	}
	e := entity{"@id": d.URL + "#contact", "@type": "ContactPoint", "contactType": "customer service"}
	put(e, "name", clean.Line(clean.Text(d.Contact.Name)))
	put(e, "email", clean.Line(clean.Text(d.Contact.Email)))
	put(e, "url", clean.Web(clean.Text(d.Contact.URL)))
	if len(e) == 3 {
		return nil
	}
	return c.add(e)
}

func (c *crate) licence(name, at, about string) entity {
	e := entity{"@id": at, "@type": "CreativeWork", "description": about}
	put(e, "name", name)
	if !strings.Contains(at, "#") {
		e["url"] = at
	}
	return c.add(e)
}

// file adds a public file; nil for one that only serves the page.
func (c *crate) file(d *catalogue.Dataset, f *catalogue.File) entity {
	e := entity{"@id": f.URL, "@type": "File", "contentSize": strconv.FormatInt(f.SizeBytes, 10), "sha256": f.SHA256, "sdDatePublished": f.Modified.UTC().Format(time.RFC3339)}
	switch {
	case f.URL == d.Manifest:
		e["name"], e["description"] = "recordings.csv", "A row for each recording of the dataset."
		e["license"] = c.licence("CC0 1.0", cc0, aboutCC0)
	case d.Sample != nil && f.URL == d.Sample.URL:
		e["name"], e["description"] = f.Name[strings.LastIndexByte(f.Name, '/')+1:], "The conversation that everybody may hear, with all its channels."
		e["@type"] = []string{"File", "AudioObject"}
		e["duration"] = "PT" + strconv.FormatFloat(d.Sample.DurationS, 'f', -1, 64) + "S"
	case d.Sample != nil && d.Sample.Transcript != nil && f.URL == d.Sample.Transcript.URL:
		e["name"], e["description"] = "segments.csv", "Who says what and when in the sample."
	default:
		return nil
	}
	if l := d.Sample; f.URL != d.Manifest && l.Licence != nil {
		if at := clean.Web(l.Licence.URL); at != "" {
			e["license"] = c.licence(clean.Line(l.Licence.Name), at, "The terms of the sample.")
		}
	}
	if kind, _, err := mime.ParseMediaType(f.ContentType); err == nil {
		e["encodingFormat"] = kind
	}
	return c.add(e)
}
