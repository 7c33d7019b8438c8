package catalogue

import (
	"context"

	"vaak/catalogue"
	"vaak/mcp/tool"
)

// slugInput holds the arguments of a tool about one dataset.
type slugInput struct {
	Slug string `json:"slug" doc:"Slug from search_datasets, or id." minLength:"1" maxLength:"100"`
}

// datasetOutput describes the most important members of the structured result of get_dataset. The
// result is a whole [catalogue.Dataset]. Members that may be null have no type in the schema.
type datasetOutput struct {
	Slug        string   `json:"slug"`
	Title       string   `json:"title"`
	Status      string   `json:"status" doc:"published, or retired: no longer offered"`
	BCP47       string   `json:"bcp47"`
	Hours       float64  `json:"hours"`
	Transcribed bool     `json:"transcribed"`
	URL         string   `json:"url" doc:"Page for people"`
	Sample      any      `json:"sample" doc:"A recording to hear: url, transcript"`
	Spec        any      `json:"specification" doc:"The files, as measured"`
	Measured    any      `json:"measurements" doc:"How people talk"`
	Licence     any      `json:"licence"`
	Consent     any      `json:"consent"`
	Gaps        []string `json:"gaps" doc:"Paths of what is not known"`
}

// datasetTool is the tool get_dataset.
func (d *Datasets) datasetTool() tool.Entry {
	return tool.New(tool.Definition{
		Name:        "get_dataset",
		Title:       "Get a dataset",
		Description: "All that is known of a dataset: volume, recordings, measured sound and talk, licence, consent, gaps, and a sample to hear.",
		Hints:       tool.LookUp,
		Advise:      d.Advise,
	}, func(ctx context.Context, _ tool.Call, in slugInput) (tool.Answer[datasetOutput], error) {
		stored, err := d.Filed(ctx, "slug", in.Slug)
		if err != nil {
			return tool.Answer[datasetOutput]{}, err
		}
		encoded, err := encodeRecord(&stored.Dataset)
		return tool.Answer[datasetOutput]{Encoded: encoded, Text: summary(stored), Links: linksOf(stored)}, err
	})
}

// linksOf returns links to the sample and the Croissant document of a dataset.
func linksOf(stored *catalogue.Stored) []tool.Link {
	record := &stored.Dataset
	links := []tool.Link{CroissantLink(record.Slug, record.Croissant, "1.0", 0)}
	if record.Sample != nil {
		links = append([]tool.Link{sampleLink(stored)}, links...)
	}
	return tool.Linked(links...)
}

// sampleWAV is the path of the sample as WAV, which every program can read.
const sampleWAV = "sample/sample.wav"

// sampleLink returns a link to the sample of a dataset that has one: to the WAV if there is
// one, else to the original file.
func sampleLink(stored *catalogue.Stored) tool.Link {
	sample := stored.Dataset.Sample
	l := tool.Link{Uri: sample.URL, Name: stored.Dataset.Slug + "-sample", Title: "Sample to hear", MimeType: "audio/wav", Size: sample.SizeBytes}
	for _, f := range stored.Files {
		if f.Name == sampleWAV || f.URL == sample.URL {
			l.Uri, l.MimeType, l.Size = f.URL, f.ContentType, f.SizeBytes
		}
		if f.Name == sampleWAV {
			break
		}
	}
	return l
}
