package espeak

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/internal/needed"
	"vaak/lang"
	"vaak/voice"
)

// TestMain is a worker, with a fault, where it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if name, ok := strings.CutPrefix(os.Args[1], "faulty:"); ok {
			faultyWorker(name)
		}
	}
	os.Exit(m.Run())
}

// faultyWorker says that it is ready and then does to every connection what is wrong
// with it.
func faultyWorker(name string) {
	l, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		os.Exit(3)
	}
	fmt.Println("ready 22050 faulty")
	if name == "sleeps" {
		select {}
	}
	for {
		c, err := l.Accept()
		if err != nil {
			os.Exit(3)
		}
		go faults[name](c)
	}
}

// send writes a frame as workers do.
func send(c net.Conn, kind byte, payload []byte) {
	b := binary.LittleEndian.AppendUint32(nil, uint32(kind)<<24|uint32(len(payload)))
	_, _ = c.Write(append(b, payload...)) // the client may have left
}

func number(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

func hello(c net.Conn) { send(c, frameHello, number(os.Getpid())) }

// faults are what is wrong with a worker that says it is ready.
var faults = map[string]func(net.Conn){
	"sleeps":           nil,
	"accepts":          func(net.Conn) {},
	"closes":           func(c net.Conn) { _ = c.Close() },
	"exits":            func(net.Conn) { os.Exit(1) },
	"stops":            func(net.Conn) { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) },
	"noise":            func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) },
	"hello, noise":     func(c net.Conn) { hello(c); _, _ = c.Write(make([]byte, 100)) },
	"hello, endless":   func(c net.Conn) { hello(c); send(c, frameAudio, make([]byte, maxAudioFrame+2)) },
	"hello, sleeps":    func(c net.Conn) { hello(c) },
	"hello, spins":     func(c net.Conn) { hello(c); spin() },
	"hello, closes":    func(c net.Conn) { hello(c); _ = c.Close() },
	"hello, exits":     func(c net.Conn) { hello(c); os.Exit(1) },
	"hello, crashes":   func(c net.Conn) { hello(c); send(c, frameCrash, number(11)) },
	"hello, refuses":   func(c net.Conn) { hello(c); send(c, frameError, []byte("no such voice")) },
	"hello, ends":      func(c net.Conn) { hello(c); send(c, frameEnd, number(0)) },
	"hello, is silent": func(c net.Conn) { hello(c); send(c, frameAudio, make([]byte, 8000)); send(c, frameEnd, number(4000)) },
	"picky": func(c net.Conn) {
		said, ok := requested(c)
		if !ok {
			return
		}
		hello(c)
		if strings.ContainsAny(said, "qж") {
			send(c, frameCrash, number(11))
			return
		}
		drone(c, said)
	},
	"mute": func(c net.Conn) { // about one text always, and about another the first time
		said, ok := requested(c)
		if !ok {
			return
		}
		hello(c)
		if strings.Contains(said, "qq") || strings.Contains(said, "once") && muted.CompareAndSwap(false, true) {
			send(c, frameAudio, make([]byte, 400))
			send(c, frameEnd, number(200))
			return
		}
		drone(c, said)
	},
	"hello, hums on": func(c net.Conn) {
		hello(c)
		for range 1000 { // it asks for no demand
			send(c, frameAudio, make([]byte, 8000))
		}
	},
}

// muted is whether the worker mute has been silent about "once".
var muted atomic.Bool

// requested reads a request and returns its text.
func requested(c net.Conn) (text string, ok bool) {
	head := make([]byte, 32)
	if _, err := io.ReadFull(c, head); err != nil {
		return "", false
	}
	voice, size := binary.LittleEndian.Uint32(head[24:]), binary.LittleEndian.Uint32(head[28:])
	rest := make([]byte, voice+size)
	if _, err := io.ReadFull(c, rest); err != nil {
		return "", false
	}
	return string(rest[voice:]), true
}

// drone speaks a text in one tone.
func drone(c net.Conn, text string) {
	send(c, frameAudio, bytes.Repeat([]byte{0, 32}, 100*len(text)))
	send(c, frameEnd, number(100*len(text)))
}

