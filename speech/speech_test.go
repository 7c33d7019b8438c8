package speech_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
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
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

func newService(t testing.TB, c speech.Config) *speech.Service {
	t.Helper()
	if c.Engines == nil {
		c.Engines = engine.Set{enginetest.Tone{}}
	}
	if c.Ledger == nil {
		c.Ledger = account.Unmetered{}
	}
	s, err := speech.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSpeakRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	for _, tt := range []struct {
		name  string
		req   speech.Request
		kind  fault.Kind
		code  string
		field string
		says  string
	}{
		{"empty", speech.Request{}, fault.Invalid, fault.CodeInvalidParameter, "input", "is empty"},
		{"white space", speech.Request{Text: " \n\u3000"}, fault.Invalid, fault.CodeInvalidParameter, "input", "is empty"},
		{"too long", speech.Request{Text: strings.Repeat("é", 5001)}, fault.Invalid, fault.CodeTextTooLong, "input", "5001 characters; at most 5000"},
		{"not UTF-8", speech.Request{Text: "a\xffb"}, fault.Invalid, fault.CodeInvalidParameter, "input", "UTF-8"},
		{"too fast", speech.Request{Text: "hi", Speed: 1.9}, fault.Invalid, fault.CodeInvalidParameter, "speed", "speed 1.9 is outside 0.7 to 1.5"},
		{"no speed", speech.Request{Text: "hi", Speed: math.NaN()}, fault.Invalid, fault.CodeInvalidParameter, "speed", "NaN"},
		{"unknown voice", speech.Request{Text: "hi", Voice: "nobody"}, fault.NotFound, fault.CodeVoiceNotFound, "voice", `"nobody"`},
		{"unknown language", speech.Request{Text: "hi", Language: "klingon"}, fault.Invalid, fault.CodeInvalidParameter, "lang", "klingon"},
		{"unknown format", speech.Request{Text: "hi", Format: audio.Format{Codec: "wma"}}, fault.Invalid, fault.CodeInvalidParameter, "response_format", "wma"},
		{"odd rate", speech.Request{Text: "hi", Format: audio.Format{SampleRate: 12345}}, fault.Invalid, fault.CodeInvalidParameter, "sample_rate", "12345 is not one of 8000, 16000"},
		{"bit rate of wav", speech.Request{Text: "hi", Format: audio.Format{Codec: audio.WAV, BitrateKbps: 64}}, fault.Invalid, fault.CodeInvalidParameter, "bitrate_kbps", "wav"},
		{"hot", speech.Request{Text: "hi", Sampling: speech.Sampling{Temperature: new(2.5)}}, fault.Invalid, fault.CodeInvalidParameter, "temperature", "temperature 2.5 is outside 0 to 2"},
		{"many candidates", speech.Request{Text: "hi", Sampling: speech.Sampling{TopK: new(1000.5)}}, fault.Invalid, fault.CodeInvalidParameter, "top_k", "top_k 1000.5 is outside 0 to 1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var w bytes.Buffer
			_, err := s.Speak(t.Context(), account.Local, tt.req, &w)
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != tt.kind || f.Code != tt.code || f.Field != tt.field || !strings.Contains(f.Msg, tt.says) {
				t.Errorf("Speak = %#v, want %s %s of %s saying %q", err, tt.kind, tt.code, tt.field, tt.says)
			}
			if w.Len() > 0 {
				t.Errorf("%d bytes were written", w.Len())
			}
		})
	}
}

// told is a writer that is told of its answer.
type told struct {
	bytes.Buffer
	starts []speech.Info
	early  bool // the start came after bytes
}

func (w *told) Start(i speech.Info) {
	w.starts = append(w.starts, i)
	w.early = w.early || w.Len() > 0
}

func TestSpeakTellsBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	for _, stream := range []bool{false, true} {
		var w told
		r, err := s.Speak(t.Context(), account.Local, speech.Request{Text: "नमस्ते world", Stream: stream}, &w)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.starts) != 1 || w.early {
			t.Fatalf("stream %v: told %d times, after bytes: %v", stream, len(w.starts), w.early)
		}
		want := speech.Info{
			Voice: voice.Default("hi").ID, Language: "hi", Characters: 12, Engine: "tone",
			Format: audio.Format{Codec: audio.WAV, SampleRate: 24000},
		}
		got := w.starts[0]
		got.QueueTime, got.TextTime, got.FirstAudio = 0, 0, 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stream %v: told (-want +got)\n%s", stream, diff)
		}
		if r.Bytes != int64(w.Len()) || r.Duration <= 0 || r.Total <= 0 {
			t.Errorf("stream %v: result %+v of %d bytes", stream, r, w.Len())
		}
	}
}

func TestSpeakWritesTheSameAudioWholeAndStreamed(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	req := speech.Request{Text: "One two. Three four. Привет, мир!", Speed: 1.25}
	var whole, streamed bytes.Buffer
	if _, err := s.Speak(t.Context(), account.Local, req, &whole); err != nil {
		t.Fatal(err)
	}
	req.Stream = true
	if _, err := s.Speak(t.Context(), account.Local, req, &streamed); err != nil {
		t.Fatal(err)
	}
	const header = 44
	if got := int(binary.LittleEndian.Uint32(whole.Bytes()[40:])); got != whole.Len()-header {
		t.Errorf("the whole WAV says %d bytes of data and has %d", got, whole.Len()-header)
	}
	if got := binary.LittleEndian.Uint32(streamed.Bytes()[40:]); got != math.MaxUint32 {
		t.Errorf("the streamed WAV says %#x bytes of data, want all ones", got)
	}
	if !bytes.Equal(whole.Bytes()[header:], streamed.Bytes()[header:]) {
		t.Errorf("%d and %d bytes of audio differ", whole.Len(), streamed.Len())
	}
}

func TestSpeakDuration(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	at := func(speed float64, rate int) float64 {
		var w bytes.Buffer
		r, err := s.Speak(t.Context(), account.Local, speech.Request{
			Text: "seconds and more seconds", Speed: speed,
			Format: audio.Format{Codec: audio.PCM, SampleRate: rate},
		}, &w)
		if err != nil {
			t.Fatal(err)
		}
		d := float64(w.Len()/2) / float64(rate)
		if math.Abs(d-r.Duration.Seconds()) > 0.01 {
			t.Errorf("speed %g: %.3f s of audio, result says %v", speed, d, r.Duration)
		}
		return d
	}
	plain := at(1, 24000)
	for _, rate := range audio.SampleRates {
		if d := at(1, rate); math.Abs(d-plain) > 0.001 {
			t.Errorf("%d Hz lasts %.4f s, 24000 Hz %.4f s", rate, d, plain)
		}
	}
	for _, speed := range []float64{0.7, 0.85, 1.2, 1.5} {
		if ratio := at(speed, 24000) * speed / plain; ratio < 0.99 || ratio > 1.01 {
			t.Errorf("speed %g lasts %.4f of what it should", speed, ratio)
		}
	}
}

func TestNothingToSayIsSilence(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	for _, text := range []string{"...", "🙂", "—", "<speak></speak>", "```go\nfmt.Println()\n```", "**"} {
		var w bytes.Buffer
		req := speech.Request{Text: text, Format: audio.Format{Codec: audio.PCM, SampleRate: 8000}}
		if _, err := s.Speak(t.Context(), account.Local, req, &w); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if w.Len() != 2*1600 || bytes.ContainsFunc(w.Bytes(), func(r rune) bool { return r != 0 }) {
			t.Errorf("%q is %d bytes, want 200 ms of silence", text, w.Len())
		}
	}
}

