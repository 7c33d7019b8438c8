package main

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"vaak/voice"
)

// frameOf returns a frame of RFC 6455 as a client sends it.
func frameOf(opcode byte, fin bool, payload []byte) []byte {
	b := []byte{opcode}
	if fin {
		b[0] |= 0x80
	}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:]) // it never fails
	b = append(b, mask[:]...)
	for i, c := range payload {
		b = append(b, c^mask[i%4])
	}
	return b
}

// raw sends bytes as they are; what goes wrong shows when the socket is read.
func (c *socket) raw(frames ...[]byte) {
	for _, f := range frames {
		_, _ = c.NetConn().Write(f)
	}
}

// padded is a message of a text, of so many bytes in all.
func padded(text string, size int) []byte {
	m := fmt.Sprintf(`{"text":%q,"context_id":"a","pad":"`, text)
	return []byte(m + strings.Repeat("x", size-len(m)-2) + `"}`)
}

// TestLengthyLiveFrames sends frames of all sorts that are odd, and some that are wrong.
func TestLengthyLiveFrames(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	const ok = websocket.CloseNormalClosure
	for _, tt := range []struct {
		name   string
		frames [][]byte
		closed int // 0: the connection may just break
	}{
		{"fragments", [][]byte{frameOf(1, false, []byte(`{"text":"Hello`)), frameOf(9, true, []byte("ping")), frameOf(0, false, nil), frameOf(0, true, []byte(` there.","context_id":"a"}`))}, ok},
		{"bytes", oneByOne(`{"text":"Hello there.","context_id":"a"}`), ok},
		{"64 KiB", [][]byte{frameOf(1, true, padded("Hello.", 64<<10))}, ok},
		{"64 KiB and 1", [][]byte{frameOf(1, true, padded("Hello.", 64<<10+1))}, websocket.CloseMessageTooBig},
		{"64 KiB and 1 in fragments", [][]byte{frameOf(1, false, padded("Hello.", 64<<10)), frameOf(0, true, []byte(" "))}, websocket.CloseMessageTooBig},
		{"a length of 2^62", [][]byte{{0x81, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5}, make([]byte, 70_000)}, websocket.CloseMessageTooBig},
		{"a length of 2^63", [][]byte{{0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5}}, -1},
		{"binary", [][]byte{frameOf(2, true, []byte("junk"))}, websocket.CloseUnsupportedData},
		{"long ping", [][]byte{frameOf(9, true, make([]byte, 126))}, websocket.CloseProtocolError},
		{"ping in fragments", [][]byte{frameOf(9, false, nil)}, websocket.CloseProtocolError},
		{"reserved", [][]byte{frameOf(0x73, true, nil)}, websocket.CloseProtocolError},
		{"close of one byte", [][]byte{frameOf(8, true, []byte{3})}, -1},
		{"close 1005", [][]byte{frameOf(8, true, []byte{3, 237})}, websocket.CloseProtocolError},
		{"close with junk", [][]byte{frameOf(8, true, []byte{3, 232, 0xff, 0xfe})}, -1},
		{"unmasked", [][]byte{{0x81, 2, '{', '}'}}, websocket.CloseProtocolError},
		{"a pong nobody asked for", [][]byte{frameOf(10, true, []byte("?")), frameOf(1, true, []byte(`{"text":"Hi.","context_id":"a"}`))}, ok},
		{"text that is no UTF-8", [][]byte{frameOf(1, true, []byte("{\"text\":\"\xff\"}"))}, websocket.ClosePolicyViolation},
		{"end", nil, 0},
	} {
		for _, kind := range kinds {
			t.Run(tt.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				c := s.connect(kind)
				c.t = t
				c.raw(tt.frames...)
				switch tt.closed {
				case ok:
					c.end()
				case 0:
					_ = c.NetConn().(*net.TCPConn).CloseWrite()
				}
				if got := c.listen(); got.closed != tt.closed && tt.closed > 0 || tt.closed == ok && !got.whole() || len(got.audio)%2 != 0 {
					t.Errorf("ended with %s, want close %d", got, tt.closed)
				}
			})
		}
	}
	t.Cleanup(func() {
		if !eventually(func() bool { return s.figure("vaak_http_requests_in_flight") == 0 }) {
			t.Errorf("%v requests are in flight when all is over", s.figure("vaak_http_requests_in_flight"))
		}
		s.stop()
		quiet(t, s)
		for _, r := range s.records() {
			if r.Status >= 500 {
				t.Errorf("what a client did is recorded as %+v", r)
			}
		}
	})
}

func oneByOne(message string) (frames [][]byte) {
	for i := range len(message) {
		opcode := byte(0)
		if i == 0 {
			opcode = 1
		}
		frames = append(frames, frameOf(opcode, i == len(message)-1, []byte{message[i]}))
	}
	return frames
}

// figure returns a metric without labels, or -1.
func (s *server) figure(name string) float64 {
	s.t.Helper()
	_, body := s.get("/metrics")
	_, rest, found := strings.Cut(body, "\n"+name+" ")
	var v float64
	if _, err := fmt.Sscan(rest, &v); !found || err != nil {
		return -1
	}
	return v
}

