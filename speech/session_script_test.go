package speech_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/chunk"
	"vaak/text/frontend"
)

// scribe is an engine that notes what it is to say.
type scribe struct {
	enginetest.Tone
	*notes
}

type notes struct {
	mu  sync.Mutex
	all []engine.Utterance
}

func newScribe() scribe { return scribe{notes: &notes{}} }

func (s scribe) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	s.mu.Lock()
	s.all = append(s.all, u)
	s.mu.Unlock()
	return s.Tone.Synthesize(ctx, u, sink)
}

// take returns what was noted since the last call.
func (s scribe) take() (all []said) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.all {
		all = append(all, said{strings.TrimSpace(u.Before), u.Text, u.After, u.Language, u.Edge > 0, u.Continues})
	}
	s.all = nil
	return all
}

// said is what of an utterance depends on what is around it.
type said struct {
	before, text, after string
	language            lang.Code
	edge, continues     bool
}

// TestContextReachesTheEngine adds words one after another, in the mode Eager with
// two words a chunk and one of lookahead, each when all that can be was said.
func TestContextReachesTheEngine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lang  string
		steps []string
		want  map[int][]said // after a step
	}{
		{"a sentence", "en", []string{"One ", "two", " ", "three", " ", "four. ", "Five", flush, " six. ", "Seven"}, map[int][]said{
			4: {{"", "One two ", "three", "en", true, false}},
			// Whether a sentence ends with the stop is known from what follows it.
			6: {{"One two", "three four. ", "", "en", true, true}},
			7: {{"", "Five", "", "en", false, false}},
			9: {{"", " six. ", "", "en", false, true}},
		}},
		{"units across the end", "en", []string{"It costs ", "about $5", " ", "million ", "a ", "year. "}, map[int][]said{
			1: {{"", "It costs ", "about", "en", true, false}},
			// "about $5" would be the chunk, but "$5" is read with what follows it.
			3: {{"It costs", "about five million dollars ", "", "en", true, false}},
		}},
		{"languages", "en", []string{"We say ", "नमस्ते ", "दोस्त ", "now. "}, map[int][]said{
			1: {{"", "We say ", "", "en", false, false}},
			3: {{"", "नमस्ते दोस्त ", "", "hi", false, false}},
		}},
		{"languages in a chunk", "en", []string{"We ", "नमस्ते ", "दोस्त ", "मेरे ", "say "}, map[int][]said{
			2: {{"", "We ", "", "en", false, false}, {"", "नमस्ते ", "दोस्त", "hi", true, false}},
			4: {{"नमस्ते", "दोस्त मेरे ", "", "hi", true, false}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := newScribe()
				s := newService(t, speech.Config{Engines: engine.Set{e}})
				req := speech.SessionRequest{Language: tt.lang, Format: native, Chunks: chunk.Config{Mode: chunk.Eager, ChunkWords: 2, PeekWords: 1}}
				p := begin(t.Context(), t, s, account.Local, req, &listener{})
				for i, step := range tt.steps {
					p.add(step)
					synctest.Wait()
					got := e.take()
					if d := cmp.Diff(tt.want[i], got, cmp.AllowUnexported(said{})); d != "" {
						t.Errorf("after %q (step %d): -want +got\n%s", step, i, d)
					}
				}
				p.End()
				if _, err := p.outcome(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestNothingIsSaidBeforeItsText has the mode Eager wait for lookahead.
func TestNothingIsSaidBeforeItsText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newScribe()
		s := newService(t, speech.Config{Engines: engine.Set{e}})
		req := speech.SessionRequest{Language: "en", Format: native, Chunks: chunk.Config{Mode: chunk.Eager}}
		p := begin(t.Context(), t, s, account.Local, req, &listener{})
		var added, spoken strings.Builder
		for _, word := range strings.SplitAfter(strings.Repeat("alpha beta gamma delta epsilon zeta eta theta ", 4), " ") {
			p.add(word)
			added.WriteString(word)
			synctest.Wait()
			for _, u := range e.take() {
				spoken.WriteString(u.text)
				if rest := added.String()[spoken.Len():]; !strings.HasPrefix(rest, u.after) || len(strings.Fields(u.after)) < 2 {
					t.Errorf("%q was said with %q known to follow, of %q", u.text, u.after, rest)
				}
			}
			if !strings.HasPrefix(added.String(), spoken.String()) || strings.Count(added.String()[spoken.Len():], " ") > 6 {
				t.Fatalf("%q was added and %q was said", added.String(), spoken.String())
			}
		}
		p.Cancel(-1)
		<-p.end
	})
}

// TestLengthySessionReadsAsSpeakDoes compares what is read of sentences with numbers,
// signs, markup and several languages, in the modes that cut sentences: all words,
// once, in order.
func TestLengthySessionReadsAsSpeakDoes(t *testing.T) {
	t.Parallel()
	for _, text := range some([]string{
		"The bill is $5 million, due on May 3, 2024, at 10:30 a.m. sharp.",
		"It is 25 °C outside, 5 kg of it, 3.5 % more than 1,234,567 people had.",
		"Call +1 555 0100, or write to info@example.com, see https://example.com/a?b=c now.",
		"मेरे पास ₹5 करोड़ और 10:30 बजे की meeting है, OK?",
		"Am 3. Mai 2024 waren es 1.234,5 km, d. h. mehr als 5 Kilometer.",
		"2024年5月3日に1,234円を払いました。",
		"Chapter IV, 1/2 cup, 3 x 4 = 12, and “so on” <b>for</b> 😀 <break time=\"1s\"/> everybody.",
		"Er sagte „hello my dear friends“ und ging um 9 Uhr nach Hause.",
	}) {
		e := newScribe()
		s := newService(t, speech.Config{Engines: engine.Set{e}})
		tag, err := lang.Resolve("")
		if err != nil {
			t.Fatal(err)
		}
		p, err := frontend.New().Prepare(text, tag)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for r := range p.Runs() {
			want = append(want, strings.Fields(r.Text)...)
		}
		for _, mode := range []chunk.Mode{chunk.Sentence, chunk.Eager, chunk.Schedule} {
			for words := 1; words <= 6; words++ {
				req := speech.SessionRequest{Language: string(p.Language.Code), Format: native, Chunks: chunk.Config{Mode: mode, ChunkWords: words, MaxChunkWords: words, PeekWords: 3, Characters: []int{50}}}
				say(t, s, req, &listener{}, text)
				var got strings.Builder
				for _, u := range e.take() {
					got.WriteString(u.text + map[bool]string{true: " "}[u.after == ""])
				}
				if d := cmp.Diff(strings.Join(want, ""), strings.Join(strings.Fields(got.String()), "")); d != "" {
					t.Errorf("mode %d, %d words a chunk, %q: -want +got\n%s", mode, words, text, d)
				}
			}
		}
	}
}
