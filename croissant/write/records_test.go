package write_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
)

const publicURL = "https://catalogue.example.org"

// filed returns a record as readers of a catalogue get it, published, with files
// that have a name and a content type each. Its id is always the same.
func filed(t testing.TB, d catalogue.Dataset, files ...string) *catalogue.Stored {
	t.Helper()
	m := &cataloguetest.Memory{}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: publicURL, Now: func() time.Time {
		return time.Date(2026, 5, 4, 8, 30, 0, 0, time.UTC)
	}})
	if err != nil {
		t.Fatal(err)
	}
	draft := catalogue.Draft{Dataset: d, Publish: true}
	for _, f := range files {
		name, kind, _ := strings.Cut(f, " ")
		draft.Files = append(draft.Files, cataloguetest.File(name, kind, "bytes of "+name))
	}
	if _, err := c.Put(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	s, err := c.Filed(t.Context(), d.Slug)
	if err != nil {
		t.Fatal(err)
	}
	own := *s
	own.Dataset.ID = "ds_a2b3c4d5e6f7g2h3"
	return &own
}

// Files of datasets, as ingest names them.
const (
	manifestCSV = "recordings.csv text/csv; charset=utf-8"
	sampleFLAC  = "sample/sample.flac audio/flac"
	sampleMP3   = "sample/sample.mp3 audio/mpeg"
	sampleWAV   = "sample/sample.wav audio/wav"
	channelWAV  = "sample/channel-1.wav audio/wav"
	segmentsCSV = "sample/segments.csv text/csv; charset=utf-8"
)

// hindi is a dataset of which everything is known, of telephone calls with a
// channel for each speaker.
func hindi() catalogue.Dataset {
	d := cataloguetest.Dataset("hi-in-call-centre-banking-dual")
	d.Title = "Hindi call-centre conversations, banking"
	d.Description = "Agents of a bank and customers talk about cards & loans.\nEach speaker is on a channel of their own."
	d.Language.NativeName, d.Language.Region, d.Language.Script = new("हिन्दी"), new("IN"), new("Deva")
	d.OtherLanguages = []string{"en-IN"}
	d.Hours, d.Recordings, d.Speakers = 412.6, 5214, new(318)
	d.Channels, d.Collection = new(catalogue.Dual), new(catalogue.CallCentre)
	d.Domains, d.Domain = []string{"banking", "lending"}, new("banking")
	d.Transcribed, d.HasSample, d.EnglishShare = true, true, new(0.187)
	d.Splits = []catalogue.Split{{Name: "train", Recordings: 5000, Hours: 395}, {Name: "test", Recordings: 150, Hours: 12.1}, {Name: "noisy", Recordings: 64, Hours: 5.5}}
	d.Sample, d.Specification, d.Measurements = call(), telephone(), manners()
	d.Transcripts = &catalogue.Transcripts{
		Formats: []string{"json", "textgrid"}, Recordings: 5200, Segments: 120_000, Words: new(2_900_000),
		Protocol: new("Typed by native speakers, checked by a second one."),
	}
	declare(&d)
	return d
}

// declare fills in what people say of it.
func declare(d *catalogue.Dataset) {
	d.Participants = &catalogue.Participants{
		Count: new(318), Gender: map[string]int{"male": 158, "female": 160}, AgeRange: []int{21, 58}, Regions: []string{"Uttar Pradesh", "Delhi"},
	}
	d.CollectionMethod = &catalogue.CollectionMethod{
		Summary: new("Each pair agreed on a situation and talked freely"), Style: new("role-played"),
		Setting: new("quiet rooms in two cities"), Equipment: new("headsets over a telephone exchange"),
		From: new("2025-11-02"), To: new("2026-03-28"),
	}
	d.Consent = &catalogue.Consent{Summary: new("Every speaker signed a form."), Purposes: []string{"training", "evaluation"}}
	d.Privacy = &catalogue.Privacy{Summary: new("Names and numbers in the calls are invented."), PersonalData: new(true), Anonymised: new(false)}
	d.Licence = &catalogue.Licence{Name: "Example Commercial Licence 1.0", URL: new("https://example.org/licences/commercial-1.0")}
	d.Access = &catalogue.Access{Conditions: new("A signed licence. The data comes as one package.")}
	d.Provenance = &catalogue.Provenance{Creator: &catalogue.Organisation{Name: "Example Speech Lab", URL: "https://example.org"}, Created: new("2026-03-30")}
	d.Contact = &catalogue.Contact{Name: new("Data desk"), Email: new("data@example.org")}
}

// call is a sample with a transcript.
func call() *catalogue.Sample {
	return &catalogue.Sample{
		Recording: "call-0001", URL: "sample/sample.flac", DurationS: 45.82406, SampleRateHz: 8000, Codec: "flac", Channels: 2,
		Transcript: &catalogue.SampleTranscript{URL: "sample/segments.csv", Format: "csv", Source: "json", Count: 13},
		Metrics: catalogue.Profile{
			Method: catalogue.Method{Name: "conv", Version: "1.0", VAD: "energy-hyst/1"},
			Audio: []catalogue.Channel{
				{LoudnessLUFS: new(-22.29), SNRDB: new(43.85), EffectiveBandwidthHz: new(3600.0)},
				{LoudnessLUFS: new(-21.28), EffectiveBandwidthHz: new(3550.0)},
			},
			Speech:  catalogue.SpeechTime{SpeechS: 35.892, SpeechShare: []float64{0.5672, 0.4328}, SilenceRatio: 0.2498},
			Lexical: &catalogue.Lexical{WordsPerMin: new(150.57592), EnglishShare: 0.187, CodeMixIndex: new(18.4)},
			TurnTaking: &catalogue.TurnTaking{
				OverlapRatio: 0.04407, FTO: catalogue.FTO{Count: 10, Median: new(148.0)}, TurnsPerMin: 14.40291, BackchannelsPerMin: 2.61871,
			},
		},
	}
}

