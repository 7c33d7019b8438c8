package listeners

import (
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/audio"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/server"
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
		line, err := NewTimeline(tt.format, tt.header)
		if err != nil {
			t.Fatal(err)
		}
		if err := line.add(make([]byte, tt.bytes)); err != nil || line.audio() != tt.want {
			t.Errorf("%d bytes of %s are %v, %v; want %v", tt.bytes, tt.format.Codec, line.audio(), err, tt.want)
		}
	}
	if _, err := NewTimeline(audio.Format{Codec: audio.FLAC, SampleRate: 24000}, 0); err == nil {
		t.Error("flac has a timeline")
	}
}

func TestArrivals(t *testing.T) {
	t.Parallel()
	times := Arrivals(500, time.Minute)
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
	if diff := cmp.Diff(times, Arrivals(500, time.Minute)); diff != "" {
		t.Error("they come at other times the next time")
	}
}

// hall answers the n-th request as the n-th word says, then begins anew.
func hall(t *testing.T, words string) *server.Server {
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
		case "long":
			audible(w, 10*time.Second)
		case "endless":
			audible(w, 50*time.Millisecond)
			<-r.Context().Done()
		}
	}))
	t.Cleanup(ts.Close)
	s := &server.Server{Name: "hall", Addr: ts.Listener.Addr().String(), Format: audio.Format{Codec: audio.PCM, SampleRate: 24000}}
	s.Request = func(corpus.Sample) []byte {
		return []byte("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\r\nx")
	}
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
		c := &crowd{server: s, player: newPlayer(nil), requests: slices.Repeat([][]byte{s.Request(corpus.Sample{})}, 8)}
		c.result.Clients = 8
		c.gather(t.Context(), 0).Wait()
		r := &c.result
		r.Heard = c.player.finish()
		r.Broken = append(r.Broken, r.Heard.Broken...)
		if r.Heard.streams != tt.heard || len(r.Refusals) != tt.refused || len(r.Broken) != tt.broken || r.Verdict() != tt.verdict {
			t.Errorf("%s: %d heard, %d refused, %d broken (%v), %s; want %+v", tt.words, r.Heard.streams, len(r.Refusals), len(r.Broken), errors.Join(r.Broken...), r.Verdict(), tt)
		}
		if want := time.Duration(tt.heard) * 250 * time.Millisecond; r.Heard.Audio < want {
			t.Errorf("%s: heard %v, want %v at least", tt.words, r.Heard.Audio, want)
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
	if err := a.join(s, s.Request(corpus.Sample{})); err != nil {
		t.Fatal(err)
	}
	<-trouble
	h := p.stop()
	if h.Underruns != 1 || h.Troubled != 1 || h.streams != 0 || len(h.Broken) != 0 || h.Audio != 50*time.Millisecond {
		t.Errorf("heard %+v; want one underrun in a stream of 50 ms", h)
	}
}

// TestPlayerHurries has it read a stream faster than it sounds, up to where it breaks off or ends.
func TestPlayerHurries(t *testing.T) {
	t.Parallel()
	s := hall(t, "long broken")
	p := newPlayer(nil)
	a := &audience{p}
	for range 2 {
		if err := a.join(s, s.Request(corpus.Sample{})); err != nil {
			t.Fatal(err)
		}
	}
	p.hurry()
	h := p.finish()
	if h.streams != 1 || len(h.Broken) != 1 || h.Underruns != 0 || h.Audio != 10*time.Second+250*time.Millisecond {
		t.Errorf("heard %+v; want a stream of 10 s and a broken one of 250 ms", h)
	}
	if h.looks > 50 {
		t.Errorf("it looked %d times at streams of 103 blocks", h.looks)
	}
}
