package measure

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"vaak/catalogue"
	"vaak/catalogue/measure/talk"
	"vaak/catalogue/transcript"
	"vaak/internal/needed"
)

var update = flag.Bool("update", false, "write the table of truth and found in docs/measurements.md")

// truth collects what tests made and what was measured of it.
type truth struct {
	t    *testing.T
	rows []string
}

// add adds a row, and fails where what was found is out of bounds.
func (tr *truth) add(ok bool, figure, signal, made, bound, found string) {
	tr.t.Helper()
	if !ok {
		tr.t.Errorf("%s of %s: made %s, found %s, want within %s", figure, signal, made, found, bound)
	}
	tr.rows = append(tr.rows, fmt.Sprintf("| `%s` | %s | %s | %s | %s |", figure, signal, made, bound, found))
}

// near adds a row of a number; found may be nil, which is out of bounds.
func (tr *truth) near(figure, signal string, made, bound float64, found *float64, format string) {
	tr.t.Helper()
	text, ok := "absent", false
	if found != nil {
		text, ok = fmt.Sprintf(format, *found), math.Abs(*found-made) <= bound
	}
	tr.add(ok, figure, signal, fmt.Sprintf(format, made), "± "+fmt.Sprintf(format, bound), text)
}

// same adds a row of a value that must be as made.
func (tr *truth) same(figure, signal string, made, found any) {
	tr.t.Helper()
	tr.add(made == found, figure, signal, fmt.Sprint(made), "the same", fmt.Sprint(found))
}

// table compares the rows with those in the docs: the same figures and signals must stand there.
// What was found may differ a little between machines and is not compared.
func (tr *truth) table() {
	tr.t.Helper()
	const page, begin, end = "../../docs/measurements.md", "<!-- truth -->\n", "<!-- end of truth -->"
	text, err := os.ReadFile(page)
	if err != nil {
		tr.t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), begin)
	old, tail, ok := strings.Cut(rest, end)
	if !ok {
		tr.t.Fatalf("%s has no marks for the table", page)
	}
	table := "| figure | signal | made | bound | found |\n|---|---|---|---|---|\n" + strings.Join(tr.rows, "\n") + "\n"
	if *update {
		if err := os.WriteFile(page, []byte(head+begin+table+end+tail), 0o644); err != nil {
			tr.t.Fatal(err)
		}
		return
	}
	last := regexp.MustCompile(`(?m) [^|]*\|$`)
	if last.ReplaceAllString(old, "") != last.ReplaceAllString(table, "") {
		tr.t.Errorf("the table in %s is of other signals; go test ./catalogue/measure -run Truth -update writes it", page)
	}
}

// sentences are what the voices of the tests say: half a minute.
const sentences = `I would like to know what is left on my account this month. Certainly, please tell me the last four digits of your card.
It is seven three nine six, and the name is on the statement. Thank you. There was a payment of twelve hundred rupees on Friday.
That was for the electricity, was it not? I thought it had been sent back. No, it went through on the second try, as far as I can see here.
Then please send me the receipt, because the office asks for it. Of course, you will have it in your mail within five minutes.
Which address do you have for me these days? The one in Park Street, behind the old post office.`

const spokenRate = 22050

// spoken returns the sentences in a voice of espeak-ng, at 22,050 Hz with a peak of 0.7.
func spoken(t testing.TB, voice string) []float64 {
	t.Helper()
	needed.Program(t, "espeak-ng")
	of, _ := spokenBy.LoadOrStore(voice, sync.OnceValue(func() []float64 { return says(t, voice, sentences) }))
	return append([]float64(nil), of.(func() []float64)()...)
}

// says returns a text in a voice of espeak-ng.
func says(t testing.TB, voice, text string) []float64 {
	t.Helper()
	c := exec.Command("espeak-ng", "-v", voice, "-s", "160", "--stdout", "--stdin")
	c.Stdin = strings.NewReader(text)
	wav, err := c.Output()
	if err != nil || len(wav) < 44 {
		t.Fatalf("espeak-ng: %v", err)
	}
	x, most := make([]float64, (len(wav)-44)/2), 0.0
	for i := range x {
		x[i] = float64(int16(binary.LittleEndian.Uint16(wav[44+2*i:])))
		most = max(most, math.Abs(x[i]))
	}
	return times(x, 0.7/most)
}

var spokenBy sync.Map // by voice

// converted takes samples through ffmpeg: coded with some arguments, decoded to a rate.
func converted(t testing.TB, x []float64, rate, to int, args ...string) []float64 {
	t.Helper()
	needed.Program(t, "ffmpeg")
	run := func(in []byte, args ...string) []byte {
		c := exec.Command("ffmpeg", append(append([]string{"-v", "error"}, args...), "-")...)
		c.Stdin = bytes.NewReader(in)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("ffmpeg %v: %v", args, err)
		}
		return out
	}
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	coded := run(raw, append([]string{"-f", "f32le", "-ar", fmt.Sprint(rate), "-ac", "1", "-i", "-"}, args...)...)
	raw = run(coded, "-i", "-", "-f", "f32le", "-ar", fmt.Sprint(to), "-ac", "1")
	y := make([]float64, len(raw)/4)
	for i := range y {
		y[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
	}
	return y
}

