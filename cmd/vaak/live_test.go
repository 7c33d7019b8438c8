package main

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"vaak/voice"
)

// kinds are the three sockets.
var kinds = []string{"native", "single", "multi"}

// socket is a client of live speech.
type socket struct {
	*websocket.Conn
	t    testing.TB
	kind string
	heard
}

// heard is what a client heard.
type heard struct {
	audio  []byte
	first  time.Time // when audio came
	final  bool      // the frame that says that all was said
	code   string    // of an error frame
	closed int       // close code; 0: none came
	err    error     // the end of the connection, if it was not a close frame
}

func (h *heard) String() string {
	return fmt.Sprintf("%d bytes, final %v, error %q, close %d, %v", len(h.audio), h.final, h.code, h.closed, h.err)
}

// whole reports whether all was said, and the socket closed as it should.
func (h *heard) whole() bool {
	return h.final && h.code == "" && h.closed == websocket.CloseNormalClosure
}

// address returns that of a socket of a kind that speaks 24 kHz pcm in a language.
func (s *server) address(kind, language string) string {
	base := "ws" + strings.TrimPrefix(s.public, "http")
	switch kind {
	case "native":
		return base + "/v1/audio/speech/stream-input?lang=" + language + "&voice=" + string(voice.DefaultVoice().ID)
	case "single":
		return base + "/v1/text-to-speech/" + string(voice.DefaultVoice().ID) + "/stream-input?output_format=pcm_24000&language_code=" + language
	default:
		return base + "/v1/text-to-speech/" + string(voice.DefaultVoice().ID) + "/multi-stream-input?output_format=pcm_24000&language_code=" + language
	}
}

// dial asks for a socket; "more" is added to its address.
func (s *server) dial(key, kind, more string) (*socket, answered) {
	s.t.Helper()
	d := websocket.Dialer{HandshakeTimeout: time.Minute}
	header := http.Header{}
	if key != "" {
		header.Set("Xi-Api-Key", key)
	}
	conn, resp, err := d.DialContext(s.t.Context(), s.address(kind, "en")+more, header)
	a := answered{what: "dial " + kind}
	if resp != nil {
		b := make([]byte, 4096)
		n, _ := resp.Body.Read(b) // gorilla gives what came at once
		a.status, a.header, a.body = resp.StatusCode, resp.Header, string(b[:n])
	}
	if err != nil {
		a.body += " " + err.Error()
		return nil, a
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return &socket{Conn: conn, t: s.t, kind: kind}, a
}

// connect opens a socket with the key of the server, or fails.
func (s *server) connect(kind string) *socket {
	s.t.Helper()
	c, a := s.dial(s.key, kind, "")
	if c == nil {
		s.t.Fatalf("%s = %d %s", a.what, a.status, a.body)
	}
	return c
}

// send writes frames; what goes wrong shows when the socket is read.
func (c *socket) send(frames ...any) {
	for _, f := range frames {
		if c.WriteJSON(f) != nil {
			return
		}
	}
}

type object = map[string]any

// say adds text.
func (c *socket) say(text string) {
	c.send(object{"text": text, "context_id": "a"})
}

// flush has what was said spoken now.
func (c *socket) flush() { c.send(object{"flush": true, "context_id": "a"}) }

// end says that no more text comes.
func (c *socket) end() {
	if c.kind != "multi" {
		c.send(object{"text": ""})
		return
	}
	c.flush()
	c.send(object{"context_id": "a", "close_context": true}, object{"close_socket": true})
}

// next reads a message and reports whether another may follow.
func (c *socket) next() bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	kind, data, err := c.ReadMessage()
	if gone, ok := errors.AsType[*websocket.CloseError](err); ok && gone.Code != websocket.CloseAbnormalClosure {
		c.closed = gone.Code
		return false
	}
	if err != nil {
		c.err = err
		return false
	}
	if kind == websocket.BinaryMessage {
		c.listened(data)
		return true
	}
	var f struct {
		Audio   *string
		IsFinal *bool
		Type    string
		Error   string
	}
	if err := json.Unmarshal(data, &f); err != nil {
		c.t.Errorf("a frame is no JSON: %v: %.200s", err, data)
	}
	c.final = c.final || f.Type == "done" || f.IsFinal != nil && *f.IsFinal
	if f.Error != "" {
		c.code = f.Error
	}
	if f.Audio != nil {
		audio, err := base64.StdEncoding.DecodeString(*f.Audio)
		if err != nil {
			c.t.Errorf("audio: %v", err)
		}
		c.listened(audio)
	}
	return true
}

