package espeak

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// open opens an engine with one worker, whose children can be counted.
func open(t testing.TB, stall time.Duration) *Engine {
	t.Helper()
	e, err := Open(Config{Worker: enginetest.Worker(t), Stall: stall, WarmVoices: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return e
}

func in(code lang.Code, text string) engine.Utterance {
	return engine.Utterance{Text: text, Language: code, Voice: voice.Default(code)}
}

func TestEngine(t *testing.T) {
	e := open(t, 0)
	enginetest.Run(t, e, nil)
	if got := len(e.Languages()); got != 80 {
		t.Errorf("%d languages, want 80", got)
	}
	if crashes, _ := e.Crashes(); crashes != 0 {
		t.Errorf("%d children crashed", crashes)
	}
}

func TestEngineWithLoadedVoices(t *testing.T) {
	cold := open(t, 0)
	e, err := Open(Config{Worker: enginetest.Worker(t), WarmVoices: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}()
	loaded := func() int {
		e.servers.mu.Lock()
		defer e.servers.mu.Unlock()
		n := 0
		for _, w := range e.servers.warm {
			if w.server != nil {
				n++
			}
		}
		return n
	}
	for _, code := range []lang.Code{"ru", "hi", "zh", "ar", "en", "ru"} {
		u := in(code, voice.PreviewText(code))
		want := enginetest.Speak(t, cold, u)
		for range 2 * warmAfter {
			if got := enginetest.Speak(t, e, u); !got.Equal(want) {
				t.Errorf("%s: %d samples, want the same %d", code, len(got.PCM), len(want.PCM))
			}
			e.servers.pending.Wait()
		}
	}
	if n := loaded(); n != 2 {
		t.Fatalf("%d voices are loaded, want 2", n)
	}
	u := in("ru", voice.PreviewText("ru"))
	set, _ := ParametersOf(u)
	warm := e.servers.pick(set.Voice)
	if warm == e.servers.any {
		t.Fatalf("voice %s is not loaded", set.Voice)
	}
	if err := syscall.Kill(warm.pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := enginetest.Speak(t, e, u); !got.Equal(enginetest.Speak(t, cold, u)) {
		t.Errorf("after its worker was killed: %d samples", len(got.PCM))
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	if _, err := Open(Config{Worker: "/does/not/exist"}); err == nil || !strings.Contains(err.Error(), "/does/not/exist") {
		t.Errorf("Open without a worker = %v, want an error that names it", err)
	}
	if _, err := Open(Config{Worker: enginetest.Worker(t), Data: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "espeak-ng-data") {
		t.Errorf("Open without data = %v, want an error that names espeak-ng-data", err)
	}
}

const paragraph = "The old lighthouse stood on a rock. Nobody had lived there for years. " +
	"One evening, a light appeared in its window! Who could it be? The fishermen wondered; they did not sleep that night."

func TestSameSamplesAfterRestart(t *testing.T) {
	u := in("en", paragraph)
	want := enginetest.Speak(t, open(t, 0), u)
	e := open(t, 0)
	for _, code := range []lang.Code{"hi", "ru", "ar", "ta"} {
		enginetest.Speak(t, e, in(code, voice.PreviewText(code)))
	}
	if got := enginetest.Speak(t, e, u); !got.Equal(want) {
		t.Errorf("after a restart and other voices: %d samples, want the same %d", len(got.PCM), len(want.PCM))
	}
}

func TestSentencesLastAsLongAsTheirParagraph(t *testing.T) {
	e := open(t, 0)
	for code, sentences := range map[lang.Code][]string{
		"en": {"The old lighthouse stood on a rock.", "Nobody had lived there for years.", "One evening, a light appeared in its window!", "Who could it be?"},
		"hi": {"पुराना घर नदी के किनारे था।", "वहाँ कई साल से कोई नहीं रहता था।", "एक शाम उसकी खिड़की में रोशनी दिखाई दी।", "कौन हो सकता है?"},
		"ta": {"பழைய வீடு ஆற்றின் கரையில் இருந்தது.", "அங்கே பல ஆண்டுகளாக யாரும் வசிக்கவில்லை.", "ஒரு மாலை அதன் ஜன்னலில் வெளிச்சம் தெரிந்தது."},
		"ru": {"Старый маяк стоял на скале.", "Там много лет никто не жил.", "Однажды вечером в окне появился свет!", "Кто бы это мог быть?"},
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			whole := len(enginetest.Speak(t, e, in(code, strings.Join(sentences, " "))).PCM)
			sum := 0
			for i, s := range sentences {
				u := in(code, s)
				u.Continues = i+1 < len(sentences)
				sum += len(enginetest.Speak(t, e, u).PCM)
			}
			if ratio := float64(sum) / float64(whole); ratio < 0.99 || ratio > 1.01 {
				t.Errorf("sentences last %.4f of the paragraph, want 0.99 to 1.01", ratio)
			}
		})
	}
}

// killer is a text that the library aborts on.
var killer = strings.Repeat("a.b.c.d.", 60)

func TestCrashingTextIsSpokenBesideOthers(t *testing.T) {
	e := open(t, 0)
	long := in("en", strings.Repeat(paragraph+" ", 5))
	want := enginetest.Speak(t, e, long)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := enginetest.Speak(t, e, long); !slices.Equal(got.PCM, want.PCM) {
				t.Errorf("a stream beside a crash has %d samples, want the same %d", len(got.PCM), len(want.PCM))
			}
		})
	}
	for _, before := range []string{"", "Hello there. "} {
		wg.Go(func() {
			s := enginetest.Speak(t, e, in("en", before+killer))
			if got := float64(len(s.PCM)) / float64(e.SampleRate()); got < 30 {
				t.Errorf("%q + 240 letters are spoken in %.1f s", before, got)
			}
			if last := s.Words[len(s.Words)-1]; last.Start < len(before+killer)-4 {
				t.Errorf("the last word begins at byte %d of %d", last.Start, len(before+killer))
			}
		})
	}
	wg.Wait()
	if crashes, leftOut := e.Crashes(); crashes == 0 || leftOut != 0 {
		t.Errorf("%d crashes, %d pieces left out; want some and none", crashes, leftOut)
	}
}

// TestLostChild ends children from outside: speech goes on where it stopped.
// speakInterrupted sends the child of an utterance a signal when one part in so many
// was heard; what is heard must not change.
func speakInterrupted(t *testing.T, e *Engine, u engine.Utterance, part int, signal syscall.Signal) {
	t.Helper()
	want := enginetest.Speak(t, e, u)
	var pid, hits int
	e.onChild = func(p int) { pid = p }
	var got enginetest.Speech
	err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
		if err := got.Frame(f); err != nil {
			return err
		}
		if hits == 0 && len(got.PCM) > len(want.PCM)/part {
			hits++
			return syscall.Kill(pid, signal)
		}
		return nil
	}))
	if err != nil || hits != 1 {
		t.Fatalf("Synthesize = %v after %d signals", err, hits)
	}
	if !got.Equal(want) {
		t.Errorf("%d samples and %d words, want the same %d and %d", len(got.PCM), len(got.Words), len(want.PCM), len(want.Words))
	}
}

