package machines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// Sorts of requests, in the order of the table.
const (
	short    = "short speech"
	stream   = "long streams"
	socket   = "live sockets"
	read     = "catalogue"
	file     = "files of datasets"
	question = "enquiries"
)

var sorts = []string{short, stream, socket, read, file, question}

// tally counts the requests of one sort.
type tally struct {
	requests, broken int
	refused          map[string]int // by status
	good             []time.Time    // when a request succeeded: at its first audio, or at its end
	wait             time.Duration  // the longest of a stream for its next audio
	chars            int64          // of speech that was acknowledged: its answer came whole
	flying           int64          // of speech that may be charged or not
}

// load is the work of clients during one event.
type load struct {
	d     *deployment
	began time.Time
	ended time.Time

	mu        sync.Mutex
	tallies   map[string]*tally
	taken     map[string]time.Time // enquiries that were acknowledged, and when
	reasons   map[string]int       // why requests broke off
	stop      context.CancelFunc
	clients   sync.WaitGroup
	enquiries string
}

// errRefused is an answer that is not the one that was asked for.
type errRefused struct {
	status int
	code   string
}

func (e errRefused) Error() string { return strings.TrimSpace(fmt.Sprint(e.status, " ", e.code)) }

var events atomic.Int64 // makes texts and names differ

// begin starts the clients.
func (d *deployment) begin() *load {
	ctx, stop := context.WithCancel(d.t.Context())
	l := &load{d: d, began: time.Now(), tallies: map[string]*tally{}, taken: map[string]time.Time{}, reasons: map[string]int{}, stop: stop,
		enquiries: fmt.Sprint("enquiry-", events.Add(1))}
	for _, sort := range sorts {
		l.tallies[sort] = &tally{refused: map[string]int{}}
	}
	kept := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	l.clients.Go(func() { <-ctx.Done(); kept.CloseIdleConnections() })
	var n atomic.Int64
	for _, c := range []struct {
		sort    string
		clients int
		pause   time.Duration // between the beginnings of two requests of a client
		ask     func(client *http.Client, good func()) (chars int64, err error)
	}{
		{short, 4, 200 * time.Millisecond, l.short},
		{stream, 6, 0, l.stream},
		{socket, 6, 0, l.socket},
		{read, 2, 200 * time.Millisecond, func(c *http.Client, _ func()) (int64, error) { return 0, l.get(c, "/api/catalogue/datasets") }},
		{file, 2, 200 * time.Millisecond, func(c *http.Client, _ func()) (int64, error) { return 0, l.get(c, d.media) }},
		{question, 2, time.Second, func(_ *http.Client, _ func()) (int64, error) { return 0, l.enquire(n.Add(1)) }},
	} {
		for i := range c.clients {
			l.clients.Go(func() {
				pause := c.pause
				if pause == 0 {
					pause = time.Duration(i+1) * 1200 * time.Millisecond // so that they do not begin together
				}
				tick := time.NewTicker(pause)
				defer tick.Stop()
				for {
					select {
					case <-ctx.Done():
						return
					case <-tick.C:
						l.once(c.sort, func(good func()) (int64, error) { return c.ask(kept, good) })
					}
				}
			})
		}
	}
	return l
}

// once sends a request and counts what becomes of it.
func (l *load) once(sort string, ask func(good func()) (int64, error)) {
	marked := false
	good := func() {
		if marked {
			return
		}
		marked = true
		l.mu.Lock()
		defer l.mu.Unlock()
		l.tallies[sort].good = append(l.tallies[sort].good, time.Now())
	}
	chars, err := ask(good)
	refused := errRefused{}
	if err == nil {
		good()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tallies[sort]
	t.requests++
	switch {
	case err == nil:
		t.chars += chars
	case errors.As(err, &refused):
		t.refused[refused.Error()]++
	default:
		t.broken++
		t.flying += chars
		l.reasons[sort+": "+reason(err)]++
	}
}

// reason is an error without what differs each time.
func reason(err error) string {
	if e := (*net.OpError)(nil); errors.As(err, &e) {
		return e.Op + ": " + e.Err.Error()
	}
	return err.Error()
}

// end lets the running requests finish.
func (l *load) end() {
	l.ended = time.Now()
	l.stop()
	l.clients.Wait()
}

// text returns a text that nobody has asked for.
func text(sentence string, times int) string {
	return fmt.Sprint("Number ", events.Add(1), ". ", strings.Repeat(sentence, times))
}

func (l *load) speak(client *http.Client, said string, streaming bool, take func(io.Reader) error) (int64, error) {
	chars := int64(len(said))
	body, err := json.Marshal(map[string]any{"input": said, "lang": "en", "response_format": "pcm", "stream": streaming})
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequest(http.MethodPost, l.d.entrance+"/v1/audio/speech", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+l.d.key)
	res, err := client.Do(req)
	if err != nil {
		return chars, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, refusal(res)
	}
	return chars, take(res.Body)
}

func refusal(res *http.Response) error {
	var body struct{ Code string }
	text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16)) // an answer of the proxy has no code
	_ = json.Unmarshal(text, &body)
	if body.Code == "" {
		var nested struct{ Error struct{ Code string } }
		_ = json.Unmarshal(text, &nested)
		body.Code = nested.Error.Code
	}
	if body.Code == "" {
		body.Code = "of the proxy"
	}
	return errRefused{res.StatusCode, body.Code}
}