func (c *socket) listened(audio []byte) {
	if c.audio = append(c.audio, audio...); c.first.IsZero() {
		c.first = time.Now()
	}
}

// listen reads to the end.
func (c *socket) listen() *heard {
	for c.next() {
	}
	return &c.heard
}

// begun reads until there is audio.
func (c *socket) begun() {
	c.t.Helper()
	for n := len(c.audio); len(c.audio) == n; {
		if !c.next() {
			c.t.Fatalf("%s: no audio: %s", c.kind, &c.heard)
		}
	}
}

// hear speaks a text on a new socket.
func (s *server) hear(kind, text string) *heard {
	c := s.connect(kind)
	c.say(text)
	c.end()
	return c.listen()
}

// TestLive speaks on each socket: audio comes while the text is being written,
// and a sentence sounds as it does over HTTP.
func TestLive(t *testing.T) {
	t.Parallel()
	s := start(t)
	const sentence = "The keeper of the lighthouse counts 42 ships."
	over := s.mustSpeak(object{"input": sentence, "lang": "en", "response_format": "pcm", "stream": true, "voice": string(voice.DefaultVoice().ID)})
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if got := s.hear(kind, sentence); !got.whole() || !sameButForPause(got.audio, over) {
				t.Errorf("a sentence is %s, want the %d bytes of HTTP", got, len(over))
			}
			c := s.connect(kind)
			c.say(sentence + " ")
			c.flush()
			c.begun()
			c.say("And then it ends.")
			c.end()
			if got := c.listen(); !got.whole() || len(got.audio) <= len(over) {
				t.Errorf("two sentences are %s", got)
			}
		})
	}
	t.Cleanup(s.stop)
}

// tongues are sentences of many languages.
var tongues = map[string]string{
	"en": "Good morning, how are you?", "hi": "नमस्ते, आप कैसे हैं?", "ta": "வணக்கம், எப்படி இருக்கிறீர்கள்?", "de": "Guten Morgen, wie geht es?",
	"fr": "Bonjour, comment ça va?", "es": "Buenos días, ¿qué tal?", "it": "Buongiorno, come sta?", "pt": "Bom dia, tudo bem?",
	"ru": "Доброе утро, как дела?", "pl": "Dzień dobry, co słychać?", "tr": "Günaydın, nasılsınız?", "bn": "নমস্কার, কেমন আছেন?",
	"te": "నమస్కారం, ఎలా ఉన్నారు?", "mr": "नमस्कार, कसे आहात?", "nl": "Goedemorgen, hoe gaat het?", "sv": "God morgon, hur mår du?",
	"el": "Καλημέρα, τι κάνετε;", "ko": "안녕하세요, 반갑습니다.", "ja": "おはようございます。元気ですか。", "zh": "早上好，你好吗？",
}

// TestLengthyLiveTogether speaks twenty languages at once: each sounds as it does alone.
func TestLengthyLiveTogether(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	speak := func(kind, language, text string) *heard {
		c, a := s.dialIn(kind, language)
		if c == nil {
			return &heard{err: errors.New(a.body)}
		}
		for _, word := range strings.SplitAfter(text, " ") {
			c.say(word)
		}
		c.end()
		return c.listen()
	}
	var together sync.Map
	var wg sync.WaitGroup
	at := 0
	kindOf := map[string]string{}
	for language, text := range tongues {
		kind := kinds[at%3]
		kindOf[language] = kind
		at++
		wg.Go(func() { together.Store(language, speak(kind, language, text)) })
	}
	wg.Wait()
	for language, text := range tongues {
		got, _ := together.Load(language)
		alone := speak(kindOf[language], language, text)
		if h := got.(*heard); !h.whole() || !alone.whole() || !sameButForPause(h.audio, alone.audio) {
			t.Errorf("%s on %s: %s together, %s alone; want the same", language, kindOf[language], h, alone)
		}
	}
	s.stop()
}

