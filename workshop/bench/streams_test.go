package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/audio"
)

func TestPlayback(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	start := time.Unix(100, 0)
	at := func(d time.Duration) time.Time { return start.Add(d) }
	type state struct {
		due, needed, worst time.Duration
		underruns          int
	}
	p := startPlayback(start)
	for i, step := range []struct {
		now   time.Duration
		there bool
		want  state
	}{
		{100 * ms, true, state{due: 200 * ms, needed: 200 * ms}},
		{340 * ms, true, state{due: 300 * ms, needed: 300 * ms}}, // the listener was late, which changes nothing
		{340 * ms, true, state{due: 400 * ms, needed: 400 * ms}},
		{402 * ms, false, state{due: 407 * ms, needed: 400 * ms, worst: 2 * ms, underruns: 1}},
		{408 * ms, false, state{due: 413 * ms, needed: 400 * ms, worst: 8 * ms, underruns: 1}},
		{430 * ms, true, state{due: 530 * ms, needed: 500 * ms, worst: 30 * ms, underruns: 1}}, // all that follows is put off
		{531 * ms, false, state{due: 536 * ms, needed: 500 * ms, worst: 30 * ms, underruns: 2}},
		{536 * ms, true, state{due: 636 * ms, needed: 600 * ms, worst: 30 * ms, underruns: 2}},
	} {
		if step.there {
			p.present(at(step.now))
		} else {
			p.absent(at(step.now))
		}
		got := state{p.due.Sub(start), p.needed, p.worst, p.underruns}
		if diff := cmp.Diff(step.want, got, cmp.AllowUnexported(state{})); diff != "" {
			t.Fatalf("after step %d (-want +got):\n%s", i, diff)
		}
	}
	if got := p.stalled(at(time.Second)); got != 0 {
		t.Errorf("stalled = %v while no block is missing", got)
	}
	p.absent(at(636 * ms))
	if got := p.stalled(at(700 * ms)); got != 64*ms {
		t.Errorf("stalled = %v, want the 64 ms since the block was due", got)
	}
}

// oggPage returns a page whose last packet ends at the granule.
func oggPage(granule int64, packet []byte) []byte {
	b := append([]byte("OggS\x00\x00"), binary.LittleEndian.AppendUint64(nil, uint64(granule))...)
	b = append(b, make([]byte, 12)...) // serial number, sequence, checksum
	segments := len(packet)/255 + 1
	b = append(b, byte(segments))
	for range segments - 1 {
		b = append(b, 255)
	}
	b = append(b, byte(len(packet)%255))
	return append(b, packet...)
}

// opusFile returns pages that end at the granules, after the two headers.
func opusFile(skip uint16, granules ...int64) []byte {
	head := binary.LittleEndian.AppendUint16([]byte("OpusHead\x01\x01"), skip)
	file := append(oggPage(0, append(head, make([]byte, 7)...)), oggPage(0, []byte("OpusTags and more"))...)
	for i, g := range granules {
		file = append(file, oggPage(g, slices.Repeat([]byte("OggS"), 70*i))...)
	}
	return file
}

func TestPages(t *testing.T) {
	t.Parallel()
	file := opusFile(312, 960, 48312, -1, 96312)
	for split := 1; split <= len(file); split++ {
		var p pages
		for part := range slices.Chunk(file, split) {
			if err := p.add(part); err != nil {
				t.Fatalf("in parts of %d: %v", split, err)
			}
		}
		if got := p.audio(); got != 2*time.Second {
			t.Fatalf("in parts of %d: %v of audio, want 2 s", split, got)
		}
	}
	var p pages
	if err := p.add(file[:len(file)-1]); err != nil || p.audio() != time.Second {
		t.Errorf("without the last byte: %v, %v; want the 1 s before the last page", p.audio(), err)
	}
	for name, bad := range map[string][]byte{
		"no page":             []byte(strings.Repeat("nonsense", 10)),
		"no OpusHead":         oggPage(0, []byte("something else, for once")),
		"a short OpusHead":    oggPage(0, []byte("OpusHead")),
		"a lost byte":         append(slices.Clone(file[:40]), file[41:]...),
		"an empty first page": append(oggPage(0, nil), file...),
	} {
		if err := new(pages).add(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzPages checks that it does not matter where the bytes are split.
func FuzzPages(f *testing.F) {
	f.Add(opusFile(312, 960, 48312), 7)
	f.Add([]byte("OggS"), 1)
	f.Fuzz(func(t *testing.T, file []byte, split int) {
		var whole, parts pages
		werr := whole.add(file)
		var perr error
		for part := range slices.Chunk(file, 1+max(split, 0)%(len(file)+1)) {
			if perr = parts.add(part); perr != nil {
				break
			}
		}
		if (werr == nil) != (perr == nil) || whole.audio() != parts.audio() {
			t.Errorf("whole: %v, %v; in parts: %v, %v", whole.audio(), werr, parts.audio(), perr)
		}
	})
}

func TestFlat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		format audio.Format
		header int
		bytes  int
		want   time.Duration
	}{
		{audio.Format{Codec: audio.PCM, SampleRate: 24000}, 0, 4800, 100 * time.Millisecond},
		{audio.Format{Codec: audio.WAV, SampleRate: 24000}, 44, 4844, 100 * time.Millisecond},
		{audio.Format{Codec: audio.WAV, SampleRate: 24000}, 44, 20, 0},
		{audio.Format{Codec: audio.ULaw, SampleRate: 8000}, 0, 8000, time.Second},
		{audio.Format{Codec: audio.MP3, SampleRate: 24000, BitrateKbps: 128}, 0, 16000, time.Second},
	} {
		line, err := newTimeline(tt.format, tt.header)
		if err != nil {
			t.Fatal(err)
		}
		if err := line.add(make([]byte, tt.bytes)); err != nil || line.audio() != tt.want {
			t.Errorf("%d bytes of %s are %v, %v; want %v", tt.bytes, tt.format.Codec, line.audio(), err, tt.want)
		}
	}
	if _, err := newTimeline(audio.Format{Codec: audio.FLAC, SampleRate: 24000}, 0); err == nil {
		t.Error("flac has a timeline")
	}
}

// chunked returns a body in chunks as HTTP/1.1 sends it.
func chunked(chunks ...string) string {
	var b strings.Builder
	for _, c := range append(chunks, "") {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(c), c)
	}
	return b.String()
}

