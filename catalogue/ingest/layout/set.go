package layout

import (
	"fmt"
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
	Speakers   []string             // see ByChannel
	Roles      []string             // in the order of Speakers
	ByChannel  bool                 // Speakers are in the order of the channels they speak on; else as they appear
	Transcript []transcript.Segment // in order of time; nil if there is none
	// TranscriptFile and TranscriptFormat say where the transcript came from.
	TranscriptFile   string
	TranscriptFormat transcript.Format
	WordTimes        bool
	// Untimed says that the transcript has no times of its own: one segment stands for
	// the whole recording. It gets the times of the recording when that is measured.
	Untimed bool

	guessed bool // Split follows from the name of a folder or file
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
	Found    Found
	Told     Told
	audio    []string              // the audio files, sorted
	byPath   map[string]*Recording // by audio file
	byID     map[string]*Recording // by id in lower case: ids that differ only in case are refused
	at       map[*Recording]Place  // where a manifest names it
	segments map[*Recording]Place  // where its transcript stands
	named    map[string]bool       // audio files that a manifest names, even if that entry is at fault
	defaults map[string]string     // see byDefault
	aliases  map[string]*Recording // by what a manifest calls it, where that is no id
	top      string                // the folder that all audio is in, with a slash; see defaultID
	endings  Endings               // see byEnding
	moved    map[string]move       // see elsewhere; by manifest
	moves    []move                // of all manifests, each once; see remarkMove
	bases    map[string]string     // the folder that the relative paths of a manifest begin in
	foundAs  map[string]string     // the path of another machine that an audio file was found by
	heard    map[string]bool       // see spoke
	limits   tree.Limits
}

// Told is what manifests say about a dataset as a whole. It is no part of the record: a card that
// is written for the folder begins with it.
type Told struct {
	Languages map[string]int    // recordings by language, as the manifest names it
	Genders   map[string]string // "female", "male" or another word, by speaker
	Remarks   []string          // what was left out or guessed: a sentence each
}

// language counts a recording of a language.
func (t *Told) language(name string) {
	// 1000 names are more than any dataset has languages.
	if name = strings.TrimSpace(name); name != "" && len(t.Languages) < 1000 {
		if t.Languages == nil {
			t.Languages = map[string]int{}
		}
		t.Languages[name]++
	}
}

// gender keeps the gender of a speaker.
func (t *Told) gender(speaker, gender string) {
	gender = strings.ToLower(strings.TrimSpace(gender))
	switch {
	case gender == "f" || strings.HasPrefix(gender, "female"):
		gender = "female"
	case gender == "m" || strings.HasPrefix(gender, "male"):
		gender = "male"
	// A class of Hugging Face is a number whose name stands elsewhere.
	case gender == "" || gender == "unknown" || strings.Trim(gender, "0123456789") == "" || len(gender) > 40 || tree.BadName(gender) != "":
		return
	}
	if t.Genders == nil {
		t.Genders = map[string]string{}
	}
	t.Genders[speaker] = gender
}

// Remark adds a sentence to [Told.Remarks].
func (s *Set) Remark(format string, args ...any) {
	s.Told.Remarks = append(s.Told.Remarks, report.Printable(fmt.Sprintf(format, args...)))
}

// Read reads what a folder says its recordings are: from the manifests of the layout that was
// found, from the file of facts, or from the names of the audio files alone. audio is the list
// of audio files.
func Read(t *tree.Tree, found Found, limits tree.Limits, audio []string) *Set {
	s := &Set{
		Tree: t, Found: found, audio: audio, limits: limits, byPath: map[string]*Recording{}, byID: map[string]*Recording{},
		at: map[*Recording]Place{}, segments: map[*Recording]Place{}, named: map[string]bool{}, aliases: map[string]*Recording{},
	}
	s.top = "audio/"
	if !found.Own {
		s.top = commonFolder(audio)
	}
	s.read()
	return s
}

// commonFolder returns the folder that all files are in, with a slash at its end, or "".
func commonFolder(files []string) string {
	if len(files) == 0 {
		return ""
	}
	// Sorted paths have in common what the first and the last have.
	first, last := files[0], files[len(files)-1]
	end := 0
	for i := 0; i < len(first) && i < len(last) && first[i] == last[i]; i++ {
		if first[i] == '/' {
			end = i + 1
		}
	}
	return first[:end]
}

// Recordings returns all recordings, sorted by path. Transcripts may still be added to them.
func (s *Set) Recordings() []*Recording {
	all := make([]*Recording, 0, len(s.byPath))
	for _, p := range slices.Sorted(maps.Keys(s.byPath)) {
		all = append(all, s.byPath[p])
	}
	return all
}

// Find returns the recording with an id, in any case of letters, or with the name that a
// manifest gives it, or nil.
func (s *Set) Find(id string) *Recording {
	if rec := s.aliases[id]; rec != nil {
		return rec
	}
	return s.byID[strings.ToLower(id)]
}

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

