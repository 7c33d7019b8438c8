package remote_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/remote"
	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/settings"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

func TestMain(m *testing.M) {
	remotetest.Main()
	goleak.VerifyTestMain(m)
}

// servers starts some servers of a kind.
func servers(t *testing.T, n int, o remotetest.Options) []*remotetest.Server {
	t.Helper()
	if o.Kind == "" {
		o.Kind = "vllm-omni"
	}
	var all []*remotetest.Server
	for range n {
		all = append(all, remotetest.Start(t, o))
	}
	return all
}

// pool returns a pool of servers, as the settings have it, with further lines.
func poolOf(name, kind string, all []*remotetest.Server, lines ...string) string {
	var members []string
	for _, s := range all {
		members = append(members, fmt.Sprintf("{ url = %q }", s.URL))
	}
	return fmt.Sprintf("[pools.%s]\nkind = %q\nmodel = \"some-model\"\nmembers = [%s]\n%s\n", name, kind, strings.Join(members, ", "), strings.Join(lines, "\n"))
}

const nova = "[voices.nova]\nname = \"Nova\"\ngender = \"female\"\nnative = \"en\"\nlanguages = [\"hi\"]\npool = \"gpu\"\nvoice = \"vivian\"\n"

// open opens an engine with settings, beside an embedded one that hums.
func open(t *testing.T, settings ...string) *remote.Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pools.toml")
	if err := os.WriteFile(path, []byte(strings.Join(settings, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := remote.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := remote.Open(remote.Config{
		Settings: read, Others: engine.Set{enginetest.Tone{}}, Find: voice.Lookup,
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// first returns the first voice of an engine.
func first(e *remote.Engine) voice.Voice { return e.Voices()[0] }

// says returns an utterance in English by the first voice.
func says(e *remote.Engine, text string) engine.Utterance {
	return engine.Utterance{Text: text, Language: "en", Voice: first(e)}
}

// listener is a sink that takes sound as fast as it is played, or at once.
type listener struct {
	enginetest.Speech
	paced bool
	began time.Time
	heard func(samples int) // called after each frame; may be nil
	by    []engine.Origin   // without repetitions
	rough bool              // some times of words were estimated
	exact bool              // some were not
	gap   time.Duration     // the longest time without sound to play
}

// now is the clock of a listener who plays its sound but for the last second. So it never runs dry,
// however long the machine stands still.
func (l *listener) now() time.Time {
	played := time.Duration(len(l.PCM))*time.Second/24000 - time.Second
	return time.Unix(1, 0).Add(max(0, played))
}

func (l *listener) Room(ctx context.Context) (int, bool, error) {
	const rate, unit, lead = 24000, 24000 / 5, time.Second
	if l.paced && !l.began.IsZero() {
		ahead := time.Duration(len(l.PCM))*time.Second/rate - time.Since(l.began)
		if ahead > lead {
			select {
			case <-time.After(ahead - lead):
			case <-ctx.Done():
				return 0, false, context.Cause(ctx)
			}
		}
		l.gap = max(l.gap, -ahead)
	}
	return unit, false, nil
}

func (l *listener) Frame(f engine.Frame) error {
	if l.began.IsZero() && len(f.PCM) > 0 {
		l.began = time.Now()
	}
	if n := len(l.by); n == 0 || l.by[n-1] != f.By {
		l.by = append(l.by, f.By)
	}
	if len(f.Words) > 0 {
		l.rough, l.exact = l.rough || f.Estimated, l.exact || !f.Estimated
	}
	err := l.Speech.Frame(f)
	if l.heard != nil {
		l.heard(len(l.PCM))
	}
	return err
}

// words returns the words that were heard of a text.
func (l *listener) words(text string) []string {
	return remotetest.Words(l.PCM, 24000, remotetest.Split(text))
}

const story = "The north wind argued with the moon. Which of them was the stronger one? A traveller came along in some warm cloak."

// TestContract: the engine keeps the contract of package engine.
func TestContract(t *testing.T) {
	e := open(t, poolOf("gpu", "vllm-omni", servers(t, 1, remotetest.Options{Speed: 20})), nova)
	enginetest.Run(t, e, func(lang.Code) voice.Voice { return first(e) })
}

// TestSays: all words are heard, in order, and their times are where they are heard.
func TestSays(t *testing.T) {
	for _, kind := range remote.Kinds {
		if kind.Name == "riva" {
			continue // has a server of its own
		}
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			pool := poolOf("gpu", kind.Name, servers(t, 1, remotetest.Options{Kind: kind.Name, Rate: kind.Rate}))
			if kind.Rate != 24000 {
				t.Skip("the words are told apart at 24,000 Hz")
			}
			e := open(t, pool, nova)
			var l listener
			if err := e.Synthesize(t.Context(), says(e, story), &l); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(remotetest.Split(story), l.words(story)); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
			if want := []engine.Origin{{Place: "gpu"}}; !cmp.Equal(l.by, want) || !l.rough || l.exact {
				t.Errorf("by %v, estimated %v, exact %v", l.by, l.rough, l.exact)
			}
		})
	}
}

// TestOneOfThreeDies: while listeners hear a text, a member is killed. All hear the whole text, no
// word twice.
func TestOneOfThreeDies(t *testing.T) {
	all := servers(t, 3, remotetest.Options{Speed: 3, First: 50 * time.Millisecond})
	e := open(t, poolOf("gpu", "vllm-omni", all), nova)
	const streams = 24
	var once sync.Once
	var running sync.WaitGroup
	kill := make(chan struct{})
	listeners := make([]*listener, streams)
	errs := make([]error, streams)
	for i := range streams {
		l := &listener{paced: true}
		l.heard = func(samples int) {
			if samples > 24000 {
				once.Do(func() { close(kill) })
			}
		}
		listeners[i] = l
		running.Go(func() { errs[i] = e.Synthesize(t.Context(), says(e, story), l) })
	}
	<-kill
	all[0].Kill()
	running.Wait()
	whole := 0
	for i, l := range listeners {
		if errs[i] != nil {
			t.Errorf("listener %d: %v", i, errs[i])
			continue
		}
		got, want := l.words(story), remotetest.Split(story)
		if cmp.Equal(got, want) {
			whole++
		} else {
			t.Logf("listener %d: %s", i, cmp.Diff(want, got))
		}
		checkOnce(t, want, got)
	}
	p := e.Pools()[0]
	t.Logf("%d of %d heard every word; retries %d, resumed %d", whole, streams, p.Retries, p.Resumed)
}

// checkOnce checks that no word was heard again after words that follow it.
func checkOnce(t *testing.T, want, got []string) {
	t.Helper()
	i := 0
	for _, w := range got {
		w = strings.TrimSuffix(w, "~") // the listener ran dry in it
		for i < len(want) && want[i] != w {
			i++
		}
		if i == len(want) {
			t.Errorf("heard %q out of its place in %q", w, got)
			return
		}
		i++
	}
}

// TestLengthyOtherMemberSays: what is wrong with one member is not heard: another says the sentence.
func TestLengthyOtherMemberSays(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	for _, trouble := range []remotetest.Trouble{
		remotetest.Hang, remotetest.Error, remotetest.Empty, remotetest.WrongRate, remotetest.Busy, remotetest.Overload,
		remotetest.Mute, remotetest.Garbage, remotetest.Page, remotetest.JSON, remotetest.Denied,
	} {
		t.Run(string(trouble), func(t *testing.T) {
			t.Parallel()
			all := servers(t, 2, remotetest.Options{Speed: 20})
			all[0].Break(t, remotetest.Fault{Trouble: trouble})
			e := open(t, poolOf("gpu", "vllm-omni", all, `first_audio = "3s"`, `stall = "3s"`), nova)
			for range 6 { // one of them meets the broken member
				var l listener
				if err := e.Synthesize(t.Context(), says(e, story), &l); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(remotetest.Split(story), l.words(story)); diff != "" {
					t.Errorf("heard (-want +got):\n%s", diff)
				}
			}
			settled(t, e)
		})
	}
}

// TestLengthyBreaksInTheMiddle: a member that fails in the middle of a sentence is replaced, and no word is
// heard twice. Where the sentence was not heard yet, all words are.
func TestLengthyBreaksInTheMiddle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for _, trouble := range []remotetest.Trouble{remotetest.HangMiddle, remotetest.ErrorEvent, remotetest.HalfSample, remotetest.Reset, remotetest.Silence, remotetest.Short} {
		for _, paced := range []bool{false, true} { // else it never runs dry
			t.Run(fmt.Sprintf("%s paced %v", trouble, paced), func(t *testing.T) {
				t.Parallel()
				all := servers(t, 3, remotetest.Options{Speed: 4})
				e := open(t, poolOf("gpu", "vllm-omni", all, `first_audio = "3s"`, `stall = "3s"`), nova)
				l := &listener{paced: paced}
				if !paced {
					e.SetClock(l.now)
				}
				broken := sync.OnceFunc(func() {
					for _, s := range all[:2] {
						s.Break(t, remotetest.Fault{Trouble: trouble, Count: 1})
					}
				})
				l.heard = func(samples int) {
					if samples > 24000 {
						broken() // the next sentence meets it, perhaps twice
					}
				}
				if err := e.Synthesize(t.Context(), says(e, story), l); err != nil {
					t.Fatal(err)
				}
				want, got := remotetest.Split(story), l.words(story)
				checkOnce(t, want, got)
				// One that runs dry before it is clear that nothing comes hears the beginning.
				if !paced && !cmp.Equal(want, got) {
					t.Errorf("heard (-want +got):\n%s", cmp.Diff(want, got))
				}
				settled(t, e)
			})
		}
	}
}

// settled checks that nothing is held on any member.
func settled(t *testing.T, e *remote.Engine) {
	t.Helper()
	for _, p := range e.Pools() {
		for _, m := range p.Members {
			if m.Streams != 0 || m.Outstanding != 0 {
				t.Errorf("member %s has %d streams and %v outstanding at the end", m.ID, m.Streams, m.Outstanding)
			}
		}
	}
}

// TestNobodySpeaks: where no member speaks, the error says that the engine is down, and a voice of
// another engine speaks if the settings name one.
func TestNobodySpeaks(t *testing.T) {
	all := servers(t, 2, remotetest.Options{})
	for _, s := range all {
		s.Break(t, remotetest.Fault{Trouble: remotetest.Error})
	}
	pool := poolOf("gpu", "vllm-omni", all)
	e := open(t, pool, nova)
	var l listener
	if err := e.Synthesize(t.Context(), says(e, story), &l); fault.KindOf(err) != fault.Unavailable || len(l.PCM) > 0 {
		t.Errorf("%v after %d samples, want unavailable before any", err, len(l.PCM))
	}
	settled(t, e)

	english := voice.Default("en")
	e = open(t, pool, nova, fmt.Sprintf("fallback = [{ id = %q }]", english.ID))
	l = listener{}
	if err := e.Synthesize(t.Context(), says(e, story), &l); err != nil {
		t.Fatal(err)
	}
	if want := []engine.Origin{{Engine: "tone", Voice: english.ID}}; !cmp.Equal(l.by, want) {
		t.Errorf("made by %+v, want %+v", l.by, want)
	}
	if len(l.Words) != len(strings.Fields(story)) {
		t.Errorf("%d words of %d", len(l.Words), len(strings.Fields(story)))
	}
}

// TestNextPoolSays: the next rung goes on where the pool fails, from the sentence that was not heard.
func TestNextPoolSays(t *testing.T) {
	one, two := servers(t, 1, remotetest.Options{Speed: 1.5}), servers(t, 1, remotetest.Options{Kind: "openai", Speed: 4})
	e := open(t, poolOf("gpu", "vllm-omni", one), poolOf("spare", "openai", two), nova, `fallback = [{ pool = "spare", voice = "alloy" }]`)
	l := &listener{}
	e.SetClock(l.now)
	kill := sync.OnceFunc(one[0].Kill)
	l.heard = func(samples int) {
		if samples > 24000 {
			kill()
		}
	}
	if err := e.Synthesize(t.Context(), says(e, story), l); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(remotetest.Split(story), l.words(story)); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
	if want := []engine.Origin{{Place: "gpu"}, {Place: "spare"}}; !cmp.Equal(l.by, want) {
		t.Errorf("made by %+v, want %+v", l.by, want)
	}
}

// TestCancel: a listener who leaves frees the member at once.
func TestCancel(t *testing.T) {
	all := servers(t, 1, remotetest.Options{Speed: 1})
	e := open(t, poolOf("gpu", "vllm-omni", all), nova)
	ctx, cancel := context.WithCancelCause(t.Context())
	left := fmt.Errorf("left")
	var at time.Time
	l := &listener{paced: true, heard: func(int) { at = time.Now(); cancel(left) }}
	if err := e.Synthesize(ctx, says(e, story), l); !errors.Is(err, left) {
		t.Errorf("Synthesize = %v, want the cause", err)
	}
	t.Logf("left after %v", time.Since(at))
	settled(t, e)
	for _, r := range all[0].Settled(t) {
		if r.Text != "" && r.End != "cancelled" {
			t.Errorf("the server has ended %q as %q, want cancelled", r.Path, r.End)
		}
	}
}

// TestRevision: what decides the sound of a voice changes its revision, and nothing else does.
func TestRevision(t *testing.T) {
	s := servers(t, 1, remotetest.Options{})
	of := func(settings ...string) string {
		e := open(t, settings...)
		traits, err := e.Voice(first(e))
		if err != nil {
			t.Fatal(err)
		}
		return traits.Revision
	}
	usual := of(poolOf("gpu", "vllm-omni", s), nova)
	if got := of(poolOf("gpu", "vllm-omni", s, `stall = "9s"`), nova, `license = "MIT"`); got != usual {
		t.Errorf("revision %s with another license and patience, and was %s", got, usual)
	}
	if got := of(poolOf("gpu", "vllm-omni", s, `extra = { task_type = "Base" }`), nova); got == usual {
		t.Error("another task has the same revision")
	}
	if got := of(poolOf("gpu", "vllm-omni", s), nova, `sampling = { seed = 3 }`); got == usual {
		t.Error("another seed has the same revision")
	}
}

// TestReloadWhileSpeaking: a stream goes on with the settings that it began with.
func TestReloadWhileSpeaking(t *testing.T) {
	all := servers(t, 1, remotetest.Options{Speed: 3})
	e := open(t, poolOf("gpu", "vllm-omni", all), nova)
	v := first(e)
	l := &listener{paced: true}
	apply := sync.OnceFunc(func() {
		if err := e.Apply(settings.Settings{}); err != nil {
			t.Error(err)
		}
	})
	l.heard = func(int) { apply() }
	if err := e.Synthesize(t.Context(), engine.Utterance{Text: story, Language: "en", Voice: v}, l); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(remotetest.Split(story), l.words(story)); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
	if err := e.Synthesize(t.Context(), engine.Utterance{Text: story, Language: "en", Voice: v}, &listener{}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after the voice was removed: %v", err)
	}
}

// TestTimesOfAServer: a sentence that is longer than what may wait is held until its times are there.
func TestTimesOfAServer(t *testing.T) {
	all := servers(t, 1, remotetest.Options{})
	e := open(t, poolOf("gpu", "vllm-omni", all, "word_times = true"), nova)
	long := "And then " + strings.Repeat("one wonderful morning after another ", 8) + "came."
	u := says(e, long)
	u.Timed = true
	var l listener
	if err := e.Synthesize(t.Context(), u, &l); err != nil {
		t.Fatal(err)
	}
	if !l.exact || l.rough || len(l.Words) != len(strings.Fields(long)) {
		t.Errorf("%d words of %d, exact %v, estimated %v", len(l.Words), len(strings.Fields(long)), l.exact, l.rough)
	}
	if seconds := len(l.PCM) / 24000; seconds < 10 {
		t.Errorf("the sentence takes %d s, want more than may wait", seconds)
	}
}

// TestSignsOnly: what has nothing to say is joined to what has.
func TestSignsOnly(t *testing.T) {
	all := servers(t, 1, remotetest.Options{})
	e := open(t, poolOf("gpu", "vllm-omni", all), nova)
	const text = "!!!!!!!!!!!!!!!!!!!!!!!! Help me now, please."
	var l listener
	if err := e.Synthesize(t.Context(), says(e, text), &l); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(remotetest.Split(text), l.words(text)); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
}