func TestLostChild(t *testing.T) {
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
	}{
		{"killed", syscall.SIGKILL},
		{"hung", syscall.SIGSTOP},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := open(t, 300*time.Millisecond)
			u := in("en", strings.Repeat(paragraph+" ", 10))
			speakInterrupted(t, e, u, 10, tt.signal)
			if n := waitForChildren(t, e, 0); n != 0 {
				t.Errorf("%d children are left", n)
			}
		})
	}
}

func TestKilledServerCostsNothingThatRuns(t *testing.T) {
	e := open(t, 0)
	u := in("en", strings.Repeat(paragraph+" ", 20))
	want := enginetest.Speak(t, e, u)
	running, killed := make(chan struct{}, 4), make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			n := 0
			var pcm []int16
			err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
				pcm = append(pcm, f.PCM...)
				if n++; n == 2 {
					running <- struct{}{}
					<-killed
				}
				return nil
			}))
			if err != nil || !slices.Equal(pcm, want.PCM) {
				t.Errorf("a running utterance ended with %v after %d of %d samples", err, len(pcm), len(want.PCM))
			}
		})
	}
	for range 4 {
		<-running
	}
	if err := syscall.Kill(e.servers.any.pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s := enginetest.Speak(t, e, in("en", "Still here."))
	t.Logf("the next utterance was spoken %v after the kill", time.Since(began))
	if len(s.PCM) == 0 {
		t.Error("the next utterance has no samples")
	}
	close(killed)
	wg.Wait()
	if crashes, _ := e.Crashes(); crashes != 0 {
		t.Errorf("%d children crashed", crashes)
	}
}

