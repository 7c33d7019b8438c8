package speech_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/chunk"
	"vaak/voice"
)

// TestRemoteStreamsStart: as many streams of a remote voice start at once as like to, though each
// waits half a second for its first audio, and voices made here start beside them.
func TestRemoteStreamsStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := withRemote(t, speech.Config{}, func(e *enginetest.Tone) {
			e.Before = func(ctx context.Context, u engine.Utterance) error {
				if strings.HasPrefix(u.Text, "Good") {
					select {
					case <-time.After(500 * time.Millisecond):
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}
				return nil
			}
		})
		var all sync.WaitGroup
		for range max(100, 60*runtime.GOMAXPROCS(0)) { // more than may start of those made here
			all.Go(func() {
				res, err := s.Speak(t.Context(), alice, pcmAt(16000, "Good.", string(added.ID)), &listener{})
				if err != nil || res.Engine != "choir/east" || res.FirstAudio < 500*time.Millisecond {
					t.Errorf("%v; first audio of %s after %v", err, res.Engine, res.FirstAudio)
				}
			})
		}
		synctest.Wait()
		for range 10 {
			all.Go(func() {
				res, err := s.Speak(t.Context(), alice, pcmAt(16000, "Good.", ""), &listener{})
				if err != nil || res.FirstAudio > 50*time.Millisecond {
					t.Errorf("%v; first audio of a voice made here after %v", err, res.FirstAudio)
				}
			})
		}
		all.Wait()
	})
}

// pieces collects the utterances that an engine is asked for.
type pieces struct {
	mu  sync.Mutex
	all []engine.Utterance
}

func (p *pieces) take(u engine.Utterance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.all); n == 0 || p.all[n-1].Text != u.Text {
		p.all = append(p.all, u)
	}
}

func (p *pieces) texts() (all []string) {
	for _, u := range p.all {
		all = append(all, u.Text)
	}
	return all
}

// clausal returns a service whose added voice speaks whole clauses, and what that is asked for.
func clausal(t *testing.T, c speech.Config) (*speech.Service, *pieces) {
	t.Helper()
	var asked pieces
	return withRemote(t, c, func(e *enginetest.Tone) {
		e.Traits = func(t *engine.Traits) { t.Remote, t.Clauses = true, true }
		e.Frame = func(u engine.Utterance, _ *engine.Frame) { asked.take(u) }
	}), &asked
}

// TestSessionsOfWholeClauses: an eager client gets whole clauses of a voice that cannot say less,
// and what it flushes. Nothing is asked for that would join pieces.
func TestSessionsOfWholeClauses(t *testing.T) {
	t.Parallel()
	eager := chunk.Config{Mode: chunk.Eager, ChunkWords: 2, PeekWords: 1}
	for _, tt := range []struct {
		name string
		req  speech.SessionRequest
		conf speech.Config
	}{
		{"by name", speech.SessionRequest{Voice: string(added.ID), Language: "en", Chunks: eager}, speech.Config{}},
		{"language from the text", speech.SessionRequest{Voice: string(added.ID), Chunks: eager}, speech.Config{}},
		{"voice from the text", speech.SessionRequest{Chunks: eager}, speech.Config{DefaultVoices: map[lang.Code]voice.ID{"en": added.ID}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, asked := clausal(t, tt.conf)
				tt.req.Format = audio.Format{Codec: audio.PCM, SampleRate: 16000}
				var sent listener
				p := begin(t.Context(), t, s, alice, tt.req, &sent)
				notice := strings.Join(p.Notices(), "; ")
				if named := tt.req.Voice != ""; strings.Contains(notice, "whole clauses") != named {
					t.Errorf("notices %q", notice)
				}
				for _, word := range strings.SplitAfter("When the rain had stopped at last, we went for a walk to the mill. It was", " ") {
					p.add(word)
					synctest.Wait()
				}
				p.Flush()
				synctest.Wait()
				p.add(" late.")
				p.End()
				<-p.end
				if p.err != nil {
					t.Fatal(p.err)
				}
				want := []string{"When the rain had stopped at last,", "we went for a walk to the mill.", "It was", "late."}
				got := asked.texts()
				for i := range got {
					got[i] = strings.TrimSpace(got[i])
				}
				if strings.Join(got, "|") != strings.Join(want, "|") {
					t.Errorf("the engine is asked for %q, want %q", got, want)
				}
				for _, u := range asked.all {
					if u.Edge != 0 {
						t.Errorf("%q is asked with an edge of %d samples", u.Text, u.Edge)
					}
				}
				// The pause after a clause belongs to it, since nothing joins it to the next.
				if first := asked.all[0]; !first.Continues || first.After == "" {
					t.Errorf("the first clause goes on = %v, before %q", first.Continues, first.After)
				}
			})
		})
	}
}

// TestClausesOfOtherVoices: a session that might have had such a voice and has another is cut as it
// asks.
func TestClausesOfOtherVoices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, asked := clausal(t, speech.Config{DefaultVoices: map[lang.Code]voice.ID{"en": added.ID}})
		var sent listener
		p := begin(t.Context(), t, s, alice, speech.SessionRequest{Chunks: chunk.Config{Mode: chunk.Eager, ChunkWords: 2, PeekWords: 1}}, &sent)
		for _, word := range strings.SplitAfter("Guten Morgen, meine Damen und Herren, wie geht es Ihnen allen heute", " ") {
			p.add(word)
			synctest.Wait()
		}
		before := len(sent.got())
		p.End()
		<-p.end
		if p.err != nil || p.res.Language != "de" || len(asked.all) > 0 {
			t.Fatalf("%v, language %s; the voice was asked for %q", p.err, p.res.Language, asked.texts())
		}
		// All but the last words were spoken before the end, which is no clause's.
		if all := len(sent.got()); before < all*3/4 {
			t.Errorf("%d of %d bytes were sent before the end", before, all)
		}
	})
}

