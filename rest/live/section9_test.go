package live

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gorilla/websocket"
	"pgregory.net/rapid"

	"vaak/rest/live/message"
	"vaak/speech/align"
)

// heardAudio is what a client of the dialect hears until the socket closes.
type heardAudio struct {
	bytes       []byte
	text, read  string
	told, spoke int // ms that the two alignments cover
	longest     int // message, in bytes
	frames      int
	end         string
}

// listen reads frames of audio of the dialect until the socket closes.
func (c *client) listen() (h heardAudio) {
	c.t.Helper()
	for {
		r := <-c.frames
		if r.err != nil {
			h.end = abbreviate(r)
			return h
		}
		h.longest = max(h.longest, len(r.data))
		var raw struct{ Audio *string }
		var f audioFrame
		if json.Unmarshal(r.data, &raw) != nil || json.Unmarshal(r.data, &f) != nil {
			c.t.Fatalf("heard %q", r.data)
		}
		if raw.Audio == nil {
			continue
		}
		audio, err := base64.StdEncoding.Strict().DecodeString(*raw.Audio)
		if err != nil {
			c.t.Errorf("audio is not padded standard base64: %v", err)
		}
		h.frames++
		h.bytes = append(h.bytes, audio...)
		c.checkAligned(f.Alignment)
		c.checkAligned(f.Normalized)
		h.text, h.read = h.text+f.Alignment.text(), h.read+f.Normalized.text()
		h.told, h.spoke = h.told+f.Alignment.end(), h.spoke+f.Normalized.end()
	}
}

// checkAligned checks that the times of a frame never descend, and that each
// character lasts until the next.
func (c *client) checkAligned(a *aligned) {
	c.t.Helper()
	if a == nil {
		return
	}
	if len(a.Starts) != len(a.Chars) || len(a.Durations) != len(a.Chars) {
		c.t.Errorf("alignment %+v has lists of different lengths", a)
		return
	}
	for i := range a.Chars {
		if a.Starts[i] < 0 || a.Durations[i] < 0 {
			c.t.Errorf("alignment %+v goes back", a)
		}
		if i+1 < len(a.Chars) && a.Starts[i]+a.Durations[i] != a.Starts[i+1] {
			c.t.Errorf("character %d of %+v does not last until the next", i, a)
		}
	}
}

const story = "Twelve of them left at 10:30 for 45 days. The others stayed; nobody asked why. It rained."

// converse says the story in flushed pieces, with the real service, and returns
// what is heard.
func converse(t *testing.T, query string, flushes bool) (h heardAudio) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{Speech: humming(t)})
		t.Cleanup(pipe(s))
		c := s.client(t, voicePath+query)
		for _, word := range strings.SplitAfter(story, " ") {
			c.send(fmt.Sprintf(`{"text":%q,"flush":%t}`, word, flushes))
			synctest.Wait()
		}
		c.send(`{"text":""}`)
		h = c.listen()
	})
	if h.end != "close 1000" {
		t.Errorf("%s ended with %s, want close 1000", query, h.end)
	}
	return h
}

const voicePath = "/v1/text-to-speech/sv_xwiwiz5du5tnesyx/stream-input"

// TestSection9Row1: a session is one stream, however often it is flushed.
func TestSection9Row1(t *testing.T) {
	t.Parallel()
	plain := converse(t, "?output_format=pcm_24000", true)
	wav := converse(t, "?output_format=wav_24000", true)
	if n := bytes.Count(wav.bytes, []byte("RIFF")); n != 1 || !bytes.HasPrefix(wav.bytes, []byte("RIFF\xff\xff\xff\xff")) {
		t.Errorf("wav has %d headers and begins %q, want one of unknown size", n, wav.bytes[:min(12, len(wav.bytes))])
	}
	if !bytes.HasSuffix(wav.bytes, plain.bytes) || len(wav.bytes) > len(plain.bytes)+100 {
		t.Errorf("wav of %d bytes does not carry the %d of pcm", len(wav.bytes), len(plain.bytes))
	}
}

// TestSection9Row3: no frame of PCM splits a sample.
func TestSection9Row3(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{Speech: humming(t)})
		t.Cleanup(pipe(s))
		c := s.client(t, nativePath+"?mode=eager&speed=1.3")
		c.send(fmt.Sprintf(`{"text":%q}`, story), `{"text":""}`)
		for r := c.next(); r.err == nil; r = c.next() {
			if r.kind == websocket.BinaryMessage && len(r.data)%2 != 0 {
				t.Errorf("a frame has %d bytes", len(r.data))
			}
		}
	})
}

// TestSection9Row7: the alignments tell each character once, and last as long as
// the audio.
func TestSection9Row7(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "&auto_mode=true"} {
		h := converse(t, "?output_format=pcm_24000"+query, false)
		if h.text != story {
			t.Errorf("%s: alignment tells %q, want %q", query, h.text, story)
		}
		if len(h.read) <= len(h.text) {
			t.Errorf("%s: normalized alignment tells %q, want numbers in words", query, h.read)
		}
		audio := len(h.bytes) / 48
		if d := audio - h.told; d < 0 || d > 5 {
			t.Errorf("%s: alignment lasts %d ms, the audio %d", query, h.told, audio)
		}
		if d := audio - h.spoke; d < 0 || d > 5 {
			t.Errorf("%s: normalized alignment lasts %d ms, the audio %d", query, h.spoke, audio)
		}
	}
}