func TestCancelFreesTheChild(t *testing.T) {
	e := open(t, 0)
	const streams = 200
	ctx, cancel := context.WithCancel(t.Context())
	var started, done sync.WaitGroup
	started.Add(streams)
	for range streams {
		done.Go(func() {
			var once sync.Once
			err := e.Synthesize(ctx, in("en", strings.Repeat(paragraph, 20)), engine.SinkFunc(func(engine.Frame) error {
				once.Do(started.Done)
				<-ctx.Done() // nobody listens
				return nil
			}))
			once.Do(func() { // without this one failed stream would make the test wait for ever
				t.Errorf("Synthesize before its first frame: %v", err)
				started.Done()
			})
		})
	}
	started.Wait()
	if n := waitForChildren(t, e, streams); n != streams {
		t.Errorf("%d children run, want %d", n, streams)
	}
	began := time.Now()
	cancel()
	done.Wait()
	if n := waitForChildren(t, e, 0); n != 0 {
		t.Errorf("%d children are left", n)
	}
	t.Logf("%d children were gone after %v", streams, time.Since(began))
}

// waitForChildren waits until n children of the worker speak, and returns how many do.
func waitForChildren(t *testing.T, e *Engine, n int) int {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		got := 0
		for _, pid := range childrenOf(e.servers.any.pid()) {
			if p, ok := readProcess(pid); ok && p.name != "vaak-idle-child" {
				got++
			}
		}
		if got == n || time.Now().After(deadline) {
			return got
		}
	}
}

func TestWorkerEndsWithItsOwner(t *testing.T) {
	e, err := Open(Config{Worker: enginetest.Worker(t)})
	if err != nil {
		t.Fatal(err)
	}
	pid := e.servers.any.pid()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("worker %d is still there", pid)
	}
	err = e.Synthesize(t.Context(), in("en", "hello"), engine.SinkFunc(func(engine.Frame) error { return nil }))
	if err == nil {
		t.Error("Synthesize after Close succeeds")
	}
}

// TestWordsOfFormsAreInTheText speaks languages whose engine form is of another
// length than the text.
func TestWordsOfFormsAreInTheText(t *testing.T) {
	e := open(t, 0)
	for _, tt := range []struct {
		code         lang.Code
		before, text string
		after        string
		words        []string // what is reported as said, each once
	}{
		{"ja", "", "今日は学校へ行きます。東京です。", "", []string{"今日は", "学校へ", "行きます", "東京です"}},
		{"ja", "昨日は日曜日でした。", "二千二十四年五月十二日、晴れ。", "明日は雨。", []string{"二千二十四年", "五月", "十二日", "晴れ"}},
		{"zh", "", "佛教很好", "", []string{"佛", "教", "很", "好"}},
		{"hi", "", "नमस्ते दुनिया", "", []string{"नमस्ते", "दुनिया"}},
		{"sat", "", "ᱟᱯᱟ ᱡᱚᱦᱟᱨ", "", []string{"ᱟᱯᱟ", "ᱡᱚᱦᱟᱨ"}},
	} {
		u := in(tt.code, tt.text)
		u.Before, u.After = tt.before, tt.after
		var said []string
		for _, w := range enginetest.Speak(t, e, u).Words {
			if s := tt.text[w.Start:w.End]; s != "" {
				said = append(said, s)
			}
		}
		said = slices.Compact(said)
		if !slices.Equal(said, tt.words) {
			t.Errorf("%q: the words are %q, want %q", tt.text, said, tt.words)
		}
	}
}

// TestTextWithoutAReading: a mark that repeats the character before it has none. It is left
// out, and no failure.
func TestTextWithoutAReading(t *testing.T) {
	e := open(t, 0)
	const mark = "ゝ"
	samples, leftOut := 0, []text.Span(nil)
	err := e.Synthesize(t.Context(), in("ja", mark), engine.SinkFunc(func(f engine.Frame) error {
		samples, leftOut = samples+len(f.PCM), append(leftOut, f.LeftOut...)
		return nil
	}))
	if err != nil || samples > 0 || !slices.Equal(leftOut, []text.Span{{End: len(mark)}}) {
		t.Errorf("%d samples are spoken and %v is left out, %v; want all of the text left out", samples, leftOut, err)
	}
	r, err := e.Transcribe(t.Context(), "ja", "", mark)
	if err != nil || len(r.Clauses) > 0 || !slices.Equal(r.LeftOut, []text.Span{{End: len(mark)}}) {
		t.Errorf("Transcribe = %+v, %v; want all of the text left out", r, err)
	}
}

// TestCrashInAFormOfAnotherLength has the library give up over a text whose
// engine form is longer than it; the words spoken after that are where they are.
func TestCrashInAFormOfAnotherLength(t *testing.T) {
	e := open(t, 0)
	text := "今日は学校へ行きます。" + killer + " 明日は東京へ行きます。"
	s := enginetest.Speak(t, e, in("ja", text))
	crashes, leftOut := e.Crashes()
	if crashes == 0 || leftOut != 0 {
		t.Errorf("%d crashes, %d pieces left out; want some and none", crashes, leftOut)
	}
	last := s.Words[len(s.Words)-1]
	if got := text[last.Start:last.End]; got != "行きます" {
		t.Errorf("the last word is %q at byte %d of %d, want 行きます", got, last.Start, len(text))
	}
	if first := s.Words[0]; text[first.Start:first.End] != "今日は" {
		t.Errorf("the first word is %q, want 今日は", text[first.Start:first.End])
	}
}

