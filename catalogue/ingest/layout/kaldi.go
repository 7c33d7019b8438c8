package layout

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/transcript"
)

// kaldiArchive matches an entry that points into an archive of Kaldi, which is binary.
var kaldiArchive = regexp.MustCompile(`\.ark(:[0-9]+)?$`)

// kaldi reads a data directory of Kaldi or ESPnet (https://kaldi-asr.org/doc/data_prep.html). In a
// folder that is not in our own layout there may be several, one for each split.
//
// A recording is a file in wav.scp. Where several entries name one file,
// reco2file_and_channel says which channel each is, and its name of the file is the id of
// the recording. Without a file of segments, an utterance is a whole recording and has no
// times.
type kaldi struct {
	*Set
	dir        string                // of the files, with a slash; "" is the top
	split      string                // that the directory is called like; "" is none
	entries    map[string]kaldiEntry // by their names in wav.scp
	utterances map[string]*kaldiUtterance
	timed      bool // the directory has a file of segments
}

// kaldiEntry is what an entry of wav.scp names.
type kaldiEntry struct {
	rec     *Recording
	channel int // from 1; 0 is all of them
}

// kaldiUtterance is an utterance with what was read about it so far.
type kaldiUtterance struct {
	at      Place
	entry   kaldiEntry
	segment transcript.Segment
	text    bool // the file text has a line of it
}

// readKaldi reads the data directories with these files wav.scp.
func readKaldi(s *Set, manifests []string) {
	for _, p := range manifests {
		k := &kaldi{Set: s, entries: map[string]kaldiEntry{}, utterances: map[string]*kaldiUtterance{}}
		if dir := path.Dir(p); dir != "." {
			k.dir = dir + "/"
			k.split, _ = splitName(path.Base(dir))
			if len(manifests) == 1 {
				k.split = usualSplit(path.Base(dir))
			}
		}
		k.read(p)
	}
}

// read reads the files in the order in which they build on each other: entries, utterances,
// then what is said of them.
func (k *kaldi) read(p string) {
	k.scp(p)
	if k.timed = k.Has(k.dir + "segments"); k.timed {
		k.pairs(k.dir+"segments", k.segment)
	}
	spoken := k.Has(k.dir + "text")
	if spoken {
		k.pairs(k.dir+"text", k.text)
	}
	k.pairs(k.dir+"utt2spk", k.speaker)
	k.pairs(k.dir+"spk2gender", func(at Place, key, value string) {
		if name := k.name(at, "the speaker", key); name != "" {
			k.Told.gender(name, value)
		}
	})
	k.pairs(k.dir+"utt2lang", func(_ Place, _, value string) { k.Told.language(value) })
	k.giveAll(spoken)
}

// pairs calls each with the first word of every line of a file, and with what follows it. There
// may be no such file.
func (k *kaldi) pairs(p string, each func(at Place, key, value string)) {
	if !k.Has(p) {
		return
	}
	k.Lines(p, func(line int, text string) {
		text = strings.TrimSpace(text)
		key, value := text, ""
		if i := strings.IndexAny(text, " \t"); i >= 0 {
			key, value = text[:i], strings.TrimSpace(text[i:])
		}
		each(Place{p, line}, key, value)
	})
}

// scpRow is a line of wav.scp.
type scpRow struct {
	at        Place
	key, path string
}

// scp reads wav.scp. Entries are gathered by file first, because several may share one.
func (k *kaldi) scp(p string) {
	channels := k.channels()
	rows := map[string][]scpRow{} // by path
	keys := map[string]bool{}
	k.pairs(p, func(at Place, key, value string) {
		if file := decodedBy(value); file != "" && !k.Found.Own {
			value = file
		}
		switch {
		// Kaldi runs such entries in a shell. A folder comes from a stranger, so nothing of
		// it is ever run.
		case strings.Contains(value, "|"):
			k.Report.Add(at.File, at.Line, "the entry %s is a command (%s); commands are not run: write its output to a file", report.Quote(key), report.Quote(value))
		case kaldiArchive.MatchString(value):
			k.Report.Add(at.File, at.Line, "the entry %s is in an archive of Kaldi; unpack it first", report.Quote(key))
		case keys[key]:
			k.Report.Add(at.File, at.Line, "the entry %s is there twice", report.Quote(key))
		default:
			keys[key] = true
			if file, ok := k.find(at, value); ok {
				rows[file] = append(rows[file], scpRow{at, key, file})
			}
		}
	})
	for _, file := range slices.Sorted(maps.Keys(rows)) {
		k.entry(rows[file], channels)
	}
}

// decodedBy returns the file that a command of wav.scp does nothing but decode, or "". The file is
// then read in place of running the command: recipes write "flac -c -d -s x.flac |",
// "sph2pipe -f wav x.sph |" and "cat x.wav |".
func decodedBy(command string) string {
	words := strings.Fields(command)
	if len(words) < 3 || words[len(words)-1] != "|" || strings.Count(command, "|") != 1 {
		return ""
	}
	plain := map[string]string{"flac": "-c -d -s -cd -dc -dcs -cds --silent --stdout --decode", "sph2pipe": "-f wav -p", "cat": ""}
	flags, known := plain[path.Base(words[0])]
	if !known {
		return ""
	}
	for _, word := range words[1 : len(words)-2] {
		if !slices.Contains(strings.Fields(flags), word) {
			return ""
		}
	}
	file := words[len(words)-2]
	if file[0] == '-' || strings.ContainsAny(file, "\"'`$;&<>(){}*?") {
		return ""
	}
	return file
}

