package chunk_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/speech/chunk"
	"vaak/text/segment"
)

// TestWholeClauses checks that with Clauses a chunk ends only where a clause does or the caller
// flushed, in every mode. Only an endless clause is cut elsewhere.
func TestWholeClauses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		config := drawConfig(rt)
		config.Clauses = true
		s := newSession(rt, config)
		for _, part := range split(rt, drawText(rt)) {
			s.add(part, config.Mode == chunk.Auto)
			switch rapid.IntRange(0, 12).Draw(rt, "then") {
			case 0:
				s.c.Flush()
				s.cuts[len(s.added)] = true
			case 1:
				s.c.Trigger()
			}
			s.take(rapid.IntRange(0, 3).Draw(rt, "take"))
		}
		s.finish()
		ends := map[int]bool{0: true}
		for p := range segment.Clauses(s.added, nil) {
			ends[p.End] = true
		}
		at, clause := 0, 0 // the end of the chunk, and of the last clause before it
		for _, c := range s.got {
			for end := range ends {
				if end <= at+len(c.Text) {
					clause = max(clause, end)
				}
			}
			at += len(c.Text)
			short := utf8.RuneCountInString(strings.TrimSpace(s.added[clause:at])) < 300
			// A sentence of over 400 characters may be cut after a word.
			short = short && utf8.RuneCountInString(c.Text) < 300
			if !ends[at] && !s.cuts[at] && at < len(s.added) && short {
				rt.Fatalf("%q: %q ends at %d inside a clause; mode %d", s.added, c.Text, at, config.Mode)
			}
		}
	})
}

// TestEagerClauses: what a client gets who wants to hear every few words.
func TestEagerClauses(t *testing.T) {
	t.Parallel()
	c := chunk.New(chunk.Config{Mode: chunk.Eager, ChunkWords: 3, Clauses: true})
	var got []string
	take := func(queued bool) {
		for next, ok := c.Next(queued); ok; next, ok = c.Next(true) {
			got = append(got, next.Text)
		}
	}
	for _, word := range strings.SplitAfter("Yes, when the rain had stopped, we went for a walk to the old mill. It was", " ") {
		c.Add(word)
		take(false)
	}
	c.Flush()
	take(false)
	c.Add(" late, so")
	c.End()
	take(true)
	want := []string{"Yes, when the rain had stopped, ", "we went for a walk to the old mill. ", "It was", " late, so"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}

// TestShortBeforeLong: a short clause before one that is longer than a chunk does not wait for ever.
func TestShortBeforeLong(t *testing.T) {
	t.Parallel()
	c := chunk.New(chunk.Config{Mode: chunk.Eager, Clauses: true})
	c.Add("Yes, " + strings.Repeat("on and ", 20) + "on. ")
	c.End()
	first, ok := c.Next(false)
	if !ok || first.Text != "Yes, " {
		t.Errorf("the first chunk is %q, %v", first.Text, ok)
	}
}