// TestLostChildOfAForm ends a child that speaks a form of another length.
func TestLostChildOfAForm(t *testing.T) {
	e := open(t, 0)
	u := in("ja", strings.Repeat("今日は学校へ行って、友達と本を読みました。", 40))
	speakInterrupted(t, e, u, 3, syscall.SIGKILL)
}

// TestRegionsSound has every regional voice speak, each unlike the language's own.
func TestRegionsSound(t *testing.T) {
	e := open(t, 0)
	for code, regions := range regional {
		u := in(code, voice.PreviewText(code)+" 71 95") // French differs in numbers alone
		plain := enginetest.Speak(t, e, u)
		for region := range regions {
			u.Region = region
			if got := enginetest.Speak(t, e, u); len(got.PCM) == 0 || got.Equal(plain) {
				t.Errorf("%s-%s: %d samples, want some, and others than without the region", code, region, len(got.PCM))
			}
		}
		u.Region = "ZZ"
		if !enginetest.Speak(t, e, u).Equal(plain) {
			t.Errorf("%s-ZZ is not spoken as %s", code, code)
		}
	}
}

// TestSpares has children wait for requests, and loses them in all ways: the next request is
// spoken as always, and nothing counts as a crash.
func TestSpares(t *testing.T) {
	e := open(t, 0)
	u := in("en", paragraph)
	want := enginetest.Speak(t, e, u)
	var spoke int
	e.onChild = func(pid int) { spoke = pid }
	waiting := func() []int {
		s := &e.servers.any.spares
		s.pending.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		var pids []int
		for _, c := range s.ready {
			pids = append(pids, c.pid)
		}
		return pids
	}
	for _, tt := range []struct {
		name string
		lose func(pids []int)
		uses bool // a child that waited speaks
	}{
		{"used", func([]int) {}, true},
		{"killed", func(pids []int) {
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}, false},
		{"stopped", func(pids []int) {
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
		}, false},
		{"worker killed", func([]int) { _ = syscall.Kill(e.servers.any.pid(), syscall.SIGKILL) }, true},
	} {
		pids := waiting()
		if len(pids) == 0 {
			t.Fatalf("%s: no child waits", tt.name)
		}
		tt.lose(pids)
		if got := enginetest.Speak(t, e, u); !got.Equal(want) {
			t.Errorf("%s: %d samples, want the same %d", tt.name, len(got.PCM), len(want.PCM))
		}
		if slices.Contains(pids, spoke) != tt.uses {
			t.Errorf("%s: child %d spoke, %v waited", tt.name, spoke, pids)
		}
	}
	if crashes, _ := e.Crashes(); crashes != 0 {
		t.Errorf("%d children crashed", crashes)
	}
	pids := waiting()
	e.servers.any.spares.close()
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		there := slices.DeleteFunc(slices.Clone(pids), func(pid int) bool { return syscall.Kill(pid, 0) != nil })
		if len(there) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("children %v wait for an engine that has closed their connections", there)
		}
	}
}

// BenchmarkFirstAudio measures the time from a request to its first samples, one request at a
// time, with a child that waits and without.
func BenchmarkFirstAudio(b *testing.B) {
	for _, tt := range []struct {
		name string
		lang lang.Code
		warm int
	}{{"en", "en", 8}, {"en cold", "en", -1}, {"ru", "ru", 8}} {
		b.Run(tt.name, func(b *testing.B) {
			e, err := Open(Config{Worker: enginetest.Worker(b), WarmVoices: tt.warm})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			enough := errors.New("enough")
			u := in(tt.lang, "One, two, three, four.")
			for range 5 { // the voice is loaded then
				enginetest.Speak(b, e, u)
			}
			e.servers.pending.Wait()
			parameters, _ := parametersOf(u, e.accented, e.timbres)
			var took []time.Duration
			for b.Loop() {
				e.servers.pick(parameters.Voice).spares.pending.Wait() // the children have been made
				began := time.Now()
				err := e.Synthesize(b.Context(), u, engine.SinkFunc(func(engine.Frame) error {
					took = append(took, time.Since(began))
					return enough
				}))
				if !errors.Is(err, enough) {
					b.Fatal(err)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/first")
		})
	}
}
