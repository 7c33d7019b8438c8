package seam_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vaak/audio/audiotest"
	"vaak/speech/seam"
)

const rate = 22050

// piece is one that was synthesized.
type piece struct {
	continues         bool
	lead, body, trail []int16
}

// stream is what pieces become, with what a Joiner told about each.
type stream struct {
	pcm           []int16
	starts, shift []int
}

func (s stream) equal(o stream) bool {
	return slices.Equal(s.pcm, o.pcm) && slices.Equal(s.starts, o.starts) && slices.Equal(s.shift, o.shift)
}

// feed feeds pieces to a Joiner, cut as frame says.
func feed(j *seam.Joiner, pieces []piece, frame func(left int) int) stream {
	var s stream
	each := func(pcm []int16, f func([]int16)) {
		for len(pcm) > 0 {
			n := frame(len(pcm))
			f(slices.Clone(pcm[:n]))
			pcm = pcm[n:]
		}
	}
	for _, p := range pieces {
		before := len(s.pcm)
		j.Begin(p.continues)
		each(p.lead, j.Lead)
		each(p.body, func(pcm []int16) { s.pcm = append(s.pcm, j.Body(pcm)...) })
		each(p.trail, j.Trail)
		s.pcm = append(s.pcm, j.End()...)
		start, _ := j.Start()
		s.starts = append(s.starts, start)
		s.shift = append(s.shift, len(s.pcm)-before-len(p.body))
	}
	return s
}

func all(left int) int { return left }

// cut returns the samples from..to of a sound as a piece, with edges.
func cut(sound []int16, from, to, edge int) piece {
	return piece{true, sound[max(0, from-edge):from], sound[from:to], sound[to:min(len(sound), to+edge)]}
}

// TestPiecesOfOneSound: where pieces were cut cannot be told, however short they
// are.
func TestPiecesOfOneSound(t *testing.T) {
	t.Parallel()
	sound := audiotest.Speech(rate, rate)
	rapid.Check(t, func(t *rapid.T) {
		j := seam.New(rate)
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(sound)), 0, 6).Draw(t, "cuts")
		if near := rapid.IntRange(0, 600).Draw(t, "near"); len(cuts) > 0 {
			cuts = append(cuts, min(len(sound), cuts[0]+near))
		}
		slices.Sort(cuts)
		var pieces []piece
		want := stream{pcm: sound}
		from := 0
		for _, to := range append(cuts, len(sound)) {
			pieces = append(pieces, cut(sound, from, to, j.Edge()))
			want.starts, want.shift = append(want.starts, from), append(want.shift, 0)
			from = to
		}
		if got := feed(j, pieces, all); !got.equal(want) {
			t.Fatalf("pieces cut at %v are %d samples from %v, shifted by %v; want the sound itself", cuts, len(got.pcm), got.starts, got.shift)
		}
	})
}

// TestSameHoweverFramed: any pieces give the same stream in any frames, as long as
// they are told to be, and no seam moves one by more than 12 ms.
func TestSameHoweverFramed(t *testing.T) {
	t.Parallel()
	sound := audiotest.Speech(rate, rate)
	rapid.Check(t, func(t *rapid.T) {
		var pieces []piece
		some := func(name string, most int) []int16 {
			from := rapid.IntRange(0, len(sound)-most).Draw(t, name)
			return sound[from : from+rapid.IntRange(0, most).Draw(t, name)]
		}
		for range rapid.IntRange(1, 4).Draw(t, "pieces") {
			pieces = append(pieces, piece{rapid.Bool().Draw(t, "continues"), some("lead", 600), some("body", 1500), some("trail", 600)})
		}
		want := feed(seam.New(rate), pieces, all)
		got := feed(seam.New(rate), pieces, func(left int) int {
			return min(left, rapid.SampledFrom([]int{1, 7, 100, 530, 1000}).Draw(t, "frame"))
		})
		if !got.equal(want) {
			t.Fatalf("in frames %d samples from %v, whole %d from %v", len(got.pcm), got.starts, len(want.pcm), want.starts)
		}
		sum := 0
		for i, p := range pieces {
			if s := want.shift[i]; s < -rate/80 || s > rate/80 || !p.continues && s != 0 {
				t.Fatalf("piece %d is shifted by %d", i, s)
			}
			sum += len(p.body) + want.shift[i]
		}
		if sum != len(want.pcm) {
			t.Fatalf("%d samples, want %d as the bodies and shifts say", len(want.pcm), sum)
		}
	})
}

