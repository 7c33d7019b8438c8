package layout

import (
	"path"
	"regexp"
	"strings"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
)

// librispeechPart matches the folder of a part of LibriSpeech, such as train-clean-100.
var librispeechPart = regexp.MustCompile(`^(train|dev|test)(-[a-z0-9-]+)?$`)

// readLibriSpeech reads folders of LibriSpeech and of corpora that are laid out like it: a file
// SPEAKER-CHAPTER.trans.txt in each folder of a chapter, with an utterance and its text on each
// line, and the utterances beside it. Texts have no times. The speaker is the number before the
// first hyphen.
func readLibriSpeech(s *Set, manifests []string) {
	for _, p := range manifests {
		split := ""
		for part := range strings.SplitSeq(path.Dir(p), "/") {
			if low := strings.ToLower(part); librispeechPart.MatchString(low) {
				split = low
			}
		}
		s.Lines(p, func(line int, text string) {
			id, words, _ := strings.Cut(strings.TrimSpace(text), " ")
			at := Place{p, line}
			s.utterance(at, "librispeech", path.Dir(p), id, firstPart(id, "-"), split, words)
		})
	}
	s.speakersFile("SPEAKERS.TXT")
}

// utterance adds the recording dir/id in any audio format, with its text. A file that is not
// there, or an id that is none, is a problem.
func (s *Set) utterance(at Place, format transcript.Format, dir, id, speaker, split, words string) {
	if why := badID(id); why != "" {
		s.Report.Add(at.File, at.Line, "a line begins with the name of an utterance, this is %s", report.Quote(id))
		return
	}
	file := s.sound(dir, id)
	if file == "" {
		s.Report.Add(at.File, at.Line, "there is no audio file %s.flac, nor in another format", report.Quote(path.Join(dir, id)))
		return
	}
	if rec := s.recording(at, id, file); rec != nil {
		rec.Split, rec.guessed = split, true
		s.text(rec, at, format, speaker, &words)
	}
}

// firstPart returns what is before a separator, or "" if there is none.
func firstPart(s, sep string) string {
	first, _, ok := strings.Cut(s, sep)
	if !ok {
		return ""
	}
	return first
}

// speakersFile reads tables of speakers, with | between the columns, whose second column is F
// or M: SPEAKERS.TXT of LibriSpeech and metainfo.txt of MLS. Lines that begin with ; are comments.
func (s *Set) speakersFile(name string) {
	for _, p := range s.Sorted() {
		if path.Base(p) != name {
			continue
		}
		s.Lines(p, func(_ int, text string) {
			cells := strings.Split(text, "|")
			if len(cells) < 3 || strings.HasPrefix(text, ";") {
				return
			}
			speaker := strings.TrimSpace(cells[0])
			if s.spoke(speaker) {
				s.Told.gender(speaker, cells[1])
			}
		})
	}
}

// spoke reports whether a recording has a speaker of this name: tables of speakers list those of
// the whole corpus.
func (s *Set) spoke(name string) bool {
	if s.heard == nil {
		s.heard = map[string]bool{}
		for _, rec := range s.byPath {
			for _, speaker := range rec.Speakers {
				s.heard[speaker] = true
			}
		}
	}
	return s.heard[name]
}

// isMLS reports whether a file has the transcripts of a part of Multilingual LibriSpeech, by its name
// and its first line.
func isMLS(t *tree.Tree, p string) bool {
	if path.Base(p) != "transcripts.txt" {
		return false
	}
	id, _, tab := strings.Cut(firstLine(t, p), "\t")
	return tab && mlsID.MatchString(id)
}

// mlsID matches an utterance of MLS: speaker, book and number.
var mlsID = regexp.MustCompile(`^[0-9]+_[0-9]+_[0-9]+$`)

// readMLS reads the parts of Multilingual LibriSpeech: transcripts.txt, with an utterance, a tab
// and its text on each line, and audio/SPEAKER/BOOK/UTTERANCE. Texts have no times.
func readMLS(s *Set, manifests []string) {
	for _, p := range manifests {
		split := usualSplit(path.Base(path.Dir(p)))
		for part := range strings.SplitSeq(path.Dir(p), "/") {
			if language, ok := strings.CutPrefix(part, "mls_"); ok {
				s.Told.language(strings.TrimSuffix(language, "_opus"))
			}
		}
		s.Lines(p, func(line int, text string) {
			id, words, _ := strings.Cut(text, "\t")
			at := Place{p, line}
			parts := strings.Split(id, "_")
			if !mlsID.MatchString(id) {
				s.Report.Add(p, line, "a line begins with an utterance such as 1844_931_000003 and a tab, this is %s", report.Quote(text))
				return
			}
			s.utterance(at, "mls", path.Join(path.Dir(p), "audio", parts[0], parts[1]), id, parts[0], split, words)
		})
	}
	s.speakersFile("metainfo.txt")
}