func TestUnchunker(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		bodies := rapid.SliceOf(rapid.StringN(1, 300, -1)).Draw(rt, "chunks")
		raw := []byte(chunked(bodies...) + "the next response")
		u := unchunker{chunked: true}
		var got strings.Builder
		for len(raw) > 0 {
			n := rapid.IntRange(1, len(raw)).Draw(rt, "part")
			if err := u.feed(raw[:n], func(b []byte) error { got.Write(b); return nil }); err != nil {
				rt.Fatal(err)
			}
			raw = raw[n:]
		}
		if want := strings.Join(bodies, ""); got.String() != want || !u.ended() {
			rt.Fatalf("body %q, ended %t; want %q, ended", got.String(), u.ended(), want)
		}
	})
	none := func([]byte) error { return nil }
	for _, bad := range []string{"size\r\n", "-1\r\n", "1\r\nxy\r\n", "0\r\ntrailer: x\r\n", strings.Repeat("1", 100)} {
		if err := (&unchunker{chunked: true}).feed([]byte(bad), none); err == nil {
			t.Errorf("%q gives no error", bad)
		}
	}
	u := unchunker{left: 5}
	if err := u.feed([]byte("123"), none); err != nil || u.ended() {
		t.Errorf("after 3 of 5 bytes: ended %t, %v", u.ended(), err)
	}
	if err := u.feed([]byte("45"), none); err != nil || !u.ended() {
		t.Errorf("after 5 of 5 bytes: ended %t, %v", u.ended(), err)
	}
}

// FuzzUnchunker checks that it does not matter where the bytes are split.
func FuzzUnchunker(f *testing.F) {
	f.Add([]byte(chunked("one", "two and three")), 3)
	f.Add([]byte("zz\r\n"), 1)
	f.Fuzz(func(t *testing.T, raw []byte, split int) {
		read := func(part int) (string, bool, bool) {
			u := unchunker{chunked: true}
			var body strings.Builder
			for p := range slices.Chunk(raw, part) {
				if err := u.feed(p, func(b []byte) error { body.Write(b); return nil }); err != nil {
					return body.String(), u.ended(), true
				}
			}
			return body.String(), u.ended(), false
		}
		size := len(raw) + 1
		body, ended, bad := read(size)
		body2, ended2, bad2 := read(1 + max(split, 0)%size)
		if body != body2 || ended != ended2 || bad != bad2 {
			t.Errorf("whole: %q, ended %t, error %t; in parts: %q, %t, %t", body, ended, bad, body2, ended2, bad2)
		}
	})
}

func TestSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(0, 1500).Draw(rt, "limit")
		s := search{guess: rapid.IntRange(1, 1500).Draw(rt, "guess"), most: 1500, factor: 1.25, precision: 1.06, tries: 100}
		tried := map[int]bool{}
		for n, more := s.next(); more; n, more = s.next() {
			if tried[n] || n < 1 || n > s.most {
				rt.Fatalf("tries %d, after %v", n, tried)
			}
			tried[n] = true
			s.tell(n, n <= limit)
		}
		if s.good > limit || s.bad > 0 && s.bad <= limit {
			rt.Fatalf("between %d and %d, but the limit is %d", s.good, s.bad, limit)
		}
		if limit > 0 && float64(limit+1) > float64(s.good+1)*1.06+1 {
			rt.Fatalf("found %d, the limit is %d", s.good, limit)
		}
	})
	s := search{guess: 100, most: 1000, factor: 1.25, precision: 1.06, tries: 3}
	var order []int
	for n, more := s.next(); more; n, more = s.next() {
		order = append(order, n)
		s.tell(n, n < 120)
	}
	if diff := cmp.Diff([]int{100, 125, 112}, order); diff != "" || s.good != 112 {
		t.Errorf("found %d; tried (-want +got):\n%s", s.good, diff)
	}
}

