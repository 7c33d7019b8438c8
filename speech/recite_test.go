package speech_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/align"
	"vaak/speech/passage"
)

// recite speaks a text in parts of at most so many code points.
func recite(t testing.TB, s *speech.Service, req speech.Request, from io.Reader, most int, w io.Writer) (speech.Result, error) {
	t.Helper()
	r := passage.New(from, most)
	defer r.Close()
	return s.Recite(t.Context(), account.Local, req, r, w)
}

// asFile is a listener whose head is written again.
type asFile struct{ bytes.Buffer }

func (f *asFile) Rewrite(head []byte) error {
	copy(f.Bytes(), head)
	return nil
}

// TestReciteIsSpeak: a text of one part is answered byte for byte as a request is, as
// a stream and as a file; one of several sounds the same where the cuts are.
func TestReciteIsSpeak(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	const text = "It is late, Dr. Smith. We go home now.\n\nनमस्ते दुनिया। We are $5 richer."
	for _, codec := range []audio.Codec{audio.WAV, audio.FLAC, audio.PCM} {
		req := speech.Request{Text: text, Format: audio.Format{Codec: codec}, Speed: 1.2}
		var whole, stream bytes.Buffer
		if _, err := s.Speak(t.Context(), account.Local, req, &whole); err != nil {
			t.Fatal(err)
		}
		req.Stream = true
		if _, err := s.Speak(t.Context(), account.Local, req, &stream); err != nil {
			t.Fatal(err)
		}
		for most, in := range map[int]string{5000: "one part", 40: "several"} {
			var file asFile
			var plain bytes.Buffer
			for _, w := range []io.Writer{&file, &plain} {
				res, err := recite(t, s, req, strings.NewReader(text), most, w)
				if err != nil {
					t.Fatal(err)
				}
				if res.Charged != utf8.RuneCountInString(text) || res.Characters != res.Charged || res.Duration == 0 {
					t.Errorf("%s in %s: result %+v of %d characters", codec, in, res, utf8.RuneCountInString(text))
				}
			}
			if !bytes.Equal(file.Bytes(), whole.Bytes()) {
				t.Errorf("%s in %s: a file of %d bytes is not the answer of %d", codec, in, file.Len(), whole.Len())
			}
			if !bytes.Equal(plain.Bytes(), stream.Bytes()) {
				t.Errorf("%s in %s: a stream of %d bytes is not the answer of %d", codec, in, plain.Len(), stream.Len())
			}
		}
	}
}

func TestReciteTellsEveryCharacter(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	pcm := audio.Format{Codec: audio.PCM, SampleRate: 24000}
	for _, text := range []string{
		"It is late. We go. ", strings.Repeat("The bill is $5 million, due on May 3. Nobody pays! ", 20),
		"*** *** ***\n\nIt is late.", "It is late.\n\n*** *** *** *** ***", "*** *** ***", "नमस्ते दुनिया। " + strings.Repeat("今天很好。", 30),
		strings.Repeat("when it is late we go ", 20),
	} {
		for _, speed := range []float64{1, 0.7, 1.5} {
			var f follower
			if _, err := recite(t, s, speech.Request{Format: pcm, Speed: speed}, strings.NewReader(text), 30, &f); err != nil {
				t.Fatal(err)
			}
			f.laws(t, fmt.Sprintf("%.20q at %g", text, speed), text, pcm.SampleRate)
		}
	}
}

func TestReciteDetectsPartByPart(t *testing.T) {
	t.Parallel()
	var heard []lang.Code
	var continues []bool
	var around [][2]string
	tone := enginetest.Tone{Before: func(_ context.Context, u engine.Utterance) error {
		if n := len(heard); n == 0 || heard[n-1] != u.Language || continues[n-1] != u.Continues {
			heard, continues, around = append(heard, u.Language), append(continues, u.Continues), append(around, [2]string{u.Before, u.After})
		}
		return nil
	}}
	s := newService(t, speech.Config{Engines: engine.Set{tone}})
	res, err := recite(t, s, speech.Request{}, strings.NewReader("Der Fluss geht langsam über die Hügel. Yesterday the children were walking home."), 40, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]lang.Code{"de", "en"}, heard); diff != "" {
		t.Errorf("languages (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]bool{true, false}, continues); diff != "" {
		t.Errorf("pauses (-want +got)\n%s", diff)
	}
	if res.Language != "de" {
		t.Errorf("language %q, want that of the first part", res.Language)
	}
	heard, continues, around = nil, nil, nil
	if _, err := recite(t, s, speech.Request{Language: "fr"}, strings.NewReader("when it is late we always go home"), 20, io.Discard); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][2]string{{"", "always go home"}}, around); diff != "" || heard[0] != "fr" {
		t.Errorf("of a sentence that was cut, in %v, the engine was told (-want +got)\n%s", heard, diff)
	}
}

func TestReciteRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	for _, tt := range []struct {
		name, text string
		req        speech.Request
		kind       fault.Kind
		says       string
	}{
		{"nothing", "", speech.Request{}, fault.Invalid, "input is empty"},
		{"white space", " \n", speech.Request{}, fault.Invalid, "input is empty"},
		{"an unknown language", "hi", speech.Request{Language: "klingon"}, fault.Invalid, "klingon"},
		{"an unknown voice", "hi", speech.Request{Voice: "nobody"}, fault.NotFound, "nobody"},
		{"a format", "hi", speech.Request{Format: audio.Format{Codec: "wma"}}, fault.Invalid, "wma"},
		{"no UTF-8", "It is late. We go. Hom\xff", speech.Request{}, fault.Invalid, "byte 22 is 0xff"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var w asFile
			_, err := recite(t, s, tt.req, strings.NewReader(tt.text), 5000, &w)
			if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) || w.Len() > 0 {
				t.Errorf("Recite = %v after %d bytes, want %s that says %q", err, w.Len(), tt.kind, tt.says)
			}
		})
	}
}

// TestReciteCharges: all that was spoken, what a listener who left has heard, and
// nothing when the engine fails.
func TestReciteCharges(t *testing.T) {
	t.Parallel()
	const text = "alpha beta. gamma delta. epsilon zeta." // 12 + 13 + 13 characters
	failing := enginetest.Tone{Before: func(_ context.Context, u engine.Utterance) error {
		if strings.Contains(u.Text, "epsilon") {
			return errors.New("boom")
		}
		return nil
	}}
	for _, tt := range []struct {
		name   string
		engine engine.Engine
		from   io.Reader
		w      io.Writer
		want   []int
		fails  bool
	}{
		{"finished", enginetest.Tone{}, strings.NewReader(text), io.Discard, []int{38}, false},
		{"left in the third word", enginetest.Tone{}, strings.NewReader(text), &until{left: 48 * (400 + 40 + 400 + 340 + 400 + 100)}, []int{17}, true},
		{"the engine fails", failing, strings.NewReader(text), io.Discard, nil, true},
		{"the source fails", enginetest.Tone{}, io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("gone"))), io.Discard, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := newLedgerStore()
			s := newService(t, speech.Config{Engines: engine.Set{tt.engine}, Ledger: metered(t, store)})
			r := passage.New(tt.from, 13)
			defer r.Close()
			res, err := s.Recite(t.Context(), alice, speech.Request{Language: "en", Format: audio.Format{Codec: audio.PCM, SampleRate: 24000}}, r, tt.w)
			if (err != nil) != tt.fails {
				t.Errorf("Recite = %v", err)
			}
			if diff := cmp.Diff(tt.want, store.characters()); diff != "" {
				t.Errorf("charged (-want +got)\n%s", diff)
			}
			if len(tt.want) > 0 && res.Charged != tt.want[0] {
				t.Errorf("result %+v, want %v charged", res, tt.want)
			}
		})
	}
}

// mutter is an engine that says a word in two milliseconds.
type mutter struct{ enginetest.Tone }

func (mutter) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	n := 44 * len(strings.Fields(u.Text))
	for at := 0; at < n; at += 1 << 12 {
		if _, _, err := sink.Room(ctx); err != nil {
			return err
		}
		f := engine.Frame{PCM: make([]int16, min(n-at, 1<<12))}
		if at == 0 {
			f.Words = []engine.Word{{Start: 0, End: len(u.Text)}}
		}
		if err := sink.Frame(f); err != nil {
			return err
		}
	}
	return nil
}

// endless writes one sentence again and again and looks at the heap now and then.
type endless struct {
	sentence string
	left     int // bytes
	every    int
	heaps    []uint64
	turned   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	if e.turned -= len(e.sentence); e.turned < 0 {
		e.turned = e.every
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		e.heaps = append(e.heaps, m.HeapAlloc)
	}
	e.left -= len(e.sentence)
	return copy(p, e.sentence), nil
}

// TestLengthyReciteInBoundedMemory speaks 2 MB that are never in memory together. It is not
// parallel: the heap is that of all tests.
func TestLengthyReciteInBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("speaking 2 MB takes seconds")
	}
	s := newService(t, speech.Config{Engines: engine.Set{mutter{}}})
	for _, sentence := range []string{
		"The river goes slowly over the hills, and nobody on the other side knows where. ",
		"*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ", // which is silent
	} {
		from := &endless{sentence: sentence, left: 2 << 20, every: 100 << 10}
		w := &counter{}
		if _, err := recite(t, s, speech.Request{Language: "en", Format: audio.Format{Codec: audio.PCM}}, from, speech.MaxCharacters, w); err != nil {
			t.Fatal(err)
		}
		least := uint64(math.MaxUint64)
		for _, h := range from.heaps[1:4] { // the first has not loaded anything
			least = min(least, h)
		}
		if most := from.heaps[len(from.heaps)-1]; len(from.heaps) < 10 || most > least+1<<20 {
			t.Errorf("%.4q: the heap went from %d to %d bytes: %v", sentence, least, most, from.heaps)
		}
		if w.characters < 2<<20 {
			t.Errorf("%.4q: told %d characters, want all", sentence, w.characters)
		}
	}
}

// counter counts the characters that it is told.
type counter struct{ characters int }

func (c *counter) Write(p []byte) (int, error) { return len(p), nil }

func (c *counter) Follow(written, _ align.Alignment) { c.characters += len(written.Characters) }
