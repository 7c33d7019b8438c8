package speech_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/account"
	"vaak/engine"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/chunk"
	"vaak/text/frontend"
	"vaak/text/respell"
)

// respelling are rules over one word and several, a number, a sentence end and scripts.
var respelling = respell.Dictionaries{respell.Compile([]respell.Rule{
	{Term: "New York", Respelling: "the state"},
	{Term: "New York City", Respelling: "the big apple"},
	{Term: "Yahoo! Inc", Respelling: "yahoo incorporated"},
	{Term: "nginx", Respelling: "engine x"},
	{Term: "API", Respelling: "ए पी आई", Only: []string{"hi"}},
	{Term: "4x4", Respelling: "4 by 4"},
	{Term: "🙂", Respelling: "smile"},
	{Term: "million dollar baby", Respelling: "the film"},
	{Term: "km run club", Respelling: "the club"},
	{Term: "May Day Parade", Respelling: "the show"},
})}

// TestLengthySessionRespellsAsSpeakDoes has terms come word by word and letter by letter, in
// all modes: what is read is what is read of the whole text.
func TestLengthySessionRespellsAsSpeakDoes(t *testing.T) {
	t.Parallel()
	for _, text := range some([]string{
		"We went from New York City to New York in a 4x4 and left Yahoo! Inc for nginx today.",
		"I love New York. New York City is what we call New York City 🙂 there.",
		"मेरा API और nginx दोनों New York City में चलते हैं।",
		"It cost $5 million dollar baby and $5 million dollars too.",
		"We ran 5 km run club and 5 km run fast.",
		"On 5 May Day Parade came, on 5 May 2024 nobody.",
	}) {
		synctest.Test(t, func(t *testing.T) {
			p, err := frontend.New().With(frontend.Respelling{Dictionaries: respelling}).Prepare(text, lang.Tag{})
			if err != nil {
				t.Fatal(err)
			}
			var want strings.Builder
			for r := range p.Runs() {
				want.WriteString(r.Text)
			}
			for _, mode := range []chunk.Mode{chunk.Sentence, chunk.Eager, chunk.Schedule} {
				for words := 1; words <= 4; words++ {
					for _, steps := range [][]string{{text}, strings.SplitAfter(text, " "), strings.Split(text, "")} {
						e := newScribe()
						s := newService(t, speech.Config{Engines: engine.Set{e}})
						req := speech.SessionRequest{
							Language: string(p.Language.Code), Format: native, Dictionaries: respelling,
							Chunks: chunk.Config{Mode: mode, ChunkWords: words, PeekWords: 3, Characters: []int{50}},
						}
						w := &follower{}
						slowly(t, s, req, w, steps...)
						var got strings.Builder
						for _, u := range e.take() {
							got.WriteString(u.text + map[bool]string{true: " "}[u.after == ""])
						}
						what := fmt.Sprintf("mode %d, %d words a chunk, %d steps", mode, words, len(steps))
						if d := cmp.Diff(strings.Join(strings.Fields(want.String()), ""), strings.Join(strings.Fields(got.String()), "")); d != "" {
							t.Errorf("%s: %q: -want +got\n%s", what, text, d)
						}
						w.laws(t, what, text, native.SampleRate)
					}
				}
			}
		})
	}
}

// TestSessionWaitsForATerm has a term come word by word in the mode Eager: nothing of it
// is said before it is known whether it goes on.
func TestSessionWaitsForATerm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newScribe()
		s := newService(t, speech.Config{Engines: engine.Set{e}})
		req := speech.SessionRequest{Format: native, Dictionaries: respelling, Chunks: chunk.Config{Mode: chunk.Eager, ChunkWords: 1, PeekWords: 1}}
		p := begin(t.Context(), t, s, account.Local, req, &listener{})
		for _, step := range []struct{ add, want string }{
			{"We ", ""}, {"see ", "We "}, {"New ", ""}, {"York ", ""}, {"City ", "see "}, {"too ", "the big apple "}, {"New ", ""}, {"York ", ""}, {"is ", "too the state "},
		} {
			p.add(step.add)
			synctest.Wait()
			var got strings.Builder
			for _, u := range e.take() {
				got.WriteString(u.text)
			}
			if got.String() != step.want {
				t.Errorf("after %q: %q was said, want %q", step.add, got.String(), step.want)
			}
		}
		p.End()
		if _, err := p.outcome(); err != nil {
			t.Error(err)
		}
	})
}

// TestSessionKeepsScope has the first text that is in a language say which rules apply,
// though what follows is in another.
func TestSessionKeepsScope(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string][]string{
		"a sentence":     {"आप कैसे हैं? ", "This is my API for everybody. "},
		"in no language": {"... ", flush, "- ", flush, "यह API है। "},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := newScribe()
			s := newService(t, speech.Config{Engines: engine.Set{e}})
			slowly(t, s, speech.SessionRequest{Format: native, Dictionaries: respelling}, &listener{}, steps...)
			var got strings.Builder
			for _, u := range e.take() {
				got.WriteString(u.text)
			}
			if !strings.Contains(got.String(), "ए पी आई") {
				t.Errorf("%s: %q was said", name, got.String())
			}
		})
	}
}