// measured measures channels in a WAV file of 16 bits.
func measured(t testing.TB, rate int, channels ...[]float64) Recording {
	t.Helper()
	n := len(channels[0])
	data := make([]byte, 0, 2*n*len(channels))
	for i := range n {
		for _, c := range channels {
			data = binary.LittleEndian.AppendUint16(data, uint16(int16(math.Round(min(max(c[i]*32768, -32768), 32767)))))
		}
	}
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+len(data)))
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(channels)))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(2*len(channels)*rate))
	b = binary.LittleEndian.AppendUint16(b, uint16(2*len(channels)))
	b = append(b, "\x10\x00data"...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(data))), data...)
	r, err := analyse(t.Context(), bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r.SHA256 = fmt.Sprintf("%x-%d", b[44:min(len(b), 4096)], len(b)) // what tells these files apart
	return r
}

// channel measures one channel.
func channel(t testing.TB, rate int, x []float64) catalogue.Channel {
	t.Helper()
	return measured(t, rate, x).Profile.Audio[0]
}

// times multiplies x by a factor, in place.
func times(x []float64, by float64) []float64 {
	for i := range x {
		x[i] *= by
	}
	return x
}

func gain(db float64) float64 { return math.Pow(10, db/20) }

// plus adds y to x, in a new slice.
func plus(x, y []float64) []float64 {
	out := append([]float64(nil), x...)
	for i := range min(len(x), len(y)) {
		out[i] += y[i]
	}
	return out
}

// white is noise with a level in dBFS.
func white(seed uint64, n int, db float64) []float64 {
	r, x := rand.New(rand.NewPCG(seed, 1)), make([]float64, n)
	for i := range x {
		x[i] = gain(db) * r.NormFloat64()
	}
	return x
}

// transformed changes the spectrum of x: change gets the frequency of a bin in Hz and returns its
// factor.
func transformed(x []float64, rate int, change func(hz float64) float64) []float64 {
	n := 1
	for n < len(x) {
		n *= 2
	}
	z := make([]complex128, n)
	for i, v := range x {
		z[i] = complex(v, 0)
	}
	fourier.CoefficientsRadix2(z)
	for i := range z {
		z[i] *= complex(change(float64(min(i, n-i))*float64(rate)/float64(n)), 0)
	}
	fourier.SequenceRadix2(z)
	out := make([]float64, len(x))
	for i := range out {
		out[i] = real(z[i]) / float64(n)
	}
	return out
}

// pass keeps a band with edges 5 % wide.
func pass(low, high float64) func(float64) float64 {
	return func(hz float64) float64 {
		return min(max((hz-low*0.95)/(low*0.05+1e-9), 0), 1) * min(max((high*1.05-hz)/(high*0.05), 0), 1)
	}
}

// room is x in a room: the direct sound, and noise that falls by 60 dB in t60 seconds and has a
// level in dB relative to the direct sound.
func room(x []float64, rate int, t60, db float64) []float64 {
	n := 1
	for n < len(x)+int(1.5*t60*float64(rate)) {
		n *= 2
	}
	a, h := make([]complex128, n), make([]complex128, n)
	for i, v := range x {
		a[i] = complex(v, 0)
	}
	r, sum := rand.New(rand.NewPCG(5, 5)), 0.0
	for i := int(0.003 * float64(rate)); i < int(1.5*t60*float64(rate)); i++ {
		v := r.NormFloat64() * math.Exp(-math.Log(1000)*float64(i)/float64(rate)/t60)
		h[i] = complex(v, 0)
		sum += v * v
	}
	for i := range h {
		h[i] *= complex(gain(db)/math.Sqrt(sum), 0)
	}
	h[0] = 1
	fourier.CoefficientsRadix2(a)
	fourier.CoefficientsRadix2(h)
	for i := range a {
		a[i] *= h[i]
	}
	fourier.SequenceRadix2(a)
	out := make([]float64, len(x))
	for i := range out {
		out[i] = real(a[i]) / float64(n)
	}
	return out
}

// hall is babble with pauses at a rate: a voice for bands that espeak-ng does not fill.
func hall(rate int, seconds float64) []float64 {
	r := rand.New(rand.NewPCG(9, 9))
	x := make([]float64, int(seconds*float64(rate)))
	low := 0.0
	for i := range x {
		at := float64(i) / float64(rate)
		low = 0.3*low + 0.7*r.NormFloat64()
		x[i] = 0.2*math.Pow(math.Sin(2*math.Pi*1.9*at)*math.Sin(2*math.Pi*0.31*at), 2)*low + 1e-4*r.NormFloat64()
	}
	return x
}

// TestLengthyTruth makes signals whose figures are known, and compares them with what is measured.
func TestLengthyTruth(t *testing.T) {
	t.Parallel()
	tr := &truth{t: t}
	if testing.Short() {
		truthOfTranscripts(tr)
		truthOfBalance(tr)
		return
	}
	truthOfNoise(tr)
	truthOfRooms(tr)
	truthOfBands(tr)
	truthOfSamples(tr)
	truthOfTunes(tr)
	truthOfEnds(tr)
	truthOfCopies(tr)
	truthOfOpenings(tr)
	truthOfCalls(tr)
	truthOfTranscripts(tr)
	truthOfBalance(tr)
	tr.table()
}

