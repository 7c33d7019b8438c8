package rest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vaak/audio"
	"vaak/edge"
	"vaak/rest/openai"
	"vaak/speech"
)

func TestWhole(t *testing.T) {
	t.Parallel()
	w := do(newHandler(t, Config{}), speak(`{"input":"hello"}`))
	h := w.Header()
	for name, want := range map[string]string{
		"Content-Type": "audio/pcm; rate=24000; channels=1", "Content-Length": "10", "Character-Cost": "5",
		"X-Voice-Id": "sv_test", "X-Language": "en", "X-Notice": "", "X-Accel-Buffering": "",
		"Server-Timing": "queue;dur=0, text;dur=1.5, first-audio;dur=2, total;dur=3",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if w.Body.String() != "0123456789" {
		t.Errorf("body %q", w.Body)
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: speaker{func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
		info := testInfo
		info.Notices = []string{"first", "sécond\r\nx-evil: 1"}
		_, err := io.WriteString(w, "x")
		return speech.Result{Info: info}, err
	}}})
	got := do(h, speak(`{"input":"hello"}`)).Header()
	if n := got.Values("X-Notice"); len(n) != 2 || n[1] != "s?cond??x-evil: 1" || got.Get("X-Evil") != "" {
		t.Errorf("notices %q", n)
	}
}

// TestRequestIsPassedOn checks what the service is asked for.
func TestRequestIsPassedOn(t *testing.T) {
	t.Parallel()
	var got speech.Request
	h := newHandler(t, Config{Speech: speaker{func(_ context.Context, req speech.Request, w io.Writer) (speech.Result, error) {
		got = req
		_, err := io.WriteString(w, "x")
		return speech.Result{Info: testInfo}, err
	}}})
	do(h, speak(`{"input":"hé","voice":{"id":"sv_a","x":1},"response_format":"mp3","sample_rate":44100,"bitrate_kbps":96,"speed":1.5,
		"lang":"hi","stream":true,"temperature":1,"top_p":0.5,"top_k":40,"min_p":0.1,"repetition_penalty":1.1,"presence_penalty":-1,
		"previous_text":"before","next_text":"after"}`))
	s := got.Sampling
	if *s.Temperature != 1 || *s.TopP != 0.5 || *s.TopK != 40 || *s.MinP != 0.1 || *s.RepetitionPenalty != 1.1 || *s.PresencePenalty != -1 {
		t.Errorf("sampling %+v", s)
	}
	got.Sampling = speech.Sampling{}
	want := speech.Request{
		Text: "hé", Voice: "sv_a", Language: "hi", Format: audio.Format{Codec: "mp3", SampleRate: 44100, BitrateKbps: 96},
		Speed: 1.5, Stream: true, PreviousText: "before", NextText: "after",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("request %+v, want %+v", got, want)
	}
	do(h, speak(`{"input":"x"}`))
	if !reflect.DeepEqual(got, speech.Request{Text: "x"}) {
		t.Errorf("request %+v, want the text alone", got)
	}
}