// ranged returns a service whose added voice takes a narrow range of parameters, and what its
// engine got.
func ranged(t *testing.T, c speech.Config) (*speech.Service, *pieces) {
	t.Helper()
	var asked pieces
	return withRemote(t, c, func(e *enginetest.Tone) {
		e.Traits = func(t *engine.Traits) {
			t.Parameters = []engine.Parameter{{Name: "temperature", Min: 0.1, Max: 1}, {Name: "seed", Min: 1, Max: 9}}
		}
		e.Frame = func(u engine.Utterance, _ *engine.Frame) { asked.take(u) }
	}), &asked
}

// TestRangesOfAVoice: a value outside the range of the voice is refused with the range, or has no
// effect where nothing is refused.
func TestRangesOfAVoice(t *testing.T) {
	t.Parallel()
	s, asked := ranged(t, speech.Config{DefaultVoices: map[lang.Code]voice.ID{"en": added.ID}})
	req := pcmAt(16000, "Hello.", string(added.ID))
	for _, tt := range []struct {
		sampling speech.Sampling
		want     string // in the message; "" is taken
	}{
		{speech.Sampling{Temperature: new(1.0), Seed: new(int64(1))}, ""},
		{speech.Sampling{Temperature: new(1.01)}, "temperature 1.01 is outside 0.1 to 1, which voice sv_aaaaaaaaaaaaaaaa of engine choir takes"},
		{speech.Sampling{Seed: new(int64(10))}, "seed 10 is outside 1 to 9"},
	} {
		req.Sampling = tt.sampling
		_, err := s.Speak(t.Context(), alice, req, &listener{})
		if tt.want == "" && err != nil || tt.want != "" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("Speak: %v, want %q", err, tt.want)
		}
	}
	hot := speech.SessionRequest{Voice: string(added.ID), Sampling: speech.Sampling{Temperature: new(1.5), Seed: new(int64(3))}, Strict: true}
	if _, err := s.Open(alice, hot); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Open of a strict session: %v, want a refusal", err)
	}
	// The text decides the voice.
	hot.Voice = ""
	session, err := s.Open(alice, hot)
	if err != nil {
		t.Fatal(err)
	}
	_ = session.Add("Good morning. ")
	session.End()
	if res, err := s.Run(t.Context(), session, &listener{}); fault.KindOf(err) != fault.Invalid || res.Bytes > 0 {
		t.Errorf("Run of a strict session: %v after %d bytes, want a refusal", err, res.Bytes)
	}
	asked.all = nil
	hot.Voice, hot.Strict = string(added.ID), false
	p := begin(t.Context(), t, s, alice, hot, &listener{})
	if n := p.Notices(); len(n) != 1 || !strings.HasPrefix(n[0], "without effect: temperature 1.5 is outside") {
		t.Errorf("notices %q", n)
	}
	p.add("Good morning. ")
	p.End()
	if <-p.end; p.err != nil {
		t.Fatal(p.err)
	}
	if u := asked.all[0]; u.Sampling.Temperature != nil || u.Sampling.Seed == nil || *u.Sampling.Seed != 3 {
		t.Errorf("the engine gets %+v, want the seed alone", u.Sampling)
	}
}

// TestPoolFailsInTheMiddle: when an engine breaks down after the first byte, the server is at
// fault, and nothing is charged, whatever was heard.
func TestPoolFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	lost := fault.Down(fault.CodeEngineUnavailable, time.Second, errors.New("connection reset"), "the pool is gone")
	store := newLedgerStore()
	d, err := voice.NewDirectory(voice.Naming{Added: []voice.Voice{added}})
	if err != nil {
		t.Fatal(err)
	}
	broken := enginetest.Tone{Alias: "choir", Rate: 16000, Speaks: []lang.Code{"en"}, Traits: func(t *engine.Traits) { t.Remote = true }}
	frames := 0
	broken.Before = func(context.Context, engine.Utterance) error {
		if frames++; frames > 3 {
			return lost
		}
		return nil
	}
	s := newService(t, speech.Config{Voices: d, Engines: engine.Set{enginetest.Tone{}, broken}, Ledger: metered(t, store), Fallback: true})
	var sent listener
	res, err := s.Speak(t.Context(), alice, pcmAt(16000, "All is well with us here today.", string(added.ID)), &sent)
	if !errors.Is(err, lost) || res.Bytes == 0 || len(sent.got()) == 0 || res.Charged != 0 || len(store.characters()) != 0 {
		t.Errorf("%v after %d bytes, %d charged, charges %v; want the error and none", err, res.Bytes, res.Charged, store.characters())
	}
	frames = 0
	var live listener
	p := begin(t.Context(), t, s, alice, speech.SessionRequest{Voice: string(added.ID), Language: "en"}, &live)
	p.add("All is well with us here today. ")
	p.End()
	if <-p.end; !errors.Is(p.err, lost) || p.res.Charged != 0 || len(store.characters()) != 0 {
		t.Errorf("a session: %v, %d charged, charges %v; want the error and none", p.err, p.res.Charged, store.characters())
	}
}
