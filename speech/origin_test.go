package speech_test

import (
	"strings"
	"testing"

	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/align"
	"vaak/voice"
)

// withRemote returns a service with the added voice on an engine like those whose sound is made
// elsewhere. change, if not nil, changes the engine, which has the name choir.
func withRemote(t *testing.T, c speech.Config, change func(*enginetest.Tone)) *speech.Service {
	t.Helper()
	d, err := voice.NewDirectory(voice.Naming{Added: []voice.Voice{added}})
	if err != nil {
		t.Fatal(err)
	}
	choir := enginetest.Tone{Alias: "choir", Rate: 16000, Speaks: []lang.Code{"en"},
		Traits: func(t *engine.Traits) { t.Remote = true },
		Frame:  func(_ engine.Utterance, f *engine.Frame) { f.By.Place = "east" },
	}
	if change != nil {
		change(&choir)
	}
	c.Voices, c.Engines, c.Ledger = d, engine.Set{enginetest.Tone{}, choir}, metered(t, newLedgerStore())
	return newService(t, c)
}

// TestWhoSpoke: the first byte of an answer comes with the engine that makes it, at every rate, and
// an answer from the cache keeps that.
func TestWhoSpoke(t *testing.T) {
	t.Parallel()
	s := withRemote(t, speech.Config{Cache: newCache(t)}, nil)
	for _, rate := range []int{16000, 24000} {
		for _, use := range []speech.CacheUse{speech.CacheMiss, speech.CacheHit} {
			for _, stream := range []bool{false, true} {
				req := pcmAt(rate, "good morning", string(added.ID))
				req.Stream = stream
				var sent listener
				res, err := s.Speak(t.Context(), alice, req, &sent)
				if err != nil {
					t.Fatal(err)
				}
				if res.Engine != "choir/east" || sent.starts[0].Engine != "choir/east" || res.Cache != use {
					t.Errorf("at %d Hz: engine %q, at the first byte %q, cache %s; want choir/east, %s", rate, res.Engine, sent.starts[0].Engine, res.Cache, use)
				}
			}
		}
	}
	res, err := s.Speak(t.Context(), alice, pcmAt(16000, "good morning", ""), &listener{})
	if err != nil || res.Engine != "tone" {
		t.Errorf("a voice of the roster: engine %q, %v", res.Engine, err)
	}
	var sent listener
	res = say(t, s, speech.SessionRequest{Voice: string(added.ID), Language: "en"}, &sent, "Good morning.")
	if res.Engine != "choir/east" || sent.starts[0].Engine != "choir/east" {
		t.Errorf("a session: engine %q, at the first byte %q", res.Engine, sent.starts[0].Engine)
	}
}

// TestEngineLetsAnotherSpeak: an engine that hands its work to another voice says so with the
// audio. The answer names that voice, and is not kept.
func TestEngineLetsAnotherSpeak(t *testing.T) {
	t.Parallel()
	near := voice.Nearest(added)
	at := 0 // the byte of the text that is being said
	s := withRemote(t, speech.Config{Cache: newCache(t)}, func(e *enginetest.Tone) {
		e.Frame = func(u engine.Utterance, f *engine.Frame) {
			if len(f.Words) > 0 {
				at = f.Words[0].Start
			}
			if at >= strings.Index(u.Text, "lost") {
				f.By = engine.Origin{Engine: "tone", Voice: near.ID}
			}
		}
	})
	for range 2 {
		var sent listener
		res, err := s.Speak(t.Context(), alice, pcmAt(24000, "lost", string(added.ID)), &sent)
		if err != nil {
			t.Fatal(err)
		}
		want := "voice sv_aaaaaaaaaaaaaaaa cannot be used now; " + string(near.ID) + " (" + near.Name + ") speaks instead"
		first := sent.starts[0]
		if first.Engine != "tone" || first.Fallback != near.ID || len(first.Notices) != 1 || first.Notices[0] != want || res.Cache != speech.CacheMiss {
			t.Errorf("%+v, want engine tone, voice %s and a notice", first, near.ID)
		}
	}
	// In the middle of an answer: what the first byte came with stays true.
	var sent listener
	res, err := s.Speak(t.Context(), alice, pcmAt(24000, "All is well. All is lost.", string(added.ID)), &sent)
	if err != nil {
		t.Fatal(err)
	}
	if first := sent.starts[0]; first.Engine != "choir" || first.Fallback != "" || len(first.Notices) != 0 {
		t.Errorf("at the first byte: %+v", first)
	}
	if res.Engine != "choir" || res.Fallback != near.ID || len(res.Notices) != 1 {
		t.Errorf("at the end: engine %s, voice %s, notices %q", res.Engine, res.Fallback, res.Notices)
	}
}

// TestEstimatedTimes: alignments of words whose times the engine estimates are marked, and only
// those.
func TestEstimatedTimes(t *testing.T) {
	t.Parallel()
	timed := make(chan bool, 1000)
	s := withRemote(t, speech.Config{}, func(e *enginetest.Tone) {
		e.Frame = func(u engine.Utterance, f *engine.Frame) {
			timed <- u.Timed
			f.Estimated = strings.Contains(u.Text, "roughly")
		}
	})
	// check checks that of the characters sent exactly those of some text are marked.
	check := func(sent *follower, want string) {
		t.Helper()
		var written, spoken strings.Builder
		for i := range sent.written {
			for to, a := range map[*strings.Builder]align.Alignment{&written: sent.written[i], &spoken: sent.spoken[i]} {
				if a.Estimated {
					to.WriteString(strings.Join(a.Characters, ""))
				}
			}
		}
		if written.String() != want || spoken.String() != want {
			t.Errorf("%q and %q are marked, want %q", &written, &spoken, want)
		}
		if !<-timed {
			t.Error("the engine does not know that times are wanted")
		}
		for len(timed) > 0 {
			<-timed
		}
	}
	for _, rate := range []int{16000, 24000} {
		for text, want := range map[string]string{"It is known.": "", "It is roughly.": "It is roughly."} {
			var sent follower
			if _, err := s.Speak(t.Context(), alice, pcmAt(rate, text, string(added.ID)), &sent); err != nil {
				t.Fatal(err)
			}
			check(&sent, want)
		}
		var live follower
		say(t, s, speech.SessionRequest{Voice: string(added.ID), Language: "en", Format: audio.Format{Codec: audio.PCM, SampleRate: rate}}, &live,
			"All is known. It is roughly. Known again.")
		check(&live, "It is roughly. ")
	}
	if _, err := s.Speak(t.Context(), alice, pcmAt(16000, "It is roughly.", string(added.ID)), &listener{}); err != nil || <-timed {
		t.Errorf("without a follower: %v, or times are asked for", err)
	}
}
