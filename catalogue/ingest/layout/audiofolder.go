package layout

import (
	"path"
	"strings"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
)

// audioFolderRow is a row of the metadata.
type audioFolderRow struct {
	File          string  `json:"file_name"`
	Transcription *string `json:"transcription"`
	Text          *string `json:"text"`
	Speaker       string  `json:"speaker"`
}

// readAudioFolder reads the metadata of an AudioFolder of Hugging Face: a text for each
// file, without times. A file in a folder train, validation or test (or a usual synonym)
// is in that split. Unknown columns are ignored.
func readAudioFolder(set *Set, p string) {
	each := func(line int, row audioFolderRow) {
		at := Place{p, line}
		if row.File == "" {
			set.Report.Add(p, line, "file_name is required")
			return
		}
		if why := badPath(row.File); why != "" { // checked before path.Join, which would remove ".."
			set.Report.Add(p, line, "the path %s %s", report.Quote(row.File), why)
			return
		}
		if file, ok := set.file(at, path.Join(path.Dir(p), row.File)); ok {
			audioFolderRecording(set, at, file, row)
		}
	}
	if strings.HasSuffix(p, ".jsonl") {
		tree.JSONLines(set.Tree, p, each)
		return
	}
	named := false
	set.CSVRows(p, func(_ int, column string) { named = named || column == "file_name" }, func(line int, c tree.Row) {
		if !named {
			return // reported below
		}
		one := audioFolderRow{File: c["file_name"], Speaker: c["speaker"]}
		// A column that is missing differs from an empty cell: the one is no transcript,
		// the other one without words.
		for name, to := range map[string]**string{"transcription": &one.Transcription, "text": &one.Text} {
			if text, ok := c[name]; ok {
				*to = &text
			}
		}
		each(line, one)
	})
	if !named && !set.Partial(p) {
		set.Stop(p, 1, "has no column file_name")
	}
}

// audioFolderRecording adds the recording of a row, with its text.
func audioFolderRecording(set *Set, at Place, file string, row audioFolderRow) {
	rec := set.recording(at, defaultID(file), file)
	if rec == nil {
		return
	}
	top, _, nested := strings.Cut(strings.TrimPrefix(file, "audio/"), "/")
	if split, _ := splitName(top); nested && (split == "train" || split == "validation" || split == "test") {
		rec.Split = split
	}
	if name := set.name(at, "the speaker", row.Speaker); name != "" {
		rec.Speakers = []string{name}
	}
	text := row.Transcription
	if text == nil {
		text = row.Text
	}
	if text == nil {
		return
	}
	s := transcript.Segment{Text: set.spoken(at, *text), Line: at.Line}
	if len(rec.Speakers) == 1 {
		s.Speaker = rec.Speakers[0]
	}
	rec.Untimed = true
	set.Give(rec, at, "audiofolder", false, []transcript.Segment{s})
}
