package speech_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/speech"
)

// watcher is a writer that is told how far its answer has come, and may refuse
// it when it is whole.
type watcher struct {
	told
	reached  []speech.Milestone
	finished int
	refuses  error
}

func (w *watcher) Reach(m speech.Milestone) { w.reached = append(w.reached, m) }

func (w *watcher) Finish() error {
	w.finished++
	return w.refuses
}

// TestWatcherIsToldOfSentences: each sentence is told as it is made, and all of
// them at the end, in one language or several, long or short.
func TestWatcherIsToldOfSentences(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("One two three four five six. ", 60)
	for _, tt := range []struct {
		name, text string
		ends       []int // code points up to the end of each sentence
	}{
		{"one", "alpha beta", []int{10}},
		{"three", "Alpha beta. Gamma! Delta?", []int{12, 19, 25}},
		{"numbers and abbreviations", "Dr. Ray paid 1.5 dollars. He left.", []int{26, 34}},
		{"two languages", "नमस्ते दुनिया। Good day. फिर मिलेंगे।", []int{15, 25, 37}},
		{"nothing to say", "... !", []int{5}},
		{"spaces at the end", "Alpha. Beta.  \n", []int{7, 15}},
		{"long", long, nil},
	} {
		if tt.name == "long" {
			for i := range 60 {
				tt.ends = append(tt.ends, 29*(i+1))
			}
		}
		for _, stream := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				var want []speech.Milestone
				for i, end := range tt.ends {
					want = append(want, speech.Milestone{Sentences: i + 1, TotalSentences: len(tt.ends), Characters: end, TotalCharacters: tt.ends[len(tt.ends)-1]})
				}
				var w watcher
				s := newService(t, speech.Config{})
				if _, err := s.Speak(t.Context(), account.Local, speech.Request{Text: tt.text, Stream: stream}, &w); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, w.reached); diff != "" {
					t.Errorf("stream %t: told of %q (-want +got)\n%s", stream, tt.text, diff)
				}
				if w.finished != 1 {
					t.Errorf("Finish was called %d times, want once", w.finished)
				}
			})
		}
	}
}

// TestWatchingChangesNothing: the bytes and the charge are the same, and the
// answer is kept for the next who asks, who is told once.
func TestWatchingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		store := newLedgerStore()
		s := newService(t, speech.Config{Cache: newCache(t), Ledger: metered(t, store)})
		req := speech.Request{Text: "Alpha beta. Gamma delta.", Stream: stream}
		want, _ := ask(t, newService(t, speech.Config{}), account.Local, req)
		var first, second watcher
		for _, w := range []*watcher{&first, &second} {
			if _, err := s.Speak(t.Context(), alice, req, w); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(w.Bytes(), want) || w.finished != 1 {
				t.Errorf("stream %t: %d bytes, finished %d times; want %d bytes, once", stream, w.Len(), w.finished, len(want))
			}
		}
		if second.starts[0].Cache != speech.CacheHit {
			t.Errorf("stream %t: the second answer is a %q, want a hit", stream, second.starts[0].Cache)
		}
		all := speech.Milestone{Sentences: 2, TotalSentences: 2, Characters: 24, TotalCharacters: 24}
		if diff := cmp.Diff([]speech.Milestone{all}, second.reached); diff != "" {
			t.Errorf("stream %t: told of a kept answer (-want +got)\n%s", stream, diff)
		}
		if diff := cmp.Diff([]int{24, 24}, store.characters()); diff != "" {
			t.Errorf("stream %t: charged (-want +got)\n%s", stream, diff)
		}
	}
}

// TestFinishRefuses: what a writer cannot keep in the end costs nothing, be it
// made or kept from before, and is still remembered by nobody.
func TestFinishRefuses(t *testing.T) {
	t.Parallel()
	full := fault.Down(fault.CodeStoreUnavailable, 0, nil, "the disk is full")
	for _, stream := range []bool{false, true} {
		store := newLedgerStore()
		s := newService(t, speech.Config{Cache: newCache(t), Ledger: metered(t, store)})
		req := speech.Request{Text: "alpha beta.", Stream: stream}
		for range 2 { // made anew, for what was refused is not kept
			w := watcher{refuses: full}
			res, err := s.Speak(t.Context(), alice, req, &w)
			if !errors.Is(err, full) || res.Charged != 0 || w.starts[0].Cache != speech.CacheMiss {
				t.Errorf("stream %t: Speak = %+v, %v; want %v and no charge", stream, res, err, full)
			}
		}
		ask(t, s, alice, req)
		w := watcher{refuses: full}
		res, err := s.Speak(t.Context(), alice, req, &w)
		if !errors.Is(err, full) || res.Charged != 0 || w.starts[0].Cache != speech.CacheHit {
			t.Errorf("stream %t: Speak of a kept answer = %+v, %v; want %v and no charge", stream, res, err, full)
		}
		if diff := cmp.Diff([]int{11}, store.characters()); diff != "" {
			t.Errorf("stream %t: charged (-want +got)\n%s", stream, diff)
		}
	}
}

// TestWatcherOfAFailure is told of what was made before, and not of an end.
func TestWatcherOfAFailure(t *testing.T) {
	t.Parallel()
	frames := 0
	tone := enginetest.Tone{Before: func(context.Context, engine.Utterance) error {
		if frames++; frames > 8 { // edge, words and spaces: in the third sentence
			return errors.New("boom")
		}
		return nil
	}}
	var w watcher
	s := newService(t, speech.Config{Engines: engine.Set{tone}})
	_, err := s.Speak(t.Context(), account.Local, speech.Request{Text: "Alpha beta. Gamma. Delta epsilon zeta eta.", Language: "en"}, &w)
	n := len(w.reached)
	if err == nil || n == 0 || w.reached[n-1].Sentences >= 3 || w.finished != 0 {
		t.Errorf("Speak = %v, told %+v, finished %d times; want an error, some sentences, never", err, w.reached, w.finished)
	}
}