// TestStreamIsFlushed has the service wait, after each chunk, until the client
// has it.
func TestStreamIsFlushed(t *testing.T) {
	t.Parallel()
	received := make(chan struct{})
	srv := httptest.NewServer(newHandler(t, Config{Speech: speaker{func(ctx context.Context, req speech.Request, w io.Writer) (speech.Result, error) {
		if !req.Stream {
			return speech.Result{}, errors.New("not asked for a stream")
		}
		w.(speech.Starter).Start(testInfo)
		for range 3 {
			if _, err := io.WriteString(w, "0123456789"); err != nil {
				return speech.Result{}, err
			}
			select {
			case <-received:
			case <-ctx.Done():
				return speech.Result{}, ctx.Err()
			}
		}
		return speech.Result{Info: testInfo}, nil
	}}}))
	defer srv.Close()
	for _, body := range []string{`{"input":"hello","stream":true}`, `{"input":"hello","stream_format":"audio"}`, `{"input":"hello","stream_format":"sse","stream":false}`} {
		res := post(t, srv.URL, body)
		defer res.Body.Close()
		if res.ContentLength != -1 || len(res.TransferEncoding) != 1 || res.Header.Get("X-Accel-Buffering") != "no" || res.Header.Get("Character-Cost") != "5" {
			t.Errorf("%s: length %d, encoding %v, headers %v", body, res.ContentLength, res.TransferEncoding, res.Header)
		}
		chunk := make([]byte, 10)
		if strings.Contains(body, "sse") {
			chunk = make([]byte, len(openai.AppendDelta(nil, chunk)))
		}
		for range 3 {
			if _, err := io.ReadFull(res.Body, chunk); err != nil {
				t.Fatal(err)
			}
			received <- struct{}{}
		}
		if _, err := io.ReadAll(res.Body); err != nil {
			t.Errorf("%s: the stream does not end well: %v", body, err)
		}
	}
}

func post(t *testing.T, url, body string) *http.Response {
	t.Helper()
	return postTo(t, url+"/v1/audio/speech", body)
}