func truthOfNoise(tr *truth) {
	x := converted(tr.t, spoken(tr.t, "en-us+m3"), spokenRate, 8000, "-f", "wav", "-ar", "8000")
	var power, n float64
	band := transformed(x, 8000, func(hz float64) float64 {
		if hz < 200 || hz > 3400 {
			return 0
		}
		return 1
	})
	// The level of speech is that of the 25 ms that are at most 30 dB under the loudest.
	var frames []float64
	most := 0.0
	for i := 0; i+200 <= len(band); i += 200 {
		sum := 0.0
		for _, v := range band[i : i+200] {
			sum += v * v / 200
		}
		frames = append(frames, sum)
		most = max(most, sum)
	}
	for _, f := range frames {
		if f > most*1e-3 {
			power += f
			n++
		}
	}
	speech := 10 * math.Log10(power/n)
	x = append(append(make([]float64, 16000), x...), make([]float64, 16000)...)
	for _, want := range []float64{5, 10, 20, 30, 40} {
		// White noise has 0.8 of its power between 200 and 3,400 Hz.
		noise := white(3, len(x), speech-want-10*math.Log10(0.8))
		tr.near("snrDb", fmt.Sprintf("speech with white noise, %v dB", want), want, 2, channel(tr.t, 8000, plus(x, noise)).SNRDB, "%.1f")
	}
}

func truthOfRooms(tr *truth) {
	var x []float64 // with a pause in which rooms are heard, every two seconds
	for s := converted(tr.t, spoken(tr.t, "en-us+m3"), spokenRate, 8000, "-f", "wav", "-ar", "8000"); len(s) > 16000; s = s[16000:] {
		x = append(append(x, s[:16000]...), make([]float64, 6000)...)
	}
	for _, t60 := range []float64{0.3, 0.45, 0.6, 0.9} {
		y := plus(times(room(x, 8000, t60, 0), 0.5), white(4, len(x), -68))
		tr.near("reverbTimeS", fmt.Sprintf("speech with pauses, and as much of a room of %v s", t60), t60, 0.2*t60, channel(tr.t, 8000, y).ReverbTimeS, "%.2f")
	}
	found := channel(tr.t, 8000, plus(x, white(4, len(x), -68))).ReverbTimeS
	tr.add(found == nil || *found < 0.3, "reverbTimeS", "speech without a room", "0", "under 0.3", shown(found, "%.2f"))
	found = channel(tr.t, 8000, plus(times(room(x, 8000, 0.6, -10), 0.5), white(4, len(x), -68))).ReverbTimeS
	tr.add(found != nil && *found < 0.6, "reverbTimeS", "speech near the microphone, a room of 0.6 s 10 dB below", "0.60", "under 0.6", shown(found, "%.2f"))
}

// shown is a figure as text.
func shown(v *float64, format string) string {
	if v == nil {
		return "absent"
	}
	return fmt.Sprintf(format, *v)
}

func truthOfBands(tr *truth) {
	x := hall(48000, 2.7)
	for _, b := range []struct {
		name, signal string
		low, high    float64
	}{
		{"telephone", "babble at 48 kHz through 300 to 3,400 Hz", 300, 3400},
		{"narrow", "the same through 50 to 3,800 Hz", 50, 3800},
		{"wide", "the same through 50 to 7,000 Hz", 50, 7000},
		{"super-wide", "the same through 50 to 14,000 Hz", 50, 14000},
		{"full", "the same through 50 to 22,000 Hz", 50, 22000},
	} {
		c := channel(tr.t, 48000, plus(transformed(x, 48000, pass(b.low, b.high)), white(6, len(x), -86)))
		tr.same("band", b.signal, b.name, c.Band)
		switch {
		case b.name == "full":
			tr.same("cutoffHz", b.signal, "absent", shown(c.CutoffHz, "%.0f"))
		default:
			tr.near("cutoffHz", b.signal, b.high, 100+0.06*b.high, c.CutoffHz, "%.0f")
		}
		if b.name == "telephone" {
			tr.near("lowCutHz", b.signal, b.low, 60, c.LowCutHz, "%.0f")
		} else {
			tr.same("lowCutHz", b.signal, "absent", shown(c.LowCutHz, "%.0f"))
		}
	}
	// A real line falls over an octave, where men have more sound than there, and hums.
	line := func(hz float64) float64 {
		low := math.Pow(hz/270, 4)
		return low / (1 + low) * pass(0, 3400)(hz)
	}
	for _, voice := range []string{"en-us+m3", "en-gb+f2"} {
		clean := converted(tr.t, spoken(tr.t, voice)[:20*spokenRate], spokenRate, 8000, "-f", "wav", "-ar", "8000")
		y := transformed(clean, 8000, line)
		for i := range y {
			y[i] += gain(-50) * math.Sin(2*math.Pi*100*float64(i)/8000)
		}
		tr.same("band", "speech of "+voice+" at 8 kHz", "narrow", channel(tr.t, 8000, plus(clean, white(6, len(y), -80))).Band)
		tr.same("band", "the same through a high pass of 24 dB an octave at 270 Hz, with hum of -53 dBFS", "telephone", channel(tr.t, 8000, plus(y, white(6, len(y), -80))).Band)
	}
	// Of coders, ffmpeg's: LAME cuts 48 kHz at 11 kHz for 64 kbit/s of one channel.
	mp3 := channel(tr.t, 48000, converted(tr.t, x, 48000, 48000, "-f", "mp3", "-b:a", "64k", "-cutoff", "11000"))
	tr.near("cutoffHz", "babble at 48 kHz through MP3 of 64 kbit/s that keeps 11,000 Hz", 11000, 700, mp3.CutoffHz, "%.0f")
}

