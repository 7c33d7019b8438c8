package speech_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// added is a voice on an engine of its own, which speaks English and Hindi at 16,000 Hz.
var added = voice.Voice{ID: "sv_aaaaaaaaaaaaaaaa", Name: "Amy (medium)", Gender: voice.Female, Native: "en", Region: "GB", Engine: "choir", PreviewLanguage: "en"}

// withAdded returns a service with the added voice. down, if not nil, is why its engine cannot
// be used.
func withAdded(t *testing.T, c speech.Config, down *error) *speech.Service {
	t.Helper()
	d, err := voice.NewDirectory(voice.Naming{Added: []voice.Voice{added}})
	if err != nil {
		t.Fatal(err)
	}
	choir := enginetest.Tone{Alias: "choir", Rate: 16000, Speaks: []lang.Code{"en", "hi"}, Samples: []string{"temperature", "seed"},
		Voiced: func(v voice.Voice) error {
			if v.Engine != "choir" {
				return fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", "the choir has no voice %s", v.ID)
			}
			if down != nil {
				return *down
			}
			return nil
		}}
	c.Voices, c.Engines, c.Ledger = d, engine.Set{enginetest.Tone{}, choir}, metered(t, newLedgerStore())
	return newService(t, c)
}

// pcmAt returns a request for streamed samples.
func pcmAt(rate int, text, voiced string) speech.Request {
	return speech.Request{Text: text, Voice: voiced, Language: "en", Stream: true, Format: audio.Format{Codec: audio.PCM, SampleRate: rate}}
}

// TestRatesOfEngines: a voice is spoken at the rate of its engine, and its words are where they
// would be at any other.
func TestRatesOfEngines(t *testing.T) {
	t.Parallel()
	s := withAdded(t, speech.Config{}, nil)
	const text = "good morning dear listeners"
	for _, rate := range []int{8000, 16000, 24000, 48000} {
		var sent follower
		if _, err := s.Speak(t.Context(), alice, pcmAt(rate, text, string(added.ID)), &sent); err != nil {
			t.Fatal(err)
		}
		// 24 letters of 80 ms and three spaces of 40.
		const want = 24*80*time.Millisecond + 3*40*time.Millisecond
		got := time.Duration(len(sent.pcm())) * time.Second / time.Duration(rate)
		if d := got - want; d < -time.Millisecond || d > time.Millisecond {
			t.Errorf("at %d Hz it takes %v, want %v", rate, got, want)
		}
		if n := len(sent.written); n == 0 || sent.starts[0].Voice != added.ID {
			t.Errorf("%d timings, voice %s", n, sent.starts[0].Voice)
		}
	}
}

// TestStandIn: what a voice cannot say is said by the nearest of the roster, at the rate of the
// answer, and the answer says so.
func TestStandIn(t *testing.T) {
	t.Parallel()
	s := withAdded(t, speech.Config{}, nil)
	near := voice.Nearest(added)
	req := pcmAt(16000, "Guten Morgen", string(added.ID))
	req.Language = "de"
	var sent follower
	res, err := s.Speak(t.Context(), alice, req, &sent)
	if err != nil {
		t.Fatal(err)
	}
	want := "voice sv_aaaaaaaaaaaaaaaa does not speak German; " + string(near.ID)
	if res.Voice != added.ID || !slices.ContainsFunc(res.Notices, func(n string) bool { return strings.HasPrefix(n, want) }) {
		t.Errorf("voice %s, notices %q, want %q", res.Voice, res.Notices, want)
	}
	// Of the same length as what the near voice says by itself.
	var own listener
	req.Voice = string(near.ID)
	if _, err := s.Speak(t.Context(), alice, req, &own); err != nil {
		t.Fatal(err)
	}
	if a, b := len(sent.pcm()), len(own.pcm()); a-b > 16 || b-a > 16 || a == 0 {
		t.Errorf("%d samples for the added voice, %d for the near one", a, b)
	}

	// A German sentence inside an English text, with words that come in order.
	var mixed follower
	req = pcmAt(16000, "He said the following words to her. „Guten Morgen, meine sehr verehrten Damen und Herren, ich wünsche Ihnen einen schönen Tag.“ And then he left the room.", string(added.ID))
	req.Language = ""
	if _, err := s.Speak(t.Context(), alice, req, &mixed); err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, a := range mixed.written {
		told += len(a.Characters)
	}
	if got, want := told, len([]rune(req.Text)); got != want {
		t.Errorf("the timings have %d characters of %d", got, want)
	}
}