// TestStreamBreaksOff checks that a stream that failed is not taken for whole.
func TestStreamBreaksOff(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	srv := httptest.NewServer(newHandler(t, Config{
		Logger: slog.New(slog.NewJSONHandler(&log, nil)),
		Speech: speaker{func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
			w.(speech.Starter).Start(testInfo)
			_, _ = io.WriteString(w, "0123456789")
			return speech.Result{}, errors.New("the engine fell over")
		}},
	}))
	res := post(t, srv.URL, `{"input":"hello","stream":true}`)
	got, err := io.ReadAll(res.Body)
	if err == nil || string(got) != "0123456789" {
		t.Errorf("read %q, %v, want the audio and an error", got, err)
	}
	res = post(t, srv.URL, `{"input":"hello","stream_format":"sse"}`)
	if got, err = io.ReadAll(res.Body); err != nil {
		t.Error(err)
	}
	want := "data: {\"type\":\"speech.audio.delta\",\"audio\":\"MDEyMzQ1Njc4OQ==\"}\n\n" +
		"data: {\"type\":\"error\",\"error\":{\"message\":\"internal error\",\"type\":\"server_error\",\"param\":null,\"code\":\"internal_error\"}}\n\n"
	if string(got) != want {
		t.Errorf("events %q, want %q", got, want)
	}
	srv.Close() // waits for the log
	if strings.Count(log.String(), "the engine fell over") != 2 || !strings.Contains(log.String(), `"aborted":true`) {
		t.Errorf("log:\n%s", &log)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	audio := make([]byte, 300_001)
	for i := range audio {
		audio[i] = byte(rand.Uint32())
	}
	h := newHandler(t, Config{Speech: speaker{func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
		w.(speech.Starter).Start(testInfo)
		for piece := audio; len(piece) > 0; {
			n, err := w.Write(piece[:min(130_000, len(piece))])
			if err != nil {
				return speech.Result{}, err
			}
			piece = piece[n:]
		}
		return speech.Result{Info: testInfo}, nil
	}}})
	w := do(h, speak(`{"input":"hello","stream_format":"sse"}`))
	if ct := w.Header().Get("Content-Type"); ct != "text/event-stream" {
		t.Errorf("content type %q", ct)
	}
	var heard []byte
	done := false
	lines := bufio.NewScanner(w.Body)
	lines.Buffer(nil, 64<<10) // fails at a longer line
	for lines.Scan() {
		line, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			if lines.Text() != "" {
				t.Fatalf("line %.80q", lines.Text())
			}
			continue
		}
		var e struct {
			Type, Audio string
			Usage       struct {
				Input  int `json:"input_tokens"`
				Output int `json:"output_tokens"`
				Total  int `json:"total_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "speech.audio.delta":
			piece, err := base64.StdEncoding.DecodeString(e.Audio)
			if err != nil || done {
				t.Fatalf("delta: %v, done %v", err, done)
			}
			heard = append(heard, piece...)
		case "speech.audio.done":
			done = true
			if e.Usage.Input != 5 || e.Usage.Total != 5 {
				t.Errorf("usage %+v", e.Usage)
			}
		default:
			t.Errorf("event %q", e.Type)
		}
	}
	if lines.Err() != nil || !done || !bytes.Equal(heard, audio) {
		t.Errorf("%v, done %v, %d of %d bytes", lines.Err(), done, len(heard), len(audio))
	}
}

// TestEventsAreTheStream: the deltas rebuild what a stream of bytes holds, at the
// rate that makes most of them, in lines that clients take; stream_format goes
// before stream.
func TestEventsAreTheStream(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	const body = `{"input":"One two three. Four five six, seven eight nine.","response_format":"pcm","sample_rate":48000,`
	want := do(h, speak(body+`"stream_format":"audio","stream":false}`))
	if ct := want.Header().Get("Content-Type"); ct != "audio/pcm; rate=48000; channels=1" || want.Body.Len() == 0 || want.Header().Get("Content-Length") != "" {
		t.Errorf("bytes: %d of %s, length %q", want.Body.Len(), ct, want.Header().Get("Content-Length"))
	}
	w := do(h, speak(body+`"stream_format":"sse"}`))
	if w.Header().Get("X-Accel-Buffering") != "no" || w.Header().Get("Content-Length") != "" {
		t.Errorf("headers %v", w.Header())
	}
	var heard []byte
	events := strings.Split(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n")
	for i, event := range events {
		var e struct{ Type, Audio string }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &e); err != nil || !strings.HasPrefix(event, "data: ") || len(event) > 64<<10 {
			t.Fatalf("event %d: %v: %.80q", i, err, event)
		}
		if last := i == len(events)-1; last != (e.Type == "speech.audio.done") || !last && e.Type != "speech.audio.delta" {
			t.Errorf("event %d of %d is %s", i, len(events), e.Type)
		}
		piece, err := base64.StdEncoding.DecodeString(e.Audio)
		if err != nil || len(piece)%2 != 0 {
			t.Errorf("event %d: %d bytes, %v", i, len(piece), err)
		}
		heard = append(heard, piece...)
	}
	if !bytes.Equal(heard, want.Body.Bytes()) {
		t.Errorf("%d bytes in events, want %d", len(heard), want.Body.Len())
	}
}

// TestClientGone checks that a client that leaves ends the synthesis, and that
// nobody is blamed.
func TestClientGone(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	began, ended := make(chan struct{}), make(chan error, 1)
	srv := httptest.NewServer(newHandler(t, Config{
		Logger: slog.New(slog.NewJSONHandler(&log, nil)),
		Speech: speaker{func(ctx context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
			close(began)
			<-ctx.Done()
			ended <- ctx.Err()
			return speech.Result{}, ctx.Err()
		}},
	}))
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/audio/speech", strings.NewReader(`{"input":"hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Xi-Api-Key", testKey)
	go func() {
		<-began
		cancel()
	}()
	if res, err := http.DefaultClient.Do(r); err == nil {
		res.Body.Close()
		t.Error("the cancelled request was answered")
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the service was told %v", err)
	}
	srv.Close()
	if !strings.Contains(log.String(), `"code":"client_closed_request"`) || strings.Contains(log.String(), "ERROR") {
		t.Errorf("log:\n%s", &log)
	}
}

