package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// span is a stretch of samples.
type span struct{ Start, End int }

func (s span) length() int { return s.End - s.Start }

// utterance is a line as it was said.
type utterance struct {
	line
	pcm    []int16
	words  []Word
	pieces []piece // in order
}

// piece is a stretch of an utterance without a silence that could be a pause.
type piece struct {
	span     // in the samples of the utterance
	at   int // where it begins on the time line
}

func (p piece) end() int { return p.at + p.length() }

// How speech is told from silence in what an engine made: in frames, of which
// those count that are near enough to the loudest.
const (
	frame     = rate / 200 // 5 ms
	heardDB   = 50         // below the loudest frame
	faintDB   = 40         // the same: what is weaker and short is a click, not speech
	click     = 25         // ms at most
	pieceGap  = 150        // ms of silence between pieces
	shortest  = 150        // ms of a piece that may stand between pauses
	morePause = 320        // ms by which pauses differ
	stop      = 150        // ms of silence that a word can begin with
)

// hear finds the pieces of what was said, with a pause of a length of its own
// between them: one that nobody could take for none.
func hear(said Said, l line, r *rand.Rand) (*utterance, error) {
	if said.Rate != rate {
		return nil, fmt.Errorf("the speaker answered at %d Hz; it must be %d", said.Rate, rate)
	}
	u := &utterance{line: l, pcm: said.PCM, words: said.Words}
	for _, s := range active(said.PCM) {
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
		if u.pieces[i].length() < ms(shortest) || u.pieces[i-1].length() < ms(shortest) {
			gap = ms(tight)
		}
		u.pieces[i].at = u.pieces[i-1].end() + gap
	}
	return u, nil
}

// active returns the stretches in which speech is heard.
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

// move puts the whole utterance to a place.
func (u *utterance) move(to int) {
	by := to - u.start()
	for i := range u.pieces {
		u.pieces[i].at += by
	}
}

// tighten takes the pause before a piece out.
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

// joined returns spans, in order, with those joined between which no pause lies.
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

// heard returns the words on the time line, where their pieces went. A word begins
// where the engine says, which is in the silence before it when it begins with a
// stop; it ends with its piece at the latest.
func (u *utterance) heard() []Heard {
	var out []Heard
	for _, w := range u.words {
		i := u.pieceOf(w)
		p := u.pieces[i]
		shift := p.at - p.Start
		mark, end := int(w.Start*rate)+shift, int(w.End*rate)+shift
		start := min(max(mark, p.at-ms(stop)), p.end())
		if i > 0 {
			start = max(start, u.pieces[i-1].end())
		}
		h := Heard{Speaker: u.speaker, Text: w.Text, MarkS: seconds(mark)}
		h.StartS, h.EndS = seconds(start), seconds(max(min(end, p.end()), start))
		if n := len(out); n > 0 && h.StartS < out[n-1].EndS {
			out[n-1].EndS = h.StartS
		}
		out = append(out, h)
	}
	return out
}

// pieceOf returns the place of the piece that a word shares most time with; of a
// word in silence, the next one.
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

// said returns the text, as its words have it.
func (u *utterance) said() string { return strings.Join(strings.Fields(u.text), " ") }
