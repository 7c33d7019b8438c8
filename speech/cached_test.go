package speech_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
	"vaak/speech/cache"
	"vaak/voice"
)

func newCache(t testing.TB) *cache.Cache {
	t.Helper()
	c, err := cache.Open(cache.Config{Dir: t.TempDir(), MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// ask speaks a request and returns the answer and what the cache had to do with
// it.
func ask(t testing.TB, s *speech.Service, caller account.Caller, req speech.Request) ([]byte, speech.CacheUse) {
	t.Helper()
	var w told
	if _, err := s.Speak(t.Context(), caller, req, &w); err != nil {
		t.Fatal(err)
	}
	return w.Bytes(), w.starts[0].Cache
}

func TestSameRequestIsRemembered(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{Cache: newCache(t), Ledger: metered(t, newLedgerStore())})
	for _, stream := range []bool{false, true} {
		req := speech.Request{Text: "One two three.", Stream: stream}
		first, use := ask(t, s, alice, req)
		if use != speech.CacheMiss {
			t.Errorf("stream %t: the first answer is a %q, want a miss", stream, use)
		}
		second, use := ask(t, s, alice, req)
		if use != speech.CacheHit || !bytes.Equal(first, second) {
			t.Errorf("stream %t: the second answer is a %q of %d bytes, want a hit with the same %d", stream, use, len(second), len(first))
		}
	}
}

// TestOtherRequestsAreNotConfused changes one thing at a time.
func TestOtherRequestsAreNotConfused(t *testing.T) {
	t.Parallel()
	answers := newCache(t)
	ledger := metered(t, newLedgerStore())
	s := newService(t, speech.Config{Cache: answers, Ledger: ledger, Revision: "1"})
	plain := speech.Request{Text: "One two three."}
	ask(t, s, alice, plain)
	bob := alice
	bob.OrgID = "org_b"
	for name, change := range map[string]func(*speech.Request){
		"text":     func(r *speech.Request) { r.Text += "!" },
		"language": func(r *speech.Request) { r.Language = "de" },
		"voice":    func(r *speech.Request) { r.Voice = string(voice.Default("ta").ID) },
		"codec":    func(r *speech.Request) { r.Format.Codec = audio.PCM },
		"rate":     func(r *speech.Request) { r.Format.SampleRate = 8000 },
		"speed":    func(r *speech.Request) { r.Speed = 1.1 },
		"stream":   func(r *speech.Request) { r.Stream = true },
		"before":   func(r *speech.Request) { r.PreviousText = "Zero." },
		"after":    func(r *speech.Request) { r.NextText = "Four." },
		"sampling": func(r *speech.Request) { r.Sampling.TopP = new(0.5) },
	} {
		req := plain
		change(&req)
		if _, use := ask(t, s, alice, req); use != speech.CacheMiss {
			t.Errorf("another %s: %q, want a miss", name, use)
		}
	}
	for _, hint := range []string{"es", "es-ES", "es-MX"} {
		req := plain
		req.Language = hint
		if _, use := ask(t, s, alice, req); use != speech.CacheMiss {
			t.Errorf("the language of another region, %s: %q, want a miss", hint, use)
		}
	}
	if _, use := ask(t, s, bob, plain); use != speech.CacheMiss {
		t.Errorf("another organisation: %q, want a miss", use)
	}
	key := alice
	key.KeyID = "key_other"
	if _, use := ask(t, s, key, plain); use != speech.CacheHit {
		t.Errorf("another key of the organisation: %q, want a hit", use)
	}
	next := newService(t, speech.Config{Cache: answers, Ledger: ledger, Revision: "2"})
	if _, use := ask(t, next, alice, plain); use != speech.CacheMiss {
		t.Errorf("another revision: %q, want a miss", use)
	}
	if _, use := ask(t, newService(t, speech.Config{Ledger: ledger}), alice, plain); use != "" {
		t.Errorf("without a cache: %q, want nothing", use)
	}
	if _, use := ask(t, s, account.Local, plain); use != "" {
		t.Errorf("a command of this machine: %q, want nothing", use)
	}
	dice := newService(t, speech.Config{Cache: answers, Ledger: ledger, Engines: engine.Set{rolling{}}})
	if _, use := ask(t, dice, alice, plain); use != "" {
		t.Errorf("an engine that rolls dice: %q, want nothing", use)
	}
}

// rolling is an engine that does not give the same twice.
type rolling struct{ enginetest.Tone }

func (r rolling) Voice(v voice.Voice) (engine.Traits, error) {
	traits, err := r.Tone.Voice(v)
	traits.Deterministic = false
	return traits, err
}

func TestRememberedAnswersCostTheSame(t *testing.T) {
	t.Parallel()
	store := newLedgerStore()
	s := newService(t, speech.Config{Cache: newCache(t), Ledger: metered(t, store)})
	req := speech.Request{Text: strings.Repeat("One two three. ", 40), Stream: true, Format: audio.Format{Codec: audio.PCM}}
	whole, _ := ask(t, s, alice, req)
	// Left after a third of the audio, the first time and when it was kept.
	other := req
	other.Text = strings.Repeat("Two one three. ", 40)
	for _, r := range []speech.Request{req, other} {
		w := &until{left: len(whole) / 3}
		if _, err := s.Speak(t.Context(), alice, r, w); !errors.Is(err, errReset) {
			t.Fatalf("Speak to one who leaves = %v, want %v", err, errReset)
		}
	}
	_, use := ask(t, s, alice, req)
	if use != speech.CacheHit {
		t.Errorf("a %q, want a hit", use)
	}
	if _, use := ask(t, s, alice, other); use != speech.CacheMiss {
		t.Errorf("an answer that was broken off is a %q, want a miss", use)
	}
	got := store.characters()
	if len(got) != 5 {
		t.Fatalf("%d charges, want 5: %v", len(got), got)
	}
	if diff := cmp.Diff([]int{600, 600, 600}, []int{got[0], got[3], got[4]}); diff != "" {
		t.Errorf("charges of whole answers (-want +got)\n%s", diff)
	}
	if kept, made := got[1], got[2]; kept < 150 || kept > 200 || made < 150 || made > 200 {
		t.Errorf("a third of a kept answer costs %d, of a new one %d; want about 200 of 600", kept, made)
	}
}

// spoiler is a reader during whose first piece the disk loses the kept answer.
type spoiler struct {
	dir  string
	once sync.Once
	got  int
}

func (w *spoiler) Write(p []byte) (int, error) {
	w.got += len(p)
	var err error
	w.once.Do(func() {
		err = filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || e.Name() == "lock" {
				return err
			}
			return os.Truncate(path, int64(len(p)))
		})
	})
	return len(p), err
}

// TestKeptAnswerThatIsLostOnTheWay is a fault of the server: an error, and free.
func TestKeptAnswerThatIsLostOnTheWay(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), newLedgerStore()
	answers, err := cache.Open(cache.Config{Dir: dir, MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	s := newService(t, speech.Config{Cache: answers, Ledger: metered(t, store)})
	req := speech.Request{Text: strings.Repeat("One two three. ", 40), Stream: true, Format: audio.Format{Codec: audio.PCM}}
	whole, _ := ask(t, s, alice, req)
	w := &spoiler{dir: dir}
	if _, err := s.Speak(t.Context(), alice, req, w); err == nil || w.got >= len(whole) {
		t.Errorf("Speak = %v after %d of %d bytes, want an error before the end", err, w.got, len(whole))
	}
	if got := store.characters(); len(got) != 1 {
		t.Errorf("charges %v, want that of the first answer only", got)
	}
}