// pipes is a listener of connections in memory, so that time can be faked.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// inMemory serves h to the connections it returns, until the test ends.
func inMemory(t *testing.T, h http.Handler) (dial func() net.Conn) {
	p := pipes{make(chan net.Conn), make(chan struct{})}
	srv := &http.Server{Handler: edge.Arrive(t.Context(), edge.BodyPatience)(h), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(p)
	}()
	t.Cleanup(func() {
		_ = srv.Close()
		<-done
	})
	return func() net.Conn {
		client, server := net.Pipe()
		p.conns <- server
		return client
	}
}

const rawHead = "POST /v1/audio/speech HTTP/1.1\r\nHost: x\r\nXi-Api-Key: " + testKey + "\r\n"

// TestBodyDeadline checks that a body must arrive in time, and that the
// deadline does not reach into a long answer.
func TestBodyDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dial := inMemory(t, newHandler(t, Config{Speech: speaker{func(ctx context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
			w.(speech.Starter).Start(testInfo)
			for range 4 {
				select {
				case <-ctx.Done():
					return speech.Result{}, ctx.Err()
				case <-time.After(10 * time.Minute):
				}
				if _, err := io.WriteString(w, "0123456789"); err != nil {
					return speech.Result{}, err
				}
			}
			return speech.Result{Info: testInfo}, nil
		}}}))

		slow := dial()
		go func() { _, _ = io.WriteString(slow, rawHead+"Content-Length: 17\r\n\r\n{\"in") }()
		start := time.Now()
		res, err := http.ReadResponse(bufio.NewReader(slow), nil)
		if err != nil || res.StatusCode != 400 || time.Since(start) != 10*time.Second {
			t.Errorf("slow body: %v, %v after %v", res, err, time.Since(start))
		}
		_ = slow.Close()

		long := dial()
		body := `{"input":"hello","stream":true}`
		go func() {
			_, _ = io.WriteString(long, rawHead+"Content-Length: 31\r\n\r\n"+body)
		}()
		res, err = http.ReadResponse(bufio.NewReader(long), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(res.Body); err != nil || len(got) != 40 {
			t.Errorf("long answer: %d bytes, %v", len(got), err)
		}
		_ = long.Close()
	})
}

// TestReaderPause checks that a reader may pause, for a while, as often as it
// likes.
func TestReaderPause(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, tt := range []struct {
		name, body string
		pause      time.Duration
		whole      bool
	}{
		{"stream, short pauses", `{"input":"hello","stream":true}`, 20 * time.Second, true},
		{"stream, a long pause", `{"input":"hello","stream":true}`, 3 * time.Minute, false},
		{"at once, short pauses", `{"input":"hello"}`, 20 * time.Second, true},
		{"at once, a long pause", `{"input":"hello"}`, 3 * time.Minute, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dial := inMemory(t, newHandler(t, Config{Speech: speaker{func(_ context.Context, req speech.Request, w io.Writer) (speech.Result, error) {
					piece := size
					if req.Stream {
						piece = 8192
						w.(speech.Starter).Start(testInfo)
					}
					for range size / piece {
						if _, err := w.Write(make([]byte, piece)); err != nil {
							return speech.Result{}, err
						}
					}
					return speech.Result{Info: testInfo}, nil
				}}}))
				conn := dial()
				go func() { _, _ = fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", rawHead, len(tt.body), tt.body) }()
				reader := &pausing{Conn: conn}
				res, err := http.ReadResponse(bufio.NewReaderSize(reader, 16<<10), nil)
				if err != nil {
					t.Fatal(err)
				}
				reader.pause = tt.pause
				n, err := io.Copy(io.Discard, res.Body)
				if tt.whole != (err == nil) || tt.whole != (n == size) {
					t.Errorf("%d of %d bytes, %v", n, size, err)
				}
				_ = conn.Close()
			})
		})
	}
}

// pausing reads with a pause before each read, of a fake clock.
type pausing struct {
	net.Conn
	pause time.Duration
}

func (p *pausing) Read(b []byte) (int, error) {
	time.Sleep(p.pause)
	return p.Conn.Read(b)
}