// CheckSplits reports recordings without a split where others have one. Where all splits follow from
// the names of folders and files alone, it takes them off instead.
func (s *Set) CheckSplits() {
	all := s.Recordings()
	without := slices.DeleteFunc(slices.Clone(all), func(r *Recording) bool { return r.Split != "" })
	if len(without) == len(all) {
		return
	}
	declared := slices.ContainsFunc(all, func(r *Recording) bool { return r.Split != "" && !r.guessed })
	if !s.Found.Own && !declared && len(factsFiles(s.Tree)) == 0 && len(without) > 0 {
		for _, rec := range all {
			rec.Split = ""
		}
		s.Remark("%d of %d recordings lie in no folder of a split, so the dataset has no splits; write recordings.csv to name them", len(without), len(all))
		return
	}
	for _, rec := range without {
		at := s.at[rec]
		s.Report.Add(at.File, at.Line, "the recording %s has no split, while others do", report.Quote(rec.ID))
	}
}

// find returns the audio file that a manifest names: by its path from the folder of the manifest
// or from the top. A path that is absolute or leads out of the folder is of another machine; see
// elsewhere. Nothing outside of the folder is looked at. If there is no such file, find adds the
// problem and returns false. In our own layout it is the same as file.
func (s *Set) find(at Place, p string) (string, bool) {
	if s.Found.Own {
		return s.file(at, p)
	}
	why := badPath(p)
	if why == "" || why == leaves {
		// The first path that is found says for all of the manifest where they begin.
		bases := []string{path.Dir(at.File), ""}
		if base, known := s.bases[at.File]; known {
			bases = []string{base}
		}
		for _, base := range bases {
			if clean := path.Join(base, p); s.Has(clean) {
				if s.bases == nil {
					s.bases = map[string]string{}
				}
				s.bases[at.File] = base
				return s.file(at, clean)
			}
		}
	}
	switch why {
	// A file with the same name elsewhere in the folder is another recording.
	case "":
		s.Report.Add(at.File, at.Line, "there is no file %s", report.Quote(path.Clean(p)))
	case isAbsolute, leaves:
		return s.elsewhere(at, p, why)
	default:
		s.Report.Add(at.File, at.Line, "the path %s %s", report.Quote(p), why)
	}
	return "", false
}

// move is where the files of another machine lie in the folder: paths that begin with from there
// begin with to here.
type move struct{ from, to string }

// elsewhere returns the audio file of a path of another machine, since manifests are often written
// there: the file whose path has the same end. All paths of a manifest must be found by the same
// move, or else the path of a file that is missing would find another recording of the same name.
func (s *Set) elsewhere(at Place, p, why string) (string, bool) {
	m, known := s.moved[at.File]
	if rest, ok := strings.CutPrefix(p, m.from); known && ok {
		file := path.Clean(m.to + rest)
		if !s.Has(file) {
			s.Report.Add(at.File, at.Line, "there is no file %s, which %s would be: other paths of %s are found so", report.Quote(file), report.Quote(p), at.File)
			return "", false
		}
		return s.once(at, p, file)
	}
	found := s.byEnding(p)
	switch {
	case len(found) == 0:
		s.Report.Add(at.File, at.Line, "the path %s %s", report.Quote(p), why)
		return "", false
	case len(found) > 1:
		s.Report.Add(at.File, at.Line, "the path %s may be %s or %s; write it from the folder of this file", report.Quote(p), report.Quote(found[0]), report.Quote(found[1]))
		return "", false
	case known:
		s.Report.Add(at.File, at.Line, "the path %s may be %s, while others that begin with %s are in %s; write them from the folder of this file",
			report.Quote(p), report.Quote(found[0]), report.Quote(m.from), report.Quote("./"+m.to))
		return "", false
	}
	if s.moved == nil {
		s.moved = map[string]move{}
	}
	// What is before the parts that both have.
	end := 0
	for range commonParts(backwards(found[0]), backwards(p)) {
		end = len(p) - strings.LastIndexByte(p[:len(p)-end], '/')
	}
	end = min(end-1, len(found[0]))
	m = move{p[:len(p)-end], found[0][:len(found[0])-end]}
	if m.doubtful(end == len(path.Base(p))) {
		s.Report.Add(at.File, at.Line, "the path %s may be %s, whose folder has another name; files of two splits often have the same names, so write it from the folder of this file",
			report.Quote(p), report.Quote(found[0]))
		return "", false
	}
	s.remarkMove(m)
	s.moved[at.File] = m
	return s.once(at, p, found[0])
}