// TestDownEngine: a voice whose engine is down is refused, or replaced where that is allowed.
func TestDownEngine(t *testing.T) {
	t.Parallel()
	down := error(fault.Down(fault.CodeEngineUnavailable, time.Second, nil, "the choir is ill"))
	s := withAdded(t, speech.Config{}, &down)
	_, err := s.Speak(t.Context(), alice, pcmAt(16000, "hello", string(added.ID)), &listener{})
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "the choir is ill") {
		t.Errorf("err = %v, want the reason of the engine", err)
	}
	answers := newCache(t)
	s = withAdded(t, speech.Config{Fallback: true, Cache: answers}, &down)
	for range 2 { // what stood in is not kept
		var sent listener
		res, err := s.Speak(t.Context(), alice, pcmAt(16000, "hello", string(added.ID)), &sent)
		if err != nil {
			t.Fatal(err)
		}
		if want := "voice sv_aaaaaaaaaaaaaaaa cannot be used now; " + string(voice.Nearest(added).ID); len(res.Notices) == 0 || !strings.HasPrefix(res.Notices[0], want) || res.Cache != "" || res.Fallback != voice.Nearest(added).ID {
			t.Errorf("notices %q, cache %q, fallback %q; want %q and no cache", res.Notices, res.Cache, res.Fallback, want)
		}
	}
}

// TestSessionNotices: a session tells before the text what has no effect, and who speaks instead.
func TestSessionNotices(t *testing.T) {
	t.Parallel()
	s := withAdded(t, speech.Config{}, nil)
	seed, p := int64(5), 0.5
	for _, tt := range []struct {
		voice, language string
		want            []string
	}{
		{string(added.ID), "en", []string{"without effect, because voice sv_aaaaaaaaaaaaaaaa of engine choir is sampled with temperature and seed alone: top_p"}},
		{string(added.ID), "de", []string{"without effect, because voice " + string(voice.Nearest(added).ID) + " of engine tone is not sampled: top_p, seed", "voice sv_aaaaaaaaaaaaaaaa does not speak German; "}},
		{"", "en", []string{"without effect, because voice " + string(voice.DefaultVoice().ID) + " of engine tone is not sampled: top_p, seed"}},
		{"", "", nil}, // the voice is not known yet
	} {
		req := speech.SessionRequest{Voice: tt.voice, Language: tt.language, Format: audio.Format{Codec: audio.PCM, SampleRate: 16000}, Sampling: speech.Sampling{Seed: &seed, TopP: &p}}
		session, err := s.Open(alice, req)
		if err != nil {
			t.Fatal(err)
		}
		got := session.Notices()
		for i, want := range tt.want {
			if len(got) != len(tt.want) || !strings.HasPrefix(got[i], want) {
				t.Errorf("%q in %q: notices %q, want %q", tt.voice, tt.language, got, tt.want)
				break
			}
		}
	}
}