func TestArrivals(t *testing.T) {
	t.Parallel()
	times := arrivals(500, time.Minute)
	if !slices.IsSorted(times) || times[0] <= 0 || times[499] != time.Minute {
		t.Errorf("from %v to %v, ascending: %t", times[0], times[499], slices.IsSorted(times))
	}
	early := 0
	for _, at := range times {
		if at < 30*time.Second {
			early++
		}
	}
	if early < 200 || early > 300 {
		t.Errorf("%d of 500 come in the first half", early)
	}
	if diff := cmp.Diff(times, arrivals(500, time.Minute)); diff != "" {
		t.Error("they come at other times the next time")
	}
}

func TestShuffled(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i := range 1500 {
		s, err := newShuffled(english, 200, i)
		if err != nil {
			t.Fatal(err)
		}
		opening := s.text[:30]
		if j, ok := seen[opening]; ok {
			t.Fatalf("listeners %d and %d both hear %q", j, i, opening)
		}
		seen[opening] = i
		if again, _ := newShuffled(english, 200, i); again.text != s.text || len(s.text) > 200 || len(s.text) < 150 {
			t.Fatalf("listener %d hears %q and %q", i, s.text, again.text)
		}
	}
}

// hall answers the n-th request as the n-th word says, then begins anew.
func hall(t *testing.T, words string) *server {
	t.Helper()
	var n atomic.Int64
	audible := func(w http.ResponseWriter, d time.Duration) {
		_, _ = w.Write(make([]byte, int(d.Milliseconds())*48)) // the listener sees what is missing
		w.(http.Flusher).Flush()
	}
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			return // the warm-up
		}
		_, _ = io.Copy(io.Discard, r.Body) // short
		list := strings.Fields(words)
		switch list[int(n.Add(1)-1)%len(list)] {
		case "whole":
			audible(w, 250*time.Millisecond)
		case "broken":
			audible(w, 250*time.Millisecond)
			panic(http.ErrAbortHandler)
		case "busy":
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case "hopeless":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "endless":
			audible(w, 50*time.Millisecond)
			<-r.Context().Done()
		}
	}))
	t.Cleanup(ts.Close)
	s := &server{name: "hall", addr: ts.Listener.Addr().String(), format: audio.Format{Codec: audio.PCM, SampleRate: 24000}}
	s.request = func(sample) []byte { return post("/", "x") }
	return s
}

func TestCrowd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words                  string
		heard, refused, broken int
		verdict                string
	}{
		{"whole", 8, 0, 0, "good"},
		{"whole busy", 4, 4, 0, "refused"},
		{"whole broken", 4, 0, 4, "broken"},
		{"whole hopeless", 4, 0, 4, "broken"},
	} {
		s := hall(t, tt.words)
		c := &crowd{server: s, player: newPlayer(nil), requests: slices.Repeat([][]byte{s.request(sample{})}, 8)}
		c.result.clients = 8
		c.gather(t.Context(), 0).Wait()
		r := &c.result
		r.heard = c.player.finish()
		r.broken = append(r.broken, r.heard.broken...)
		if r.heard.streams != tt.heard || len(r.refusals) != tt.refused || len(r.broken) != tt.broken || r.verdict() != tt.verdict {
			t.Errorf("%s: %d heard, %d refused, %d broken (%v), %s; want %+v", tt.words, r.heard.streams, len(r.refusals), len(r.broken), errors.Join(r.broken...), r.verdict(), tt)
		}
		if want := time.Duration(tt.heard) * 250 * time.Millisecond; r.heard.audio < want {
			t.Errorf("%s: heard %v, want %v at least", tt.words, r.heard.audio, want)
		}
	}
}

// TestPlayerNoticesUnderruns has it play a stream that stops in its first block.
func TestPlayerNoticesUnderruns(t *testing.T) {
	t.Parallel()
	s := hall(t, "endless")
	trouble := make(chan struct{}, 100)
	p := newPlayer(func() { trouble <- struct{}{} })
	a := &audience{p}
	if err := a.join(s, s.request(sample{})); err != nil {
		t.Fatal(err)
	}
	<-trouble
	h := p.stop()
	if h.underruns != 1 || h.troubled != 1 || h.streams != 0 || len(h.broken) != 0 || h.audio != 50*time.Millisecond {
		t.Errorf("heard %+v; want one underrun in a stream of 50 ms", h)
	}
}
