package ingest

import (
	"bytes"
	"encoding/csv"
	"io"
	"strconv"

	"vaak/catalogue"
	"vaak/catalogue/transcript"
)

// manifestFile is recordings.csv: a row for each recording, in order of ids. Names
// come from the folder, so a spreadsheet might reckon them: they are inert.
func manifestFile(all []Measured) catalogue.DraftFile {
	return catalogue.DraftFile{Name: catalogue.ManifestFile, ContentType: "text/csv; charset=utf-8", Open: func() (io.ReadCloser, error) {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"recording_id", "split", "session", "duration_s", "channels", "layout",
			"sample_rate_hz", "codec", "size_bytes", "sha256", "path"}) // a buffer takes all
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

// transcriptFiles are the transcript of the sample as a table and as subtitles.
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
		{Name: segmentsFile, ContentType: "text/csv; charset=utf-8", Open: open(transcript.CSV)},
		{Name: "sample/segments.vtt", ContentType: "text/vtt; charset=utf-8", Open: open(transcript.WebVTT)},
	}
}
