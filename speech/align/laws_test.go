package align

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/text"
)

// stretch is what a line is told of a piece of a stream.
type stretch struct {
	written, spoken string
	at, end         int
	marks           []Mark
}

// tell tells a line of a stretch.
func (s stretch) tell(l *Line) {
	l.Open(s.written, s.spoken, s.at)
	for _, m := range s.marks {
		l.Mark(m)
	}
	l.Close(s.end)
}

var (
	letters = []string{"a", "B", "9", "é", "e\u0301", "क", "की", "ௌ", "م", "日", "𠮷", "\u200d", "👍🏽", "¿", "«"}
	between = []string{" ", "\n", ", ", ". ", "。", " — ", " 🎉🎉🎉 ", "</b> <i class='x'>", "\u0301 ", " \u200b"}
)

func draw(from []string, atLeast, atMost int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(from), atLeast, atMost), func(s []string) string { return strings.Join(s, "") })
}

// drawStretch returns a stretch that begins no earlier than at; of words in
// order, each of its own part of both texts, or of nonsense if wild.
func drawStretch(t *rapid.T, at int, wild bool) stretch {
	s := stretch{at: at + rapid.SampledFrom([]int{0, 0, 0, 1, 40, 9000}).Draw(t, "gap")}
	s.written, s.spoken = draw(between, 0, 2).Draw(t, "lead"), draw(between, 0, 1).Draw(t, "lead")
	sample := s.at + rapid.IntRange(0, 2000).Draw(t, "first")
	for range rapid.IntRange(0, 6).Draw(t, "words") {
		m := Mark{Sample: sample}
		m.Written.Start, m.Spoken.Start = len(s.written), len(s.spoken)
		s.written += "ω" + draw(letters, 0, 8).Draw(t, "written")
		s.spoken += "σ" + draw(letters, 0, 8).Draw(t, "spoken")
		m.Written.End, m.Spoken.End = len(s.written), len(s.spoken)
		s.written += draw(between, 0, 2).Draw(t, "after")
		s.spoken += draw(between, 0, 2).Draw(t, "after")
		lasts := []int{60, 1000, 3000, 8000, 40000}
		if wild {
			lasts[0] = 5 // less than a millisecond
		}
		sample += rapid.SampledFrom(lasts).Draw(t, "lasts")
		s.marks = append(s.marks, m)
	}
	s.end = sample
	if wild {
		number := rapid.IntRange(-2, 80)
		for range rapid.IntRange(0, 5).Draw(t, "odd") {
			i := rapid.IntRange(0, len(s.marks)).Draw(t, "place")
			s.marks = slices.Insert(s.marks, i, Mark{
				Sample:  rapid.IntRange(-10, sample+100).Draw(t, "sample"),
				Written: text.Span{Start: number.Draw(t, "n"), End: number.Draw(t, "n")},
				Spoken:  text.Span{Start: number.Draw(t, "n"), End: number.Draw(t, "n")},
			})
		}
		s.end = rapid.IntRange(s.at-100, sample+9000).Draw(t, "end")
	}
	return s
}

// teller collects the frames of a line and checks each.
type teller struct {
	t       interface{ Fatalf(string, ...any) }
	line    *Line
	at      int
	written Alignment
	spoken  Alignment
}

func (f *teller) cut(to int) {
	w, s := f.line.Cut(to)
	f.at = max(f.at, to)
	f.check("written", w, f.written.End)
	f.check("spoken", s, f.spoken.End)
	f.written.Append(w)
	f.spoken.Append(s)
}

// Relative returns when each character begins, counted from Begin, and how long it lasts,
// in milliseconds.
func (a Alignment) Relative() (starts, durations []int) {
	starts, durations = make([]int, len(a.Starts)), make([]int, len(a.Starts))
	for i, s := range a.Starts {
		starts[i], durations[i] = s-a.Begin, a.end(i)-s
	}
	return starts, durations
}

