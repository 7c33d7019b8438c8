package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// TestSoakLiveInterrupted interrupts a thousand sessions, a hundred without
// VAAK_SOAK, in every way there is: no goroutine, child or socket is left, and no
// slot or hold.
func TestSoakLiveInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds: go test without -short runs it")
	}
	sessions := 100
	if os.Getenv("VAAK_SOAK") != "" {
		sessions = 1000
	}
	s := start(t)
	for _, kind := range kinds { // what is made once is made
		s.interrupt(kind, 0)
	}
	http.DefaultClient.CloseIdleConnections()
	settled := func() bool { return s.figure("vaak_http_requests_in_flight") == 0 && len(s.speaking()) == 0 }
	if !eventually(settled) {
		t.Fatal("the server does not come to rest")
	}
	goroutines, files := s.figure("go_goroutines"), descriptors(s.cmd.Process.Pid)
	var wg sync.WaitGroup
	for worker := range 10 {
		wg.Go(func() {
			for i := worker; i < sessions; i += 10 {
				s.interrupt(kinds[i%3], i/3)
			}
		})
	}
	wg.Wait()
	http.DefaultClient.CloseIdleConnections()
	// Pools of the database keep what they opened.
	if !eventually(func() bool {
		return settled() && s.figure("go_goroutines") <= goroutines+10 && descriptors(s.cmd.Process.Pid) <= files+10
	}) {
		t.Errorf("%v goroutines, %d descriptors and %d children are left of %d sessions; %v and %d were there before",
			s.figure("go_goroutines"), descriptors(s.cmd.Process.Pid), len(s.speaking()), sessions, goroutines, files)
	}
	for _, name := range []string{"vaak_holds_open", "vaak_slots_taken"} {
		if n := s.figure(name); n != 0 {
			t.Errorf("%s = %v, want 0", name, n)
		}
	}
	t.Logf("%v goroutines and %d descriptors before %d sessions, %v and %d after", goroutines, files, sessions,
		s.figure("go_goroutines"), descriptors(s.cmd.Process.Pid))
	s.stop()
	quiet(t, s)
	for _, r := range s.records() {
		if r.Status >= 500 {
			t.Errorf("an interrupted session is recorded as %+v", r)
		}
	}
}

// interrupt begins to speak on a socket and leaves it in the n-th way.
func (s *server) interrupt(kind string, n int) {
	c := s.connect(kind)
	defer c.Close()
	if n%4 != 3 { // else nothing is said
		c.say(strings.Repeat(story, 20))
	}
	if n%4 == 0 {
		c.flush()
	}
	if n%2 == 0 && n%4 == 0 {
		c.begun()
	}
	switch n % 7 {
	case 0:
		_ = c.NetConn().(*net.TCPConn).SetLinger(0)
	case 1:
		_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
		c.listen()
	case 2:
		c.send(object{"cancel": true}, object{"context_id": "a", "close_context": true, "played_ms": rand.IntN(1000)})
	case 3:
		_ = c.WriteMessage(websocket.TextMessage, []byte("}"))
	case 4:
		_ = c.NetConn().(*net.TCPConn).CloseWrite()
	case 5:
		c.raw([]byte{0x81, 0xfe, 1}) // the beginning of a frame
	case 6:
		for i := range 12 { // an agent that is interrupted, again and again
			id := fmt.Sprint(i)
			c.send(object{"text": story, "context_id": id, "flush": true}, object{"context_id": id, "close_context": true}, object{"context_id": id, "close_context": true})
		}
	}
}

// TestSoakLiveIdle: a socket that idles costs less than 100 KiB.
func TestSoakLiveIdle(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds: go test without -short runs it")
	}
	const sockets, most = 500, 100 // KiB
	s := start(t)
	for _, kind := range kinds {
		s.hear(kind, "Hello.")
	}
	before := s.memory()
	var open []*socket
	for i := range sockets {
		c := s.connect(kinds[i%3])
		if c.kind == "multi" {
			c.send(object{"text": ""}) // a first message that opens nothing
		} else {
			c.say(" ")
		}
		open = append(open, c)
	}
	if !eventually(func() bool { return s.figure("vaak_http_requests_in_flight") == sockets }) {
		t.Errorf("%v sockets are open, want %d", s.figure("vaak_http_requests_in_flight"), sockets)
	}
	each := (s.memory() - before) / sockets
	t.Logf("an idle socket costs %d KiB", each)
	if each >= most {
		t.Errorf("an idle socket costs %d KiB, want less than %d", each, most)
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	for _, c := range open {
		if got := c.listen(); got.closed != websocket.CloseGoingAway {
			t.Errorf("an idle %s socket ended with %s, want 1001", c.kind, got)
		}
		_ = c.Close()
	}
	s.stop()
}
