package ingest

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vaak/catalogue/transcript"
)

// kaldiArchive is a place in an archive of Kaldi.
var kaldiArchive = regexp.MustCompile(`\.ark(:[0-9]+)?$`)

// kaldi reads a data directory of Kaldi. A recording is a file of wav.scp; where
// several entries name one file, reco2file_and_channel says which channel each is,
// and its name of the file is the recording's. Without segments, an utterance is a
// whole recording, and has no times.
type kaldi struct {
	*reader
	entries    map[string]kaldiEntry // by their names in wav.scp
	utterances map[string]*kaldiUtterance
	timed      bool // there is a file of segments
}

type kaldiEntry struct {
	rec     *Recording
	channel int
}

type kaldiUtterance struct {
	at      place
	entry   kaldiEntry
	segment transcript.Segment
	text    bool
}

func (r *reader) kaldi(p string) {
	k := &kaldi{reader: r, entries: map[string]kaldiEntry{}, utterances: map[string]*kaldiUtterance{}}
	k.scp(p)
	if k.timed = r.has("segments"); k.timed {
		k.pairs("segments", k.segment)
	}
	spoken := r.has("text")
	if spoken {
		k.pairs("text", k.text)
	}
	if r.has("utt2spk") {
		k.pairs("utt2spk", k.speaker)
	}
	k.hand(spoken)
}

// pairs calls each for every line of a file: its first word and what follows.
func (k *kaldi) pairs(p string, each func(at place, key, rest string)) {
	if !k.has(p) {
		return
	}
	k.lines(p, func(line int, text string) {
		text = strings.TrimSpace(text)
		key, rest := text, ""
		if i := strings.IndexAny(text, " \t"); i >= 0 {
			key, rest = text[:i], strings.TrimSpace(text[i:])
		}
		each(place{p, line}, key, rest)
	})
}

// scpRow is a line of wav.scp.
type scpRow struct {
	at        place
	key, path string
}

// scp reads wav.scp: what is a file, and which entries share one.
func (k *kaldi) scp(p string) {
	channels := k.channels()
	rows := map[string][]scpRow{} // by path
	keys := map[string]bool{}
	k.pairs(p, func(at place, key, rest string) {
		switch {
		case strings.Contains(rest, "|"):
			k.report.add(at.file, at.line, "the entry %s is a command (%s); commands are not run: write its output to a file", shown(key), shown(rest))
		case kaldiArchive.MatchString(rest):
			k.report.add(at.file, at.line, "the entry %s is in an archive of Kaldi; unpack it first", shown(key))
		case keys[key]:
			k.report.add(at.file, at.line, "the entry %s is there twice", shown(key))
		default:
			keys[key] = true
			if file, ok := k.file(at, rest); ok {
				rows[file] = append(rows[file], scpRow{at, key, file})
			}
		}
	})
	for _, file := range slices.Sorted(maps.Keys(rows)) {
		k.entry(rows[file], channels)
	}
}

// kaldiChannel is a line of reco2file_and_channel.
type kaldiChannel struct {
	file    string
	channel int
}

// channels reads reco2file_and_channel, whose channels are A and B or 1, 2 and on.
func (k *kaldi) channels() map[string]kaldiChannel {
	all := map[string]kaldiChannel{}
	k.pairs("reco2file_and_channel", func(at place, key, rest string) {
		words := strings.Fields(rest)
		if len(words) != 2 {
			k.report.add(at.file, at.line, "has %d words; a line is a recording, its file and its channel", len(words)+1)
			return
		}
		n, err := strconv.Atoi(words[1])
		if len(words[1]) == 1 && 'A' <= words[1][0] && words[1][0] <= 'H' {
			n, err = int(words[1][0]-'A')+1, nil
		}
		if err != nil || n < 1 || n > 256 {
			k.report.add(at.file, at.line, "the channel is A, B or a number from 1, this is %s", shown(words[1]))
			return
		}
		all[key] = kaldiChannel{words[0], n}
	})
	return all
}

// entry adds the recording of the entries that name one file.
func (k *kaldi) entry(rows []scpRow, channels map[string]kaldiChannel) {
	first := rows[0]
	id := first.key
	if len(rows) > 1 {
		id = channels[first.key].file
	}
	taken := map[int]bool{}
	for _, row := range rows {
		c := channels[row.key]
		if len(rows) > 1 && (c.channel == 0 || c.file != id || taken[c.channel]) {
			k.report.add(row.at.file, row.at.line, "the file %s is there twice, first as %s; entries share a file where reco2file_and_channel gives each its channel", shown(row.path), shown(first.key))
			return
		}
		taken[c.channel] = true
	}
	rec := k.recording(first.at, id, first.path)
	if rec == nil {
		return
	}
	for _, row := range rows {
		k.entries[row.key] = kaldiEntry{rec, channels[row.key].channel}
	}
}