func truthOfSamples(tr *truth) {
	x := converted(tr.t, spoken(tr.t, "en-us+m3"), spokenRate, 8000, "-f", "wav", "-ar", "8000")
	for _, law := range []string{"mulaw", "alaw"} {
		y := converted(tr.t, x, 8000, 8000, "-f", "wav", "-c:a", "pcm_"+law)
		tr.same("companding", "speech that was "+law+" once", law, channel(tr.t, 8000, y).Companding)
	}
	tr.same("companding", "speech that never was", "", channel(tr.t, 8000, x).Companding)
	coarse := append([]float64(nil), x...)
	for i, v := range coarse {
		coarse[i] = math.Round(v*2048) / 2048 // 12 bits
	}
	tr.same("usedBits", "speech of 12 bits in a file of 16", 12, channel(tr.t, 8000, coarse).UsedBits)
	for _, level := range []float64{0.3, 0.15} {
		y, flat := append([]float64(nil), x...), 0
		run := 0
		for i, v := range y {
			y[i] = min(max(v, -level), level) * 0.25
			if math.Abs(v) >= level {
				run++
				continue
			}
			if run >= 3 {
				flat += run
			}
			run = 0
		}
		share := float64(flat) / float64(len(y))
		c := channel(tr.t, 8000, plus(y, nil))
		signal := fmt.Sprintf("speech clipped at %.1f dBFS, then 12 dB softer", 20*math.Log10(level))
		tr.near("flattenedRatio", signal, share, 0.1*share, c.FlattenedRatio, "%.5f")
		tr.near("flattenedDbfs", signal, 20*math.Log10(level*0.25), 0.1, c.FlattenedDBFS, "%.1f")
	}
	tr.same("flattenedRatio", "speech that is not clipped", "absent", shown(channel(tr.t, 8000, x).FlattenedRatio, "%.5f"))
	tr.same("flattenedRatio", "the same as mulaw", "absent", shown(channel(tr.t, 8000, converted(tr.t, x, 8000, 8000, "-f", "wav", "-c:a", "pcm_mulaw")).FlattenedRatio, "%.5f"))
	dense := converted(tr.t, x, 8000, 48000, "-f", "wav", "-ar", "48000")[:20*48000]
	tr.same("flattenedRatio", "speech at 48 kHz through a limiter", "absent", shown(channel(tr.t, 48000, limited(dense, 48000, 0.25)).FlattenedRatio, "%.5f"))
	cut := times(append([]float64(nil), dense...), 8)
	for i, v := range cut {
		cut[i] = min(max(v, -1), 1)
	}
	tr.same("flattenedRatio", "speech clipped at full scale", "absent", shown(channel(tr.t, 48000, cut).FlattenedRatio, "%.5f"))
	tr.add(channel(tr.t, 48000, times(cut, 0.25)).FlattenedRatio != nil, "flattenedRatio", "the same 12 dB softer", "present", "present", shown(channel(tr.t, 48000, cut).FlattenedRatio, "%.5f"))
	still := make([]float64, 16000)
	for i := range still {
		still[i] = 0.01 + float64(i%2)/32768
	}
	tr.same("dead", "a constant and its lowest bit", true, channel(tr.t, 8000, still).Dead)
	for i := range still {
		still[i] = float64(8-i/3%2*16) / 32768
	}
	tr.same("dead", "idle A-law", true, channel(tr.t, 8000, still).Dead)
	tr.same("dead", "noise of -72 dBFS", false, channel(tr.t, 8000, white(7, 16000, -72)).Dead)
}

// limited lets no sample be above a level: the gain falls before each peak and rises after it, in
// 5 ms, and the peaks stay smooth.
func limited(x []float64, rate int, level float64) []float64 {
	n := rate / 200
	y := make([]float64, len(x))
	for i, v := range x {
		most := level
		for _, w := range x[max(0, i-n):min(len(x), i+n)] {
			most = max(most, math.Abs(w))
		}
		y[i] = v * level / most
	}
	return y
}

// note adds a note with harmonics.
func note(x []float64, rate int, at, seconds, hz, amplitude float64) {
	for i := range int(seconds * float64(rate)) {
		k, s := int(at*float64(rate))+i, float64(i)/float64(rate)
		if k >= len(x) {
			return
		}
		edge := min(1, s/0.01, (seconds-s)/0.03) * math.Exp(-s/0.6)
		for h := 1.0; h <= 6 && h*hz < 3800; h++ {
			x[k] += amplitude * edge / h * math.Sin(2*math.Pi*hz*h*s)
		}
	}
}

// music is a tune with chords.
func music(rate int, seconds float64) []float64 {
	r, x := rand.New(rand.NewPCG(8, 8)), make([]float64, int(seconds*float64(rate)))
	scale := []float64{262, 294, 330, 349, 392, 440, 494, 523}
	for at := 0.0; at < seconds; at += 0.375 {
		note(x, rate, at, 0.375, scale[r.IntN(8)], 0.12)
	}
	for at := 0.0; at < seconds; at += 1.5 {
		for _, k := range []float64{1, 1.26, 1.5} {
			note(x, rate, at, 1.5, scale[r.IntN(4)]/2*k, 0.05)
		}
	}
	return x
}