func telephone() *catalogue.Specification {
	return &catalogue.Specification{
		MeasuredFrom: catalogue.Extent{Files: 5214, Hours: 412.6, Share: 1},
		Container:    map[string]int{"flac": 5000, "wav": 210, "rf64": 4}, Codec: map[string]int{"flac": 5000, "pcm": 214},
		SampleRateHz: map[string]int{"8000": 5214}, Channels: map[string]int{"2": 5214}, Layout: map[string]int{"dual": 5214},
		DurationS:    catalogue.Durations{Min: 31.5, Median: 280.25, Max: 912},
		LoudnessLUFS: spread(-24, -21.5, -18), SNRDB: spread(12.5, 31, 46), EffectiveBandwidthHz: spread(3400, 3400, 3400),
		UpsampledFiles: 3, ChannelsMeasured: "dual", Method: catalogue.Method{Name: "vaak-audio", Version: "1.0"},
	}
}

func manners() *catalogue.Measurements {
	return &catalogue.Measurements{
		Files: 5214, SilenceRatio: spread(0.1, 0.24, 0.6), Method: catalogue.Method{Name: "conv", Version: "1.0", VAD: "energy-hyst/1"},
		TurnTaking: &catalogue.Turns{Files: 5210, OverlapRatio: spread(0.01, 0.061, 0.2), FTOMedianMs: spread(-90, 148, 700), TurnsPerMin: spread(4, 15, 30), BackchannelsPerMin: spread(0, 2.2, 9)},
		Words:      &catalogue.Words{Files: 5200, WordsPerMin: spread(80, 151, 210), EnglishShare: spread(0, 0.2, 0.55), CodeMixIndex: spread(0, 17, 41)},
	}
}

func spread(least, median, most float64) *catalogue.Spread {
	return &catalogue.Spread{Count: 5200, Min: least, Median: median, Max: most}
}

// bengali is a synthetic dataset of one channel with speaker labels, of which the
// sample is MP3.
func bengali() catalogue.Dataset {
	d := cataloguetest.Dataset("bn-in-healthcare-mono")
	d.Title, d.Language, d.BCP47 = "Bengali conversations, healthcare", catalogue.Language{Name: "Bengali", ISO6393: "ben", BCP47: "bn-IN"}, "bn-IN"
	d.Channels, d.Collection = new(catalogue.Mono), new(catalogue.GeneralConversation)
	d.Sample, d.HasSample, d.Transcribed, d.EnglishShare = call(), true, true, new(0.0)
	d.Sample.URL, d.Sample.Channels = "sample/sample.mp3", 1
	p := &d.Sample.Metrics
	p.TurnTaking, p.Audio, p.Speech.SpeechShare = nil, p.Audio[:1], nil
	p.SpeakerLabels = &catalogue.SpeakerLabels{Speakers: []string{"A", "B"}, OverlapRatio: 0.03, FTO: catalogue.FTO{Count: 9, Median: new(210.0)}}
	d.Licence = &catalogue.Licence{Name: "CC0", URL: new("https://creativecommons.org/publicdomain/zero/1.0/")}
	d.Access = &catalogue.Access{Free: true}
	d.Provenance = &catalogue.Provenance{Creator: &catalogue.Organisation{Name: "Vaak"}, Publisher: &catalogue.Organisation{Name: "Vaak shop"}, Synthetic: true, Generator: "Vaak 1.0"}
	d.Citation = new("Bengali conversations, made by Vaak 1.0")
	return d
}

// records are the records that are written, by name.
func records(t testing.TB) map[string]*catalogue.Stored {
	untold := hindi() // as hindi, but nothing is transcribed
	untold.Transcripts, untold.Transcribed, untold.EnglishShare = nil, false, nil
	untold.Sample.Transcript, untold.Sample.Metrics.Lexical = nil, nil
	silent := hindi() // without a sample
	silent.Sample, silent.HasSample, silent.EnglishShare = nil, false, nil
	retired := filed(t, hindi(), manifestCSV, sampleFLAC, sampleWAV, channelWAV, segmentsCSV)
	retired.Dataset.Status = catalogue.Retired
	return map[string]*catalogue.Stored{
		"full":          filed(t, hindi(), manifestCSV, sampleFLAC, sampleWAV, channelWAV, segmentsCSV),
		"retired":       retired,
		"mono":          filed(t, bengali(), manifestCSV, sampleMP3, sampleWAV, channelWAV, segmentsCSV),
		"no transcript": filed(t, untold, manifestCSV, sampleFLAC, sampleWAV, channelWAV),
		"no sample":     filed(t, silent, manifestCSV),
		"sparse":        filed(t, cataloguetest.Dataset("sparse")),
		"filled":        filed(t, cataloguetest.Full("filled"), manifestCSV, sampleWAV),
	}
}

// plain returns a JSON value without its types.
func plain(t testing.TB, v any) map[string]any {
	t.Helper()
	body, ok := v.([]byte)
	if !ok {
		var err error
		if body, err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
	return out
}