// kaldiChannel is a line of reco2file_and_channel.
type kaldiChannel struct {
	file    string
	channel int
}

// channels reads reco2file_and_channel, by entries of wav.scp. Channels are letters from A or
// numbers from 1.
func (k *kaldi) channels() map[string]kaldiChannel {
	all := map[string]kaldiChannel{}
	k.pairs(k.dir+"reco2file_and_channel", func(at Place, key, value string) {
		words := strings.Fields(value)
		if len(words) != 2 {
			k.Report.Add(at.File, at.Line, "has %d words; a line is a recording, its file and its channel", len(words)+1)
			return
		}
		n, err := strconv.Atoi(words[1])
		// Recipes write channels as letters (A, B) or as numbers.
		if len(words[1]) == 1 && 'A' <= words[1][0] && words[1][0] <= 'H' {
			n, err = int(words[1][0]-'A')+1, nil
		}
		if err != nil || n < 1 || n > 256 {
			k.Report.Add(at.File, at.Line, "the channel is A, B or a number from 1, this is %s", report.Quote(words[1]))
			return
		}
		all[key] = kaldiChannel{words[0], n}
	})
	return all
}

// entry adds the recording of one file. rows are the entries that name it.
func (k *kaldi) entry(rows []scpRow, channels map[string]kaldiChannel) {
	first := rows[0]
	id := first.key
	if len(rows) > 1 {
		id = channels[first.key].file
	}
	// Several entries for one file are its channels, so each must have another channel of the same
	// file.
	taken := map[int]bool{}
	for _, row := range rows {
		c := channels[row.key]
		if len(rows) > 1 && (c.channel == 0 || c.file != id || taken[c.channel]) {
			k.Report.Add(row.at.File, row.at.Line, "the file %s is there twice, first as %s; entries share a file where reco2file_and_channel gives each its channel", report.Quote(row.path), report.Quote(first.key))
			return
		}
		taken[c.channel] = true
	}
	rec := k.recording(first.at, id, first.path)
	if rec == nil {
		return
	}
	rec.Split, rec.guessed = k.split, true
	for _, row := range rows {
		k.entries[row.key] = kaldiEntry{rec, channels[row.key].channel}
	}
}

// segment reads a line of segments: utterance, entry, start, end.
func (k *kaldi) segment(at Place, key, value string) {
	words := strings.Fields(value)
	if len(words) != 3 {
		k.Report.Add(at.File, at.Line, "has %d words; a line is an utterance, its recording, its start and its end", len(words)+1)
		return
	}
	if k.utterances[key] != nil {
		k.Report.Add(at.File, at.Line, "the utterance %s is there twice, first in line %d", report.Quote(key), k.utterances[key].segment.Line)
		return
	}
	entry, ok := k.entries[words[0]]
	if !ok {
		k.Report.Add(at.File, at.Line, "there is no recording %s in wav.scp", report.Quote(words[0]))
		return
	}
	start, ok1 := k.seconds(at, "start", words[1])
	end, ok2 := k.seconds(at, "end", words[2])
	if ok1 && ok2 && k.span(at, start, end) {
		k.utterances[key] = &kaldiUtterance{at: at, entry: entry, segment: transcript.Segment{Start: start, End: end, Channel: entry.channel, Line: at.Line}}
	}
}

// utterance returns the utterance that a line of text or utt2spk is about. Without a file of
// segments it is the whole recording. If there is none, it adds the problem and returns
// nil.
func (k *kaldi) utterance(at Place, key string) *kaldiUtterance {
	if u := k.utterances[key]; u != nil {
		return u
	}
	// Without segments, utterances have the names of entries.
	if entry, ok := k.entries[key]; ok && !k.timed {
		k.utterances[key] = &kaldiUtterance{at: at, entry: entry, segment: transcript.Segment{Channel: entry.channel, Line: at.Line}}
		return k.utterances[key]
	}
	k.Report.Add(at.File, at.Line, "there is no utterance %s", report.Quote(key))
	return nil
}

// text reads a line of text: utterance, words.
func (k *kaldi) text(at Place, key, value string) {
	u := k.utterance(at, key)
	if u == nil {
		return
	}
	if u.text {
		k.Report.Add(at.File, at.Line, "the utterance %s is there twice", report.Quote(key))
	}
	u.text, u.segment.Text = true, k.spoken(at, value)
}

// speaker reads a line of utt2spk: utterance, speaker.
func (k *kaldi) speaker(at Place, key, value string) {
	if u := k.utterance(at, key); u != nil {
		u.segment.Speaker = k.name(at, "the speaker", value)
	}
}

// giveAll gives the recordings their utterances, once all files are read.
func (k *kaldi) giveAll(spoken bool) {
	all := map[*Recording][]transcript.Segment{}
	// Sorted, so that the same folder gives the same transcript.
	for _, key := range slices.Sorted(maps.Keys(k.utterances)) {
		u := k.utterances[key]
		if spoken && !u.text {
			k.Report.Add(u.at.File, u.at.Line, "the utterance %s has no line in text", report.Quote(key))
		}
		all[u.entry.rec] = append(all[u.entry.rec], u.segment)
	}
	for rec, segments := range all {
		rec.Speakers, rec.ByChannel = speakersOf(segments)
		if k.timed {
			k.Give(rec, Place{k.dir + "segments", 0}, "kaldi", false, false, inOrder(segments))
		} else if spoken {
			k.Give(rec, Place{k.dir + "text", segments[0].Line}, "kaldi", false, true, segments)
		}
	}
}