// TestSection9Row9: what telephones get has no header and 8,000 bytes a second.
func TestSection9Row9(t *testing.T) {
	t.Parallel()
	ulaw, plain := converse(t, "?output_format=ulaw_8000", false), converse(t, "?output_format=pcm_8000", false)
	if len(ulaw.bytes)*2 != len(plain.bytes) || len(ulaw.bytes) == 0 {
		t.Errorf("ulaw has %d bytes, pcm %d: want half", len(ulaw.bytes), len(plain.bytes))
	}
}

// TestSection9Row10: frames are at most 64 KiB, also at the highest rate.
func TestSection9Row10(t *testing.T) {
	t.Parallel()
	h := converse(t, "?output_format=pcm_48000", false)
	if h.longest > message.MaxMessage {
		t.Errorf("a frame has %d bytes", h.longest)
	}
}

// TestFrames: however much text and audio there is at a time, frames are at most
// 64 KiB, and together they are all of it.
func TestFrames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &dialectAudio{context: strings.Repeat("\x01", message.MaxContextID)}
		var audio, heard []byte
		var texts, told [2]string
		var ends, sums [2]int
		for range rapid.IntRange(1, 4).Draw(t, "writes") {
			var a [2]align.Alignment
			for i := range a {
				n := rapid.SampledFrom([]int{0, 1, 2, 599, 601, 5000}).Draw(t, "characters")
				a[i].Begin, a[i].End = ends[i], ends[i]+rapid.IntRange(0, 1e6).Draw(t, "ms")
				if n == 0 {
					continue
				}
				c := rapid.SampledFrom([]string{"a", "\u2028", "é", "\"", "😀"}).Draw(t, "character")
				for j := range n {
					a[i].Characters = append(a[i].Characters, c)
					a[i].Starts = append(a[i].Starts, a[i].Begin+(a[i].End-a[i].Begin)*j/n)
				}
				ends[i], texts[i] = a[i].End, texts[i]+strings.Join(a[i].Characters, "")
			}
			w.Follow(a[0], a[1])
			p := make([]byte, 2*rapid.IntRange(0, 60_000).Draw(t, "samples"))
			audio = append(audio, p...)
			err := w.frames(p, func(frame []byte) error {
				var f audioFrame
				if err := json.Unmarshal(frame, &f); err != nil || len(frame) > message.MaxMessage || len(f.Audio)%2 != 0 {
					t.Fatalf("a frame of %d bytes with %d of audio: %v", len(frame), len(f.Audio), err)
				}
				heard = append(heard, f.Audio...)
				for i, a := range []*aligned{f.Alignment, f.Normalized} {
					told[i], sums[i] = told[i]+a.text(), sums[i]+a.end()
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if told != texts || sums != ends || !bytes.Equal(heard, audio) {
			t.Fatalf("frames tell %d and %d characters in %d ms and carry %d bytes, want %d, %d, %d, %d",
				len(told[0]), len(told[1]), sums, len(heard), len(texts[0]), len(texts[1]), ends, len(audio))
		}
	})
}

// TestInterrupted: a thousand sessions that were interrupted leave nothing.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := serve(t, newSite(t, Config{Speech: humming(t)}))
	for i := range 50 {
		c := s.client(t, strings.Replace(multiPath, "sv_test", "sv_xwiwiz5du5tnesyx", 1)+pcm)
		for j := range 20 {
			id := fmt.Sprintf("%d-%d", i, j)
			c.send(`{"text":"This is said, and then interrupted. ","context_id":"`+id+`"}`,
				`{"context_id":"`+id+`","close_context":true}`)
		}
		c.send(`{"close_socket":true}`)
		finals := 0
		for r := c.next(); r.err == nil; r = c.next() {
			if bytes.Contains(r.data, []byte(`"isFinal":true`)) {
				finals++
			}
		}
		if finals != 20 {
			t.Fatalf("%d contexts of 20 have ended", finals)
		}
	}
	poll(t, func() bool { return s.accounts.held.Load() == 0 })
}

// TestTextComesFaster sends far more than is spoken meanwhile, in one message and in
// many: all of it is spoken; and a cancel behind 90,000 characters is obeyed.
func TestTextComesFaster(t *testing.T) {
	t.Parallel()
	const sentence = "It went on and on, and nobody knew for how long it would. "
	for name, frames := range map[string][]string{
		"one message":   {fmt.Sprintf(`{"text":%q}`, strings.Repeat(sentence, 140))},
		"many messages": slices.Repeat([]string{fmt.Sprintf(`{"text":%q}`, sentence)}, 400),
		"cancelled":     append(slices.Repeat([]string{fmt.Sprintf(`{"text":%q}`, strings.Repeat(sentence, 15))}, 100), `{"cancel":true}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			characters := 0
			for _, f := range frames {
				characters += strings.Count(f, sentence) * len(sentence)
			}
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, Config{Speech: humming(t)})
				t.Cleanup(pipe(s))
				c := s.client(t, nativePath+"?response_format=ulaw")
				c.send(frames...)
				if name != "cancelled" {
					c.send(`{"text":""}`)
				}
				var last struct {
					Type       string
					Characters int
					Spoken     string `json:"text_spoken"`
					Remaining  string `json:"text_remaining"`
				}
				var r received
				for r = c.next(); r.err == nil; r = c.next() {
					if r.kind == websocket.TextMessage && json.Unmarshal(r.data, &last) != nil {
						t.Errorf("heard %q", r.data)
					}
				}
				if end := abbreviate(r); end != "close 1000" {
					t.Errorf("the socket ended with %s", end)
				}
				if got := last.Characters + len(last.Spoken) + len(last.Remaining); got != characters || name == "cancelled" && last.Remaining == "" {
					t.Errorf("%s: %d characters of %d, %d of them left", last.Type, got, characters, len(last.Remaining))
				}
			})
		})
	}
}