// TestUnreadScriptIsRefused: a text only in scripts of no language here is refused and costs
// nothing.
func TestUnreadScriptIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	for text, want := range map[string]string{
		"สวัสดีครับ!": "in Thai script", "မင်္ဂလာပါ": "in Myanmar script", "សួស្តី 🙂": "in Khmer script",
		"ສະບາຍດີ": "Latin, Devanagari", "བཀྲ་ཤིས་བདེ་ལེགས། สวัสดี": "in Tibetan and Thai script",
	} {
		var w bytes.Buffer
		_, err := s.Speak(t.Context(), account.Local, speech.Request{Text: text}, &w)
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Kind != fault.Unprocessable || e.Code != fault.CodeScript || e.Field != "input" || !strings.Contains(e.Msg, want) || w.Len() > 0 {
			t.Errorf("%q: %v, want it refused with %q", text, err, want)
		}
	}
}

// TestUnreadScriptIsLeftOut: text in a script of no language here is left out of other text,
// and not charged.
func TestUnreadScriptIsLeftOut(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	var w bytes.Buffer
	r, err := s.Speak(t.Context(), account.Local, speech.Request{Text: "Hello สวัสดี world"}, &w)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"not read and not charged: 6 characters of Thai script, in which no supported language is written"}
	if diff := cmp.Diff(want, r.Notices); diff != "" || r.Charged != 12 || r.Characters != 12 {
		t.Errorf("charged %d of %d characters, want 12; notices (-want +got):\n%s", r.Charged, r.Characters, diff)
	}
}

func TestBreakIsAPause(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	length := func(text string) (int, []string) {
		var w bytes.Buffer
		r, err := s.Speak(t.Context(), account.Local, speech.Request{Text: text, Format: audio.Format{Codec: audio.PCM, SampleRate: 24000}}, &w)
		if err != nil {
			t.Fatal(err)
		}
		return w.Len() / 2, r.Notices
	}
	short, _ := length(`one <break time="500ms"/> two`)
	long, notices := length(`one <break time="2500ms"/> two`)
	if got := long - short; got != 2*24000 {
		t.Errorf("2 s more of pause are %d samples more, want 48000", got)
	}
	if len(notices) != 1 {
		t.Errorf("notices %q, want one about the markup", notices)
	}
}

func TestVoices(t *testing.T) {
	t.Parallel()
	tamil := voice.Default("ta").ID
	voices, err := voice.NewDirectory(voice.Naming{Aliases: map[string]voice.ID{"alloy": tamil}})
	if err != nil {
		t.Fatal(err)
	}
	echo, err := voices.Find("voice", "echo")
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, speech.Config{
		Voices:        voices,
		DefaultVoices: map[lang.Code]voice.ID{"de": tamil},
	})
	for _, tt := range []struct {
		name string
		req  speech.Request
		want voice.ID
	}{
		{"by id", speech.Request{Text: "hello", Voice: string(tamil)}, tamil},
		{"by alias", speech.Request{Text: "hello", Voice: "alloy"}, tamil},
		{"by built-in alias", speech.Request{Text: "नमस्ते", Voice: "echo"}, echo.ID},
		{"by display name", speech.Request{Text: "hello", Voice: "hannah"}, voice.DefaultVoice().ID},
		{"the operator's default", speech.Request{Text: "hallo", Language: "de"}, tamil},
		{"the language's default", speech.Request{Text: "Привет"}, voice.Default("ru").ID},
		{"the overall default", speech.Request{Text: "123"}, voice.DefaultVoice().ID},
	} {
		r, err := s.Speak(t.Context(), account.Local, tt.req, io.Discard)
		if err != nil || r.Voice != tt.want {
			t.Errorf("%s: voice %s, %v, want %s", tt.name, r.Voice, err, tt.want)
		}
	}
	if _, err := speech.New(speech.Config{Engines: engine.Set{enginetest.Tone{}}, DefaultVoices: map[lang.Code]voice.ID{"en": "sv_none"}}); err == nil {
		t.Error("New takes a default voice that does not exist")
	}
}