// doubtful reports whether a move would find other recordings: in many corpora the files of two
// splits have the same names. byName says that the paths have no more than the name of the file in
// common. A folder that is called like no split may have another name on another machine: then all
// files of the manifest are in it.
func (m move) doubtful(byName bool) bool {
	// The last folders, in front of what both paths have in common.
	from, to := path.Base(m.from), path.Base(m.to)
	for _, name := range []string{from, to} {
		if name == "." || name == "/" || name == ".." || strings.HasSuffix(name, ":") { // a drive
			return false
		}
	}
	x, y := usualSplit(from), usualSplit(to)
	if byName && x == "" && y == "" { // train/wav for /corpus/test/audio
		// That /home/dev/wav is clips does not speak of a split.
		x, y = LastSplit(m.from), LastSplit(m.to)
		return y != "" && x != y
	}
	return x != y && (byName || x != "" && y != "")
}

// LastSplit returns the usual split that the last of the folders so called names, or "".
func LastSplit(dir string) string {
	for _, name := range slices.Backward(strings.Split(dir, "/")) {
		if split := usualSplit(name); split != "" {
			return split
		}
	}
	return ""
}

// maxMoves is how many moves have a remark of their own. A folder may have a manifest of each
// speaker, and all of them from one machine.
const maxMoves = 20

// remarkMove says once where paths of another machine were taken to be.
func (s *Set) remarkMove(m move) {
	switch {
	case slices.Contains(s.moves, m) || len(s.moves) > maxMoves:
		return
	case len(s.moves) == maxMoves:
		s.Remark("paths under further folders of other machines were taken for paths of this folder, too")
	default:
		s.Remark("paths under %s were taken for %s", report.Quote(m.from), report.Quote("./"+m.to))
	}
	s.moves = append(s.moves, m)
}

// once returns a file that a path of another machine was found to be. If another such path is the
// same file, it adds the problem and returns false.
func (s *Set) once(at Place, p, file string) (string, bool) {
	if s.foundAs == nil {
		s.foundAs = map[string]string{}
	}
	if first, again := s.foundAs[file]; again && first != p {
		s.Report.Add(at.File, at.Line, "the path %s may be %s, which was taken for %s; write both from the folder of this file", report.Quote(p), report.Quote(file), report.Quote(first))
		return "", false
	}
	s.foundAs[file] = p
	return s.file(at, file)
}

// byEnding returns the audio files whose paths have the most parts in common with the end of p,
// the last one at least: one file, or two of several.
func (s *Set) byEnding(p string) []string {
	if s.endings == nil {
		s.endings = NewEndings(s.audio)
	}
	return s.endings.Longest(p)
}

// sound returns the audio file dir/stem in any format, with its extension in lower or upper case, or "".
func (s *Set) sound(dir, stem string) string {
	for _, ext := range []string{".flac", ".wav", ".opus", ".ogg", ".mp3", ".sph", ".oga", ".wave", ".rf64", ".bw64"} {
		for _, ext := range []string{ext, strings.ToUpper(ext)} {
			if p := path.Join(dir, stem+ext); s.Has(p) {
				s.named[p] = true
				return p
			}
		}
	}
	return ""
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
	case s.Found.Own && !strings.HasPrefix(clean, "audio/"):
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
	name := id
	if !s.Found.Own {
		id = usableID(id)
	}
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
	if name != id {
		s.aliases[name] = rec
	}
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
			s.defaults[s.defaultID(p)] = p
		}
	}
	return s.defaults
}

// Give gives a recording its transcript. words says that it has times of words, and untimed that it
// has no times: one segment stands for the whole recording. A second transcript of a recording is a
// problem; but in a folder that is not in our own layout, a transcript with times takes the place of
// a text without: corpora come with alignments beside their texts.
func (s *Set) Give(rec *Recording, at Place, format transcript.Format, words, untimed bool, segments []transcript.Segment) {
	first, twice := s.segments[rec]
	if twice && (s.Found.Own || !rec.Untimed || untimed || at.File == first.File) {
		s.Report.Add(at.File, at.Line, "is a second transcript of the recording %s; the first is %s", report.Quote(rec.ID), first.File)
		return
	}
	s.segments[rec] = at
	rec.TranscriptFile, rec.TranscriptFormat, rec.WordTimes, rec.Untimed = at.File, format, words, untimed
	rec.Transcript = segments
	if rec.Transcript == nil {
		rec.Transcript = []transcript.Segment{} // a transcript without segments: nobody speaks, which is not the same as no transcript
	}
}

// splitAgain notes the split that a second manifest gives a recording. One that gives none changes
// nothing; two that differ are a problem.
func (s *Set) splitAgain(rec *Recording, at Place, split string) {
	switch {
	case rec.Split == "":
		rec.Split, rec.guessed = split, true
	case split != "" && split != rec.Split:
		s.Report.Add(at.File, at.Line, "puts the recording %s into the split %s; %s puts it into %s", report.Quote(rec.ID), split, s.at[rec].File, rec.Split)
	}
}