// sameButForPause reports whether the same is said in two pieces of PCM at 24 kHz.
// What is flushed is spoken with the pause behind it unless the end of the text has
// come by then, and some voices die away in that pause, so that it is no silence
// that could be held.
func sameButForPause(a, b []byte) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	// The last 4 ms of the shorter one were resampled with silence behind them.
	const edge, longest, quiet = 2 * 24 * 4, 2 * 24 * 500, 500
	n := max(0, len(a)-edge)
	if !bytes.Equal(a[:n], b[:n]) || len(b)-len(a) > longest {
		return false
	}
	for i := len(a); i+1 < len(b); i += 2 {
		if s := int16(binary.LittleEndian.Uint16(b[i:])); s > quiet || s < -quiet {
			return false
		}
	}
	return true
}

// dialIn asks for a socket that speaks a language with any voice.
func (s *server) dialIn(kind, language string) (*socket, answered) {
	u, err := url.Parse(s.address(kind, language))
	if err != nil {
		s.t.Fatal(err)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(s.t.Context(), u.String(), http.Header{"Authorization": {"Bearer " + s.key}})
	a := answered{what: "dial " + kind + " in " + language}
	if resp != nil {
		a.status, a.header = resp.StatusCode, resp.Header
	}
	if err != nil {
		a.body = err.Error()
		return nil, a
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return &socket{Conn: conn, t: s.t, kind: kind}, a
}

// TestLengthyLiveUnbroken: a text without full stops, or even spaces, is spoken before
// it is over, however it is sent.
func TestLengthyLiveUnbroken(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	for language, unit := range map[string]string{
		"zh": "今天天气很好我们去公园散步吧", "ja": "きょうはてんきがいいのでこうえんへさんぽにいきましょう",
		"en": "and then they went on and ",
	} {
		for _, kind := range kinds {
			c, a := s.dialIn(kind, language)
			if c == nil {
				t.Errorf("%s: %s", a.what, a.body)
				continue
			}
			text := []rune(strings.Repeat(unit, 2400/len([]rune(unit))))
			for len(text) > 0 {
				n := min(10, len(text))
				c.say(string(text[:n]))
				text = text[n:]
			}
			c.begun() // or it would fall idle
			c.end()
			if got := c.listen(); !got.whole() {
				t.Errorf("%s on %s: %s", language, kind, got)
			}
		}
	}
	s.stop()
}

// TestLengthyLiveIdle: a socket on which nothing comes is told so, whether it has begun or
// not and whatever it pings, but for the native one.
func TestLengthyLiveIdle(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	var wg sync.WaitGroup
	for _, kind := range kinds {
		for _, deed := range []string{"nothing", "begun", "half a frame"} {
			wg.Go(func() {
				c, a := s.dial(s.key, kind, "&inactivity_timeout=1")
				if c == nil {
					t.Errorf("%s: %s", a.what, a.body)
					return
				}
				switch deed {
				case "begun":
					c.say(whisper)
					c.flush()
				case "half a frame":
					c.raw(frameOf(1, false, []byte(`{"text":"He`)))
				}
				began := time.Now()
				got := c.listen()
				if got.code != "input_timeout_exceeded" || got.closed != websocket.ClosePolicyViolation || deed == "begun" && len(got.audio) == 0 {
					t.Errorf("%s with %s: %s after %v, want input_timeout_exceeded and 1008", kind, deed, got, time.Since(began))
				}
			})
		}
	}
	wg.Wait()
	s.stop()
}

// TestLiveTLS: sockets of an HTTPS listener are those of any other, also where
// clients add the version to an address that has it.
func TestLiveTLS(t *testing.T) {
	t.Parallel()
	cert, key, roots := selfSigned(t)
	s := start(t, "--tls-cert", cert, "--tls-key", key)
	d := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: roots}}
	for _, kind := range kinds {
		conn, resp, err := d.DialContext(t.Context(), strings.Replace(s.address(kind, "en"), "/v1/", "/v1/v1/", 1), http.Header{"Xi-Api-Key": {s.key}})
		if err != nil {
			t.Fatalf("dial %s: %v, %v", kind, err, resp)
		}
		c := &socket{Conn: conn, t: t, kind: kind}
		c.say(story)
		c.end()
		if got := c.listen(); !got.whole() {
			t.Errorf("%s over TLS: %s", kind, got)
		}
		_ = conn.Close()
	}
	s.stop()
}
