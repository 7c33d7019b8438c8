package ingest

import (
	"bytes"
	"encoding/csv"
	"io"
	"strconv"

	"vaak/catalogue"
	"vaak/catalogue/transcript"
)

// manifestFile returns recordings.csv, with a row per recording in order of ids. Cells are made
// inert, because names come from strangers and people open the file in spreadsheets.
func manifestFile(all []Measured) catalogue.DraftFile {
	return catalogue.DraftFile{Name: catalogue.ManifestFile, ContentType: "text/csv; charset=utf-8", Open: func() (io.ReadCloser, error) {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"recording_id", "split", "session", "duration_s", "channels", "layout",
			"sample_rate_hz", "codec", "size_bytes", "sha256", "path"}) // writing to a buffer cannot fail
		for _, m := range all {
			row := []string{m.ID, m.Split, m.Session, strconv.FormatFloat(m.Measure.DurationS, 'f', 3, 64),
				strconv.Itoa(m.Measure.Channels), m.Measure.Layout, strconv.Itoa(m.Measure.SampleRateHz), m.Measure.Codec,
				strconv.FormatInt(m.Measure.SizeBytes, 10), m.Measure.SHA256, m.Path}
			for i := range row {
				row[i] = transcript.Inert(row[i])
			}
			_ = w.Write(row)
		}
		w.Flush()
		return io.NopCloser(&b), w.Error()
	}}
}

// transcriptFiles returns the transcript of the sample as a table and as captions.
func transcriptFiles(m Measured) []catalogue.DraftFile {
	open := func(format transcript.Format) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) {
			var b bytes.Buffer
			if err := transcript.Write(&b, m.Transcript, format); err != nil {
				return nil, err
			}
			return io.NopCloser(&b), nil
		}
	}
	return []catalogue.DraftFile{
		{Name: catalogue.SegmentsFile, ContentType: "text/csv; charset=utf-8", Open: open(transcript.CSV)},
		{Name: "sample/segments.vtt", ContentType: "text/vtt; charset=utf-8", Open: open(transcript.WebVTT)},
	}
}
