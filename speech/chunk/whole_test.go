package chunk_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vaak/speech/chunk"
	"vaak/text"
)

// terms returns a Find of terms, each of which must be followed by something else
// than a letter to be one.
func terms(all ...string) chunk.Find {
	return func(s string) (parts []text.Span, settled int) {
		settled = len(s)
		for i := 0; i < len(s); i++ {
			for _, term := range all {
				switch rest := s[i:]; {
				case strings.HasPrefix(rest, term) && len(rest) > len(term) && (len(parts) == 0 || parts[len(parts)-1].End <= i):
					parts = append(parts, text.Span{Start: i, End: i + len(term)})
				case strings.HasPrefix(term, rest):
					return parts, min(settled, i)
				}
			}
		}
		return parts, settled
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	eager := chunk.Config{Mode: chunk.Eager, ChunkWords: 2, PeekWords: 1}
	for _, tt := range []struct {
		name   string
		config chunk.Config
		steps  []string // what is added; a "|" is a flush
		want   []string // "step:chunk"
	}{
		{"cut behind", eager, []string{"We see ", "New ", "York ", "City ", "now ", "and ", "then "}, []string{"2:We ", "4:see ", "5:New York City ", "7:now and ", "end:then "}},
		{"may go on", eager, []string{"in New ", "York ", "is ", "it "}, []string{"3:in New ", "4:York is ", "end:it "}},
		{"over a sentence", chunk.Config{}, []string{"I left Yahoo! ", "Inc ", "today. ", "And"}, []string{"4:I left Yahoo! Inc today. ", "end:And"}},
		{"no term after all", chunk.Config{}, []string{"I left Yahoo! ", "I", "t is", " so. "}, []string{"3:I left Yahoo! ", "end:It is so. "}},
		{"flushed", chunk.Config{}, []string{"I left Yahoo! ", "|", "Inc "}, []string{"2:I left Yahoo! ", "end:Inc "}},
		{"flushed later", eager, []string{"We see New ", "York |", "x"}, []string{"1:We ", "2:see New ", "2:York ", "end:x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := chunk.New(tt.config)
			c.Whole(terms("New York City", "Yahoo! Inc"))
			var got []string
			take := func(when string) {
				for {
					next, ok := c.Next(false)
					if !ok {
						return
					}
					got = append(got, when+":"+next.Text)
				}
			}
			for i, step := range tt.steps {
				said, flushed := strings.CutSuffix(step, "|")
				c.Add(said)
				if flushed {
					c.Flush()
				}
				take(string(rune('1' + i)))
			}
			c.End()
			take("end")
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestWholeLaws has terms in all modes, added in pieces: no chunk ends inside of one
// unless it was flushed there, and all of the text comes.
func TestWholeLaws(t *testing.T) {
	t.Parallel()
	all := []string{"New York City", "Yahoo! Inc", "a. b. c", "x"}
	words := rapid.SampledFrom([]string{"New ", "York ", "City ", "Yahoo! ", "Inc ", "a. ", "b. ", "c ", "and ", "so. ", "x ", "\n", "long, "})
	rapid.Check(t, func(rt *rapid.T) {
		config := drawConfig(rt)
		c := chunk.New(config)
		c.Whole(terms(all...))
		added := strings.Join(rapid.SliceOfN(words, 0, 60).Draw(rt, "words"), "") + "."
		var said strings.Builder
		cuts := map[int]bool{0: true}
		take := func() {
			for queued := false; ; queued = true {
				next, ok := c.Next(queued)
				if !ok {
					return
				}
				said.WriteString(next.Text)
				cuts[said.Len()], cuts[said.Len()+len(next.After)] = true, true
			}
		}
		for _, part := range split(rt, added) {
			c.Add(part)
			take()
		}
		c.End()
		take()
		if said.String() != added {
			rt.Fatalf("%q was added, %q came", added, said.String())
		}
		parts, _ := terms(all...)(added)
		for at := range cuts {
			for _, p := range parts {
				if p.Start < at && at < p.End {
					rt.Fatalf("mode %d: %q is cut at %d, inside %q", config.Mode, added, at, p.In(added))
				}
			}
		}
	})
}
