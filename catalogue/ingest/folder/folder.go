// Package folder reads the folder of a dataset: its card, the list of its audio files, what
// its manifests say about them, and its transcripts. It decodes no audio.
//
// The folder is the work of strangers. Every fault is reported, each with its file and line,
// and a folder with a fault is not read in part: [Read] returns it whole or not at all.
package folder

import (
	"context"
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

	// Layout is the layout that the folder is in, and Told what its manifests say of the dataset.
	Layout layout.Found
	Told   layout.Told

	seen   tree.Entries // its files, as they were when they were listed
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
//
// A folder without audio/, or with the manifests of a known layout anywhere, is read as it is:
// [layout.Recognise] says in which layout it is. Its audio may lie anywhere, transcripts lie
// beside it or are called like it, and audio that the layout does not name is not used.
//
// The files in zip and tar archives are read as if they were unpacked where the archive lies. Where
// audio/ has files, archives outside of audio/ and transcripts/ are not looked into.
//
// Tables with audio in them are decompressed to be listed, which takes as long as reading them. The
// error is that of ctx if ctx is done before all is read.
func Read(ctx context.Context, dir string, limits Limits) (*Folder, error) {
	s := Inspect(ctx, dir, limits)
	if s.Problems != nil {
		return nil, s.Problems
	}
	return s.Folder, nil
}

// Seen is what there is to see in a folder, even one that cannot be brought in yet.
type Seen struct {
	Folder   *Folder // as far as it could be read; never nil
	HasCard  bool    // the folder has a card, good or bad
	Audio    int     // audio files, used or not
	Bytes    int64   // of all audio files
	Problems error   // [report.Problems], or nil; a missing card is one. Or that of the context.
}

// Inspect reads a folder like [Read], and returns what it saw with the problems. It writes nothing.
func Inspect(ctx context.Context, dir string, limits Limits) Seen {
	limits = limits.orDefault()
	problems := report.New(limits.Problems)
	seen := Seen{Folder: &Folder{Dir: dir, limits: limits}}
	abs, err := filepath.Abs(dir)
	if err != nil {
		seen.Problems = report.Problems{{Message: "the folder cannot be found: " + report.Reason(err)}}
		return seen
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		seen.Problems = report.Problems{{Message: "the folder cannot be opened: " + report.Reason(err)}}
		return seen
	}
	defer root.Close()
	files := tree.List(ctx, root, limits.tree(), func(t *tree.Tree) []tree.Container { return containers(t, limits) }, problems)
	seen.Folder.Dir, seen.Folder.seen = abs, files.Files()
	r := &reader{Tree: files, limits: limits, folder: seen.Folder}
	if seen.Problems = ctx.Err(); seen.Problems != nil {
		return seen
	}
	sampleLine := r.card(&seen.HasCard)
	seen.Folder.Layout = layout.Recognise(files)
	audio := r.audio()
	r.set = layout.Read(files, seen.Folder.Layout, limits.tree(), audio)
	// Transcripts name recordings, so the manifests must be read before.
	r.transcripts()
	// Even when there are problems already: one run reports as many faults as it can.
	r.finish(len(audio), sampleLine)
	for _, p := range audio {
		seen.Bytes += files.Files()[p].Size()
	}
	// Reading that was stopped leaves faults that are none.
	if seen.Problems = ctx.Err(); seen.Problems == nil {
		seen.Problems = problems.Err()
	}
	seen.Audio = len(audio)
	seen.Folder.Told, seen.Folder.Unused = r.set.Told, unused(files, seen.Folder.Layout)
	return seen
}

// NewReport returns an empty report for problems that are found after the folder was read.
func (f *Folder) NewReport() *report.Report { return report.New(f.limits.Problems) }

// Open opens a file of the folder that was listed by [Read]. root must be the folder. The
// error is [tree.ErrChanged] if the file is not the same any more.
func (f *Folder) Open(root *os.Root, path string) (tree.File, error) {
	return f.seen.Open(root, path)
}

// Packed reports whether a recording of the folder is in an archive or in another file that holds
// several. Such a path is no path of the file system.
func (f *Folder) Packed() bool {
	return slices.ContainsFunc(f.Recordings, func(r layout.Recording) bool { return f.seen[r.Path].In() != "" })
}

// Size returns the size that a file had when it was listed, or -1 if there was none.
func (f *Folder) Size(path string) int64 {
	if one, ok := f.seen[path]; ok {
		return one.Size()
	}
	return -1
}

// Cards are the names that a card may have.
var Cards = []string{"card.json", "card.yaml", "card.yml"}

// NoCard is the problem of a folder without a card.
const NoCard = "there is no card: a folder has card.yaml or card.json; vaak dataset init writes one"

// reader reads a folder.
type reader struct {
	*tree.Tree
	limits Limits
	folder *Folder
	set    *layout.Set
	stems  map[string]bool // see index
}

// card reads the card and returns the line of its key sample. It sets has if there is a card.
func (r *reader) card(has *bool) (sampleLine int) {
	var found []string
	for _, name := range Cards {
		if r.Has(name) {
			found = append(found, name)
		}
	}
	*has = len(found) > 0
	if len(found) != 1 {
		if len(found) == 0 {
			r.Report.Add("", 0, NoCard)
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
	r.set.CheckSplits()
	for _, rec := range r.set.Recordings() {
		if r.Stopped() {
			return
		}
		if !r.folder.Layout.Own {
			r.sniff(rec.Path)
		}
		r.folder.Recordings = append(r.folder.Recordings, *rec)
	}
	slices.SortFunc(r.folder.Recordings, func(a, b layout.Recording) int { return strings.Compare(a.ID, b.ID) })
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
