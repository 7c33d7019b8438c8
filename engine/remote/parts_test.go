package remote

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/engine/remote/wire"
	"vaak/text"
)

func TestDivide(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"":       nil,
		" … ":    nil,
		"Hello.": {"Hello."},
		"Yes. No. Well, that is a long story. And here it comes to its end.": {"Yes. No. Well, that is a long story. ", "And here it comes to its end."},
		"It rains a lot today. Ok.": {"It rains a lot today. Ok."},
		"यह पहला वाक्य है और लंबा है। यह दूसरा वाक्य है।": {"यह पहला वाक्य है और लंबा है। ", "यह दूसरा वाक्य है।"},
		"これは最初の文で、少し長いです。そして次の文がここで終わります。":                {"これは最初の文で、少し長いです。", "そして次の文がここで終わります。"},
	} {
		var got []string
		for _, p := range divide(in) {
			got = append(got, p.In(in))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("divide(%q) (-want +got):\n%s", in, diff)
		}
	}
}

// TestDivideLaws: the parts are the whole text, in order, and none is longer than a model says well.
func TestDivideLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"hello", "wörld,", "yes.", "no!", "这是一个很长的句子没有空格", "।", strings.Repeat("ab", 400), "— so", "1.5"}), 1, 200).Draw(t, "words")
		s := strings.Join(words, " ")
		parts := divide(s)
		at := 0
		for _, p := range parts {
			if p.Start != at || p.End <= p.Start || !utf8.ValidString(p.In(s)) {
				t.Fatalf("part %v after byte %d", p.Span, at)
			}
			if n := utf8.RuneCountInString(p.In(s)); n > longPart+longPart/2+shortPart {
				t.Fatalf("a part has %d characters", n)
			}
			at = p.End
		}
		if len(parts) > 0 && at != len(s) {
			t.Fatalf("%d bytes of %d", at, len(s))
		}
	})
}

const rate = 24000

// hum returns sound and silence in turns, which last so many milliseconds.
func hum(turns ...int) []int16 {
	var pcm []int16
	for i, ms := range turns {
		for n := range ms * rate / 1000 {
			s := int16(0)
			if i%2 == 0 {
				s = int16(8000 * math.Sin(float64(n+1)*0.3))
			}
			pcm = append(pcm, s)
		}
	}
	return pcm
}

func TestTrimmer(t *testing.T) {
	t.Parallel()
	in := append(hum(0, 500), hum(300, 200, 300, 700)...)
	for _, piece := range []int{1, 7, 960, len(in)} {
		var out []int16
		trim := &trimmer{rate: rate, to: func(pcm []int16) { out = append(out, pcm...) }}
		for rest := in; len(rest) > 0; {
			n := min(piece, len(rest))
			if err := trim.WritePCM(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		trim.tail(100*time.Millisecond, 400*time.Millisecond)
		want := append(hum(0, 20), hum(300, 200, 300, 400)...)
		if n := len(out) - len(want); n < -3 || n > 3 {
			t.Errorf("in pieces of %d: %d samples, want %d", piece, len(out), len(want))
		}
	}
	trim := &trimmer{rate: rate, to: func([]int16) {}}
	var err error
	for range 6 {
		err = trim.WritePCM(make([]int16, rate))
	}
	if f, ok := err.(*wire.Failure); !ok || f.Reason != wire.Silent {
		t.Errorf("after six seconds of silence: %v", err)
	}
}

// TestQuiet: sound that is quiet for a moment is passed on as it came, however it came in pieces.
func TestQuiet(t *testing.T) {
	t.Parallel()
	in := hum(300, 200, 300)
	for i := range in {
		in[i] += int16(i%7 - 3)
	}
	for _, piece := range []int{1, 37, 960, len(in)} {
		var out []int16
		trim := &trimmer{rate: rate, to: func(pcm []int16) { out = append(out, pcm...) }}
		for rest := in; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			if err := trim.WritePCM(rest[:min(piece, len(rest))]); err != nil {
				t.Fatal(err)
			}
		}
		sound := in[:lastSound(in)]
		if n := len(sound); len(out) < n || !slices.Equal(out[:n], sound) {
			t.Errorf("in pieces of %d the sound is not what came", piece)
		}
		trim.tail(100*time.Millisecond, 400*time.Millisecond)
		if n := len(sound) + rate/10; len(out) != n || out[n-1] != 0 {
			t.Errorf("in pieces of %d: %d samples, the last one %d; want %d and 0", piece, len(out), out[len(out)-1], n)
		}
	}
}

// TestScaled: the words are stretched to the sound, and those behind a comma begin behind its pause.
func TestScaled(t *testing.T) {
	t.Parallel()
	const s = "one two, three four"
	g := guess{total: 2}
	for i, w := range wordsOf(s, text.Span{End: len(s)}) {
		g.words = append(g.words, guessed{w, float64(i) * 0.5, i == 2})
	}
	pcm := hum(1500, 300, 1200) // the pause comes later than half
	got := g.scaled(pcm, rate)
	want := []int{0, rate * 9 / 10, rate * 18 / 10, rate * 24 / 10}
	for i := range want {
		if d := got[i] - want[i]; d < -rate/20 || d > rate/20 {
			t.Errorf("word %d at %d, want about %d: %v", i, got[i], want[i], got)
		}
	}
}

// TestTold: times that a server tells are used where its words are those of the text.
func TestTold(t *testing.T) {
	t.Parallel()
	const s = "Hello, dear “World”! How are you"
	said := []wire.Word{{Text: "hello", Start: 0}, {Text: "dear", Start: time.Second}, {Text: "world!", Start: 2 * time.Second},
		{Text: "you", Start: 5 * time.Second, End: 6 * time.Second}}
	if _, ok := told(s, text.Span{End: len(s)}, said); ok {
		t.Error("two of six words are missing, and the times are used")
	}
	said = append(said[:3:3], wire.Word{Text: "How", Start: 3 * time.Second}, said[3])
	words, ok := told(s, text.Span{End: len(s)}, said)
	if !ok || len(words) != 6 || words[4].at != 4 || words[5].at != 5 {
		t.Errorf("words %+v, %v", words, ok)
	}
}