// ringing is a tone of 400 and 425 Hz, 2 s of every 4.
func ringing(rate int, seconds float64) []float64 {
	x := make([]float64, int(seconds*float64(rate)))
	for i := range x {
		if s := float64(i) / float64(rate); math.Mod(s, 4) < 2 {
			x[i] = 0.1 * (math.Sin(2*math.Pi*400*s) + math.Sin(2*math.Pi*425*s))
		}
	}
	return x
}

func truthOfTunes(tr *truth) {
	x := converted(tr.t, spoken(tr.t, "en-gb+f2"), spokenRate, 8000, "-f", "wav", "-ar", "8000")[:25*8000]
	call := append(append(append([]float64(nil), ringing(8000, 10)...), x...), music(8000, 15)...)
	c := channel(tr.t, 8000, plus(call, white(2, len(call), -60)))
	tr.near("toneRatio", "10 s of ringing (6 s of tone), 25 s of speech, 15 s of music", 6.0/50, 0.02, c.ToneRatio, "%.2f")
	tr.near("musicRatio", "the same", 15.0/50, 0.03, c.MusicRatio, "%.2f")
	gaps := append([]float64(nil), x[:20*8000]...)
	for i := range gaps {
		if i/8000%5 >= 3 { // 2 s of every 5 are a pause
			gaps[i] = 0
		}
	}
	for _, hz := range []float64{180, 217, 1000} {
		for _, side := range []struct {
			what string
			x    []float64
		}{{"in the pauses of speech", gaps}, {"on a side without speech", make([]float64, len(gaps))}} {
			y := plus(side.x, white(2, len(side.x), -75))
			for i := range y {
				y[i] += gain(-45) * math.Sin(2*math.Pi*hz*float64(i)/8000)
			}
			c := channel(tr.t, 8000, y)
			tr.same("toneRatio", fmt.Sprintf("a line of %.0f Hz and -48 dBFS %s", hz, side.what), "absent, absent", shown(c.ToneRatio, "%.2f")+", "+shown(c.MusicRatio, "%.2f"))
		}
	}
	for _, voice := range []string{"en-us+m3", "en-gb+f2"} {
		c := channel(tr.t, spokenRate, spoken(tr.t, voice))
		tr.same("toneRatio", "speech of "+voice, "absent", shown(c.ToneRatio, "%.2f"))
		tr.same("musicRatio", "speech of "+voice, "absent", shown(c.MusicRatio, "%.2f"))
	}
}

func truthOfEnds(tr *truth) {
	x := converted(tr.t, spoken(tr.t, "en-us+m3"), spokenRate, 8000, "-f", "wav", "-ar", "8000")[:10*8000]
	from, to := 0, len(x)
	for math.Abs(x[from]) < 0.003 {
		from++
	}
	for math.Abs(x[to-1]) < 0.003 {
		to--
	}
	y := append(append(make([]float64, 3*8000), x[from:to]...), make([]float64, 5*8000)...)
	s := measured(tr.t, 8000, plus(y, white(5, len(y), -65))).Profile.Speech
	tr.near("leadS", "speech after 3 s, before 5 s of noise", 3, 0.05, s.LeadS, "%.2f")
	tr.near("trailS", "the same", 5, 0.05, s.TrailS, "%.2f")
}

func truthOfCopies(tr *truth) {
	t := tr.t
	x := spoken(t, "en-us+m3")
	eight := converted(t, x, spokenRate, 8000, "-f", "wav", "-ar", "8000")
	other := converted(t, spoken(t, "en-gb+f2"), spokenRate, 8000, "-f", "wav", "-ar", "8000")
	half := append(make([]float64, 8000/32), eight...)
	for _, c := range []struct {
		name string
		rate int
		x    []float64
		same bool
	}{
		{"12 dB softer", 8000, times(append([]float64(nil), eight...), gain(-12)), true},
		{"later by a quarter of an interval", 8000, half, true},
		{"its seconds 7 to 19", 8000, eight[7*8000 : 19*8000], true},
		{"at 22,050 Hz", spokenRate, x, true},
		{"through 300 to 3,400 Hz and mulaw", 8000, converted(t, transformed(eight, 8000, pass(300, 3400)), 8000, 8000, "-f", "wav", "-c:a", "pcm_mulaw"), true},
		{"through MP3 of 32 kbit/s, a quarter of an interval later", 16000, converted(t, half, 8000, 16000, "-f", "mp3", "-ar", "16000", "-b:a", "32k"), true},
		{"through Opus of 12 kbit/s", 48000, converted(t, eight, 8000, 48000, "-f", "ogg", "-c:a", "libopus", "-b:a", "12k"), true},
		{"with noise 15 dB below", 8000, plus(eight, white(1, len(eight), -34)), true},
		{"text in another voice", 8000, other, false},
		{"text in another voice and order", 8000, append(append([]float64(nil), eight[15*8000:16*8000]...), other[8000:20*8000]...), false},
	} {
		found := duplicates(t, []Recording{measured(t, 8000, eight), measured(t, c.rate, c.x)})
		text := "none"
		if len(found) == 1 {
			text = fmt.Sprintf("%s, %.0f s, %.2f of bits differ", found[0].Kind, found[0].Seconds, found[0].Errors)
		}
		made := "none"
		if c.same {
			made = "acoustic"
		}
		tr.add((len(found) == 1) == c.same && (!c.same || found[0].Share > 0.6), "duplicates", "half a minute of speech, and the same "+c.name, made, "the same", text)
	}
}

