package main

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// playing reads a connection as a player does that keeps little: so many bytes a
// second.
type playing struct {
	net.Conn
	perSecond int
}

// Read reads what is due.
func (p playing) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b[:min(len(b), 4096)])
	<-time.After(time.Duration(n) * time.Second / time.Duration(p.perSecond))
	return n, err
}

// TestLengthyLivePlayers: a listener that takes the audio only as fast as it is played,
// and pings all the time as clients do, has every sample and a good end, though
// the server is done long before.
func TestLengthyLivePlayers(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	text := strings.Repeat(story, 2)
	var wg sync.WaitGroup
	for _, kind := range kinds {
		want := s.hear(kind, text)
		wg.Go(func() {
			bytesPerSecond := 48_000 * 2 // twice as fast as it is spoken
			if kind != "native" {
				bytesPerSecond = bytesPerSecond * 4 / 3
			}
			d := websocket.Dialer{NetDial: func(network, address string) (net.Conn, error) {
				conn, err := net.Dial(network, address)
				if err == nil {
					err = conn.(*net.TCPConn).SetReadBuffer(128 << 10) // less makes segments wait for room
				}
				return playing{conn, bytesPerSecond}, err
			}}
			conn, _, err := d.DialContext(t.Context(), s.address(kind, "en"), map[string][]string{"Xi-Api-Key": {s.key}})
			if err != nil {
				t.Errorf("dial %s: %v", kind, err)
				return
			}
			defer conn.Close()
			c := &socket{Conn: conn, t: t, kind: kind}
			c.say(text)
			c.end()
			over := make(chan struct{})
			var pings sync.WaitGroup
			pings.Go(func() {
				tick := time.NewTicker(100 * time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-tick.C:
						_ = c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
					case <-over:
						return
					}
				}
			})
			got := c.listen()
			close(over)
			pings.Wait()
			if !got.whole() || !sameButForPause(got.audio, want.audio) {
				t.Errorf("a %s listener at the speed of a player: %s; want all %d bytes", kind, got, len(want.audio))
			}
		})
	}
	wg.Wait()
	s.stop()
}
