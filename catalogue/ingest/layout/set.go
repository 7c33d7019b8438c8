package layout

import (
	"maps"
	"path"
	"slices"
	"strings"

	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
)

// Recording is one audio file of a folder, and what the folder says about it.
type Recording struct {
	ID         string               // unique in the folder, made of [A-Za-z0-9._-]; from its manifest or from its path
	Path       string               // of the audio file in the folder, with slashes
	Split      string               // "train", "validation", "test" or another; "" is unknown
	Session    string               // name of a conversation that is in several files; "" is unknown
	Speakers   []string             // by channel if each channel has one
	Roles      []string             // in the order of Speakers
	Transcript []transcript.Segment // in order of time; nil if there is none
	// TranscriptFile and TranscriptFormat say where the transcript came from.
	TranscriptFile   string
	TranscriptFormat transcript.Format
	WordTimes        bool
	// Untimed says that the transcript has no times of its own: one segment stands for
	// the whole recording. It gets the times of the recording when that is measured.
	Untimed bool
}

// Place is where something stands in the folder.
type Place struct {
	File string
	Line int // from 1; 0 is the file as a whole
}

// Set is the recordings of a folder while it is read. Layouts add recordings and what they
// know about them; every fault goes into the report of the tree.
type Set struct {
	*tree.Tree
	audio    []string              // the audio files, sorted
	byPath   map[string]*Recording // by audio file
	byID     map[string]*Recording // by id in lower case: ids that differ only in case are refused
	at       map[*Recording]Place  // where a manifest names it
	segments map[*Recording]Place  // where its transcript stands
	named    map[string]bool       // audio files that a manifest names, even if that entry is at fault
	defaults map[string]string     // see byDefault
	limits   tree.Limits
}

// Read reads what a folder says its recordings are: from the manifest of another tool, from
// the file of facts, or from the names of the audio files alone. audio is the list of
// audio files.
func Read(t *tree.Tree, limits tree.Limits, audio []string) *Set {
	s := &Set{
		Tree: t, audio: audio, limits: limits, byPath: map[string]*Recording{}, byID: map[string]*Recording{},
		at: map[*Recording]Place{}, segments: map[*Recording]Place{}, named: map[string]bool{},
	}
	s.read()
	return s
}

// Recordings returns all recordings, sorted by path. Transcripts may still be added to them.
func (s *Set) Recordings() []*Recording {
	all := make([]*Recording, 0, len(s.byPath))
	for _, p := range slices.Sorted(maps.Keys(s.byPath)) {
		all = append(all, s.byPath[p])
	}
	return all
}

// Find returns the recording with an id, in any case of letters, or nil.
func (s *Set) Find(id string) *Recording { return s.byID[strings.ToLower(id)] }

// Nearest returns the id of the recording that is most like id, or "" where there are none
// or too many to compare.
func (s *Set) Nearest(id string) string {
	const most = 10_000
	ids := slices.Sorted(maps.Keys(s.byID))
	if len(ids) == 0 || len(ids) > most {
		return ""
	}
	return s.byID[card.Nearest(strings.ToLower(id), ids)].ID
}

// CheckSplits reports recordings without a split where others have one.
func (s *Set) CheckSplits() {
	all := s.Recordings()
	without := slices.DeleteFunc(slices.Clone(all), func(r *Recording) bool { return r.Split != "" })
	if len(without) == len(all) {
		return
	}
	for _, rec := range without {
		at := s.at[rec]
		s.Report.Add(at.File, at.Line, "the recording %s has no split, while others do", report.Quote(rec.ID))
	}
}

// file returns the audio file that a manifest names. If there is none, it adds the problem
// and returns false.
func (s *Set) file(at Place, p string) (string, bool) {
	if why := badPath(p); why != "" {
		s.Report.Add(at.File, at.Line, "the path %s %s", report.Quote(p), why)
		return "", false
	}
	clean := path.Clean(p)
	switch {
	case !strings.HasPrefix(clean, "audio/"):
		s.Report.Add(at.File, at.Line, "the path %s is not below audio/", report.Quote(p))
	case !s.Has(clean):
		s.Report.Add(at.File, at.Line, "there is no file %s", report.Quote(clean))
	case !AudioExtensions[strings.ToLower(path.Ext(clean))]:
		s.Report.Add(at.File, at.Line, "the file %s is not audio by its name", report.Quote(clean))
	default:
		s.named[clean] = true
		return clean, true
	}
	return "", false
}

// recording adds a recording. If its id or file cannot be used, it adds the problem and
// returns nil.
func (s *Set) recording(at Place, id, p string) *Recording {
	if why := badID(id); why != "" {
		s.Report.Add(at.File, at.Line, "the id %s cannot be used: %s", report.Quote(id), why)
		return nil
	}
	// One file cannot be two recordings, whatever ids a manifest gives it.
	if first := s.byPath[p]; first != nil {
		s.Report.Add(at.File, at.Line, "the file %s is there twice, first as %s", report.Quote(p), report.Quote(first.ID))
		return nil
	}
	// Ids that differ only in case would be confused, by people and by file systems.
	if first := s.byID[strings.ToLower(id)]; first != nil {
		s.Report.Add(at.File, at.Line, "the id %s is there twice (in upper and lower case alike): %s and %s", report.Quote(id), first.Path, p)
		return nil
	}
	rec := &Recording{ID: id, Path: p}
	s.byPath[p], s.byID[strings.ToLower(id)], s.at[rec] = rec, rec, at
	return rec
}

// unlisted reports audio files that a manifest does not name. It says nothing about a
// manifest that was not read to its end.
func (s *Set) unlisted(manifest string) {
	if s.Partial(manifest) {
		return
	}
	for _, p := range s.audio {
		if !s.named[p] {
			s.Report.Add(p, 0, "is not in %s", manifest)
		}
	}
}

// byDefault returns the audio files by the ids that defaultID makes of their paths. It is
// made on the first call.
func (s *Set) byDefault() map[string]string {
	if s.defaults == nil {
		s.defaults = make(map[string]string, len(s.audio))
		for _, p := range s.audio {
			s.defaults[defaultID(p)] = p
		}
	}
	return s.defaults
}

// Give gives a recording its transcript. A second transcript of a recording is a problem.
// words says that it has times of words.
func (s *Set) Give(rec *Recording, at Place, format transcript.Format, words bool, segments []transcript.Segment) {
	if first, twice := s.segments[rec]; twice {
		s.Report.Add(at.File, at.Line, "is a second transcript of the recording %s; the first is %s", report.Quote(rec.ID), first.File)
		return
	}
	s.segments[rec] = at
	rec.TranscriptFile, rec.TranscriptFormat, rec.WordTimes = at.File, format, words
	rec.Transcript = segments
	if rec.Transcript == nil {
		rec.Transcript = []transcript.Segment{} // a transcript without segments: nobody speaks, which is not the same as no transcript
	}
}