// truthOfOpenings counts calls that open with one greeting, which is a file of its own, too.
func truthOfOpenings(tr *truth) {
	t := tr.t
	x := converted(t, spoken(t, "en-us+m3"), spokenRate, 8000, "-f", "wav", "-ar", "8000")
	y := converted(t, spoken(t, "en-gb+f2"), spokenRate, 8000, "-f", "wav", "-ar", "8000")
	greeting := measured(t, 8000, x[:4*8000])
	opened := func(rest ...float64) Recording {
		return measured(t, 8000, append(append([]float64(nil), x[:4*8000]...), rest...))
	}
	one, two := opened(y[:10*8000]...), opened(y[12*8000:24*8000]...)
	one.SHA256, two.SHA256 = "one", "two"
	count := func(all ...Recording) int { return Copies(all, duplicates(t, all)).AcousticFiles }
	tr.same("duplicates", "a greeting of 4 s, then two calls that open with it: files counted", 0, count(greeting, one, two))
	tr.same("duplicates", "two calls that open with a greeting, then the greeting: files counted", 1, count(one, two, greeting))
	dual := measured(t, 8000, x[:12*8000], y[:12*8000])
	half := measured(t, 8000, x[:12*8000], y[12*8000:24*8000])
	soft := measured(t, 8000, times(append([]float64(nil), x[:12*8000]...), 0.5), times(append([]float64(nil), y[:12*8000]...), 0.5))
	tr.same("duplicates", "a call of two channels, and the same softer: files counted", 1, count(dual, soft))
	found := duplicates(t, []Recording{dual, half})
	tr.add(len(found) == 1 && math.Abs(found[0].ShareOfB-0.5) < 0.1, "duplicates", "two calls of two channels, one of which is the same: share", "0.50", "± 0.10", fmt.Sprintf("%.2f", func() float64 {
		if len(found) == 0 {
			return 0
		}
		return found[0].ShareOfB
	}()))
}

// lines are segments with the texts, each in its channel and at its time: two seconds every three.
func lines(channel int, texts ...string) (out []transcript.Segment) {
	for i, text := range texts {
		out = append(out, transcript.Segment{Start: 3 * float64(i), End: 3*float64(i) + 2, Channel: channel, Text: text})
	}
	return out
}

