package ingest

import (
	"fmt"
	"math"
	"slices"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/measure"
)

// inline is how many segments of the sample are in the record itself.
const inline = 50

// sampleName is a name that stands for an address in a draft, as all names of files do.
func sampleName(m Measured) string {
	return "sample/sample." + containerOf(m.Measure.Container).extension
}

func channelName(c int) string { return fmt.Sprintf("sample/channel-%d.wav", c+1) }

// sampleOf returns the sample of a record.
func sampleOf(d *catalogue.Dataset, m Measured) *catalogue.Sample {
	s := &catalogue.Sample{
		Recording: m.ID, URL: sampleName(m), DurationS: m.Measure.DurationS, SampleRateHz: m.Measure.SampleRateHz,
		Codec: m.Measure.Codec, Channels: m.Measure.Channels, SizeBytes: m.Measure.SizeBytes,
		SHA256: m.Measure.SHA256, Metrics: metrics(d, m),
		Waveform: catalogue.Waveform{Peaks: m.Measure.Peaks},
		Bundle:   catalogue.Bundle{How: "Ask with the intent sample; a person replies by e-mail."},
	}
	if len(m.Measure.Peaks) > 0 {
		s.Waveform.Points = len(m.Measure.Peaks[0])
	}
	for c := range m.Measure.Channels {
		stream := catalogue.Stream{Channel: c + 1, URL: channelName(c)}
		if len(m.Roles) == m.Measure.Channels {
			stream.Role = m.Roles[c]
		}
		if m.ByChannel && len(m.Speakers) == m.Measure.Channels {
			stream.Speaker = m.Speakers[c]
		}
		s.Streams = append(s.Streams, stream)
	}
	if d.Licence != nil && d.Licence.Evaluation != nil {
		// A copy, so that the sample and the licence of the record do not share a value.
		terms := *d.Licence.Evaluation
		s.Licence, s.Bundle.Available = &terms, true
	}
	if m.Transcript != nil {
		s.Transcript = sampleTranscript(m)
	}
	return s
}

// metrics returns the profile of a recording with the figures of its transcript. Turn-taking is
// measured on the audio if the dataset has one speaker on each channel, otherwise it comes
// from the labels of the transcript.
func metrics(d *catalogue.Dataset, m Measured) catalogue.Profile {
	p := m.Measure.Profile
	if m.Lexical != nil && m.Lexical.Words > 0 {
		p.Lexical = m.Lexical
	}
	if d.Channels == nil || *d.Channels != catalogue.Dual || m.Measure.Layout != catalogue.Dual {
		p.TurnTaking = nil
		if labels(m) > 1 {
			p.SpeakerLabels = measure.Labels(m.Transcript)
		}
	}
	return p
}

func sampleTranscript(m Measured) *catalogue.SampleTranscript {
	t := &catalogue.SampleTranscript{
		URL: catalogue.SegmentsFile, Format: "csv", Source: string(m.TranscriptFormat), Count: len(m.Transcript),
		Segments: []catalogue.Segment{},
	}
	for _, s := range m.Transcript[:min(len(m.Transcript), inline)] {
		t.Segments = append(t.Segments, catalogue.Segment{
			StartS: s.Start, EndS: s.End, Channel: s.Channel, Speaker: s.Speaker, Role: s.Role, Text: s.Text,
		})
	}
	return t
}

// container says how a file of audio is served.
type container struct{ extension, contentType string }

func containerOf(name string) container {
	switch name {
	case "wav", "rf64":
		return container{"wav", "audio/wav"}
	case "flac":
		return container{"flac", "audio/flac"}
	case "mp3":
		return container{"mp3", "audio/mpeg"}
	case "ogg":
		return container{"ogg", "audio/ogg"}
	case "sphere":
		return container{"sph", "application/octet-stream"}
	}
	return container{"bin", "application/octet-stream"}
}

// tooLongToServe returns why a sample cannot be served as WAV, whose header has 32-bit sizes,
// or "".
func tooLongToServe(m measure.Recording) string {
	// Two bytes a sample. The RIFF chunk counts the header too, but for its first 8 bytes.
	if size := m.Frames * int64(m.Channels) * 2; size > math.MaxUint32-wavHeader {
		return fmt.Sprintf("the recording has %.0f s, which is more than a WAV file can hold; choose a shorter one", m.DurationS)
	}
	return ""
}

// sampleFiles returns the public files of the sample: the original, WAV unless the original is
// WAV, each channel alone, the waveform, and the transcript.
func sampleFiles(f *folder.Folder, m Measured) []catalogue.DraftFile {
	src := source{folder: f, path: m.Path, measured: m.Measure}
	kind := containerOf(m.Measure.Container)
	files := []catalogue.DraftFile{{Name: sampleName(m), ContentType: kind.contentType, Open: src.original}}
	every := make([]int, m.Measure.Channels)
	for c := range every {
		every[c] = c
	}
	if kind.extension != "wav" {
		files = append(files, catalogue.DraftFile{Name: "sample/sample.wav", ContentType: "audio/wav", Open: src.wav(every)})
	}
	for c := range m.Measure.Channels {
		files = append(files, catalogue.DraftFile{
			Name: channelName(c), ContentType: "audio/wav", Open: src.wav([]int{c}),
		})
	}
	files = append(files, catalogue.DraftFile{Name: "sample/waveform.json", ContentType: "application/json", Open: src.waveform})
	if m.Transcript != nil {
		files = slices.Concat(files, transcriptFiles(m))
	}
	return files
}
