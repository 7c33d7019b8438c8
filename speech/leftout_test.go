package speech_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
)

// omitter notes what it is told.
type omitter struct {
	io.Writer
	started speech.Info
	omitted []string
}

func (o *omitter) Start(i speech.Info) { o.started = i }

func (o *omitter) Omit(text string) error {
	o.omitted = append(o.omitted, text)
	return nil
}

// TestLeftOut: what the engine cannot speak is named and not charged.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		left       io.Writer
		stream     bool
		omitted    []string
		charged    []int
		notice     string
	}{
		{"nothing", "alpha beta", io.Discard, true, nil, []int{10}, ""},
		{"a word, whole", "alpha qeta gamma", io.Discard, false, []string{"qeta"}, []int{12}, `left out and not charged, because the engine cannot speak it: 4 characters of the text, "qeta"`},
		{"a word, streamed", "alpha qeta gamma", io.Discard, true, []string{"qeta"}, []int{12}, `left out and not charged, because the engine cannot speak it: 4 characters of the text, "qeta"`},
		{"at the beginning", "qé beta", io.Discard, true, []string{"qé"}, []int{5}, `2 characters of the text, "q\u00e9"`},
		{"everything", "q", io.Discard, true, []string{"q"}, []int{0}, `1 character of the text, "q"`},
		{"several", "qa a qb b qc c qd d qe e qf f", io.Discard, true, []string{"qa", "qb", "qc", "qd", "qe", "qf"}, []int{17}, `"qe" and 1 piece more`},
		{"long", strings.Repeat("q", 30) + " b", io.Discard, true, []string{strings.Repeat("q", 30)}, []int{2}, `"` + strings.Repeat("q", 20) + `..."`},
		{"before one left", "alpha qeta gamma delta", &until{left: 48 * (400 + 40 + 40 + 400 + 40 + 100)}, true, []string{"qeta"}, []int{12}, `4 characters`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := newLedgerStore()
			s := newService(t, speech.Config{Engines: engine.Set{enginetest.Tone{Cannot: "q"}}, Ledger: metered(t, store)})
			w := &omitter{Writer: tt.left}
			res, err := s.Speak(t.Context(), alice, speech.Request{Text: tt.text, Language: "en", Stream: tt.stream, Format: audio.Format{Codec: audio.PCM, SampleRate: 24000}}, w)
			if _, leaves := tt.left.(*until); (err != nil) != leaves {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.omitted, w.omitted); diff != "" {
				t.Errorf("told to be left out (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.charged, store.characters()); diff != "" {
				t.Errorf("charged (-want +got)\n%s", diff)
			}
			named := slices.ContainsFunc(res.Notices, func(n string) bool { return strings.Contains(n, tt.notice) })
			if len(tt.omitted) == 0 && len(res.Notices) != 0 || len(tt.omitted) > 0 && (len(res.Notices) != 1 || !named) {
				t.Errorf("notices %q, want one with %q", res.Notices, tt.notice)
			}
			if !tt.stream && w.started.LeftOut != res.LeftOut || res.LeftOut != len([]rune(strings.Join(tt.omitted, ""))) {
				t.Errorf("%d characters are left out at the start and %d at the end, want %q", w.started.LeftOut, res.LeftOut, tt.omitted)
			}
			if err == nil && res.Characters != tt.charged[0] {
				t.Errorf("%d characters to pay, want %d", res.Characters, tt.charged[0])
			}
		})
	}
}

// TestLeftOutOfSessions: also where the text comes in pieces.
func TestLeftOutOfSessions(t *testing.T) {
	t.Parallel()
	store := newLedgerStore()
	s := newService(t, speech.Config{Engines: engine.Set{enginetest.Tone{Cannot: "q"}}, Ledger: metered(t, store)})
	session, err := s.Open(alice, speech.SessionRequest{Language: "en", Format: audio.Format{Codec: audio.PCM}})
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"The first qen", "tence is here. ", "So is the qecond one. ", "And the third."} {
		if err := session.Add(piece); err != nil {
			t.Fatal(err)
		}
	}
	session.End()
	w := &omitter{Writer: io.Discard}
	res, err := s.Run(t.Context(), session, w)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"qentence", "qecond"}, w.omitted); diff != "" {
		t.Errorf("told to be left out (-want +got)\n%s", diff)
	}
	all := len("The first qentence is here. So is the qecond one. And the third.")
	if diff := cmp.Diff([]int{all - 14}, store.characters()); diff != "" || res.Charged != all-14 || res.LeftOut != 14 {
		t.Errorf("charged %d, left out %d (-want +got)\n%s", res.Charged, res.LeftOut, diff)
	}
}

// TestLeftOutIsNotKept: the next who asks may be luckier.
func TestLeftOutIsNotKept(t *testing.T) {
	t.Parallel()
	kept := newCache(t)
	s := newService(t, speech.Config{Engines: engine.Set{enginetest.Tone{Cannot: "q"}}, Cache: kept, Ledger: metered(t, newLedgerStore())})
	for _, text := range []string{"alpha qeta", "alpha beta"} {
		for _, stream := range []bool{true, false} {
			var uses []speech.CacheUse
			for range 2 {
				res, err := s.Speak(t.Context(), alice, speech.Request{Text: text, Language: "en", Stream: stream}, io.Discard)
				if err != nil {
					t.Fatal(err)
				}
				uses = append(uses, res.Cache)
			}
			want := []speech.CacheUse{speech.CacheMiss, speech.CacheHit}
			if strings.Contains(text, "q") {
				want[1] = speech.CacheMiss
			}
			if diff := cmp.Diff(want, uses); diff != "" {
				t.Errorf("%q, stream %v: (-want +got)\n%s", text, stream, diff)
			}
		}
	}
}