func truthOfTranscripts(tr *truth) {
	english := strings.Split(strings.ReplaceAll(sentences, "\n", " "), ". ")
	hindi := []string{"मुझे जानना है कि इस महीने मेरे खाते में कितना पैसा बचा है", "ज़रूर बताइए कि आपका नाम क्या है और आप कहाँ रहते हैं",
		"पिछले शुक्रवार को बिजली का भुगतान किया गया था और वह वापस नहीं आया", "कृपया रसीद भेज दीजिए क्योंकि दफ़्तर उसे माँगता है"}
	tamil := []string{"இந்த மாதம் என் கணக்கில் எவ்வளவு பணம் இருக்கிறது என்று தெரிய வேண்டும்", "நிச்சயமாக உங்கள் பெயர் என்ன என்று சொல்லுங்கள்",
		"வெள்ளிக்கிழமை மின்சாரத்திற்கு பணம் கட்டப்பட்டது ஆனால் திரும்பி வரவில்லை"}
	rec := Recording{Layout: "dual", DurationS: 60, Speech: [][]Interval{nil, nil}}
	l := Lexical(append(lines(1, hindi...), lines(2, english...)...), rec)
	for c, code := range []string{"hi", "en"} {
		found := 0.0
		if c < len(l.ChannelLanguages) {
			found = l.ChannelLanguages[c][code]
		}
		tr.near("channelLanguageShare", fmt.Sprintf("Hindi on channel 1, English on 2: %s on %d", code, c+1), 1, 0.05, &found, "%.2f")
	}
	words := func(texts []string) (n float64) {
		for _, s := range texts {
			for range spokenWords(s) {
				n++
			}
		}
		return n
	}
	both := Lexical(append(lines(1, hindi...), lines(1, tamil...)...), rec).LanguageShare["ta"]
	tr.near("languageShare", "Hindi and Tamil on one channel: ta", words(tamil)/(words(tamil)+words(hindi)), 0.05, &both, "%.2f")

	stray := Lexical(append(lines(1, english...), lines(1, "the p\u0430yment w\u0430s sent b\uFFFDck on the \uE000 day")...), rec)
	n := 0
	for _, k := range stray.OutsideSigns {
		n += k
	}
	tr.same("outsideAlphabet", "English with two Cyrillic letters, a replacement character and one of private use", 4, n)
	foreign := Lexical(lines(1, append(slices.Repeat([]string{"der Straße nach sind wir über den Fluss gegangen und haben schöne Häuser gesehen"}, 3), "ein ł zu viel")...), rec)
	tr.same("outsideAlphabet", "German with a Polish letter", "map[U+0142:1]", fmt.Sprint(foreign.OutsideSigns))
	german := slices.Repeat([]string{"der Straße nach sind wir über den Fluss gegangen und haben schöne Häuser gesehen"}, 6)
	ends := slices.Concat(german, english)
	tr.same("outsideAlphabet", "German that ends in English", "map[]", fmt.Sprint(Lexical(lines(1, ends...), rec).OutsideSigns))
	polish := slices.Repeat([]string{"proszę powiedzieć mi ile pieniędzy zostało na moim koncie w tym miesiącu bo chciałbym zapłacić"}, 6)
	tr.same("outsideAlphabet", "German, then Polish", "map[]", fmt.Sprint(Lexical(lines(1, slices.Concat(german, polish)...), rec).OutsideSigns))
	tr.same("numerals", "it is 12,500 or 4.5 or १२ of them", 3, Lexical(lines(1, "it is 12,500 or 4.5 or १२ of them"), rec).Numerals)

	// A speaker who speaks as a speaker does, and a transcript with the times of that.
	r := rand.New(rand.NewPCG(3, 9))
	call := Recording{Layout: "dual", DurationS: 300, Speech: [][]Interval{nil, nil}}
	for at, c := 0.5, 0; at < 290; c = 1 - c {
		end := at + 0.6 + 3*r.Float64()
		call.Speech[c] = append(call.Speech[c], Interval{Start: at, End: end})
		at = end + 0.7*r.Float64()
	}
	transcribe := func(late, wide, drift float64) (out []transcript.Segment) {
		for c, all := range call.Speech {
			for _, v := range all {
				jitter := drift * (r.Float64() - 0.5)
				out = append(out, transcript.Segment{Start: max(v.Start+late-wide+jitter, 0), End: v.End + late + wide + jitter, Channel: c + 1,
					Text: strings.Repeat("word ", int(1+3*(v.End-v.Start)))})
			}
		}
		return out
	}
	for _, late := range []float64{0, 0.3, -0.8, 4} {
		tr.near("alignmentLagMs", fmt.Sprintf("a call whose segments are %.0f ms late", 1000*late), 1000*late, 40, Lexical(transcribe(late, 0, 0), call).AlignmentLagMs, "%.0f")
	}
	all := []transcript.Segment{{End: 300, Channel: 1, Text: "all of it"}, {End: 300, Channel: 2, Text: "all of it"}}
	still := Recording{Layout: "dual", DurationS: 300, Speech: [][]Interval{{{Start: 100, End: 120}}, {{Start: 150, End: 160}}}}
	tr.same("alignmentLagMs", "a call with one segment for all of it", "absent", shown(Lexical(all, still).AlignmentLagMs, "%.0f"))
	tr.near("alignmentLagMs", "the call, 300 ms late, 100 ms too wide at both ends, each by up to 100 ms elsewhere", 300, 60, Lexical(transcribe(0.3, 0.1, 0.2), call).AlignmentLagMs, "%.0f")
	bad := transcribe(0, 0, 0)
	tr.same("implausibleSegments", "a call", 0, Lexical(bad, call).ImplausibleSegments)
	tr.same("unheardSegments", "a call", 0, Lexical(bad, call).UnheardSegments)
	for i := range 5 {
		bad[3*i].Text = strings.Repeat("word ", 100)
	}
	tr.same("implausibleSegments", "the same with 5 segments of 100 words", 5, Lexical(bad, call).ImplausibleSegments)
	for i := range 4 {
		bad[7*i].Start, bad[7*i].End = 292+float64(i), 293+float64(i)
	}
	tr.same("unheardSegments", "the same with 4 segments after the last speech", 4, Lexical(bad, call).UnheardSegments)
}

func truthOfBalance(tr *truth) {
	b := Balance(map[string]float64{"a": 100, "b": 100, "c": 100, "d": 100}, []int{2, 2})
	tr.near("effective", "four speakers with 100 s each", 4, 0.01, &b.Effective, "%.2f")
	b = Balance(map[string]float64{"a": 700, "b": 100, "c": 100, "d": 100}, []int{2, 2})
	tr.near("topShare", "one of four speakers with 700 of 1,000 s", 0.7, 0.01, &b.TopShare, "%.2f")
	// exp(-0.7 ln 0.7 - 0.3 ln 0.1)
	tr.near("effective", "the same", math.Exp(-0.7*math.Log(0.7)-0.3*math.Log(0.1)), 0.01, &b.Effective, "%.2f")
}

// utterances cuts speech at silences of 150 ms, and returns those of 0.9 s and more, without
// silence at their ends.
func utterances(x []float64, rate int) (out [][]float64) {
	const loud = 0.004
	from, last := -1, -1
	for i, v := range x {
		if math.Abs(v) < loud && i+1 < len(x) {
			continue
		}
		if from >= 0 && i-last > rate*15/100 {
			if last-from > rate*9/10 {
				out = append(out, x[from:last+1])
			}
			from = -1
		}
		if from < 0 {
			from = i
		}
		last = i
	}
	return out
}

// call is a conversation at 8 kHz whose times are known.
type call struct {
	plane   [2][]float64
	spoken  [2][]Interval
	offsets []float64 // ms
}