func spin() {
	for n := 0; ; n++ {
		if n < 0 {
			return
		}
	}
}

// copyOfData returns a copy of the library's data.
func copyOfData(t *testing.T) (dir, data string) {
	t.Helper()
	from := needed.SpeechData(t)
	dir = t.TempDir()
	data = filepath.Join(dir, "espeak-ng-data")
	if err := os.CopyFS(data, os.DirFS(from)); err != nil {
		if out, cerr := exec.Command("cp", "-rL", from, data).CombinedOutput(); cerr != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir, data
}

func isDown(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.Unavailable && f.Code == fault.CodeEngineUnavailable
}

// refuses expects an engine to be down: nothing is heard, and the error says so.
func refuses(t *testing.T, e *Engine, u engine.Utterance) {
	t.Helper()
	began := time.Now()
	samples := 0
	err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
		if len(f.LeftOut) > 0 {
			t.Errorf("bytes %v are left out", f.LeftOut)
		}
		samples += len(f.PCM)
		return nil
	}))
	if !isDown(err) {
		t.Errorf("Synthesize = %v, want engine_unavailable", err)
	}
	if samples != 0 {
		t.Errorf("%d samples are heard, want none", samples)
	}
	t.Logf("refused after %v", time.Since(began).Round(time.Millisecond))
}

// TestFaultyWorkers: a worker that does anything but speak is found out.
func TestFaultyWorkers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range faults {
		if name == "picky" || name == "mute" {
			continue // see TestLeftOut
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var began atomic.Int64
			e, err := Open(Config{Worker: self, Data: "faulty:" + name, WarmVoices: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := e.Close(); err != nil {
					t.Errorf("Close = %v", err)
				}
			}()
			e.onChild = func(int) { began.Add(1) }
			refuses(t, e, in("en", "Hello, this is a test of 12 words."))
			asked := began.Load()
			for range 20 {
				refuses(t, e, in("en", "Another one."))
			}
			if n := began.Load(); n > asked+2*(maxLostControl+lostBeforeControl) {
				t.Errorf("%d children answered 20 requests behind the first, want those of one or two at most", n-asked)
			}
			if err := e.Hear(t.Context(), voice.Default("en"), "en"); !isDown(err) {
				t.Errorf("Hear = %v, want engine_unavailable", err)
			}
		})
	}
}

