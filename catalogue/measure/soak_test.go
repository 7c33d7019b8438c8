package measure

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSoakCopies looks for copies among many short recordings, as datasets of read sentences have
// them: parts of the speech of five voices of 3 to 6 s, and a fifth of them once more, begun
// elsewhere by up to a tenth of a second, softer, with noise, over a telephone, or in a codec.
func TestSoakCopies(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("VAAK_SOAK=1 runs it")
	}
	const rate, clips = 8000, 1000
	r := rand.New(rand.NewPCG(6, 6))
	words := strings.Fields(sentences)
	var voices [][]float64
	for _, v := range []string{"en-us+m3", "en-gb+f2", "en-us+f4", "en-gb+m7", "en-us+m1"} {
		var text strings.Builder
		for range 4800 {
			text.WriteString(words[r.IntN(len(words))] + " ")
		}
		voices = append(voices, converted(t, says(t, v, text.String()), spokenRate, rate, "-f", "wav", "-ar", "8000"))
	}
	clip := func(n int) []float64 {
		x, length := voices[n%len(voices)], int((3+3*r.Float64())*rate)
		from := n / len(voices) * 6 * rate // no two clips share a stretch
		return plus(x[from:from+length], white(uint64(n), length, -62))
	}
	var all []Recording
	var sounds [][]float64
	for n := range clips {
		sounds = append(sounds, clip(n))
		all = append(all, measured(t, rate, sounds[n]))
	}
	type change struct {
		name  string
		apply func([]float64) []float64
	}
	changes := []change{
		{"softer", func(x []float64) []float64 { return times(x, 0.2) }},
		{"noise 15 dB below", func(x []float64) []float64 { return plus(x, white(r.Uint64(), len(x), -38)) }},
		{"telephone", func(x []float64) []float64 {
			return converted(t, transformed(x, rate, pass(300, 3400)), rate, rate, "-f", "wav", "-c:a", "pcm_mulaw")
		}},
		{"MP3 of 32 kbit/s", func(x []float64) []float64 {
			return converted(t, x, rate, rate, "-f", "mp3", "-ar", "16000", "-b:a", "32k")
		}},
		{"Opus of 12 kbit/s", func(x []float64) []float64 {
			return converted(t, x, rate, rate, "-f", "ogg", "-c:a", "libopus", "-b:a", "12k")
		}},
	}
	made, found := map[string]int{}, map[string]int{}
	pairs := map[[2]int]string{}
	for k := range clips / 5 {
		of, c := r.IntN(clips), changes[k%len(changes)]
		x := sounds[of]
		x = c.apply(append(make([]float64, r.IntN(rate/10)), x...))
		made[c.name]++
		pairs[[2]int{of, len(all)}] = c.name
		m := measured(t, rate, x)
		m.SHA256 += fmt.Sprint(k)
		all = append(all, m)
	}
	wrong := 0
	for _, d := range duplicates(t, all) {
		if name, ok := pairs[[2]int{d.A, d.B}]; ok {
			found[name]++
		} else if _, ok := pairs[[2]int{d.B, d.A}]; !ok && d.A < clips && d.B < clips {
			wrong++
			t.Logf("clips %d and %d share %.1f s, with %.2f errors", d.A, d.B, d.Seconds, d.Errors)
		}
	}
	for name, n := range made {
		t.Logf("%s: %d of %d found", name, found[name], n)
		if found[name]*100 < 95*n {
			t.Errorf("%s: %d of %d copies found, want 95 %%", name, found[name], n)
		}
	}
	// A synthetic voice says some words in a row twice, which is the same sound.
	if wrong > clips/50 {
		t.Errorf("%d pairs of different clips were found", wrong)
	}
}

// readings are sentences of each language that the product reads, a minute or two of each.
func readings(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../text/normalize/testdata/golden/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatal("no readings", err)
	}
	all := map[string]string{}
	for _, file := range files {
		rows, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for row := range strings.Lines(string(rows)) {
			if cells := strings.Split(row, "\t"); len(cells) > 1 && !strings.HasPrefix(row, "#") && text.Len() < 1500 {
				text.WriteString(cells[1] + ". ")
			}
		}
		all[strings.TrimSuffix(filepath.Base(file), ".tsv")] = text.String()
	}
	return all
}

// TestSoakVoices hears synthetic voices of all languages: they are no music, and hardly a tone.
func TestSoakVoices(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("VAAK_SOAK=1 runs it")
	}
	n := 0
	for code, text := range readings(t) {
		if exec.Command("espeak-ng", "-v", code, "-q", "a").Run() != nil {
			continue // it has no such voice
		}
		n++
		c := channel(t, spokenRate, says(t, code, text))
		if c.MusicRatio != nil || c.ToneRatio != nil && *c.ToneRatio > 0.01 {
			t.Errorf("%s: music %s, tones %s", code, shown(c.MusicRatio, "%.3f"), shown(c.ToneRatio, "%.3f"))
		}
	}
	t.Logf("%d languages", n)
}

// TestSoakLanguages tells the language of the readings.
func TestSoakLanguages(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("VAAK_SOAK=1 runs it")
	}
	sum, n := 0.0, 0
	for code, text := range readings(t) {
		share := Lexical(lines(1, strings.Split(text, ". ")...), Recording{Layout: "mono", DurationS: 600}).LanguageShare[code]
		sum, n = sum+share, n+1
		if share < 0.8 {
			t.Logf("%s: %.2f", code, share)
		}
	}
	t.Logf("mean share of the right language over %d languages: %.3f", n, sum/float64(n))
	if sum/float64(n) < 0.85 {
		t.Errorf("mean share %.3f, want 0.85", sum/float64(n))
	}
}