// TestRespelledLaws has random texts with terms, said live and whole: each character of
// the caller's is told once, in order, all sums are exact, and the text as it was sent
// is what is charged.
func TestRespelledLaws(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	words := []string{"New ", "York ", "City ", "Yahoo! ", "Inc ", "nginx", "API ", "4x4 ", "🙂", " ", ". ", ", ", "नमस्ते", "<b>", "$5 ", "million ", "<s>", "<emphasis>", "e\u0301", "\u200d", flush}
	rapid.Check(t, func(r *rapid.T) {
		steps := append(rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(r, "steps"), "New York City end")
		text := strings.ReplaceAll(strings.Join(steps, ""), flush, "")
		mode := chunk.Mode(rapid.IntRange(0, 3).Draw(r, "mode"))
		w := &follower{}
		req := speech.SessionRequest{Language: "hi", Format: native, Dictionaries: respelling, Chunks: chunk.Config{Mode: mode, ChunkWords: rapid.IntRange(1, 4).Draw(r, "words"), PeekWords: 1}}
		res := say(t, s, req, w, steps...)
		w.laws(r, fmt.Sprintf("mode %d, %q", mode, steps), text, native.SampleRate)
		if res.Charged != utf8.RuneCountInString(text) {
			r.Errorf("charged %d for %q", res.Charged, text)
		}
		w = &follower{}
		if _, err := s.Speak(t.Context(), account.Local, speech.Request{Text: text, Language: "hi", Format: native, Dictionaries: respelling}, w); err != nil {
			r.Fatal(err)
		}
		w.laws(r, fmt.Sprintf("whole %q", text), text, native.SampleRate)
	})
}

func TestRespelledSpeech(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{Engines: engine.Set{openEspeak(t)}})
	hear := func(text string, ds respell.Dictionaries) []byte {
		var b bytes.Buffer
		if _, err := s.Speak(t.Context(), account.Local, speech.Request{Text: text, Language: "en", Format: native, Dictionaries: ds}, &b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	plain, other := hear("We use nginx here.", nil), hear("We use nginx here.", respelling)
	if bytes.Equal(plain, other) || !bytes.Equal(other, hear("We use engine x here.", nil)) {
		t.Error("a rule does not change what is heard into what its respelling sounds like")
	}
	if !bytes.Equal(hear("We use it here.", nil), hear("We use it here.", respelling)) {
		t.Error("a dictionary of which nothing applies changes what is heard")
	}
}

// TestRespelledIsAnother has the cache tell dictionaries and their order apart.
func TestRespelledIsAnother(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{Cache: newCache(t), Ledger: metered(t, newLedgerStore())})
	other := respell.Dictionaries{respell.Compile([]respell.Rule{{Term: "nginx", Respelling: "engine y"}})}
	for i, step := range []struct {
		ds   respell.Dictionaries
		want speech.CacheUse
	}{
		{nil, speech.CacheMiss}, {respelling, speech.CacheMiss}, {other, speech.CacheMiss}, {slices.Concat(other, respelling), speech.CacheMiss},
		{respelling, speech.CacheHit}, {nil, speech.CacheHit}, {slices.Concat(respelling, other), speech.CacheMiss},
	} {
		if _, use := ask(t, s, alice, speech.Request{Text: "nginx", Dictionaries: step.ds}); use != step.want {
			t.Errorf("step %d: a %q, want a %q", i, use, step.want)
		}
	}
}

func TestRespelledTooLong(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	ds := respell.Dictionaries{respell.Compile([]respell.Rule{{Term: "x", Respelling: strings.Repeat("long ", 50)}})}
	check := func(what string, err error) {
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Invalid || f.Code != fault.CodeTextTooLong {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := s.Read(t.Context(), speech.Request{Text: "x x", Dictionaries: ds})
	check("Read", err)
	_, err = s.Speak(t.Context(), account.Local, speech.Request{Text: "x x", Dictionaries: ds}, &bytes.Buffer{})
	check("Speak", err)
	run := func(text string) error {
		p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Format: native, Dictionaries: ds, Chunks: chunk.Config{Mode: chunk.Eager, ChunkWords: 1}}, &listener{})
		for _, word := range strings.SplitAfter(text, " ") {
			p.add(word)
		}
		p.End()
		_, err := p.outcome()
		return err
	}
	check("Run", run(strings.Repeat("x ", 100)))
	if err := run("We use x today, and so on, in a text that is long enough for what it becomes."); err != nil {
		t.Errorf("a term in the midst of a text: %v", err)
	}
}

func TestReadRespelled(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	got, err := s.Read(t.Context(), speech.Request{Text: "Das nginx kostet 5 €.", Language: "de", Dictionaries: respelling})
	if err != nil {
		t.Fatal(err)
	}
	if got.Spoken() != "Das engine x kostet fünf Euro." || got.Respelled != 1 || got.Characters != 21 {
		t.Errorf("Read = %+v, spoken %q", got, got.Spoken())
	}
	for _, run := range got.Runs {
		if in := string([]rune("Das nginx kostet 5 €.")[run.Start:run.End]); in != run.Written {
			t.Errorf("run %+v is %q", run, in)
		}
	}
}
