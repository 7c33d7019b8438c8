package speech_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/audiotest"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/align"
	"vaak/speech/chunk"
	"vaak/text/frontend"
	"vaak/voice"
)

// flush is a step of a play.
const flush = "\x00flush"

// native is the format that no step of the chain changes.
var native = audio.Format{Codec: audio.PCM, SampleRate: 22050}

// mp3 is one whose encoder holds audio back.
var mp3 = audio.Format{Codec: audio.MP3, SampleRate: 24000}

// listener keeps what it is sent and told.
type listener struct {
	mu     sync.Mutex
	bytes  bytes.Buffer
	writes int
	most   int // bytes of a write
	starts []speech.Info
	each   func() error // called at each write, if set
}

func (l *listener) Start(i speech.Info) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts = append(l.starts, i)
}

func (l *listener) Write(p []byte) (int, error) {
	if l.each != nil {
		if err := l.each(); err != nil {
			return 0, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes++
	l.most = max(l.most, len(p))
	return l.bytes.Write(p)
}

// got returns what was sent so far.
func (l *listener) got() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.bytes.Bytes())
}

func (l *listener) pcm() []int16 { return audiotest.Samples(l.got()) }

// follower is a listener that is told what is said when.
type follower struct {
	listener
	written, spoken []align.Alignment
}

func (f *follower) Follow(written, spoken align.Alignment) {
	f.written, f.spoken = append(f.written, written), append(f.spoken, spoken)
}

// play is a session that runs.
type play struct {
	*speech.Session
	t   testing.TB
	end chan struct{}
	res speech.Result
	err error
}

// begin runs a session into w.
func begin(ctx context.Context, t testing.TB, s *speech.Service, caller account.Caller, req speech.SessionRequest, w io.Writer) *play {
	t.Helper()
	session, err := s.Open(caller, req)
	if err != nil {
		t.Fatal(err)
	}
	p := &play{Session: session, t: t, end: make(chan struct{})}
	go func() {
		defer close(p.end)
		p.res, p.err = s.Run(ctx, session, w)
	}()
	return p
}

// add adds fragments and flushes.
func (p *play) add(steps ...string) {
	p.t.Helper()
	for _, f := range steps {
		if f == flush {
			p.Flush()
		} else if err := p.Add(f); err != nil {
			p.t.Error(err)
		}
	}
}

// outcome waits for the end of the run.
func (p *play) outcome() (speech.Result, error) {
	<-p.end
	return p.res, p.err
}

// say plays a session to its end.
func say(t testing.TB, s *speech.Service, req speech.SessionRequest, w io.Writer, steps ...string) speech.Result {
	t.Helper()
	p := begin(t.Context(), t, s, account.Local, req, w)
	p.add(steps...)
	p.End()
	res, err := p.outcome()
	if err != nil {
		t.Fatalf("Run of %q: %v", steps, err)
	}
	return res
}

// some returns all, or the first two when only a little testing is wanted.
func some[T any](all []T) []T {
	if testing.Short() {
		return all[:min(2, len(all))]
	}
	return all
}

// slowly plays a session in a bubble, each step when all of the one before was
// said, and returns how many bytes were sent after each.
func slowly(t testing.TB, s *speech.Service, req speech.SessionRequest, w interface {
	io.Writer
	got() []byte
}, steps ...string) (sent []int) {
	t.Helper()
	p := begin(t.Context(), t, s, account.Local, req, w)
	for _, step := range steps {
		p.add(step)
		synctest.Wait()
		sent = append(sent, len(w.got()))
	}
	p.End()
	if _, err := p.outcome(); err != nil {
		t.Fatalf("Run of %q: %v", steps, err)
	}
	return sent
}