// check fails unless a frame keeps the laws of one frame.
func (f *teller) check(name string, a Alignment, begin int) {
	if a.Begin != begin || a.End != f.line.milliseconds(f.at) {
		f.t.Fatalf("%s is of %d to %d, want %d to %d", name, a.Begin, a.End, begin, f.line.milliseconds(f.at))
	}
	if len(a.Starts) != len(a.Characters) || !slices.IsSorted(a.Starts) {
		f.t.Fatalf("%s: %q begin at %v", name, a.Characters, a.Starts)
	}
	if len(a.Starts) == 0 {
		return
	}
	starts, durations := a.Relative()
	sum := 0
	for i, d := range durations {
		if d < 0 || starts[i] != sum {
			f.t.Fatalf("%s: %v last %v", name, starts, durations)
		}
		sum += d
	}
	if a.Starts[0] != a.Begin || sum != a.End-a.Begin {
		f.t.Fatalf("%s: the durations %v are %d, want %d", name, durations, sum, a.End-a.Begin)
	}
}

// drain cuts what is known at the bounds of frames of at most limit samples.
func (f *teller) drain(limit int) {
	for {
		to := f.line.Bound(f.at + limit)
		if to <= f.at {
			return
		}
		if to > f.at+limit {
			f.t.Fatalf("Bound(%d) = %d", f.at+limit, to)
		}
		f.cut(to)
	}
}

func (f *teller) complete(stretches []stretch) {
	var written, spoken strings.Builder
	for _, s := range stretches {
		written.WriteString(s.written)
		spoken.WriteString(s.spoken)
	}
	for _, side := range []struct {
		text string
		told Alignment
	}{{written.String(), f.written}, {spoken.String(), f.spoken}} {
		if got := strings.Join(side.told.Characters, ""); got != side.text {
			f.t.Fatalf("told %q, want %q", got, side.text)
		}
		for _, c := range side.told.Characters {
			if utf8.RuneCountInString(c) != 1 {
				f.t.Fatalf("%q is told as one character", c)
			}
		}
		if !slices.IsSorted(side.told.Starts) {
			f.t.Fatalf("characters descend: %v", side.told.Starts)
		}
	}
}

// TestLaws cuts a stream anywhere while it is told anything.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := &teller{t: t, line: NewLine(22050, rapid.SampledFrom([]float64{0.7, 1, 1.5}).Draw(t, "speed"))}
		var stretches []stretch
		at := 0
		any := func() {
			switch rapid.IntRange(0, 3).Draw(t, "cut") {
			case 0:
				f.cut(f.at + rapid.IntRange(0, 9000).Draw(t, "samples"))
			case 1:
				f.drain(rapid.IntRange(100, 9000).Draw(t, "limit"))
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "stretches") {
			s := drawStretch(t, at, true)
			stretches = append(stretches, s)
			f.line.Open(s.written, s.spoken, s.at)
			for _, m := range s.marks {
				any()
				f.line.Mark(m)
			}
			any()
			if rapid.Bool().Draw(t, "close") {
				f.line.Close(s.end)
			}
			any()
			at = max(at, s.end)
		}
		f.line.Close(at)
		f.cut(max(at, f.line.written.known))
		f.complete(stretches)
	})
}

// TestBoundsAreExact cuts a stream at its bounds alone, however late it is told
// what there is.
func TestBoundsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		speed := rapid.SampledFrom([]float64{0.7, 1, 1.5}).Draw(t, "speed")
		limit := rapid.SampledFrom([]int{50, 500, 7000, 100000}).Draw(t, "limit")
		f := &teller{t: t, line: NewLine(22050, speed)}
		var stretches []stretch
		var written, spoken []int // where words begin, in milliseconds
		at := 0
		for range rapid.IntRange(1, 4).Draw(t, "stretches") {
			s := drawStretch(t, at, false)
			stretches = append(stretches, s)
			f.line.Open(s.written, s.spoken, s.at)
			for _, m := range s.marks {
				if rapid.Bool().Draw(t, "cut") {
					f.drain(limit)
				}
				f.line.Mark(m)
				written = append(written, f.line.milliseconds(m.Sample))
				spoken = append(spoken, f.line.milliseconds(m.Sample))
			}
			f.line.Close(s.end)
			at = s.end
		}
		f.drain(limit)
		if f.at != at {
			t.Fatalf("cut up to %d of %d", f.at, at)
		}
		f.cut(at)
		f.complete(stretches)
		if diff := cmp.Diff(written, beginnings(f.written, "ω")); diff != "" {
			t.Fatalf("written words begin (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(spoken, beginnings(f.spoken, "σ")); diff != "" {
			t.Fatalf("spoken words begin (-want +got):\n%s", diff)
		}
	})
}