func (l *load) short(client *http.Client, _ func()) (int64, error) {
	return l.speak(client, text("The train to Pune leaves at nine.", 1), false, func(r io.Reader) error {
		n, err := io.Copy(io.Discard, r)
		if err == nil && n < 10000 {
			err = fmt.Errorf("an answer of %d bytes", n)
		}
		return err
	})
}

// stream takes some twenty seconds of audio in, as fast as it is heard. Little of it fits into the
// buffers on the way, so what breaks at the server is noticed.
func (l *load) stream(_ *http.Client, good func()) (int64, error) {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (failed error) {
		err := c.Control(func(fd uintptr) {
			failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 32<<10)
		})
		return errors.Join(err, failed)
	}}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext}, Timeout: 2 * time.Minute}
	return l.speak(client, text("The lighthouse keeper waits for the ship that brings the oil. ", 5), true, func(r io.Reader) error {
		if _, err := io.ReadFull(r, make([]byte, 2)); err != nil {
			return fmt.Errorf("before audio: %w", err)
		}
		good()
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			began := time.Now()
			_, err := io.CopyN(io.Discard, r, 4800)
			l.waited(stream, time.Since(began))
			if err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			<-tick.C
		}
	})
}

func (l *load) waited(sort string, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tallies[sort].wait = max(l.tallies[sort].wait, d)
}

// socket speaks for some seconds, a part of the text every 400 ms.
func (l *load) socket(_ *http.Client, good func()) (int64, error) {
	dialer := websocket.Dialer{HandshakeTimeout: 20 * time.Second}
	header := http.Header{"Authorization": {"Bearer " + l.d.key}}
	c, res, err := dialer.Dial(strings.Replace(l.d.entrance, "http", "ws", 1)+"/v1/audio/speech/stream-input?mode=eager&lang=en", header)
	if err != nil {
		if res != nil {
			return 0, refusal(res)
		}
		return 0, err
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute)) // it fails if the connection is broken, and so does the read
	said := text("The next train to Pune leaves from the second platform at nine this evening. ", 2)
	words := strings.SplitAfter(said, " ")
	var writing sync.WaitGroup
	left := make(chan struct{})
	defer writing.Wait()
	defer close(left)
	writing.Go(func() {
		tick := time.NewTicker(400 * time.Millisecond)
		defer tick.Stop()
		for part := range slices.Chunk(words, 3) {
			if c.WriteJSON(map[string]string{"text": strings.Join(part, "")}) != nil {
				return // the reader says why
			}
			select {
			case <-tick.C:
			case <-left:
				return
			}
		}
		_ = c.WriteJSON(map[string]string{"text": ""})
	})
	for {
		kind, b, err := c.ReadMessage()
		switch {
		case err != nil:
			return int64(len(said)), err
		case kind == websocket.BinaryMessage:
			good()
		case strings.Contains(string(b), `"done"`):
			return int64(len(said)), nil
		case strings.Contains(string(b), `"error"`):
			var e struct{ Code string }
			_ = json.Unmarshal(b, &e)
			return int64(len(said)), fmt.Errorf("it says %s", e.Code)
		}
	}
}

func (l *load) get(client *http.Client, path string) error {
	req, err := http.NewRequest(http.MethodGet, l.d.entrance+path, nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return refusal(res)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// enquire sends an enquiry from an address of its own, since each may send only some.
func (l *load) enquire(n int64) error {
	name := fmt.Sprint(l.enquiries, "-", n)
	place := events.Add(1)
	from := &net.TCPAddr{IP: net.IPv4(127, byte(1+place>>16), byte(place>>8), byte(place))}
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: (&net.Dialer{LocalAddr: from}).DialContext}}
	body, err := json.Marshal(map[string]string{"name": "Asha Rao", "email": name + "@example.org", "intent": "question", "message": "This is " + name + "."})
	if err != nil {
		return err
	}
	res, err := client.Post(l.d.entrance+"/api/catalogue/enquiry", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		return refusal(res)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken[name] = time.Now()
	return nil
}

// gap returns the longest time in which no request of a sort succeeded. Of streams it is the
// longest time that one had to wait for its next audio.
func (l *load) gap(sort string) time.Duration {
	if sort == stream {
		return l.tallies[sort].wait
	}
	times := append([]time.Time{l.began, l.ended}, l.tallies[sort].good...)
	slices.SortFunc(times, time.Time.Compare)
	var longest time.Duration
	for i := range times[1:] {
		if !times[i+1].After(l.ended) {
			longest = max(longest, times[i+1].Sub(times[i]))
		}
	}
	return longest
}