func openEspeak(t testing.TB) engine.Engine {
	t.Helper()
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// paragraphs are sentences, each with the spaces behind it.
var paragraphs = map[lang.Code][]string{
	"en": {"Good morning, everybody. ", "The meeting begins at 10:30 in room 4, and it costs $5 million. ", "Is Dr. Smith here? ", "Yes! ", "Let us begin."},
	"hi": {"नमस्ते, आप कैसे हैं? ", "आज बैठक सुबह 10 बजे शुरू होगी। ", "मेरे पास 5 किताबें हैं। ", "धन्यवाद।"},
	"ta": {"வணக்கம், நீங்கள் எப்படி இருக்கிறீர்கள்? ", "இன்று மழை பெய்யும். ", "என்னிடம் 5 புத்தகங்கள் உள்ளன."},
	"de": {"Guten Morgen zusammen. ", "Die Sitzung beginnt um 10 Uhr, z. B. in Berlin. ", "Ist Herr Müller da? ", "Ja!"},
	"ja": {"おはようございます。", "会議は十時に始まります。", "田中さんはいますか？", "はい、います。"},
}

// fragments cuts a text at random.
func fragments(s string, longest int, seed uint64) (all []string) {
	r := rand.New(rand.NewPCG(seed, 7))
	for rest := []rune(s); len(rest) > 0; {
		n := min(len(rest), 1+r.IntN(longest))
		all = append(all, string(rest[:n]))
		rest = rest[n:]
	}
	return all
}

// oneByOne synthesizes sentences with their pauses.
func oneByOne(t testing.TB, e engine.Engine, code lang.Code, sentences []string) (pcm []int16) {
	t.Helper()
	var last engine.Utterance
	front := frontend.New()
	for i, s := range sentences {
		p, err := front.Prepare(s, lang.Tag{Code: code})
		if err != nil {
			t.Fatal(err)
		}
		for r := range p.Runs() {
			last = enginetest.English(r.Text)
			last.Language, last.Voice = r.Language, voice.Default(code)
			last.Continues = r.EndsSentence() && (!r.Last || i < len(sentences)-1)
			pcm = append(pcm, enginetest.Speak(t, e, last).PCM...)
		}
	}
	return pcm
}

// TestSentencesAreSampleIdentical also flushes after each.
func TestSentencesAreSampleIdentical(t *testing.T) {
	t.Parallel()
	for _, e := range []engine.Engine{enginetest.Tone{}, openEspeak(t)} {
		s := newService(t, speech.Config{Engines: engine.Set{e}})
		for code, sentences := range paragraphs {
			t.Run(e.Name()+"/"+string(code), func(t *testing.T) { // not parallel: the engine closes
				want := oneByOne(t, e, code, sentences)
				whole := strings.Join(sentences, "")
				plays := map[string][]string{"whole": {whole}, "sentences": sentences, "runes": fragments(whole, 1, 0)}
				for seed := range uint64(5) {
					plays["cut at random "+string(rune('0'+seed))] = fragments(whole, 20, seed)
				}
				var flushed []string
				for _, s := range sentences {
					flushed = append(flushed, s, flush)
				}
				plays["flushed"] = flushed
				req := speech.SessionRequest{Language: string(code), Format: native}
				for name, steps := range plays {
					var w listener
					say(t, s, req, &w, steps...)
					if got := w.pcm(); !slices.Equal(loud(got), loud(want)) || name != "flushed" && len(got) != len(want) {
						t.Errorf("%s: %d samples, want the %d of the sentences one by one; differ from %d on", name, len(got), len(want), differ(got, want))
					}
				}
				var spoken bytes.Buffer
				if _, err := s.Speak(t.Context(), account.Local, speech.Request{Text: whole, Language: string(code), Format: native}, &spoken); err != nil {
					t.Fatal(err)
				}
				if e.Name() == "tone" {
					return // it makes no pauses inside an utterance
				}
				if ratio := float64(len(want)) / float64(spoken.Len()/2); ratio < 0.99 || ratio > 1.01 {
					t.Errorf("the sentences last %.3f times as long as the paragraph", ratio)
				}
			})
		}
	}
}

// loud returns samples without the silence at their end. Whether that belongs to a
// pause that is dropped is not known when it follows a flush.
func loud(pcm []int16) []int16 {
	for len(pcm) > 0 && pcm[len(pcm)-1] == 0 {
		pcm = pcm[:len(pcm)-1]
	}
	return pcm
}

// silent returns how long the longest silence is, in milliseconds.
func silent(pcm []int16) int {
	most, n := 0, 0
	for _, v := range pcm {
		if n++; v != 0 {
			n = 0
		}
		most = max(most, n)
	}
	return most * 1000 / native.SampleRate
}

func differ(a, b []int16) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// TestHeldPauseIsTheSame has each sentence said before the next comes, in bubbles.
func TestHeldPauseIsTheSame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		want := oneByOne(t, enginetest.Tone{}, "en", paragraphs["en"])
		var steps []string
		for _, sentence := range paragraphs["en"] {
			steps = append(steps, sentence, flush)
		}
		var w listener
		sent := slowly(t, s, speech.SessionRequest{Language: "en", Format: native}, &w, steps...)
		if got := w.pcm(); !slices.Equal(got, want) {
			t.Errorf("%d samples, want %d; differ from %d on", len(got), len(want), differ(got, want))
		}
		for i := 1; i < len(sent); i += 2 {
			said := audiotest.Samples(w.got()[:sent[i]])
			if tail := said[max(0, len(said)-100):]; !slices.ContainsFunc(tail, func(v int16) bool { return v != 0 }) {
				t.Errorf("flush %d sent the pause too", i/2)
			}
		}
	})
}