// beginnings returns when the characters begin that are some letter.
func beginnings(a Alignment, letter string) (starts []int) {
	for i, c := range a.Characters {
		if c == letter {
			starts = append(starts, a.Starts[i])
		}
	}
	return starts
}

// TestFramesDoNotMatter compares many frames with one: but for the first
// characters of frames, which begin with them, all are the same.
func TestFramesDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one, many := NewLine(24000, 1), NewLine(24000, 1)
		s := drawStretch(t, 0, false)
		s.tell(one)
		s.tell(many)
		w, sp := one.Cut(s.end)
		limit := rapid.IntRange(1000, 9000).Draw(t, "limit")
		for at := 0; at < s.end; {
			at = many.Bound(at + limit)
			frame, read := many.Cut(at)
			w.Starts = behind(t, w.Starts, frame)
			sp.Starts = behind(t, sp.Starts, read)
		}
	})
}

// behind compares the characters of a frame with those that are due, and returns
// those that are due next.
func behind(t *rapid.T, due []int, frame Alignment) []int {
	for i, got := range frame.Starts {
		if i > 0 && got != due[i] {
			t.Fatalf("character %d of a frame begins at %d, want %d", i, got, due[i])
		}
	}
	return due[len(frame.Starts):]
}

// TestWordsAscend looks at where the words of a stretch are placed, whatever is
// told of them.
func TestWordsAscend(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := NewLine(22050, 1.5)
		drawStretch(t, 0, true).tell(line)
		for _, side := range []track{line.written, line.spoken} {
			before := -1
			for _, c := range side.queue {
				at := line.milliseconds(c.sample)
				if c.word && at <= before {
					t.Fatalf("%q begins a word at %d ms, not after %d", c.text, at, before)
				}
				if c.word {
					before = at
				}
			}
		}
	})
}

func FuzzLine(f *testing.F) {
	f.Add("$5, please", "five dollars, please", []byte{0, 0, 2, 0, 4, 9, 0, 2, 5, 12, 20, 4, 10, 14, 20})
	f.Add("a\u0301 👍🏽 क्या", "", []byte{255, 7, 3, 2, 1, 0, 0, 0, 0, 0, 40, 2, 6, 0, 0})
	f.Fuzz(func(t *testing.T, written, spoken string, marks []byte) {
		if !utf8.ValidString(written) || !utf8.ValidString(spoken) {
			t.Skip("a request with such a text is refused before it is aligned")
		}
		tell := &teller{t: t, line: NewLine(8000, 1.5)}
		tell.line.Open(written, spoken, 10)
		for ; len(marks) >= 5; marks = marks[5:] {
			if marks[0] > 250 {
				tell.cut(tell.at + int(marks[1])*40)
			}
			tell.drain(1 + int(marks[0])*20)
			tell.line.Mark(Mark{
				Sample:  int(marks[0]) * 100,
				Written: text.Span{Start: int(int8(marks[1])), End: int(int8(marks[2]))},
				Spoken:  text.Span{Start: int(int8(marks[3])), End: int(int8(marks[4]))},
			})
		}
		tell.line.Close(30000)
		tell.cut(max(tell.at, 30000))
		tell.complete([]stretch{{written: written, spoken: spoken}})
	})
}
