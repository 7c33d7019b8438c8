// Package folder reads the folder of a dataset: its card, the list of its audio files, what
// its manifests say about them, and its transcripts. It decodes no audio.
//
// The folder is the work of strangers. Every fault is reported, each with its file and line,
// and a folder with a fault is not read in part: [Read] returns it whole or not at all.
package folder

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
)

// Folder is a folder that was read and has no faults.
type Folder struct {
	Dir        string // absolute path
	Card       card.Card
	CardFile   string             // path in the folder
	Recordings []layout.Recording // sorted by ID
	Unused     Unused             // files that nothing was read from

	seen   map[string]fs.FileInfo // its files, as they were when they were listed
	limits Limits
}

// Read reads the folder dir. The error is [report.Problems] with all that is wrong.
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
//     Kaldi if there is wav.scp; NeMo if there is manifest.jsonl or manifest.json;
//     AudioFolder of Hugging Face if there is metadata.csv or metadata.jsonl, beside
//     the card or in audio/; Lhotse if there is recordings.jsonl.gz, or
//     recordings.jsonl whose first row has sources.
//
// A manifest or a file of facts must name every audio file and nothing else. Paths are
// relative to the folder, and audio is in audio/. Other files, such as a README, are not
// read; [Folder.Unused] names them.
func Read(dir string, limits Limits) (*Folder, error) {
	limits = limits.orDefault()
	problems := report.New(limits.Problems)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, report.Problems{{Message: "the folder cannot be found: " + report.Reason(err)}}
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, report.Problems{{Message: "the folder cannot be opened: " + report.Reason(err)}}
	}
	defer root.Close()
	files := tree.List(root, limits.tree(), problems)
	r := &reader{Tree: files, limits: limits, folder: &Folder{Dir: abs, seen: files.Files(), limits: limits}}
	sampleLine := r.card()
	audio := r.audio()
	r.set = layout.Read(files, limits.tree(), audio)
	// Transcripts name recordings, so the manifests must be read before.
	r.transcripts()
	// Even when there are problems already: one run reports as many faults as it can.
	r.finish(len(audio), sampleLine)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	r.folder.Unused = unused(files)
	return r.folder, nil
}

// NewReport returns an empty report for problems that are found after the folder was read.
func (f *Folder) NewReport() *report.Report { return report.New(f.limits.Problems) }

// Open opens a file of the folder that was listed by [Read]. root must be the folder. The
// error is [tree.ErrChanged] if the file is not the same any more.
func (f *Folder) Open(root *os.Root, path string) (*os.File, error) {
	return tree.OpenSeen(root, path, f.seen[path])
}

// Size returns the size that a file had when it was listed, or -1 if there was none.
func (f *Folder) Size(path string) int64 {
	if info := f.seen[path]; info != nil {
		return info.Size()
	}
	return -1
}

// reader reads a folder.
type reader struct {
	*tree.Tree
	limits Limits
	folder *Folder
	set    *layout.Set
}

// card reads the card and returns the line of its key sample.
func (r *reader) card() (sampleLine int) {
	var found []string
	for _, name := range []string{"card.json", "card.yaml", "card.yml"} {
		if r.Has(name) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		if len(found) == 0 {
			r.Report.Add("", 0, "there is no card: a folder has card.yaml or card.json")
		} else {
			r.Report.Add(found[1], 0, "is a second card beside %s; a folder has one", found[0])
		}
		return 0
	}
	name := found[0]
	r.folder.CardFile = name
	if size := r.folder.Size(name); size > card.MaxBytes {
		r.Report.Add(name, 0, "has %d bytes; a card has up to %d", size, card.MaxBytes)
		return 0
	}
	src, err := r.ReadAll(name, card.MaxBytes)
	if err != nil {
		r.Report.Add(name, 0, "%s", report.Reason(err))
		return 0
	}
	parsed, lines, faults := card.Parse(src, name == "card.json")
	for _, f := range faults {
		r.Report.Add(name, f.Line, "%s", f.Message)
	}
	r.folder.Card = parsed
	return lines["sample"]
}

// finish checks what can be checked only when everything is read, and fills in the
// recordings.
func (r *reader) finish(audioFiles, sampleLine int) {
	if audioFiles == 0 {
		r.Report.Add("", 0, "there is no audio: a folder has its audio files in audio/")
	}
	for _, rec := range r.set.Recordings() {
		r.folder.Recordings = append(r.folder.Recordings, *rec)
	}
	slices.SortFunc(r.folder.Recordings, func(a, b layout.Recording) int { return strings.Compare(a.ID, b.ID) })
	r.set.CheckSplits()
	id := r.folder.Card.Sample
	if id == "" {
		return
	}
	if rec := r.set.Find(id); rec == nil || rec.ID != id {
		hint := ""
		if nearest := r.set.Nearest(id); nearest != "" {
			hint = "; the nearest is " + report.Quote(nearest)
		}
		r.Report.Add(r.folder.CardFile, sampleLine, "sample is the id of a recording; there is no %s%s", report.Quote(id), hint)
	}
}
