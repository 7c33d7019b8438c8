package remotetest

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// A word is a tone of 60 ms and 40 ms more for each letter, then 50 ms of silence, and 150 ms more
// where a sentence ends.
const (
	wordBase    = 60 * time.Millisecond
	wordLetter  = 40 * time.Millisecond
	gap         = 50 * time.Millisecond
	sentenceGap = 150 * time.Millisecond

	pitches    = 128
	lowest     = 400.0 // Hz
	pitchStep  = 12.5  // Hz
	amplitude  = 9000
	mostLetter = 30
)

// Split returns the words of a text as a server says them: pieces between spaces, without the
// signs around them, in lower case. Pieces without letters and digits are not said.
func Split(text string) []string {
	var words []string
	for _, field := range strings.Fields(text) {
		if w := bare(field); w != "" {
			words = append(words, w)
		}
	}
	return words
}

func bare(field string) string {
	return strings.ToLower(strings.TrimFunc(field, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	}))
}

// Length is how long the tone of a word is, without the silence after it.
func Length(word string) time.Duration {
	return wordBase + wordLetter*time.Duration(min(utf8.RuneCountInString(bare(word)), mostLetter))
}

// Pitch is the frequency of the tone of a word, in Hz: 400 to 1987.5.
func Pitch(word string) float64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(bare(word))) // never fails
	return lowest + pitchStep*float64(h.Sum32()%pitches)
}

// Duration is how long a server speaks a text.
func Duration(text string) time.Duration {
	var d time.Duration
	for _, w := range spoken(text) {
		d += Length(w.text) + w.pause
	}
	return d
}

type utterance struct {
	text  string
	pause time.Duration
}

// spoken returns the words of a text with the silence after each.
func spoken(text string) []utterance {
	var all []utterance
	for _, field := range strings.Fields(text) {
		w := bare(field)
		ends := strings.ContainsAny(field, ".!?।。！？")
		switch {
		case w != "":
			u := utterance{w, gap}
			if ends {
				u.pause += sentenceGap
			}
			all = append(all, u)
		case ends && len(all) > 0:
			all[len(all)-1].pause = gap + sentenceGap
		}
	}
	return all
}

// tones keeps the words that were made, so that many streams cost copies.
type tones struct {
	rate int
	sine []int16

	mu    sync.Mutex
	words map[string][]byte // little-endian samples
}

func newTones(rate int) *tones {
	t := &tones{rate: rate, sine: make([]int16, 4096), words: map[string][]byte{}}
	for i := range t.sine {
		t.sine[i] = int16(math.Round(amplitude * math.Sin(2*math.Pi*float64(i)/float64(len(t.sine)))))
	}
	return t
}

func (t *tones) samples(d time.Duration) int { return int(d * time.Duration(t.rate) / time.Second) }

func (t *tones) word(w string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if pcm, ok := t.words[w]; ok {
		return pcm
	}
	n := t.samples(Length(w))
	pcm := make([]byte, 2*n)
	step := uint32(Pitch(w) / float64(t.rate) * (1 << 32))
	for i, phase := 0, uint32(0); i < n; i, phase = i+1, phase+step {
		binary.LittleEndian.PutUint16(pcm[2*i:], uint16(t.sine[phase>>20]))
	}
	if len(t.words) < 20_000 {
		t.words[w] = pcm
	}
	return pcm
}

// Words returns the words whose tones are in pcm, in order: those of the vocabulary, as written
// there. A tone that has the pitch of a word and is shorter is the word with "~" after it: it was
// cut. A tone of no word of the vocabulary is "?".
//
// Two words of one pitch (there are 128) are told apart by their length; if that is the same too,
// the first of the vocabulary is meant. The rate must be at least 8000 Hz. Tones must keep their
// pitch: samples may have been resampled, made louder or softer down to a tenth, or gone through
// μ-law, but not stretched. Tones need 25 ms of silence between them.
func Words(pcm []int16, rate int, vocabulary []string) []string {
	type entry struct {
		word   string
		pitch  float64
		length time.Duration
	}
	var known []entry
	for _, w := range vocabulary {
		known = append(known, entry{w, Pitch(w), Length(w)})
	}
	var said []string
	for _, tone := range segments(pcm, rate) {
		pitch := frequency(tone, rate)
		length := time.Duration(len(tone)) * time.Second / time.Duration(rate)
		best, off := "?", time.Duration(math.MaxInt64)
		for _, k := range known {
			// A short piece of a tone tells its pitch less well.
			if math.Abs(k.pitch-pitch) > pitchStep/2 {
				continue
			}
			if d := (k.length - length).Abs(); d < off {
				best, off = k.word, d
				if length < k.length-15*time.Millisecond {
					best += "~"
				} else if length > k.length+15*time.Millisecond {
					best = "?"
				}
			}
		}
		said = append(said, best)
	}
	return said
}

// segments cuts pcm at silence of 25 ms and more. Pieces under 8 ms are no tones.
func segments(pcm []int16, rate int) [][]int16 {
	const quiet = 300
	longest := rate * 25 / 1000
	var all [][]int16
	begin, last := -1, 0
	end := func() {
		if begin >= 0 && last-begin >= rate*8/1000 {
			all = append(all, pcm[begin:last+1])
		}
		begin = -1
	}
	for i, s := range pcm {
		if s < quiet && s > -quiet {
			if begin >= 0 && i-last > longest {
				end()
			}
			continue
		}
		if begin < 0 {
			begin = i
		}
		last = i
	}
	end()
	return all
}

// frequency measures a tone by the time between its first and its last upward crossing of zero.
func frequency(tone []int16, rate int) float64 {
	first, last, n := 0.0, 0.0, -1
	for i := 1; i < len(tone); i++ {
		a, b := float64(tone[i-1]), float64(tone[i])
		if a >= 0 || b < 0 {
			continue
		}
		at := float64(i-1) + a/(a-b)
		if n++; n == 0 {
			first = at
		}
		last = at
	}
	if n < 1 {
		return 0
	}
	return float64(n) * float64(rate) / (last - first)
}