// TestFailsOver: an engine that fails at the first sound, and is known to be down then, is replaced
// in the same answer; nothing is said twice.
func TestFailsOver(t *testing.T) {
	t.Parallel()
	d, err := voice.NewDirectory(voice.Naming{Added: []voice.Voice{added}})
	if err != nil {
		t.Fatal(err)
	}
	ill := fault.Down(fault.CodeEngineUnavailable, time.Second, nil, "the choir is ill")
	var failed atomic.Bool
	choir := enginetest.Tone{Alias: "choir", Rate: 16000, Speaks: []lang.Code{"en"},
		Voiced: func(v voice.Voice) error {
			if v.Engine == "choir" && failed.Load() {
				return ill
			}
			return nil
		},
		Before: func(context.Context, engine.Utterance) error { failed.Store(true); return ill },
	}
	for _, fallback := range []bool{true, false} {
		failed.Store(false)
		s := newService(t, speech.Config{Voices: d, Engines: engine.Set{enginetest.Tone{}, choir}, Ledger: metered(t, newLedgerStore()), Fallback: fallback})
		var sent listener
		res, err := s.Speak(t.Context(), alice, pcmAt(16000, "hello", string(added.ID)), &sent)
		if !fallback {
			if fault.KindOf(err) != fault.Unavailable || len(sent.pcm()) > 0 || len(sent.starts) > 0 {
				t.Errorf("without fallback: %d samples, error %v", len(sent.pcm()), err)
			}
			continue
		}
		if err != nil || res.Fallback != voice.Nearest(added).ID || len(sent.starts) != 1 || sent.starts[0].Fallback != res.Fallback {
			t.Errorf("fallback %q, %d starts, error %v", res.Fallback, len(sent.starts), err)
		}
		if res.Charged != 5 {
			t.Errorf("charged %d, want 5", res.Charged)
		}
	}
}

// TestKnobs: each engine says which parameters it has.
func TestKnobs(t *testing.T) {
	t.Parallel()
	s := withAdded(t, speech.Config{}, nil)
	for _, tt := range []struct{ voice, notice string }{
		{string(added.ID), "without effect, because voice sv_aaaaaaaaaaaaaaaa of engine choir is sampled with temperature and seed alone: top_p"},
		{"", "without effect, because voice " + string(voice.DefaultVoice().ID) + " of engine tone is not sampled: temperature, top_p, seed"},
	} {
		req := pcmAt(16000, "hello", tt.voice)
		req.Sampling = speech.Sampling{Temperature: new(0.5), TopP: new(0.5), Seed: new(int64(7))}
		res, err := s.Speak(t.Context(), alice, req, &listener{})
		if err != nil || !slices.Equal(res.Notices, []string{tt.notice}) {
			t.Errorf("notices %q, error %v; want %q", res.Notices, err, tt.notice)
		}
	}
	req := pcmAt(16000, "hello", "")
	req.Sampling.Seed = new(int64(-1))
	if _, err := s.Speak(t.Context(), alice, req, &listener{}); err == nil || !strings.Contains(err.Error(), "seed -1 is outside 0 to 4294967295") {
		t.Errorf("err = %v", err)
	}
}

// TestSessionOfAddedVoice: a session speaks at the rate of its voice, which the first text may
// decide.
func TestSessionOfAddedVoice(t *testing.T) {
	t.Parallel()
	s := withAdded(t, speech.Config{DefaultVoices: map[lang.Code]voice.ID{"hi": added.ID}}, nil)
	for _, named := range []string{string(added.ID), ""} {
		session, err := s.Open(alice, speech.SessionRequest{Voice: named, Format: audio.Format{Codec: audio.PCM, SampleRate: 16000}})
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Add("मैं कल दिल्ली जाऊँगा और वहाँ अपने दोस्त से मिलूँगा। "); err != nil {
			t.Fatal(err)
		}
		session.End()
		var sent listener
		res, err := s.Run(t.Context(), session, &sent)
		if err != nil || res.Voice != added.ID || len(sent.pcm()) == 0 {
			t.Errorf("voice %s, %d samples, error %v", res.Voice, len(sent.pcm()), err)
		}
		if got := time.Duration(len(sent.pcm())) * time.Second / 16000; got != res.Duration {
			t.Errorf("%v of audio, the result says %v", got, res.Duration)
		}
	}
}