// TestPauseThatWasAskedForIsKept has the end of a sentence and a break around a
// flush.
func TestPauseThatWasAskedForIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		req := speech.SessionRequest{Language: "en", Format: native}
		steps := []string{"Hello there. ", `<break time="3s"/>`, "Bye now."}
		var whole, flushed listener
		say(t, s, req, &whole, strings.Join(steps, ""))
		slowly(t, s, req, &flushed, steps[0], flush, steps[1]+steps[2])
		for name, w := range map[string]*listener{"whole": &whole, "flushed": &flushed} {
			if got := silent(w.pcm()); got < 3300 || got > 3400 {
				t.Errorf("%s: a silence of %d ms, want the break's 3,000 and the sentence's 300", name, got)
			}
		}
		if most := whole.most / 2; most >= native.SampleRate {
			t.Errorf("a write of %d samples, want less than a second", most)
		}
	})
}

// TestWaitingKeepsNoTurn has more sessions wait than there are turns.
func TestWaitingKeepsNoTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		var plays []*play
		for range 100 {
			var w listener
			p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en"}, &w)
			p.add("Hello there. ", flush)
			plays = append(plays, p)
		}
		synctest.Wait()
		since := time.Now()
		var w listener
		say(t, s, speech.SessionRequest{Language: "en"}, &w, "Hello.")
		if waited := time.Since(since); waited > 0 {
			t.Errorf("a session beside those that wait took %v", waited)
		}
		for _, p := range plays {
			p.End()
			if _, err := p.outcome(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestAllModesSayTheSameText has a long text in every mode, cut at random.
func TestAllModesSayTheSameText(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	whole := strings.Join(paragraphs["en"], "") + " " + strings.Join(paragraphs["en"], "")
	for _, mode := range []chunk.Mode{chunk.Sentence, chunk.Eager, chunk.Schedule, chunk.Auto} {
		for seed := range uint64(4) {
			var w listener
			req := speech.SessionRequest{Language: "en", Format: native, Chunks: chunk.Config{Mode: mode}}
			res := say(t, s, req, &w, fragments(whole, 12, seed)...)
			if res.Charged != len([]rune(whole)) || res.Characters != res.Charged {
				t.Errorf("mode %d: charged %d of %d characters", mode, res.Charged, len([]rune(whole)))
			}
			if res.Bytes != int64(len(w.got())) || res.Duration <= 0 || res.Total <= 0 || len(w.starts) != 1 {
				t.Errorf("mode %d: %+v for %d bytes, told %d times", mode, res, len(w.got()), len(w.starts))
			}
		}
	}
}
