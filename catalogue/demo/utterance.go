package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// span is a range of samples, from Start to before End.
type span struct{ Start, End int }

func (s span) length() int { return s.End - s.Start }

// utterance is a line of the script that was spoken.
type utterance struct {
	line
	pcm    []int16
	words  []Word
	pieces []piece // in order
}

// piece is a part of an utterance without a silence that could be a pause.
type piece struct {
	span     // in the samples of the utterance
	at   int // where it begins on the time line
}

func (p piece) end() int { return p.at + p.length() }

// How speech is told from silence in the audio of an engine. It is divided into frames, and those
// close enough to the loudest one are speech.
const (
	frame     = rate / 200 // 5 ms
	heardDB   = 50         // a frame is heard if it is less than this below the loudest,
	faintDB   = 40         // but a short sound that is more than this below it is a click
	click     = 25         // longest click in ms
	pieceGap  = 150        // silence in ms that separates pieces
	shortest  = 150        // shortest piece in ms between two pauses
	morePause = 320        // by how many ms pauses differ
	stop      = 150        // silence in ms that may belong to the beginning of a word
)

// hear finds the pieces of a spoken text, and puts a pause of its own length between them, which is
// long enough for every measurement to find it.
func hear(speech Speech, l line, r *rand.Rand) (*utterance, error) {
	if speech.Rate != rate {
		return nil, fmt.Errorf("the speaker answered at %d Hz; it must be %d", speech.Rate, rate)
	}
	u := &utterance{line: l, pcm: speech.PCM, words: speech.Words}
	for _, s := range active(speech.PCM) {
		if n := len(u.pieces); n > 0 && s.Start-u.pieces[n-1].End < ms(pieceGap) {
			u.pieces[n-1].End = s.End
		} else {
			u.pieces = append(u.pieces, piece{span: s})
		}
	}
	if len(u.pieces) == 0 {
		return nil, fmt.Errorf("nothing is heard of %q", l.text)
	}
	for i := 1; i < len(u.pieces); i++ {
		gap := ms(minPause) + r.IntN(ms(morePause))
		// A very short piece between two pauses would be measured as a unit of its own.
		if u.pieces[i].length() < ms(shortest) || u.pieces[i-1].length() < ms(shortest) {
			gap = ms(tight)
		}
		u.pieces[i].at = u.pieces[i-1].end() + gap
	}
	return u, nil
}

// active returns the ranges in which speech is heard.
func active(pcm []int16) []span {
	var energies []float64
	for at := 0; at < len(pcm); at += frame {
		var sum float64
		for _, s := range pcm[at:min(at+frame, len(pcm))] {
			sum += float64(s) * float64(s)
		}
		energies = append(energies, sum)
	}
	if len(energies) == 0 {
		return nil
	}
	peak := decibels(slices.Max(energies))
	var out []span
	for i := 0; i < len(energies); i++ {
		start, loudest := i, 0.0
		for ; i < len(energies) && energies[i] > 0 && decibels(energies[i]) >= peak-heardDB; i++ {
			loudest = max(loudest, energies[i])
		}
		short := (i-start)*frame <= ms(click)
		if i == start || short && decibels(loudest) < peak-faintDB {
			continue
		}
		out = append(out, span{start * frame, min(i*frame, len(pcm))})
	}
	return out
}

func (u *utterance) start() int { return u.pieces[0].at }
func (u *utterance) end() int   { return u.pieces[len(u.pieces)-1].end() }

// move moves the whole utterance to a place on the time line.
func (u *utterance) move(to int) {
	by := to - u.start()
	for i := range u.pieces {
		u.pieces[i].at += by
	}
}

// tighten removes the pause before piece i.
func (u *utterance) tighten(i int) {
	by := max(u.pieces[i].at-u.pieces[i-1].end()-ms(tight), 0)
	for ; i < len(u.pieces); i++ {
		u.pieces[i].at -= by
	}
}

// units returns the inter-pausal units of the utterance.
func (u *utterance) units() []span {
	var out []span
	for _, p := range u.pieces {
		out = append(out, span{p.at, p.end()})
	}
	return joined(out)
}

// joined returns spans in which those without a pause between them are joined. They must be in
// order.
func joined(all []span) []span {
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.Start-out[n-1].End < ms(ipuGap) {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

// heard returns the words with their times on the time line. A word begins where the engine says,
// which is in the silence before it if it begins with a stop consonant. It ends with its piece
// at the latest.
func (u *utterance) heard() []Heard {
	var out []Heard
	for _, w := range u.words {
		i := u.pieceOf(w)
		p := u.pieces[i]
		shift := p.at - p.Start
		// Pieces were moved apart, so the times of the engine hold within a piece only.
		mark, end := int(w.Start*rate)+shift, int(w.End*rate)+shift
		start := min(max(mark, p.at-ms(stop)), p.end())
		if i > 0 {
			start = max(start, u.pieces[i-1].end())
		}
		h := Heard{Speaker: u.speaker, Text: w.Text, MarkS: seconds(mark)}
		h.StartS, h.EndS = seconds(start), seconds(max(min(end, p.end()), start))
		// Words must not overlap: the later one keeps its start, which the engine knows
		// better than ends.
		if n := len(out); n > 0 && h.StartS < out[n-1].EndS {
			out[n-1].EndS = h.StartS
		}
		out = append(out, h)
	}
	return out
}

// pieceOf returns the index of the piece that a word shares most of its time with. For a word in
// silence it is the next piece.
func (u *utterance) pieceOf(w Word) int {
	start, end := int(w.Start*rate), int(w.End*rate)
	best, most := -1, 0
	for i, p := range u.pieces {
		if common := min(end, p.End) - max(start, p.Start); common > most {
			best, most = i, common
		}
	}
	for i := 0; best < 0 && i < len(u.pieces); i++ {
		if u.pieces[i].End > start {
			best = i
		}
	}
	if best < 0 {
		best = len(u.pieces) - 1
	}
	return best
}

// spoken returns the text with single spaces, as its words have it.
func (u *utterance) spoken() string { return strings.Join(strings.Fields(u.text), " ") }
