package mcp

import (
	"context"

	"vaak/catalogue"
)

// slugInput are the arguments of a tool about one dataset.
type slugInput struct {
	Slug string `json:"slug" doc:"Slug from search_datasets, or id." minLength:"1" maxLength:"100"`
}

// datasetOutput names what matters most of the structured result of get_dataset,
// which is the whole of [catalogue.Dataset]. What may be null has no type here.
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
func (d *datasets) datasetTool() entry {
	return tool(definition{
		name:        "get_dataset",
		title:       "Get a dataset",
		description: "All that is known of a dataset: volume, recordings, measured sound and talk, licence, consent, gaps, and a sample to hear.",
		hints:       lookUp,
		advise:      d.advise,
	}, func(ctx context.Context, _ call, in slugInput) (answer[datasetOutput], error) {
		stored, err := d.filed(ctx, "slug", in.Slug)
		if err != nil {
			return answer[datasetOutput]{}, err
		}
		encoded, err := encodeRecord(&stored.Dataset)
		return answer[datasetOutput]{encoded: encoded, text: summary(stored), links: linksOf(stored)}, err
	})
}

// linksOf leads to the sample and the document of a dataset.
func linksOf(stored *catalogue.Stored) []link {
	record := &stored.Dataset
	links := []link{croissantLink(record.Slug, record.Croissant, "1.0", 0)}
	if record.Sample != nil {
		links = append([]link{sampleLink(stored)}, links...)
	}
	return linked(links...)
}

// sampleWAV is the sample as every program can read it, whatever it came as.
const sampleWAV = "sample/sample.wav"

// sampleLink leads to the sample of a dataset that has one: as WAV where that is
// served, else as it came.
func sampleLink(stored *catalogue.Stored) link {
	sample := stored.Dataset.Sample
	l := link{uri: sample.URL, name: stored.Dataset.Slug + "-sample", title: "Sample to hear", mimeType: "audio/wav", size: sample.SizeBytes}
	for _, f := range stored.Files {
		if f.Name == sampleWAV || f.URL == sample.URL {
			l.uri, l.mimeType, l.size = f.URL, f.ContentType, f.SizeBytes
		}
		if f.Name == sampleWAV {
			break
		}
	}
	return l
}
