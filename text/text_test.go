package text_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/text"
)

// built is a random map over an input of so many bytes.
type built struct {
	m  text.Map
	in int
}

// step draws a map; whole keeps it from dropping input.
func step(t *rapid.T, in int, whole bool, label string) built {
	var b text.Builder
	walked := 0
	for walked < in {
		n := rapid.IntRange(1, in-walked).Draw(t, label+" bytes")
		switch kind := rapid.IntRange(0, 3).Draw(t, label+" kind"); {
		case kind == 0 && !whole:
			b.Drop(n)
		case kind == 1:
			b.Replace(n, rapid.IntRange(1, 5).Draw(t, label+" out"))
		case kind == 2 && !whole:
			b.Replace(0, rapid.IntRange(0, 2).Draw(t, label+" added"))
			b.Keep(n)
		default:
			b.Keep(n)
		}
		walked += n
	}
	return built{b.Map(), in}
}

func span(t *rapid.T, n int) text.Span {
	start := rapid.IntRange(0, n).Draw(t, "start")
	return text.Span{Start: start, End: rapid.IntRange(start, n).Draw(t, "end")}
}

func TestMapLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := step(t, rapid.IntRange(0, 40).Draw(t, "in"), false, "step")
		if err := s.m.Check(s.m.Len(), s.in); err != nil {
			t.Fatal(err)
		}
		out := span(t, s.m.Len())
		back := s.m.Back(out)
		if back.Start < 0 || back.Len() < 0 || back.End > s.in {
			t.Fatalf("Back(%v) = %v in %d bytes", out, back, s.in)
		}
		if out.Len() == 0 && back.Len() != 0 {
			t.Fatalf("place %v leads to %v", out, back)
		}
		// A part of a span leads into what the span leads to, unless it was added.
		if n := out.Len(); n > 0 {
			part := text.Span{Start: out.Start, End: out.Start + rapid.IntRange(1, n).Draw(t, "part")}
			if p := s.m.Back(part); p.Len() > 0 && (p.Start < back.Start || p.End > back.End) {
				t.Fatalf("Back(%v) = %v leaves Back(%v) = %v", part, p, out, back)
			}
		}
		// Slicing changes where output is counted from and nothing else.
		sliced := s.m.Slice(out)
		if err := sliced.Check(out.Len(), s.in); err != nil {
			t.Fatal(err)
		}
		if n := out.Len(); n > 0 {
			inner := span(t, n)
			if inner.Start == n {
				return
			}
			if got, want := sliced.Back(inner), s.m.Back(inner.Shift(out.Start)); got != want {
				t.Fatalf("sliced Back(%v) = %v, want %v", inner, got, want)
			}
		}
	})
}

func TestComposeLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		a := step(t, rapid.IntRange(0, 30).Draw(t, "in"), whole, "first")
		b := step(t, a.m.Len(), whole, "second")
		both := text.Compose(a.m, b.m)
		if err := both.Check(b.m.Len(), a.in); err != nil {
			t.Fatal(err)
		}
		out := span(t, b.m.Len())
		got, want := both.Back(out), a.m.Back(b.m.Back(out))
		if got.Len() > 0 && (got.Start < want.Start || got.End > want.End) {
			t.Fatalf("Back(%v) = %v, step by step %v", out, got, want)
		}
		if whole && out.Len() > 0 && got != want {
			t.Fatalf("nothing was dropped, and Back(%v) = %v, step by step %v", out, got, want)
		}
		id := text.Identity(a.in)
		if diff := cmp.Diff(a.m, text.Compose(id, a.m)); diff != "" {
			t.Fatalf("identity first (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(a.m, text.Compose(a.m, text.Identity(a.m.Len()))); diff != "" {
			t.Fatalf("identity second (-want +got):\n%s", diff)
		}
		if whole {
			c := step(t, b.m.Len(), true, "third")
			l := text.Compose(a.m, text.Compose(b.m, c.m))
			r := text.Compose(text.Compose(a.m, b.m), c.m)
			out := span(t, c.m.Len())
			if out.Len() > 0 && l.Back(out) != r.Back(out) {
				t.Fatalf("not associative at %v: %v and %v", out, l.Back(out), r.Back(out))
			}
		}
	})
}

func TestBack(t *testing.T) {
	t.Parallel()
	// "5 km, ok" read as "five km ok": 5 replaced, the comma dropped.
	var b text.Builder
	b.Replace(1, 4)
	b.Keep(3)
	b.Drop(1)
	b.Keep(3)
	m := b.Map()
	for _, tt := range []struct{ out, want text.Span }{
		{text.Span{Start: 0, End: 4}, text.Span{Start: 0, End: 1}},
		{text.Span{Start: 1, End: 2}, text.Span{Start: 0, End: 1}},
		{text.Span{Start: 5, End: 7}, text.Span{Start: 2, End: 4}},
		{text.Span{Start: 5, End: 9}, text.Span{Start: 2, End: 7}},
		{text.Span{Start: 7, End: 7}, text.Span{Start: 5, End: 5}},
		{text.Span{Start: 10, End: 10}, text.Span{Start: 8, End: 8}},
		{text.Span{Start: -3, End: 99}, text.Span{Start: 0, End: 8}},
		{text.Span{Start: 50, End: 60}, text.Span{Start: 8, End: 8}},
	} {
		if got := m.Back(tt.out); got != tt.want {
			t.Errorf("Back(%v) = %v, want %v", tt.out, got, tt.want)
		}
	}
	if got := (text.Map)(nil).Back(text.Span{Start: 0, End: 3}); got != (text.Span{}) {
		t.Errorf("nil Back = %v", got)
	}
}

func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	s := func(a, b int) text.Span { return text.Span{Start: a, End: b} }
	for name, m := range map[string]text.Map{
		"gap":          {{Out: s(0, 1), In: s(0, 1)}, {Out: s(2, 4), In: s(1, 2)}},
		"overlap":      {{Out: s(0, 3), In: s(0, 1)}, {Out: s(2, 4), In: s(1, 2)}},
		"empty piece":  {{Out: s(0, 0), In: s(0, 1)}, {Out: s(0, 4), In: s(1, 2)}},
		"beyond input": {{Out: s(0, 4), In: s(0, 9)}},
		"not verbatim": {{Out: s(0, 4), In: s(0, 3), Verbatim: true}},
		"short":        {{Out: s(0, 3), In: s(0, 3)}},
	} {
		if m.Check(4, 4) == nil {
			t.Errorf("%s: Check finds nothing", name)
		}
	}
}
