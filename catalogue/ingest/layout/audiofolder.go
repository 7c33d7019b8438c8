package layout

import (
	"encoding/csv"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
)

// audioFolderRow is a row of the metadata.
type audioFolderRow struct {
	File     string
	Text     *string // nil is no transcript, and not one without words
	Speaker  string
	Gender   string
	Language string
	Split    string
}

// Columns of the metadata that mean the same; the first that a row has is read. AudioFolder asks
// for file_name alone, and people name the others in these ways.
var (
	textColumns     = []string{"transcription", "text", "sentence", "transcript", "normalized_text"}
	speakerColumns  = []string{"speaker", "speaker_id", "client_id"}
	genderColumns   = []string{"gender", "sex"}
	languageColumns = []string{"language", "lang", "locale"}
)

// audioFolderColumns returns all columns that are read.
func audioFolderColumns() []string {
	return slices.Concat([]string{"file_name", "split"}, textColumns, speakerColumns, genderColumns, languageColumns)
}

// audioFolderOf returns a row from its cells.
func audioFolderOf(cells tree.Row) audioFolderRow {
	first := func(names []string) string {
		for _, name := range names {
			if text, ok := cells[name]; ok {
				return text
			}
		}
		return ""
	}
	row := audioFolderRow{
		File: cells["file_name"], Speaker: first(speakerColumns), Gender: first(genderColumns),
		Language: first(languageColumns), Split: cells["split"],
	}
	for _, name := range textColumns {
		if text, ok := cells[name]; ok {
			row.Text = &text
			break
		}
	}
	return row
}

// jsonCells returns the values of a row of JSON that are texts or numbers, as cells.
func jsonCells(row map[string]json.RawMessage) (tree.Row, string) {
	cells := tree.Row{}
	for _, name := range audioFolderColumns() {
		raw, ok := row[name]
		var text string
		var number json.Number
		switch {
		case !ok || string(raw) == "null":
		case json.Unmarshal(raw, &text) == nil:
			cells[name] = text
		// Ids of speakers are often numbers.
		case !slices.Contains(textColumns, name) && json.Unmarshal(raw, &number) == nil:
			cells[name] = number.String()
		default:
			return nil, name
		}
	}
	return cells, ""
}

// isAudioFolder reports whether a file is the metadata of an AudioFolder.
func isAudioFolder(t *tree.Tree, p string) bool {
	switch path.Base(p) {
	case "metadata.csv":
		cells, err := csv.NewReader(strings.NewReader(firstLine(t, p))).Read()
		return err == nil && slices.Contains(cells, "file_name")
	case "metadata.jsonl":
		_, ok := firstRow(t, p)["file_name"]
		return ok
	case "metadata.parquet":
		return hasColumn(t, p, "file_name")
	}
	return false
}

// readAudioFolder reads the metadata of an AudioFolder of Hugging Face: a text for each
// file, without times. A file in a folder train, validation or test (or a usual synonym)
// is in that split. Unknown columns are ignored.
func readAudioFolder(set *Set, manifests []string) {
	for _, p := range manifests {
		readAudioFolderFile(set, p)
	}
}

func readAudioFolderFile(set *Set, p string) {
	each := func(line int, row audioFolderRow) {
		at := Place{p, line}
		if row.File == "" {
			set.Report.Add(p, line, "file_name is required")
			return
		}
		name := row.File
		if set.Found.Own {
			if why := badPath(name); why != "" { // checked before path.Join, which would remove ".."
				set.Report.Add(p, line, "the path %s %s", report.Quote(name), why)
				return
			}
			name = path.Join(path.Dir(p), name)
		}
		if file, ok := set.find(at, name); ok {
			audioFolderRecording(set, at, file, row)
		}
	}
	if strings.HasSuffix(p, ".jsonl") {
		tree.JSONLines(set.Tree, p, func(line int, row map[string]json.RawMessage) {
			cells, wrong := jsonCells(row)
			if wrong != "" {
				set.Report.Add(p, line, "%s is a text, this is %s", wrong, report.Quote(string(row[wrong])))
				return
			}
			each(line, audioFolderOf(cells))
		})
		return
	}
	if strings.HasSuffix(p, ".parquet") {
		set.parquetRows(p, func(line int, cells tree.Row) { each(line, audioFolderOf(cells)) })
		return
	}
	named := false
	set.CSVRows(p, func(_ int, column string) { named = named || column == "file_name" }, func(line int, c tree.Row) {
		if !named {
			return // reported below
		}
		each(line, audioFolderOf(c))
	})
	if !named && !set.Partial(p) {
		set.Stop(p, 1, "has no column file_name")
	}
}

// audioFolderRecording adds the recording of a row, with its text.
func audioFolderRecording(set *Set, at Place, file string, row audioFolderRow) {
	rec := set.recording(at, set.defaultID(file), file)
	if rec == nil {
		return
	}
	if set.Found.Own {
		top, _, nested := strings.Cut(strings.TrimPrefix(file, "audio/"), "/")
		if nested {
			rec.Split = usualSplit(top)
		}
	} else if rec.Split = usualSplit(row.Split); rec.Split == "" {
		rec.Split, rec.guessed = splitOfPath(path.Dir(file)+"/x"), true
	}
	set.text(rec, at, "audiofolder", row.Speaker, row.Text)
	set.Told.language(row.Language)
	if len(rec.Speakers) == 1 {
		set.Told.gender(rec.Speakers[0], row.Gender)
	}
}

// GiveText gives a recording a text without times. at is its file.
func (s *Set) GiveText(rec *Recording, at Place, text string) {
	s.text(rec, at, "plain", "", &text)
}

// text gives a recording its speaker, if there is one, and its text, if that is not nil. The text
// stands for the whole recording: it has no times.
func (s *Set) text(rec *Recording, at Place, format transcript.Format, speaker string, text *string) {
	if name := s.name(at, "the speaker", speaker); name != "" {
		rec.Speakers = []string{name}
	}
	if text == nil {
		return
	}
	one := transcript.Segment{Text: s.spoken(at, *text), Line: max(at.Line, 1)}
	if len(rec.Speakers) == 1 {
		one.Speaker = rec.Speakers[0]
	}
	s.Give(rec, at, format, false, true, []transcript.Segment{one})
}