// TestLengthyLiveHalfHandshakes opens a thousand connections that never ask for
// anything, or never to the end: others are served, and they are gone soon.
func TestLengthyLiveHalfHandshakes(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	before := descriptors(s.cmd.Process.Pid)
	path := "/v1/text-to-speech/" + string(voice.DefaultVoice().ID) + "/stream-input"
	var open []net.Conn
	for i := range 1000 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.public, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		open = append(open, conn)
		switch i % 4 {
		case 1:
			_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n")
		case 2: // whole, but without a key
			_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
		case 3: // with one, but of no version that there is
			_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\nXi-Api-Key: "+s.key+"\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 7\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
		}
	}
	for _, kind := range kinds {
		if got := s.hear(kind, story); !got.whole() {
			t.Errorf("beside them a %s socket: %s", kind, got)
		}
	}
	for i, conn := range open {
		if i%4 < 2 {
			continue
		}
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		want := http.StatusUnauthorized
		if i%4 == 3 {
			want = http.StatusBadRequest
		}
		if err != nil || resp.StatusCode != want {
			t.Fatalf("a handshake = %v, %v; want %d", resp, err, want)
		}
		_ = conn.Close()
	}
	if !eventually(func() bool { return descriptors(s.cmd.Process.Pid) <= before+32 }) {
		t.Errorf("%d descriptors are held, %d were before", descriptors(s.cmd.Process.Pid), before)
	}
	s.stop()
	quiet(t, s)
}

// TestLengthyLiveFloods sends what is small as fast as it goes on many sockets: others
// are served meanwhile, and the memory that it takes has a bound.
func TestLengthyLiveFloods(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	s.hear("native", story)
	before := s.memory()
	var most int
	var wg sync.WaitGroup
	stop := make(chan struct{})
	outcomes := make(chan string, 100)
	for i := range 20 {
		kind := kinds[i%3]
		for what, frame := range map[string][]byte{
			"letters": frameOf(1, true, []byte(`{"text":"a","context_id":"a"}`)),
			"pings":   frameOf(9, true, make([]byte, 125)),
		} {
			wg.Go(func() {
				c := s.connect(kind)
				go func() {
					many := []byte(strings.Repeat(string(frame), 1000))
					for range 100 {
						if _, err := c.NetConn().Write(many); err != nil {
							return
						}
					}
					c.end()
				}()
				c.listen()
				outcomes <- fmt.Sprintf("%s on %s: %s", what, kind, &c.heard)
			})
		}
	}
	var watch sync.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, s.memory())
			case <-stop:
				return
			}
		}
	})
	for range 5 {
		for _, kind := range kinds {
			began := time.Now()
			if got := s.hear(kind, "Still here."); !got.whole() {
				t.Errorf("beside a flood a %s socket: %s", kind, got)
			} else {
				t.Logf("beside a flood a %s socket: first audio after %v", kind, got.first.Sub(began).Round(time.Millisecond))
			}
		}
	}
	wg.Wait()
	close(stop)
	watch.Wait()
	close(outcomes)
	for o := range outcomes {
		t.Log(o)
	}
	t.Logf("%d KiB before, at most %d KiB", before, most)
	if most > before+150<<10 {
		t.Errorf("%d KiB before, %d KiB during the flood", before, most)
	}
	s.stop()
	quiet(t, s)
}

// TestLengthyLiveSlowReaders: one that has stopped reading is closed after ten seconds,
// also one that takes a byte a second; who is beside them notices nothing.
func TestLengthyLiveSlowReaders(t *testing.T) {
	slow(t)
	t.Parallel()
	s, machine := start(t), watchStandstills(t)
	s.vaak("plan", "set", "seven", "--characters", "1000000000", "--rpm", "1000000", "--streams", "7")
	_, key := s.customer("Slow", "seven")
	began := time.Now()
	for i := range 6 {
		c := s.mustDial(key, kinds[i%3])
		c.say(strings.Repeat(story, 40))
		c.flush()
		if i >= 3 {
			go func() {
				tick := time.NewTicker(time.Second)
				defer tick.Stop()
				for err := error(nil); err == nil; <-tick.C {
					_, err = c.NetConn().Read(make([]byte, 1))
				}
			}()
		}
	}
	served := 0
	for time.Since(began) < 5*time.Second {
		got := s.hear("single", story)
		switch {
		case got.whole():
			served++
		// After a stop, in which listeners have run out of audio, nobody is admitted for a second.
		case got.code != "overloaded" || !machine.stoppedWithin(2*time.Second):
			t.Errorf("beside them: %s", got)
		}
	}
	if served == 0 {
		t.Error("nobody was served beside them")
	}
	free := func() int {
		a := s.ask(http.MethodGet, "/v1/usage", key, nil)
		return a.number(t, "X-Ratelimit-Remaining-Concurrent")
	}
	if n := free(); n != 1 && time.Since(began) < 9*time.Second { // later they may be closed
		t.Errorf("%d slots are free after %v, want 1", n, time.Since(began))
	}
	until := time.Now().Add(30 * time.Second)
	for free() != 7 && time.Now().Before(until) {
		eventually(func() bool { return free() == 7 })
	}
	took := time.Since(began)
	if n := free(); n != 7 || took < 9*time.Second {
		t.Errorf("%d slots are free after %v, want all 7 after some 10 s", n, took)
	}
	t.Logf("all were closed after %v", took.Round(time.Millisecond))
	s.stop()
}
