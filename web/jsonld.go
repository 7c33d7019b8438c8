package web

import "vaak/catalogue"

// linked is what search engines read of a dataset: a Dataset of schema.org. The
// template writes it as JSON in which no character ends the script element.
type linked struct {
	Context     string    `json:"@context"`
	Type        string    `json:"@type"`
	ID          string    `json:"@id,omitempty"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	URL         string    `json:"url,omitempty"`
	Identifier  string    `json:"identifier"`
	Version     string    `json:"version,omitempty"`
	Licence     string    `json:"license,omitempty"`
	Language    []string  `json:"inLanguage,omitempty"`
	Creator     *agent    `json:"creator,omitempty"`
	Publisher   *agent    `json:"publisher,omitempty"`
	Published   string    `json:"datePublished,omitempty"`
	Free        *bool     `json:"isAccessibleForFree,omitempty"`
	Audio       *recorded `json:"encoding,omitempty"`
}

type agent struct {
	Type string `json:"@type"`
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

type recorded struct {
	Type string `json:"@type"`
	Name string `json:"name"`
	URL  string `json:"contentUrl"`
}

// newLinked leaves out what the record does not hold.
func newLinked(d *catalogue.Dataset) linked {
	l := linked{
		Context: "https://schema.org", Type: "Dataset", ID: d.URL, URL: d.URL, Identifier: d.ID,
		Name: clip(d.Title, titleMax), Description: clip(d.Description, proseMax), Version: clip(d.Version, wordMax),
		Published: opt(d.DatePublished, wordMax),
	}
	for _, t := range append([]string{d.BCP47}, d.OtherLanguages...) {
		if t = tag(t); t != "" && len(l.Language) < listMax {
			l.Language = append(l.Language, t)
		}
	}
	if d.Licence != nil {
		if l.Licence = outside(opt(d.Licence.URL, linkMax)); l.Licence == "" {
			l.Licence = clip(d.Licence.Name, titleMax)
		}
	}
	if d.Provenance != nil {
		l.Creator, l.Publisher = newAgent(d.Provenance.Creator), newAgent(d.Provenance.Publisher)
	}
	if d.Access != nil {
		l.Free = &d.Access.Free
	}
	if d.Sample != nil && d.Sample.URL != "" {
		l.Audio = &recorded{Type: "AudioObject", Name: "Sample conversation", URL: d.Sample.URL}
	}
	return l
}

func newAgent(o *catalogue.Organisation) *agent {
	if o == nil || o.Name == "" {
		return nil
	}
	return &agent{Type: "Organization", Name: clip(o.Name, titleMax), URL: outside(o.URL)}
}
