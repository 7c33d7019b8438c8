package elevenlabs_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"vaak/rest/elevenlabs"
	"vaak/speech/align"
)

// timed is a line as clients parse it: they need every key.
type timed struct {
	Audio      *string `json:"audio_base64"`
	Alignment  *times  `json:"alignment"`
	Normalized *times  `json:"normalized_alignment"`
}

type times struct {
	Characters []string  `json:"characters"`
	Starts     []float64 `json:"character_start_times_seconds"`
	Ends       []float64 `json:"character_end_times_seconds"`
}

// spread times the code points of a text evenly, step ms each.
func spread(text string, begin, step int) align.Alignment {
	a := align.Alignment{Begin: begin, End: begin}
	for _, r := range text {
		a.Characters = append(a.Characters, string(r))
		a.Starts = append(a.Starts, a.End)
		a.End += step
	}
	return a
}

func TestLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		line elevenlabs.Line
		want string
	}{
		{"nothing", elevenlabs.Line{}, `{"audio_base64":"","alignment":null,"normalized_alignment":null}`},
		{"audio", elevenlabs.Line{Audio: []byte("0123")}, `{"audio_base64":"MDEyMw==","alignment":null,"normalized_alignment":null}`},
		{"text", elevenlabs.Line{Audio: []byte("012"), Written: spread("a5", 1000, 35), Spoken: spread("a five", 1000, 10)},
			`{"audio_base64":"MDEy","alignment":{"characters":["a","5"],"character_start_times_seconds":[1,1.035],"character_end_times_seconds":[1.035,1.07]},` +
				`"normalized_alignment":{"characters":["a"," ","f","i","v","e"],"character_start_times_seconds":[1,1.01,1.02,1.03,1.04,1.05],"character_end_times_seconds":[1.01,1.02,1.03,1.04,1.05,1.06]}}`},
		{"one character, and none", elevenlabs.Line{Written: spread("x", 0, 5)},
			`{"audio_base64":"","alignment":{"characters":["x"],"character_start_times_seconds":[0],"character_end_times_seconds":[0.005]},"normalized_alignment":null}`},
		{"escapes", elevenlabs.Line{Written: spread("\"\\\n<नि😀\u2028\ufffd", 0, 0)},
			`{"audio_base64":"","alignment":{"characters":["\"","\\","\n","<","न","ि","😀","` + "\u2028" + `","` + "\ufffd" + `"],"character_start_times_seconds":[0,0,0,0,0,0,0,0,0],"character_end_times_seconds":[0,0,0,0,0,0,0,0,0]},"normalized_alignment":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(tt.line.Append(nil)); got != tt.want+"\n" {
				t.Errorf("Append:\n%swant\n%s", got, tt.want)
			}
			parts := tt.line.AppendHead(nil)
			parts = base64.StdEncoding.AppendEncode(parts, tt.line.Audio)
			if parts = tt.line.AppendTail(parts); string(parts) != tt.want+"\n" {
				t.Errorf("AppendHead and AppendTail:\n%swant\n%s", parts, tt.want)
			}
		})
	}
}

// checkLines cuts a line and checks the pieces: their size, and that together
// they are the line.
func checkLines(t *testing.T, l elevenlabs.Line) (lines int) {
	t.Helper()
	var heard []byte
	var written, spoken times
	for piece := range l.Lines() {
		lines++
		text := piece.Append(nil)
		if len(text) > elevenlabs.MaxLine || text[len(text)-1] != '\n' || bytes.IndexByte(text, '\n') != len(text)-1 {
			t.Errorf("line %d has %d bytes", lines, len(text))
		}
		var got timed
		if err := json.Unmarshal(text, &got); err != nil || got.Audio == nil {
			t.Fatalf("line %d: %v: %.100s", lines, err, text)
		}
		audio, err := base64.StdEncoding.DecodeString(*got.Audio)
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, audio...)
		if len(heard)%2 != 0 && len(heard) != len(l.Audio) {
			t.Errorf("line %d ends inside a sample", lines)
		}
		written.add(t, got.Alignment)
		spoken.add(t, got.Normalized)
	}
	if !bytes.Equal(heard, l.Audio) {
		t.Errorf("%d bytes of audio, want %d", len(heard), len(l.Audio))
	}
	written.check(t, l.Written)
	spoken.check(t, l.Spoken)
	return lines
}

func (a *times) add(t *testing.T, b *times) {
	t.Helper()
	if b == nil {
		return
	}
	if n := len(b.Characters); n == 0 || len(b.Starts) != n || len(b.Ends) != n {
		t.Errorf("%d characters, %d starts, %d ends", n, len(b.Starts), len(b.Ends))
	}
	a.Characters = append(a.Characters, b.Characters...)
	a.Starts = append(a.Starts, b.Starts...)
	a.Ends = append(a.Ends, b.Ends...)
}

func (a *times) check(t *testing.T, want align.Alignment) {
	t.Helper()
	if d := cmp.Diff(want.Characters, a.Characters); d != "" {
		t.Errorf("characters (-want +got):\n%s", d)
		return
	}
	for i, start := range a.Starts {
		end := want.End
		if i+1 < len(want.Starts) {
			end = want.Starts[i+1]
		}
		if start != float64(want.Starts[i])/1000 || a.Ends[i] != float64(end)/1000 {
			t.Errorf("character %d: %v to %v s, want %d to %d ms", i, start, a.Ends[i], want.Starts[i], end)
			return
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		line elevenlabs.Line
		want int
	}{
		{"nothing", elevenlabs.Line{}, 0},
		{"audio", elevenlabs.Line{Audio: make([]byte, 9600)}, 1},
		{"200 ms at 48,000 Hz with a word", elevenlabs.Line{Audio: make([]byte, 19200), Written: spread("word ", 0, 40), Spoken: spread("word ", 0, 40)}, 1},
		{"a second at 48,000 Hz", elevenlabs.Line{Audio: make([]byte, 96000)}, 2},
		{"a second with a word", elevenlabs.Line{Audio: make([]byte, 96000), Written: spread("word ", 0, 40), Spoken: spread("word ", 0, 40)}, 3},
		{"a text without audio", elevenlabs.Line{Written: spread(strings.Repeat("x", 901), 0, 40)}, 3},
		{"the longest text at once", elevenlabs.Line{Audio: make([]byte, 2<<20), Written: spread(strings.Repeat("x", 5000), 0, 40), Spoken: spread(strings.Repeat("y", 20_000), 0, 2)}, 64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := checkLines(t, tt.line); got != tt.want {
				t.Errorf("%d lines, want %d", got, tt.want)
			}
		})
	}
	for range (elevenlabs.Line{Audio: make([]byte, 1<<20)}).Lines() {
		break // must not go on
	}
}

// TestLongestLine fills a line with what takes most room.
func TestLongestLine(t *testing.T) {
	t.Parallel()
	worst := spread(strings.Repeat("\x01", 450), 86_000_001, 1)
	checkLines(t, elevenlabs.Line{Audio: make([]byte, 1<<20), Written: worst, Spoken: worst})
}

func FuzzLines(f *testing.F) {
	f.Add("hello", "hello", uint32(0), uint32(1000), uint8(9))
	f.Add("\x01\"\\", strings.Repeat("é", 1000), uint32(86_000_000), uint32(70_000), uint8(255))
	f.Fuzz(func(t *testing.T, written, spoken string, begin, audio uint32, step uint8) {
		if !utf8.ValidString(written) || !utf8.ValidString(spoken) {
			return
		}
		begin %= 86_000_000 // a day, in ms
		l := elevenlabs.Line{Audio: make([]byte, audio%200_000), Written: spread(written, int(begin), int(step)), Spoken: spread(spoken, int(begin), int(step))}
		checkLines(t, l)
	})
}