// newCall lets two voices take turns, with offsets from -400 to 800 ms.
func newCall(t testing.TB) *call {
	const rate = 8000
	c := &call{}
	var texts [2][][]float64
	for who, voice := range []string{"en-us+m3", "en-gb+f2"} {
		texts[who] = utterances(converted(t, spoken(t, voice), spokenRate, rate, "-f", "wav", "-ar", "8000"), rate)
		c.plane[who] = make([]float64, 64*rate)
	}
	r := rand.New(rand.NewPCG(4, 2))
	end := rate
	for n := 0; ; n++ {
		who := n % 2
		u := texts[who][n/2%len(texts[who])]
		from := end + int((-0.4+1.2*r.Float64())*rate)
		if from+len(u) > 63*rate {
			return c
		}
		if n > 0 {
			c.offsets = append(c.offsets, 1000*float64(from-end)/rate)
		}
		for i, v := range u {
			c.plane[who][from+i] += v
		}
		c.spoken[who] = append(c.spoken[who], Interval{Start: float64(from) / rate, End: float64(from+len(u)) / rate})
		end = from + len(u)
	}
}

// truthOfCalls makes a call as telephones carry it, and compares who speaks when.
func truthOfCalls(tr *truth) {
	const rate = 8000
	c := newCall(tr.t)
	both := Seconds(intersection(c.spoken[0], c.spoken[1]))
	any := Seconds(c.spoken[0]) + Seconds(c.spoken[1]) - both
	sorted := slices.Sorted(slices.Values(c.offsets))
	median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	share := Seconds(c.spoken[0]) / (Seconds(c.spoken[0]) + Seconds(c.spoken[1]))
	line := func(seed uint64, x []float64, db float64) []float64 {
		y := transformed(plus(x, white(seed, len(x), db)), rate, pass(250, 3400))
		return converted(tr.t, y, rate, rate, "-f", "wav", "-c:a", "pcm_mulaw")
	}
	echo := func(to, of []float64, db, ms float64) []float64 {
		y, delay := append([]float64(nil), to...), int(ms*rate/1000)
		low := 0.0
		for i := delay; i < len(y); i++ {
			low = 0.4*low + 0.6*of[i-delay]
			y[i] += gain(db) * low
		}
		return y
	}
	// gated sends comfort noise, 2 dB softer than the line, while nobody speaks on the channel.
	gated := func(x []float64, spoken []Interval, seed uint64) []float64 {
		y, soft := append([]float64(nil), x...), white(seed, len(x), -57)
		at := 0
		for i := range y {
			s := float64(i) / rate
			for at < len(spoken) && spoken[at].End+0.2 < s {
				at++
			}
			if at == len(spoken) || s < spoken[at].Start-0.02 {
				y[i] = soft[i]
			}
		}
		return y
	}
	// lossy replaces 2 % of the packets of 20 ms by silence.
	lossy := func(x []float64, seed uint64) []float64 {
		r, y := rand.New(rand.NewPCG(seed, 3)), append([]float64(nil), x...)
		for at := 0; at+160 <= len(y); at += 160 {
			if r.IntN(50) == 0 {
				clear(y[at : at+160])
			}
		}
		return y
	}
	// driven changes the level slowly by 5 dB up and down, as automatic gain does.
	driven := func(x []float64, phase float64) []float64 {
		y := append([]float64(nil), x...)
		for i := range y {
			y[i] *= gain(-5 + 5*math.Sin(phase+2*math.Pi*float64(i)/(17*rate)))
		}
		return y
	}
	p := c.plane
	first, second := line(1, p[0], -55), line(2, p[1], -55)
	for _, k := range []struct {
		name         string
		a, b         []float64
		overlap, fto float64 // bounds; 0 is the usual one
	}{
		{name: "over a telephone line, mulaw, noise of -55 dBFS", a: first, b: second},
		{name: "the same line with 10 dB of automatic gain", a: line(1, driven(p[0], 0), -55), b: line(2, driven(p[1], 2), -55)},
		{name: "the same line with gates that stay open for 200 ms, and comfort noise", a: line(3, gated(first, c.spoken[0], 5), -75), b: line(4, gated(second, c.spoken[1], 6), -75), overlap: 0.06, fto: 220},
		{name: "the same line with 2 % of packets lost", a: lossy(first, 7), b: lossy(second, 8)},
		{name: "the same line with echo of -25 dB after 30 ms", a: line(1, echo(p[0], p[1], -25, 30), -55), b: line(2, echo(p[1], p[0], -25, 30), -55)},
		{name: "the same line with echo of -25 dB after 180 ms on one side", a: line(1, echo(p[0], p[1], -25, 180), -55), b: second},
		{name: "the same line with echo of -18 dB after 240 ms on one side", a: line(1, echo(p[0], p[1], -18, 240), -55), b: second},
	} {
		r := measured(tr.t, rate, k.a, k.b)
		signal := "two people " + k.name
		tr.same("layout", signal, "dual", r.Layout)
		if r.Layout != "dual" {
			continue
		}
		turns := r.Profile.TurnTaking
		tr.near("overlapRatio", signal, both/any, cmp.Or(k.overlap, 0.03), &turns.OverlapRatio, "%.3f")
		tr.near("ftoMs", signal+": median", median, cmp.Or(k.fto, 60), turns.FTO.Median, "%.0f")
		tr.near("speechShare", signal+": the first", share, 0.03, &r.Profile.Speech.SpeechShare[0], "%.2f")
		n := float64(turns.TurnCount)
		tr.near("turnCount", signal, float64(len(c.offsets)+1), 3, &n, "%.0f")
	}
}

// intersection is when both speak.
func intersection(a, b []Interval) []Interval { return talk.Intersection(a, b) }