// TestDataIsGone takes data from under the library, and gives it back.
func TestDataIsGone(t *testing.T) {
	dir, data := copyOfData(t)
	e, err := Open(Config{Worker: enginetest.Worker(t), Data: dir, WarmVoices: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	texts := map[lang.Code]string{"en": "Hello there, John Smith.", "hi": "नमस्ते, आप कैसे हैं", "zh": "你好世界", "ru": "7"}
	want := map[lang.Code]enginetest.Speech{}
	for code, text := range texts {
		want[code] = enginetest.Speak(t, e, in(code, text))
	}
	accented := engine.Utterance{Text: texts["en"], Language: "en", Voice: voice.Default("hi")}
	withAccent := enginetest.Speak(t, e, accented)
	speaks := func(codes ...lang.Code) {
		t.Helper()
		for _, code := range codes {
			e.failures.forget((&synthesis{set: first(ParametersOf(in(code, texts[code])))}).voices())
			if got := enginetest.Speak(t, e, in(code, texts[code])); !got.Equal(want[code]) {
				t.Errorf("%s: %d samples, want the same %d", code, len(got.PCM), len(want[code].PCM))
			}
		}
	}
	for _, tt := range []struct {
		gone            string
		refused, spoken []lang.Code
		accented        bool // it is spoken
	}{
		{"", []lang.Code{"en", "hi", "zh", "ru"}, nil, false},
		{"en_dict", []lang.Code{"en"}, []lang.Code{"hi", "zh", "ru"}, false},
		{"hi_dict", []lang.Code{"hi"}, []lang.Code{"en", "zh", "ru"}, true}, // which says sounds and reads nothing
	} {
		path := filepath.Join(data, tt.gone)
		if err := os.Rename(path, filepath.Clean(path)+".away"); err != nil {
			t.Fatal(err)
		}
		for _, code := range tt.refused {
			refuses(t, e, in(code, texts[code]))
		}
		if !tt.accented {
			refuses(t, e, accented)
		}
		speaks(tt.spoken...)
		if err := os.Rename(filepath.Clean(path)+".away", path); err != nil {
			t.Fatal(err)
		}
		e.failures = failures{}
		speaks("en", "hi", "zh", "ru")
		if got := enginetest.Speak(t, e, accented); !got.Equal(withAccent) {
			t.Errorf("with an accent: %d samples, want the same %d", len(got.PCM), len(withAccent.PCM))
		}
	}
	if _, leftOut := e.Crashes(); leftOut != 0 {
		t.Errorf("%d pieces are left out, want none", leftOut)
	}
}

func first[A, B any](a A, _ B) A { return a }

// TestStopped stops workers and children by a signal, before and during speech: it goes
// on, and what is heard does not change.
func TestStopped(t *testing.T) {
	u := in("en", strings.Repeat(paragraph+" ", 10))
	want := enginetest.Speak(t, open(t, 0), u)
	stop := func(t *testing.T, pids ...int) {
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		after int // samples
		who   func(e *Engine, child int) []int
	}{
		{"worker before", 0, func(e *Engine, _ int) []int { return []int{e.servers.any.pid()} }},
		{"child at its beginning", 1, func(_ *Engine, child int) []int { return []int{child} }},
		{"child in the middle", len(want.PCM) / 3, func(_ *Engine, child int) []int { return []int{child} }},
		{"all in the middle", len(want.PCM) / 3, func(e *Engine, child int) []int { return []int{e.servers.any.pid(), child} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := open(t, 0)
			var child, stopped int
			e.onChild = func(pid int) { child = pid }
			if tt.after == 0 {
				stop(t, tt.who(e, 0)...)
			}
			var got enginetest.Speech
			last, longest, before := time.Now(), time.Duration(0), time.Duration(0)
			err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
				longest = max(longest, time.Since(last))
				if before == 0 {
					before = longest
				}
				last = time.Now()
				if err := got.Frame(f); err != nil {
					return err
				}
				if stopped == 0 && tt.after > 0 && len(got.PCM) >= tt.after {
					stopped = child
					stop(t, tt.who(e, child)...)
				}
				return nil
			}))
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(want) {
				t.Errorf("%d samples and %d words, want the same %d and %d", len(got.PCM), len(got.Words), len(want.PCM), len(want.Words))
			}
			t.Logf("first audio after %v, longest gap %v", before, longest)
			if stopped > 0 && !gone(stopped) {
				t.Errorf("child %d is still there", stopped)
			}
			if n := waitForChildren(t, e, 0); n != 0 {
				t.Errorf("%d children are left", n)
			}
		})
	}
}

// gone reports whether a process ends within 10 s.
func gone(pid int) bool {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if p, ok := readProcess(pid); !ok || p.state == 'Z' {
			return true
		}
	}
	return false
}

// TestSlowListener: who takes no audio is not taken for a child that hangs.
func TestSlowListener(t *testing.T) {
	e := open(t, 0)
	u := in("en", strings.Repeat(paragraph+" ", 4))
	want := enginetest.Speak(t, e, u)
	began := 0
	e.onChild = func(int) { began++ }
	var got enginetest.Speech
	err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
		if len(f.PCM) > 0 && len(got.PCM) < len(want.PCM)/2 {
			<-time.After(2 * checkInterval / 5) // several times as long as a child that hangs is waited for, in all
		}
		return got.Frame(f)
	}))
	if err != nil || !got.Equal(want) || began != 1 {
		t.Errorf("Synthesize = %v with %d samples of %d by %d children, want all by one", err, len(got.PCM), len(want.PCM), began)
	}
}

