package main

import (
	"net/http"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"vaak/store"
)

// TestLengthyLiveStoreAway takes PostgreSQL from under sockets that speak, wait and
// idle. What was paid for is spoken, what cannot be paid for is refused in so
// many words, who idles notices nothing, and the sums are right when all is over.
func TestLengthyLiveStoreAway(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, tt := range []struct {
		name        string
		leave, back func(*fleet) error
	}{
		{"stopped", stopped("fast"), started},
		{"crashed", stopped("immediate"), started},
		{"hung", func(f *fleet) error { return f.cluster.Hang(f.t) }, func(f *fleet) error { return f.cluster.Resume() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := startFleet(t, 1, 100)
			o := &liveOutage{server: f.servers[0]}
			o.before()
			if err := tt.leave(f); err != nil {
				t.Fatal(err)
			}
			o.during()
			if err := tt.back(f); err != nil {
				t.Fatal(err)
			}
			o.after()
			o.settled(f.dsn)
			o.stop()
			quiet(t, o.server)
		})
	}
}

// liveOutage is one time without a database, seen from sockets.
type liveOutage struct {
	*server
	idle, waiting []*socket
	least, most   int64 // characters that must be, and that may be charged
}

// promise is what the sockets of an outage have said before it.
const promise = "The lighthouse keeper waits."

func (o *liveOutage) before() {
	o.t.Helper()
	for _, kind := range kinds {
		o.idle = append(o.idle, o.connect(kind))
		c := o.connect(kind)
		c.say(promise)
		c.flush()
		c.begun()
		o.waiting = append(o.waiting, c)
		o.most += int64(len(promise))
	}
}

// during goes on with sockets that have begun, and begins with one that idles.
func (o *liveOutage) during() {
	o.t.Helper()
	for _, kind := range kinds {
		if c := o.unpaid(kind); c != nil {
			o.refused(c)
		}
	}
	for _, c := range o.waiting {
		o.refused(c)
	}
	for _, c := range o.idle { // whether they are still there shows later
		c.say(" ")
	}
}

// unpaid asks for a socket; nil when it is refused, as it should be.
func (o *liveOutage) unpaid(kind string) *socket {
	o.t.Helper()
	c, a := o.dial(o.key, kind, "")
	if c == nil {
		a.expectRefusal(o.t, http.StatusServiceUnavailable, "store_unavailable")
	}
	return c
}

// refused has a socket say more than is paid for.
func (o *liveOutage) refused(c *socket) {
	o.t.Helper()
	const more = " And this was never paid for, however long it takes."
	c.say(more)
	c.end()
	began := time.Now()
	got := c.listen()
	took := time.Since(began)
	if got.whole() { // what is held ahead may last for it
		o.least += int64(len(promise) + len(more))
		o.most += int64(len(more))
		o.t.Logf("a %s socket was spoken to its end without the store", c.kind)
		return
	}
	if got.code != "store_unavailable" || got.closed != websocket.CloseInternalServerErr && c.kind != "multi" {
		o.t.Errorf("a %s socket without the store: %s, want store_unavailable and 1011", c.kind, got)
	}
	o.t.Logf("a %s socket was refused after %v", c.kind, took.Round(time.Millisecond))
}

// after speaks on the sockets that idled all the time.
func (o *liveOutage) after() {
	o.t.Helper()
	if !eventually(func() bool {
		a := o.say(o.key, "Back.")
		if a.status == http.StatusOK {
			o.least, o.most = o.least+5, o.most+5
		}
		return a.status == http.StatusOK
	}) {
		o.t.Fatal("the server does not come back")
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, c := range o.idle {
		wg.Go(func() {
			c.say(promise)
			c.end()
			if got := c.listen(); !got.whole() {
				o.t.Errorf("a %s socket that idled through it ended with %s", c.kind, got)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			o.least += int64(utf8.RuneCountInString(promise))
			o.most += int64(utf8.RuneCountInString(promise))
		})
	}
	wg.Wait()
}

// settled checks the sums.
func (o *liveOutage) settled(dsn string) {
	o.t.Helper()
	db, err := store.Open(o.t.Context(), store.Config{DSN: dsn})
	if err != nil {
		o.t.Fatal(err)
	}
	defer db.Close()
	(&fleet{t: o.t.(*testing.T)}).free("holds", 35*time.Second, func() int {
		a, err := db.Audit(o.t.Context())
		if err != nil || !a.Sound() {
			o.t.Fatalf("audit: %v, %q", err, a.Faults)
		}
		return int(a.OpenHolds)
	})
	u := o.usage(o.key)
	if u.Month.Used < o.least || u.Month.Used > o.most || u.Balance.Remaining != u.Balance.Granted-u.Month.Used {
		o.t.Errorf("charged %+v, want %d to %d", u, o.least, o.most)
	}
	o.t.Logf("charged %d, at least %d, at most %d", u.Month.Used, o.least, o.most)
}

// sockets opens one of each kind that idles.
func (d *disk) sockets() (idle []*socket) {
	d.t.Helper()
	for _, kind := range kinds {
		idle = append(idle, d.mustDial(d.key, kind))
	}
	return idle
}

// refusesSockets checks that nothing new is spoken on a full disk.
func (d *disk) refusesSockets() {
	d.t.Helper()
	for _, kind := range kinds {
		c, a := d.dial(d.key, kind, "")
		if c == nil {
			a.expectRefusal(d.t, http.StatusServiceUnavailable, "store_unavailable")
			continue
		}
		c.say(whisper)
		c.end()
		if got := c.listen(); got.code != "store_unavailable" || len(got.audio) > 0 {
			d.t.Errorf("a %s socket on a full disk: %s, want store_unavailable", kind, got)
		}
	}
}

// speaksOn speaks on sockets that have idled.
func (d *disk) speaksOn(idle []*socket) {
	d.t.Helper()
	for _, c := range idle {
		c.say(whisper)
		c.end()
		got := c.listen()
		if !got.whole() {
			d.t.Errorf("a %s socket that idled while the disk was full ended with %s", c.kind, got)
			continue
		}
		d.acknowledged += int64(len(whisper))
	}
}
