package espeak

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
)

// FuzzFrames feeds the client what a broken worker might send.
func FuzzFrames(f *testing.F) {
	whole := func(kind byte, payload ...byte) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(kind)<<24|uint32(len(payload))), payload...)
	}
	f.Add(append(whole(frameHello, 1, 0, 0, 0), whole(frameAudio, 1, 2, 3, 4)...))
	f.Add(append(whole(frameWords, make([]byte, wordSize)...), whole(frameEnd, 0, 0, 0, 0)...))
	f.Add(whole(frameError, []byte("no such voice")...))
	f.Add(append(whole(frameClause, 4, 0, 0, 0, 0xcb, 0x88, 'o'), whole(frameClause, 1)...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0, 0x80, 0, frameAudio, 1})
	f.Fuzz(func(t *testing.T, sent []byte) {
		for _, code := range []lang.Code{"de", "ja"} { // whose form has another length
			takeFrames(t, code, sent)
		}
	})
}

// takeFrames checks that words are in the text, in order, whatever is sent.
func takeFrames(t *testing.T, code lang.Code, sent []byte) {
	const text = "fuzz काम 佛教を"
	r := newFrameReader()
	r.r.Reset(bytes.NewReader(sent))
	left := len(sent)
	u := engine.Utterance{Language: code, Text: text, Before: "was 今日は", After: "geht 東京へ"}
	out := newOutput(u, engine.SinkFunc(func(engine.Frame) error { return nil }))
	for {
		fr, err := r.next()
		if err != nil {
			return
		}
		left -= 4 + 2*len(fr.pcm) + wordSize*len(fr.words) + len(fr.text)
		if left < 0 {
			t.Fatalf("frames hold more than the %d bytes sent", len(sent))
		}
		if fr.kind == frameWords || fr.kind == frameAudio {
			_ = out.frame(fr, piece{text: out.form.text}, out.pos)
		}
		before := 0
		for _, w := range out.words {
			if w.Start < 0 || w.End < w.Start || w.End > len(text) || w.Start < before {
				t.Fatalf("word %+v is outside the text or goes back", w)
			}
			before = w.Start
		}
	}
}

// FuzzWorker sends the worker whatever; it must answer within its protocol, or
// hang up, and serve the next client.
func FuzzWorker(f *testing.F) {
	e, err := Open(Config{Worker: enginetest.Worker(f), WarmVoices: -1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = e.Close() })
	with := func(voice string) Parameters {
		return Parameters{Voice: voice, Rate: 175, Pitch: 50, Range: 50, Volume: 100}
	}
	f.Add(request{set: with("en-us"), text: "hello"}.append(nil))
	f.Add(request{set: with("../../etc/passwd"), text: "x"}.append(nil))
	f.Add(request{set: with("hi+f2"), text: "नमस्ते <speak> [[h@l'oU]] \x01"}.append(nil))
	f.Add(request{set: with("en-us"), text: "hello, a.b.c.d. [[x]]", flags: flagTranscribe}.append(nil))
	f.Add(request{set: with("hi"), text: "[[n|@|m|'V]], [[?]]. [[", flags: flagPhonemes | flagEndPause}.append(nil))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte{})
	parent := e.servers.any.pid()
	f.Fuzz(func(t *testing.T, sent []byte) {
		conn, err := e.servers.any.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = conn.Write(sent) // the child may have hung up
		_ = conn.CloseWrite()
		r := newFrameReader()
		r.r.Reset(conn)
		for {
			_, err := r.next()
			if err == nil {
				continue
			}
			if ne, ok := err.(net.Error); ok && ne.Timeout() || err != io.EOF && err != io.ErrUnexpectedEOF && !isReset(err) {
				t.Fatalf("worker answered %d bytes with %v", len(sent), err)
			}
			break
		}
		if pid := e.servers.any.pid(); pid != parent {
			t.Fatalf("worker %d was replaced by %d", parent, pid)
		}
	})
}
