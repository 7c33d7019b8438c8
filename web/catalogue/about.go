package catalogue

import (
	"encoding/json"
	"html/template"

	"vaak/catalogue"
	"vaak/web/site"
)

// The catalogue as a thing of schema.org, in the order in which it is written.
type (
	catalogueLD struct {
		Context     string      `json:"@context"`
		Type        string      `json:"@type"`
		ID          string      `json:"@id"`
		Name        string      `json:"name"`
		Description string      `json:"description"`
		URL         string      `json:"url"`
		Licence     string      `json:"sdLicense"` // of this description, and not of the datasets
		Datasets    []datasetLD `json:"dataset,omitempty"`
	}
	// datasetLD leads to the page of a dataset, which has the whole of it.
	datasetLD struct {
		Type string `json:"@type"`
		ID   string `json:"@id"`
		Name string `json:"name"`
		URL  string `json:"url"`
	}
)

// about returns what search engines read of the first page of the list (schema.org DataCatalog).
func (s *pages) about(page catalogue.Page) template.JS {
	at := s.PublicURL() + site.ListPath
	out := catalogueLD{
		Context: "https://schema.org", Type: "DataCatalog", ID: at, Name: "Speech datasets to license", URL: at,
		Description: "Conversational speech datasets to license: each with its measurements, and a sample to hear.",
		Licence:     "https://creativecommons.org/publicdomain/zero/1.0/",
	}
	for _, b := range page.Datasets {
		d := s.PublicURL() + site.DatasetPath(b.Slug)
		out.Datasets = append(out.Datasets, datasetLD{"Dataset", d, site.Clip(b.Title, site.TitleMax), d})
	}
	// Marshal escapes <, > and &, and U+2028 and U+2029, so the text cannot end its element.
	body, err := json.Marshal(out)
	if err != nil {
		return "" // texts alone: it cannot fail
	}
	return template.JS(body)
}