// segment takes a line of segments: utterance, entry, start, end.
func (k *kaldi) segment(at place, key, rest string) {
	words := strings.Fields(rest)
	if len(words) != 3 {
		k.report.add(at.file, at.line, "has %d words; a line is an utterance, its recording, its start and its end", len(words)+1)
		return
	}
	if k.utterances[key] != nil {
		k.report.add(at.file, at.line, "the utterance %s is there twice, first in line %d", shown(key), k.utterances[key].segment.Line)
		return
	}
	entry, ok := k.entries[words[0]]
	if !ok {
		k.report.add(at.file, at.line, "there is no recording %s in wav.scp", shown(words[0]))
		return
	}
	start, ok1 := k.seconds(at, "start", words[1])
	end, ok2 := k.seconds(at, "end", words[2])
	if ok1 && ok2 && k.span(at, start, end) {
		k.utterances[key] = &kaldiUtterance{at: at, entry: entry, segment: transcript.Segment{Start: start, End: end, Channel: entry.channel, Line: at.line}}
	}
}

// utterance returns what a line of text or utt2spk is about; nil is told.
func (k *kaldi) utterance(at place, key string) *kaldiUtterance {
	if u := k.utterances[key]; u != nil {
		return u
	}
	if entry, ok := k.entries[key]; ok && !k.timed {
		k.utterances[key] = &kaldiUtterance{at: at, entry: entry, segment: transcript.Segment{Channel: entry.channel, Line: at.line}}
		return k.utterances[key]
	}
	k.report.add(at.file, at.line, "there is no utterance %s", shown(key))
	return nil
}

func (k *kaldi) text(at place, key, rest string) {
	u := k.utterance(at, key)
	if u == nil {
		return
	}
	if u.text {
		k.report.add(at.file, at.line, "the utterance %s is there twice", shown(key))
	}
	u.text, u.segment.Text = true, k.spoken(at, rest)
}

func (k *kaldi) speaker(at place, key, rest string) {
	if u := k.utterance(at, key); u != nil {
		u.segment.Speaker = k.name(at, "the speaker", rest)
	}
}

// hand gives the recordings their utterances.
func (k *kaldi) hand(spoken bool) {
	all := map[*Recording][]transcript.Segment{}
	for _, key := range slices.Sorted(maps.Keys(k.utterances)) {
		u := k.utterances[key]
		if spoken && !u.text {
			k.report.add(u.at.file, u.at.line, "the utterance %s has no line in text", shown(key))
		}
		all[u.entry.rec] = append(all[u.entry.rec], u.segment)
	}
	for rec, segments := range all {
		rec.Speakers = speakersOf(segments)
		if k.timed {
			k.give(rec, place{"segments", 0}, "kaldi", false, inOrder(segments))
		} else if spoken {
			rec.Untimed = true
			k.give(rec, place{"text", segments[0].Line}, "kaldi", false, segments)
		}
	}
}

// inOrder sorts segments by time.
func inOrder(segments []transcript.Segment) []transcript.Segment {
	slices.SortStableFunc(segments, func(a, b transcript.Segment) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Channel, b.Channel))
	})
	return segments
}

// speakersOf returns the speakers of segments: by channel where each has one of
// its own, else as they come.
func speakersOf(segments []transcript.Segment) []string {
	var names []string
	channels := map[string]int{}
	owners := map[int]string{}
	each := true
	for _, s := range segments {
		if s.Speaker == "" {
			return nil // unknown for some is unknown
		}
		if _, known := channels[s.Speaker]; !known {
			names = append(names, s.Speaker)
			channels[s.Speaker] = s.Channel
		}
		if owner, taken := owners[s.Channel]; s.Channel == 0 || taken && owner != s.Speaker || channels[s.Speaker] != s.Channel {
			each = false
		}
		owners[s.Channel] = s.Speaker
	}
	if each {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(channels[a], channels[b]) })
	}
	return names
}

// seconds reads a time.
func (r *reader) seconds(at place, what, s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.ContainsAny(s, "xXpP_") {
		r.report.add(at.file, at.line, "the %s is in seconds, this is %s", what, shown(s))
		return 0, false
	}
	return v, true
}

// span checks a stretch of time.
func (r *reader) span(at place, start, end float64) bool {
	for _, v := range []float64{start, end} {
		if math.IsNaN(v) || v < 0 || v > maxSeconds {
			r.report.add(at.file, at.line, "the time %v is outside 0 to %d seconds", v, maxSeconds)
			return false
		}
	}
	if end < start {
		r.report.add(at.file, at.line, "the end %v is before the start %v", end, start)
		return false
	}
	return true
}