func TestLanguageThatNoEngineSpeaks(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{Engines: engine.Set{enginetest.Tone{Speaks: []lang.Code{"en"}}}})
	_, err := s.Speak(t.Context(), account.Local, speech.Request{Text: "hello мир"}, io.Discard)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), `"ru"`) {
		t.Errorf("Speak = %v, want a refusal that names ru", err)
	}
}

// A language that comes up late cannot be refused any more.
func TestLateLanguageThatNoEngineSpeaks(t *testing.T) {
	t.Parallel()
	var said []engine.Utterance
	tone := enginetest.Tone{Speaks: []lang.Code{"en"}, Before: func(_ context.Context, u engine.Utterance) error {
		if n := len(said); n == 0 || said[n-1] != u { // Before every frame
			said = append(said, u)
		}
		return nil
	}}
	s := newService(t, speech.Config{Engines: engine.Set{tone}})
	text := strings.Repeat("Hello out there. ", 100) + "Now мир"
	if _, err := s.Speak(t.Context(), account.Local, speech.Request{Text: text}, io.Discard); err != nil {
		t.Fatal(err)
	}
	all := ""
	for i, u := range said {
		if last := i == len(said)-1; u.Language != "en" || u.Continues != (strings.HasSuffix(u.Text, ". ") && !last) {
			t.Errorf("utterance %d of %d is in %s and continues: %v", i, len(said), u.Language, u.Continues)
		}
		all += u.Text
	}
	if all != text || len(said) < 3 {
		t.Errorf("%d utterances, of another text: %v", len(said), all != text)
	}
	_, err := s.Speak(t.Context(), account.Local, speech.Request{Text: "hello", Language: "ru"}, io.Discard)
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("Speak in a language of nobody = %v", err)
	}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "previews")
	var renders sync.Map
	tone := enginetest.Tone{Before: func(_ context.Context, u engine.Utterance) error {
		renders.Store(u.Text, true)
		return nil
	}}
	s := newService(t, speech.Config{Engines: engine.Set{tone}, PreviewDir: dir})
	id := voice.Default("fr").ID
	var wg sync.WaitGroup
	clips := make([]speech.Preview, 8)
	for i := range clips {
		wg.Go(func() {
			var err error
			if clips[i], err = s.Preview(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, c := range clips {
		if c.ETag != clips[0].ETag || !bytes.Equal(c.Data, clips[0].Data) || c.ContentType != "audio/mpeg" {
			t.Errorf("clips differ: %s %s %d bytes", c.ETag, c.ContentType, len(c.Data))
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("%d files are kept, %v, want 1", len(files), err)
	}
	again := newService(t, speech.Config{PreviewDir: dir, Engines: engine.Set{enginetest.Tone{
		Before: func(context.Context, engine.Utterance) error { return errors.New("rendered twice") },
	}}})
	if p, err := again.Preview(t.Context(), id); err != nil || p.ETag != clips[0].ETag {
		t.Errorf("after a restart: %s, %v, want the kept clip", p.ETag, err)
	}
	lost := newService(t, speech.Config{Engines: engine.Set{tone}, PreviewDir: "/dev/null/previews"})
	if p, err := lost.Preview(t.Context(), id); err != nil || p.ETag != clips[0].ETag || p.Modified.IsZero() {
		t.Errorf("Preview that cannot be kept = %q of %v, %v, want %q", p.ETag, p.Modified, err, clips[0].ETag)
	}
	if _, err := s.Preview(t.Context(), "sv_nobody"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Preview of nobody = %v", err)
	}
}

func TestEngineFaultBeforeTheFirstByteWritesNothing(t *testing.T) {
	t.Parallel()
	down := enginetest.Tone{Before: func(context.Context, engine.Utterance) error {
		return fault.Down(fault.CodeEngineUnavailable, 0, nil, "down")
	}}
	s := newService(t, speech.Config{Engines: engine.Set{down}})
	for _, stream := range []bool{false, true} {
		var w told
		_, err := s.Speak(t.Context(), account.Local, speech.Request{Text: "hello", Stream: stream}, &w)
		if fault.KindOf(err) != fault.Unavailable || w.Len() > 0 || len(w.starts) > 0 {
			t.Errorf("stream %v: Speak = %v after %d bytes and %d starts, want a refusal before them", stream, err, w.Len(), len(w.starts))
		}
	}
}

var errReset = errors.New("connection reset")

// until is a writer that fails after some bytes.
type until struct{ left int }

func (w *until) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errReset
	}
	return len(p), nil
}

func TestCancelEndsSpeak(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tone := enginetest.Tone{Before: func(ctx context.Context, _ engine.Utterance) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}}
	_, err := newService(t, speech.Config{Engines: engine.Set{tone}}).Speak(ctx, account.Local, speech.Request{Text: "hi"}, io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Speak = %v, want canceled", err)
	}
}

func TestContextIsPassedToTheEngine(t *testing.T) {
	t.Parallel()
	var got engine.Utterance
	tone := enginetest.Tone{Before: func(_ context.Context, u engine.Utterance) error {
		got = u
		return nil
	}}
	req := speech.Request{Text: "middle", PreviousText: strings.Repeat("x ", 5000) + "just before", NextText: "just after " + strings.Repeat("y ", 5000)}
	if _, err := newService(t, speech.Config{Engines: engine.Set{tone}}).Speak(t.Context(), account.Local, req, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(got.Before, "x just before") || len(got.Before) > 200 || !strings.HasPrefix(got.After, "just after y") || len(got.After) > 200 {
		t.Errorf("Before %q, After %q", got.Before, got.After)
	}
}

func TestRegionIsPassedToTheEngine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hint, text string
		want       map[lang.Code]string
	}{
		{"es-MX", "Hola, amigos.", map[lang.Code]string{"es": "MX"}},
		{"es-419", "Hola.", map[lang.Code]string{"es": "419"}},
		{"es", "Hola.", map[lang.Code]string{"es": ""}},
		{"", "Hola.", map[lang.Code]string{"es": ""}},
		{"hi-IN", "नमस्ते दोस्तों, welcome to the show, தமிழ்", map[lang.Code]string{"hi": "IN", "en": "", "ta": ""}},
	} {
		got := map[lang.Code]string{}
		tone := enginetest.Tone{Before: func(_ context.Context, u engine.Utterance) error {
			got[u.Language] = u.Region
			return nil
		}}
		req := speech.Request{Text: tt.text, Language: tt.hint}
		if _, err := newService(t, speech.Config{Engines: engine.Set{tone}}).Speak(t.Context(), account.Local, req, io.Discard); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q in %q: regions by language (-want +got):\n%s", tt.text, tt.hint, diff)
		}
	}
}

var _ speech.Starter = (*told)(nil)

func TestHealth(t *testing.T) {
	t.Parallel()
	h := newService(t, speech.Config{}).Health()
	if h.Engine != "tone" || h.Languages != 80 || h.Voices != 320 || len(h.DefaultVoices) != 80 || len(h.Formats) == 0 {
		t.Errorf("Health = %+v", h)
	}
}

// TestSeed: whole numbers up to the largest one are seeds.
func TestSeed(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0, 1, 1 << 31, speech.MaxSeed} {
		if got, err := speech.Seed(x); err != nil || *got != int64(x) {
			t.Errorf("Seed(%v) = %v, %v", x, got, err)
		}
	}
	for _, x := range []float64{-1, 0.5, speech.MaxSeed + 1, math.Inf(1), math.NaN()} {
		if got, err := speech.Seed(x); got != nil || fault.KindOf(err) != fault.Invalid {
			t.Errorf("Seed(%v) = %v, %v, want an error of kind Invalid", x, got, err)
		}
	}
}
