package main

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// TestLengthyLiveSharesBalance has many sockets spend one small balance: together they
// are charged no more than there is, and what was said whole is charged whole.
func TestLengthyLiveSharesBalance(t *testing.T) {
	slow(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, s *server) {
		s.vaak("plan", "set", "none", "--characters", "0", "--rpm", "100000", "--streams", "1000")
		org, key := s.customer("Crowd", "none")
		const granted = 1000
		s.vaak("lot", "grant", "--org", org, "--characters", "1000")
		var whole, heardOf atomic.Int64
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				c, a := s.dial(key, kinds[i%3], "")
				if c == nil {
					if a.status != http.StatusPaymentRequired {
						t.Errorf("%s = %d %s", a.what, a.status, a.body)
					}
					return
				}
				c.say(promise)
				c.flush()
				c.say(" " + promise)
				c.flush()
				c.say(" " + promise)
				c.end()
				got := c.listen()
				switch {
				case got.whole():
					whole.Add(int64(3*len(promise) + 2))
				case got.code != "insufficient_quota":
					t.Errorf("a %s socket ended with %s", c.kind, got)
				case len(got.audio) > 0:
					heardOf.Add(int64(2*len(promise) + 1))
				}
			})
		}
		wg.Wait()
		var u standing
		eventually(func() bool {
			u = s.usage(key)
			return u.Month.Used >= whole.Load() && s.figure("vaak_holds_open") == 0
		})
		if u.Month.Used > granted || u.Month.Used < whole.Load() || u.Month.Used > whole.Load()+heardOf.Load() || u.Balance.Remaining != granted-u.Month.Used {
			t.Errorf("%d of %d were said whole, at most %d more were heard: %+v", whole.Load(), granted, heardOf.Load(), u)
		}
		t.Logf("charged %d: %d whole, at most %d in part", u.Month.Used, whole.Load(), heardOf.Load())
	})
}

// TestLengthyLiveChargesWhatWasHanded leaves in the middle in every way: what is charged
// is more than nothing and no more than was handed over.
func TestLengthyLiveChargesWhatWasHanded(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	s.vaak("plan", "set", "large", "--characters", "1000000000", "--rpm", "100000", "--streams", "100")
	text := strings.Repeat(story, 40)
	for _, kind := range kinds {
		for what, leave := range map[string]func(c *socket){
			"cancels": func(c *socket) {
				if c.kind == "multi" {
					c.send(object{"context_id": "a", "close_context": true, "played_ms": 100}, object{"close_socket": true})
				} else {
					c.send(object{"cancel": true, "played_ms": 100})
				}
			},
			"closes": func(c *socket) {
				_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
			},
			"breaks": func(c *socket) { _ = c.WriteMessage(websocket.TextMessage, []byte("[]")) },
		} {
			if kind == "single" && what == "cancels" {
				continue // it cannot
			}
			_, key := s.customer(kind+what, "large")
			c := s.mustDial(key, kind)
			c.say(text)
			c.flush()
			c.begun()
			leave(c)
			got := c.listen()
			var u standing
			if !eventually(func() bool { u = s.usage(key); return u.Month.Used > 0 }) {
				t.Errorf("a %s socket that %s is charged nothing: %s", kind, what, got)
			}
			// 10 characters a second is slower than anybody speaks.
			if limit := int64(len(got.audio)/48000+5) * 40; u.Month.Used > limit || u.Month.Used == int64(len(text)) {
				t.Errorf("a %s socket that %s heard %s and is charged %d", kind, what, got, u.Month.Used)
			}
			t.Logf("%s %s: %d characters for %.1f s", kind, what, u.Month.Used, float64(len(got.audio))/48000)
		}
	}
	s.stop()
	quiet(t, s)
}
