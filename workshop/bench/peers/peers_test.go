package peers

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vaak/audio"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/server"
)

// TestRequirements checks that all is pinned, and that what is told of can be told.
func TestRequirements(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(requirements()) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "--no-binary ") && strings.Count(line, "==") != 1 {
			t.Errorf("%q is not pinned", line)
		}
	}
	if text := descriptions(); strings.ContainsAny(text, "{}") || !strings.Contains(text, "plugin-espeakng "+version("ovos-tts-plugin-espeakng")) {
		t.Errorf("descriptions = %s", text)
	}
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	if got := lastLine("pip: exit status 1\nERROR: no network.\n\n"); got != "ERROR: no network" {
		t.Errorf("lastLine = %q", got)
	}
}

var text = corpus.Sample{Lang: corpus.English, Size: 5, Text: "hello"}

// TestHTTPSpeaker reads an answer that comes in pieces, the first of which is the header.
func TestHTTPSpeaker(t *testing.T) {
	t.Parallel()
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, n := range []int{44, 100, 200} {
			if r.URL.Path == "/speech" && (n == 44 || r.URL.RawQuery == "") {
				_, _ = w.Write(make([]byte, n))
				w.(http.Flusher).Flush()
			}
		}
	}))
	defer at.Close()
	for query, want := range map[string]int64{"": 300, "?silent": 0} {
		s := &server.Server{Addr: at.Listener.Addr().String(), Header: server.WavHeader}
		s.Request = func(corpus.Sample) []byte {
			return fmt.Appendf(nil, "GET /speech%s HTTP/1.1\r\nHost: %s\r\n\r\n", query, s.Addr)
		}
		c, err := overHTTP(s)
		if err != nil {
			t.Fatal(err)
		}
		first, bytes, err := c.speak(text)
		c.Close()
		if (err == nil) != (want > 0) || bytes != want || first < 0 {
			t.Errorf("%q: speak = %v, %d, %v; want %d bytes", query, first, bytes, err, want)
		}
	}
}

// TestWyoming speaks with a server that sends what a real one has sent.
func TestWyoming(t *testing.T) {
	t.Parallel()
	const meta = `{"rate": 22050, "width": 2, "channels": 1, "timestamp": null}`
	send := func(kind, payload string) string {
		return fmt.Sprintf(`{"type": %q, "version": "1.10.2", "data_length": %d, "payload_length": %d}`, kind, len(meta), len(payload)) + "\n" + meta + payload
	}
	for _, tt := range []struct {
		name, answer string
		bytes        int64
	}{
		{"audio", send("audio-start", "") + send("audio-chunk", strings.Repeat("\n", 300)) + send("audio-chunk", "ab") + send("audio-stop", ""), 302},
		{"error", send("error", ""), 0},
		{"silence", send("audio-start", "") + send("audio-stop", ""), 0},
		{"an end", send("audio-start", ""), 0},
		{"no protocol", "HTTP/1.1 400 Bad Request\r\n", 0},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				served <- err
				return
			}
			line, err := bufio.NewReader(conn).ReadString('\n')
			if line != `{"data":{"text":"hello"},"type":"synthesize"}`+"\n" {
				err = errors.Join(err, fmt.Errorf("the request is %q", line))
			}
			_, werr := conn.Write([]byte(tt.answer))
			served <- errors.Join(err, werr, conn.Close())
		}()
		c, err := overWyoming(&server.Server{Addr: l.Addr().String()})
		if err != nil {
			t.Fatal(err)
		}
		_, bytes, err := c.speak(text)
		if (err == nil) != (tt.bytes > 0) || bytes != tt.bytes {
			t.Errorf("%s: speak = %d bytes, %v; want %d", tt.name, bytes, err, tt.bytes)
		}
		c.Close()
		if err := errors.Join(<-served, l.Close()); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestJudge checks that Vaak is held against the best of the others, each time another one.
func TestJudge(t *testing.T) {
	t.Parallel()
	made := func(first time.Duration, audio float64) *figures {
		f := &figures{system: &system{server: &server.Server{Format: audioFormat}}}
		f.first[1] = report.Rounds{{first}}
		f.audio[1] = []float64{audio}
		return f
	}
	var r report.Report
	judge(&r, []*figures{made(2*time.Millisecond, 300), made(8*time.Millisecond, 100), made(80*time.Millisecond, 200)})
	got := r.Markdown(nil, report.Chapter{})
	for _, want := range []string{"| ≤ 0.50 | 0.25 | yes |", "| ≥ 1.00 | 1.50 | yes |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

var audioFormat = audio.Format{Codec: audio.PCM, SampleRate: libraryRate}

func TestAtTheirRate(t *testing.T) {
	t.Parallel()
	vaak := &server.Server{Name: "vaak", Addr: "there", Key: "k", Format: audio.Format{Codec: audio.PCM, SampleRate: server.VaakRate}}
	s := atTheirRate(vaak)
	if got := string(s.Request(text)); !strings.Contains(got, `"sample_rate":22050`) || !strings.Contains(got, "Bearer k\r\n") {
		t.Errorf("the request is %q", got)
	}
	if s.Seconds(44100) != 1 || vaak.Format.SampleRate != server.VaakRate {
		t.Errorf("44,100 bytes are %g s; the server itself has %d Hz", s.Seconds(44100), vaak.Format.SampleRate)
	}
}

// TestNext: peers that keep what they have spoken are to keep nothing of use.
func TestNext(t *testing.T) {
	t.Parallel()
	f, seen := &figures{}, map[string]bool{}
	for range 200 {
		s := f.next(long)
		if seen[s.Text] {
			t.Fatalf("a text comes twice: %s", s.Text)
		}
		seen[s.Text] = true
	}
}
