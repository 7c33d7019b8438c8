package ingest

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaak/catalogue/transcript"
)

// ReadFolder reads the folder dir: its card, the list of its audio files, its
// transcripts and its manifests; nothing is decoded yet. The error is [Problems]
// with all that is wrong.
//
// A folder holds
//
//   - card.yaml, card.yml or card.json, one of them;
//   - audio/, the audio files, in folders of any name;
//   - transcripts/, which match the audio by their path without extension
//     (audio/a/x.flac and transcripts/a/x.TextGrid), or by the names of recordings
//     inside a file that holds several (RTTM, CTM, STM, SegLST, tables);
//   - recordings.csv or recordings.jsonl, facts of each file: id, path, split,
//     speakers, roles, session;
//   - at most one manifest of another tool, which says what the recordings are:
//     Kaldi where there is wav.scp; NeMo where there is manifest.jsonl or
//     manifest.json; AudioFolder of Hugging Face where there is metadata.csv or
//     metadata.jsonl, beside the card or in audio/; Lhotse where there is
//     supervisions.jsonl or recordings.jsonl.gz, or recordings.jsonl whose first
//     row has sources.
//
// Where there is a manifest or a file of facts, it has each audio file, and no
// other. Paths are below the folder, and audio lies in audio/. Other files, such as a
// README, are left alone and named in [Folder.Unused].
func ReadFolder(dir string, limits Limits) (*Folder, error) {
	limits = limits.orDefault()
	report := newReport(limits)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, Problems{{Message: "the folder cannot be found: " + reason(err)}}
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, Problems{{Message: "the folder cannot be opened: " + reason(err)}}
	}
	defer root.Close()
	r := &reader{
		tree:   &tree{root: root, limits: limits, report: report, files: map[string]fs.FileInfo{}, unread: map[string]bool{}, opened: map[string]bool{}},
		byPath: map[string]*Recording{}, byID: map[string]*Recording{}, at: map[*Recording]place{},
		segments: map[*Recording]place{}, named: map[string]bool{},
	}
	r.walk(".", 0)
	folder := &Folder{dir: abs, seen: r.files, limits: limits}
	sampleLine := r.card(folder)
	r.audio()
	r.manifests()
	r.transcripts()
	r.finish(folder, sampleLine)
	if err := report.err(); err != nil {
		return nil, err
	}
	folder.Unused = r.unused()
	return folder, nil
}

// place is where a fact stands.
type place struct {
	file string
	line int
}

// reader reads a folder. Recordings are kept by their audio file and by their id
// in lower case.
type reader struct {
	*tree
	paths    []string // of the audio files
	byPath   map[string]*Recording
	byID     map[string]*Recording
	at       map[*Recording]place // where a manifest names it
	segments map[*Recording]place // where its transcript stands
	named    map[string]bool      // audio files that a manifest names, even with a fault
	defaults map[string]string    // see byDefault
}

// card reads the card into the folder and returns the line of its sample.
func (r *reader) card(folder *Folder) (sampleLine int) {
	var found []string
	for _, name := range []string{"card.json", "card.yaml", "card.yml"} {
		if r.has(name) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		if len(found) == 0 {
			r.report.add("", 0, "there is no card: a folder has card.yaml or card.json")
		} else {
			r.report.add(found[1], 0, "is a second card beside %s; a folder has one", found[0])
		}
		return 0
	}
	name := found[0]
	folder.CardFile = name
	if size := r.files[name].Size(); size > maxCardBytes {
		r.report.add(name, 0, "has %d bytes; a card has up to %d", size, maxCardBytes)
		return 0
	}
	src, err := r.readAll(name, maxCardBytes)
	if err != nil {
		r.report.add(name, 0, "%s", reason(err))
		return 0
	}
	card, lines, faults := parseCard(src, name == "card.json")
	for _, f := range faults {
		line := 0
		if cf, ok := f.(cardFault); ok {
			line = cf.line
		}
		r.report.add(name, line, "%s", f)
	}
	folder.Card = card
	return lines["sample"]
}

func (r *reader) readAll(p string, most int64) ([]byte, error) {
	m, err := r.openMeta(p, most)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return io.ReadAll(m)
}

// finish checks what can be checked when all is read, and fills the folder.
func (r *reader) finish(folder *Folder, sampleLine int) {
	if len(r.paths) == 0 {
		r.report.add("", 0, "there is no audio: a folder has its audio files in audio/")
	}
	for _, rec := range r.byPath {
		folder.Recordings = append(folder.Recordings, *rec)
	}
	slices.SortFunc(folder.Recordings, func(a, b Recording) int { return strings.Compare(a.ID, b.ID) })
	r.splits()
	if id := folder.Card.Sample; id != "" {
		if rec, ok := r.byID[strings.ToLower(id)]; !ok || rec.ID != id {
			r.report.add(folder.CardFile, sampleLine, "sample is the id of a recording; there is no %s%s", shown(id), r.likeID(id))
		}
	}
}

// likeID names the recording whose id looks most like id.
func (r *reader) likeID(id string) string {
	ids := slices.Sorted(maps.Keys(r.byID))
	if len(ids) == 0 || len(ids) > 10_000 {
		return ""
	}
	return "; the nearest is " + shown(r.byID[nearestName(strings.ToLower(id), ids)].ID)
}

// splits tells of recordings without a split where others have one.
func (r *reader) splits() {
	with := 0
	for _, rec := range r.byPath {
		if rec.Split != "" {
			with++
		}
	}
	if with == 0 || with == len(r.byPath) {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(r.byPath)) {
		if rec := r.byPath[p]; rec.Split == "" {
			at := r.at[rec]
			r.report.add(at.file, at.line, "the recording %s has no split, while others do", shown(rec.ID))
		}
	}
}

// give gives a recording its transcript, which it may have once.
func (r *reader) give(rec *Recording, at place, format transcript.Format, words bool, segments []transcript.Segment) {
	if first, twice := r.segments[rec]; twice {
		r.report.add(at.file, at.line, "is a second transcript of the recording %s; the first is %s", shown(rec.ID), first.file)
		return
	}
	r.segments[rec] = at
	rec.TranscriptFile, rec.TranscriptFormat, rec.WordTimes = at.file, format, words
	rec.Transcript = segments
	if rec.Transcript == nil {
		rec.Transcript = []transcript.Segment{} // silence that was transcribed as such
	}
}