// TestFindsThePlace cuts the second piece beside where the first ended.
func TestFindsThePlace(t *testing.T) {
	t.Parallel()
	sound := audiotest.Speech(rate, rate)
	for _, off := range []int{-230, -100, -7, 0, 3, 50, 180, 240} {
		const at = 5000 // in the vowel of a syllable
		j := seam.New(rate)
		got := feed(j, []piece{cut(sound, 0, at, j.Edge()), cut(sound, at+off, len(sound), j.Edge())}, all)
		if want := (stream{sound, []int{0, at + off}, []int{0, off}}); !got.equal(want) {
			t.Errorf("a piece that begins %d samples late gives %d samples from %v, shifted by %v; want %d from %v, by %v",
				off, len(got.pcm), got.starts, got.shift, len(want.pcm), want.starts, want.shift)
		}
	}
}

func TestWithoutEdges(t *testing.T) {
	t.Parallel()
	sound := audiotest.Speech(rate, rate)
	a, b := sound[3000:6000], sound[9000:13000]
	for _, tt := range []struct {
		name   string
		pieces []piece
	}{
		{"no trail", []piece{{body: a}, {continues: true, lead: sound[:400], body: b}}},
		{"a trail that nothing continues", []piece{{body: a, trail: sound[6000:6400]}, {lead: sound[:400], body: b}}},
		{"silence", []piece{{body: a, trail: make([]int16, 441)}, {continues: true, body: b}}},
	} {
		j := seam.New(rate)
		got := feed(j, tt.pieces, all)
		if len(got.pcm) != len(a)+len(b) || got.starts[1] != len(a) || got.shift[1] != 0 {
			t.Errorf("%s: %d samples, the second piece at %d, shifted by %d; want %d, %d and 0",
				tt.name, len(got.pcm), got.starts[1], got.shift[1], len(a)+len(b), len(a))
		}
		if tt.name != "silence" && !slices.Equal(got.pcm, slices.Concat(a, b)) {
			t.Errorf("%s: the samples are not those of the pieces", tt.name)
		}
	}
}

// TestHoldsLittle: the first piece leaves at once, and the next after its
// beginning.
func TestHoldsLittle(t *testing.T) {
	t.Parallel()
	sound := audiotest.Speech(rate, rate)
	j := seam.New(rate)
	j.Begin(false)
	if got := j.Body(sound[:1]); len(got) != 1 {
		t.Errorf("the first sample gives %d, want it", len(got))
	}
	j.Trail(sound[1:500])
	j.End()
	j.Begin(true)
	if _, known := j.Start(); known {
		t.Error("the start is known before the seam")
	}
	if got := j.Body(sound[1:j.Delay()]); got != nil {
		t.Errorf("%d samples come before there are enough", len(got))
	}
	got := j.Body(sound[j.Delay() : j.Delay()+1])
	if start, known := j.Start(); len(got) == 0 || !known || start != 1 {
		t.Errorf("then there are %d samples, from %d (known: %v); want some, from 1", len(got), start, known)
	}
}

// TestFades joins a sound with the same at half the volume: the stream is the
// one, then between the two, then the other.
func TestFades(t *testing.T) {
	t.Parallel()
	const at, fade = 5000, rate / 100
	sound := audiotest.Speech(rate, rate)
	half := slices.Clone(sound)
	for i := range half {
		half[i] /= 2
	}
	j := seam.New(rate)
	got := feed(j, []piece{cut(sound, 0, at, j.Edge()), cut(half, at, len(half), j.Edge())}, all)
	if len(got.pcm) != len(sound) || !slices.Equal(got.pcm[:at], sound[:at]) || !slices.Equal(got.pcm[at+fade+1:], half[at+fade+1:]) {
		t.Fatalf("%d samples, want %d that are the first sound up to %d and the second from %d", len(got.pcm), len(sound), at, at+fade)
	}
	for i := at; i < at+fade; i++ {
		if -500 < sound[i] && sound[i] < 500 {
			continue // rounding counts too much
		}
		gain := float64(got.pcm[i]) / float64(sound[i])
		part := float64(i-at) / fade
		if want := 0.75 + 0.25*math.Cos(math.Pi*part); math.Abs(gain-want) > 0.02 {
			t.Errorf("sample %d of the fade has a gain of %.3f, want about %.3f", i-at, gain, want)
		}
	}
}

// TestQuietIsNotMoved cuts noise that nobody hears beside where it ended.
func TestQuietIsNotMoved(t *testing.T) {
	t.Parallel()
	sound := audiotest.Speech(rate, rate)
	for i := range sound {
		sound[i] /= 400
	}
	j := seam.New(rate)
	got := feed(j, []piece{cut(sound, 0, 5000, j.Edge()), cut(sound, 5100, len(sound), j.Edge())}, all)
	if got.shift[1] != 0 {
		t.Errorf("shifted by %d, want 0", got.shift[1])
	}
}

func BenchmarkSeam(b *testing.B) {
	sound := audiotest.Speech(rate, rate)
	j := seam.New(rate)
	pieces := []piece{cut(sound, 0, 5000, j.Edge()), cut(sound, 5100, len(sound), j.Edge())}
	for b.Loop() {
		feed(j, pieces, all)
	}
}