// TestLeftOut: what a working engine cannot speak is named, and the rest is spoken.
func TestLeftOut(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(Config{Worker: self, Data: "faulty:picky", WarmVoices: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	for _, tt := range []struct {
		before, text, after string
		want                []string
	}{
		{"", "one two", "", nil},
		{"", "aqua", "", []string{"q"}},
		{"", "q", "", []string{"q"}},
		{"", "one жeq zwei q", "", []string{"ж", "q", "q"}},
		{"quo vadis", "aqua", "qed", []string{"q"}}, // what is context is not heard anyway
	} {
		var got []string
		samples, last := 0, 0
		err := e.Synthesize(t.Context(), engine.Utterance{Text: tt.text, Before: tt.before, After: tt.after, Language: "en", Voice: voice.Default("en")},
			engine.SinkFunc(func(f engine.Frame) error {
				samples += len(f.PCM)
				for _, s := range f.LeftOut {
					if s.Start < last {
						t.Errorf("%q: bytes %v are named behind %d", tt.text, s, last)
					}
					last = s.End
					got = append(got, s.In(tt.text))
				}
				return nil
			}))
		if err != nil || !slices.Equal(got, tt.want) || (samples == 0) != (tt.text == "q") && tt.before == "" {
			t.Errorf("%q: left out %q with %d samples, %v; want %q", tt.text, got, samples, err, tt.want)
		}
	}
}

// TestSilent: a child that is silent may be the only one, so another is asked. What two
// are silent about while the voice speaks other text is left out.
func TestSilent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(Config{Worker: self, Data: "faulty:mute", WarmVoices: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	for _, tt := range []struct {
		text    string
		samples int
		want    []string
	}{
		{"once", 100 * len("once"), nil},
		{"qq", 0, []string{"qq"}},
		{"one two", 100 * len("one two"), nil},
	} {
		var got []string
		samples := 0
		err := e.Synthesize(t.Context(), in("en", tt.text), engine.SinkFunc(func(f engine.Frame) error {
			samples += len(f.PCM)
			for _, s := range f.LeftOut {
				got = append(got, s.In(tt.text))
			}
			return nil
		}))
		if err != nil || samples != tt.samples || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %d samples, left out %q, %v; want %d samples and left out %q", tt.text, samples, got, err, tt.samples, tt.want)
		}
	}
}

// lateConn is a connection of a process that gets no processor for a while: each read
// begins when its deadline has passed.
type lateConn struct {
	*net.UnixConn
	until time.Time
}

func (c lateConn) SetReadDeadline(t time.Time) error {
	if time.Now().Before(c.until) {
		t = time.Unix(1, 0)
	}
	return c.UnixConn.SetReadDeadline(t)
}

// TestFrameBehindTheDeadline: a frame that is there is read, however late, though its
// sender sleeps by then.
func TestFrameBehindTheDeadline(t *testing.T) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: "@vaak-late-" + rand.Text(), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	conn, err := net.DialUnix("unix", nil, l.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	child, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Close() }()
	sleeper := exec.Command("sleep", "100")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	send(child, frameEnd, number(7))
	late := lateConn{conn, time.Now().Add(2 * checkInterval)}
	v := watchdog{server: &forkServer{}, conn: late, child: sleeper.Process.Pid, stall: time.Minute}
	reader := newFrameReader()
	reader.r.Reset(late)
	f, err := v.next(reader)
	if err != nil || f.kind != frameEnd {
		t.Errorf("next = %+v, %v, want the frame that was there", f, err)
	}
	if _, err := v.next(reader); !errors.Is(err, errIdle) {
		t.Errorf("next without a frame = %v, want %v", err, errIdle)
	}
}

func TestLook(t *testing.T) {
	p, ok := readProcess(os.Getpid())
	if !ok || !strings.HasPrefix(filepath.Base(os.Args[0]), p.name) || p.state == 0 {
		t.Errorf("look at itself = %+v, %v", p, ok)
	}
	if p, ok := readProcess(1 << 30); ok {
		t.Errorf("look at nobody = %+v", p)
	}
}
