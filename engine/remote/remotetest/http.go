package remotetest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kinds are those that this package serves itself.
var kinds = []string{"openai", "vllm-omni", "sglang-omni", "kokoro-fastapi", "speaches", "fish"}

// serveHTTP serves the kinds over HTTP.
func serveHTTP(l net.Listener, v *Voice) error {
	s := &httpServer{v, v.options.Kind}
	mux := http.NewServeMux()
	health := "GET /health"
	if s.kind == "fish" {
		health = "GET /v1/health"
		mux.HandleFunc("POST /v1/tts", s.speech)
		mux.HandleFunc("GET /v1/references/list", s.voices)
	} else {
		mux.HandleFunc("POST /v1/audio/speech", s.speech)
		mux.HandleFunc("GET /v1/audio/voices", s.voices)
	}
	if s.kind == "openai" {
		health = "GET /v1/models" // the only one that all have
	}
	if s.kind == "kokoro-fastapi" {
		mux.HandleFunc("POST /dev/captioned_speech", s.speech)
	}
	mux.HandleFunc(health, s.health)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	return server.Serve(l)
}

type httpServer struct {
	*Voice
	kind string
}

func record(r *http.Request) Request {
	return Request{Path: r.URL.RequestURI(), Protocol: r.Proto, Header: r.Header}
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{ // the client may be gone
		"message": message, "type": "invalid_request_error", "code": status,
	}})
}

func (s *httpServer) admits(w http.ResponseWriter, r *http.Request) bool {
	if s.options.Key == "" || r.Header.Get("Authorization") == "Bearer "+s.options.Key {
		return true
	}
	fail(w, http.StatusUnauthorized, "Invalid API key")
	return false
}

func (s *httpServer) health(w http.ResponseWriter, r *http.Request) {
	s.Note(record(r))
	switch s.Peek().Trouble {
	case Sick, Overload:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"status":"unhealthy"}`)
		return
	case Error:
		fail(w, http.StatusInternalServerError, "engine dead")
		return
	case Hang:
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if s.kind == "openai" {
		if s.admits(w, r) {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tts-1","object":"model"}]}`)
		}
		return
	}
	_, _ = io.WriteString(w, `{"status":"healthy"}`)
}

func (s *httpServer) voices(w http.ResponseWriter, r *http.Request) {
	s.Note(record(r))
	names := s.options.Voices
	if len(names) == 0 {
		names = []string{"one", "two"}
	}
	var body any
	switch s.kind {
	case "fish":
		body = map[string]any{"success": true, "reference_ids": names, "message": "ok"}
	case "kokoro-fastapi", "speaches":
		var all []map[string]string
		for _, n := range names {
			all = append(all, map[string]string{"id": n, "name": n})
		}
		body = map[string]any{"voices": all}
	default:
		body = map[string]any{"voices": names, "uploaded_voices": []any{}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// languages are the words that vLLM-Omni with Qwen3-TTS and SGLang-Omni know.
var languages = []string{"Auto", "Chinese", "English", "Japanese", "Korean", "German", "French", "Russian", "Portuguese", "Spanish", "Italian"}

// form is how the answer is written.
type form int

const (
	raw form = iota
	wav
	events
	captions
)

// plan says what a request asks for, or what is wrong with it.
func (s *httpServer) plan(r *http.Request, fields map[string]any) (text, voice string, f form, rate int, err error) {
	str := func(name string) string { v, _ := fields[name].(string); return v }
	flag := func(name string, otherwise bool) bool {
		if v, ok := fields[name].(bool); ok {
			return v
		}
		return otherwise
	}
	if s.kind == "fish" {
		text, voice, f = str("text"), str("reference_id"), wav
		if format := str("format"); format == "pcm" && !flag("streaming", false) {
			f = raw
		} else if format != "" && format != "wav" {
			return "", "", 0, 0, errors.New("streaming gives WAV alone")
		}
		for name, limits := range map[string][2]float64{"temperature": {0.1, 1}, "top_p": {0.1, 1}, "repetition_penalty": {0.9, 2}} {
			if x, ok := fields[name].(float64); ok && (x < limits[0] || x > limits[1]) {
				return "", "", 0, 0, fmt.Errorf("%s must be %v to %v", name, limits[0], limits[1])
			}
		}
	} else {
		text, voice = str("input"), str("voice")
		format := str("response_format")
		switch format {
		case "pcm":
		case "wav":
			f = wav
		default:
			return "", "", 0, 0, fmt.Errorf("this test server makes pcm and wav, not %q", format)
		}
		sse := false
		switch s.kind {
		case "vllm-omni":
			sse = str("stream_format") == "sse" || flag("stream", false) && str("stream_format") != "audio"
			if flag("word_timestamps", false) {
				if sse || str("stream_format") != "" {
					return "", "", 0, 0, errors.New("word_timestamps is not supported with streaming")
				}
				if s.options.NoTimes {
					return "", "", 0, 0, errors.New("word_timestamps requires the server to be launched with --forced-aligner")
				}
			}
		case "sglang-omni":
			sse = flag("stream", false) && str("stream_format") == "sse"
			if flag("stream", false) && format != "pcm" {
				return "", "", 0, 0, errors.New("stream=true requires response_format='pcm'")
			}
		case "speaches", "openai":
			sse = str("stream_format") == "sse"
		case "kokoro-fastapi":
			if strings.HasPrefix(r.URL.Path, "/dev/") {
				f = captions
			}
		}
		if sse {
			f = events
		}
		if s.kind == "sglang-omni" || s.kind == "speaches" || s.kind == "openai" {
			if str("model") == "" || voice == "" {
				return "", "", 0, 0, errors.New("model and voice are required")
			}
		}
		if word, sent := fields["language"]; sent && (s.kind == "sglang-omni" || s.kind == "vllm-omni") {
			if w, _ := word.(string); !slices.ContainsFunc(languages, func(l string) bool { return strings.EqualFold(l, w) }) {
				return "", "", 0, 0, fmt.Errorf("language must be one of: %s", strings.Join(languages, ", "))
			}
		}
		if x, ok := fields["sample_rate"].(float64); ok && (s.kind == "vllm-omni" || s.kind == "speaches" && f != events) {
			rate = int(x)
		}
	}
	if text == "" {
		return "", "", 0, 0, errors.New("the text is empty")
	}
	if voice != "" && len(s.options.Voices) > 0 && !slices.Contains(s.options.Voices, voice) {
		return "", "", 0, 0, fmt.Errorf("voice %q not found", voice)
	}
	return text, voice, f, rate, nil
}

func (s *httpServer) speech(w http.ResponseWriter, r *http.Request) {
	if !s.admits(w, r) {
		s.Note(record(r))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
	var fields map[string]any
	if err == nil {
		err = json.Unmarshal(body, &fields)
	}
	req := record(r)
	if err != nil {
		s.Note(req)
		fail(w, http.StatusUnprocessableEntity, "the body is no JSON")
		return
	}
	req.Body = body
	var f form
	var rate int
	req.Text, req.Voice, f, rate, err = s.plan(r, fields)
	if err != nil {
		req.Text, _ = fields["input"].(string)
		s.Note(req)
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	speech := s.Begin(req, rate)
	defer speech.End("cancelled") // if nothing else was said
	if s.early(w, r, speech, f) {
		return
	}
	how, err := s.write(w, r, speech, f, fields)
	switch {
	case errors.Is(err, ErrReset):
		speech.End("fault")
		reset(w, r)
	case err == nil:
		speech.End(how)
	case speech.Fault.Trouble != None && r.Context().Err() == nil:
		speech.End("fault")
	}
}

// early does what a fault does instead of an answer.
func (s *httpServer) early(w http.ResponseWriter, r *http.Request, speech *Speech, f form) bool {
	over := func(status int, message string) bool {
		if after := speech.Fault.RetryAfter; after != "" {
			w.Header().Set("Retry-After", after)
		}
		fail(w, status, message)
		speech.End("fault")
		return true
	}
	switch speech.Fault.Trouble {
	case Hang:
		<-r.Context().Done()
		return true
	case Error:
		return over(http.StatusInternalServerError, "CUDA out of memory while speaking "+speech.request.Text)
	case Busy:
		return over(http.StatusTooManyRequests, "rate limit")
	case Overload:
		return over(http.StatusServiceUnavailable, "queue full")
	case Denied:
		return over(http.StatusUnauthorized, "invalid key")
	case Refused:
		return over(http.StatusBadRequest, "cannot speak "+strconv.Quote(speech.request.Text))
	case JSON:
		return over(http.StatusOK, "worker lost")
	case Redirect:
		http.Redirect(w, r, speech.Fault.To, http.StatusTemporaryRedirect)
		speech.End("fault")
		return true
	case Page:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><title>502 Bad Gateway</title></html>")
		speech.End("fault")
		return true
	case Garbage:
		s.head(w, speech, f)
		noise := make([]byte, 4097)
		for i := range noise {
			noise[i] = byte(rand.Uint32())
		}
		_, _ = w.Write(noise)
		speech.End("fault")
		return true
	case Long:
		s.head(w, speech, f)
		begin, line := `data: {"type":"speech.audio.delta","audio":"`, strings.Repeat("A", 1<<16)
		switch f {
		case wav:
			begin, line = "RIFF\xff\xff\xff\xffWAVE", strings.Repeat("JUNK\x08\x00\x00\x00junkjunk", 1<<12)
		case captions:
			begin = `{"audio":"`
		}
		_, err := io.WriteString(w, begin)
		for i := 0; i < 4096 && err == nil; i++ {
			_, err = io.WriteString(w, line)
		}
		speech.End("fault")
		return true
	}
	return false
}

// head writes the headers of a good answer.
func (s *httpServer) head(w http.ResponseWriter, speech *Speech, f form) {
	h := w.Header()
	switch f {
	case events:
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
	case wav:
		h.Set("Content-Type", "audio/wav")
	case captions:
		h.Set("Content-Type", "application/json")
	default:
		h.Set("Content-Type", "audio/pcm")
	}
	if s.kind == "sglang-omni" && (f == raw || f == events) {
		h.Set("X-Sample-Rate", strconv.Itoa(speech.Rate))
		h.Set("X-Channels", "1")
		h.Set("X-Bit-Depth", "16")
	}
	if speech.Fault.Trouble == WrongRate && f != wav {
		h.Set("X-Sample-Rate", strconv.Itoa(speech.Rate))
	}
}

// write writes an answer. The error says that it could not be written, or is one of Next.
func (s *httpServer) write(w http.ResponseWriter, r *http.Request, speech *Speech, f form, fields map[string]any) (string, error) {
	s.head(w, speech, f)
	if s.kind == "vllm-omni" && fields["word_timestamps"] == true {
		return s.buffered(w, r, speech, f)
	}
	control := http.NewResponseController(w)
	b := &writer{ResponseWriter: w, server: s, form: f}
	b.times = speech.Words()
	b.rate = speech.Rate
	if f == wav && speech.Fault.Trouble != Empty && !s.options.Bare {
		if _, err := w.Write(wavHeader(speech.Rate, 0, s.kind != "fish")); err != nil {
			return "", err
		}
	}
	for {
		pcm, err := speech.Next(r.Context())
		switch {
		case err == nil:
			if err := b.chunk(pcm); err != nil {
				return "", err
			}
			if err := control.Flush(); err != nil {
				return "", err
			}
			continue
		case errors.Is(err, io.EOF):
			if speech.Fault.Trouble == HalfSample {
				if err := b.chunk([]byte{1}); err != nil {
					return "", err
				}
			}
			return "done", b.done()
		case errors.Is(err, ErrShort):
			return "fault", nil
		case errors.Is(err, ErrFailed):
			if f != events {
				return "", ErrReset
			}
			return "fault", b.failed(speech.request.Text)
		}
		return "", err
	}
}

// buffered writes a whole answer with the times of its words.
func (s *httpServer) buffered(w http.ResponseWriter, r *http.Request, speech *Speech, f form) (string, error) {
	var all []byte
	for {
		pcm, err := speech.Next(r.Context())
		all = append(all, pcm...)
		if errors.Is(err, ErrFailed) {
			fail(w, http.StatusInternalServerError, "generation failed")
			return "fault", nil
		} else if errors.Is(err, io.EOF) || errors.Is(err, ErrShort) {
			break
		} else if err != nil {
			return "", err
		}
		if len(all) > 64<<20 {
			return "fault", nil // silence without end
		}
	}
	type word struct {
		Word  string  `json:"word"`
		Start float64 `json:"start_ms"`
		End   float64 `json:"end_ms"`
	}
	var words []word
	for _, t := range speech.Words() {
		words = append(words, word{t.Word, float64(t.Start.Milliseconds()), float64(t.End.Milliseconds())})
	}
	header, err := json.Marshal(words)
	if err != nil {
		return "", err
	}
	if ascii := asciiJSON(header); len(ascii) <= 4096 {
		w.Header().Set("X-Word-Timestamps", ascii)
	} else {
		w.Header().Set("X-Word-Timestamps-Omitted", "true")
	}
	if speech.Fault.Trouble == HalfSample {
		all = append(all, 1)
	}
	if f == wav {
		if _, err := w.Write(wavHeader(speech.Rate, len(all), true)); err != nil {
			return "", err
		}
	}
	_, err = w.Write(all)
	return "done", err
}

// asciiJSON escapes what is not ASCII.
func asciiJSON(b []byte) string {
	var s strings.Builder
	for _, r := range string(b) {
		switch {
		case r < 0x80:
			s.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&s, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&s, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return s.String()
}

// wavHeader returns the header of 16-bit mono. Without a length it says that of a stream: the
// largest, or 0 as Fish-speech does.
func wavHeader(rate, bytes int, largest bool) []byte {
	size := uint32(bytes)
	if bytes == 0 && largest {
		size = 0xffffffff
	}
	riff := size + 36
	if size == 0xffffffff {
		riff = size
	}
	h := []byte("RIFF....WAVEfmt ")
	binary.LittleEndian.PutUint32(h[4:], riff)
	h = binary.LittleEndian.AppendUint32(h, 16)
	h = binary.LittleEndian.AppendUint16(h, 1)
	h = binary.LittleEndian.AppendUint16(h, 1)
	h = binary.LittleEndian.AppendUint32(h, uint32(rate))
	h = binary.LittleEndian.AppendUint32(h, uint32(2*rate))
	h = binary.LittleEndian.AppendUint16(h, 2)
	h = binary.LittleEndian.AppendUint16(h, 16)
	h = append(h, "data"...)
	return binary.LittleEndian.AppendUint32(h, size)
}

// writer writes chunks in a form.
type writer struct {
	http.ResponseWriter
	server *httpServer
	form   form
	line   []byte
	times  []Timed
	rate   int
	sent   int // samples
}

func (b *writer) chunk(pcm []byte) error {
	b.sent += len(pcm) / 2
	switch b.form {
	case events:
		b.line = b.line[:0]
		if b.server.kind == "vllm-omni" {
			b.line = append(b.line, "event: speech.audio.delta\n"...)
		}
		b.line = append(b.line, `data: {"type":"speech.audio.delta","audio":"`...)
		b.line = base64.StdEncoding.AppendEncode(b.line, pcm)
		b.line = append(b.line, '"')
		if b.server.kind == "vllm-omni" {
			b.line = append(b.line, `,"response_format":"pcm"`...)
		}
		b.line = append(b.line, "}\n\n"...)
		_, err := b.Write(b.line)
		return err
	case captions:
		type word struct {
			Word  string  `json:"word"`
			Start float64 `json:"start_time"`
			End   float64 `json:"end_time"`
		}
		words := []word{}
		until := time.Duration(b.sent) * time.Second / time.Duration(b.rate)
		for len(b.times) > 0 && b.times[0].Start < until {
			t := b.times[0]
			words = append(words, word{t.Word, t.Start.Seconds(), t.End.Seconds()})
			b.times = b.times[1:]
		}
		return json.NewEncoder(b).Encode(map[string]any{
			"audio": base64.StdEncoding.EncodeToString(pcm), "audio_format": "audio/pcm", "timestamps": words,
		})
	}
	_, err := b.Write(pcm)
	return err
}

// done writes the mark of a whole answer.
func (b *writer) done() error {
	if b.form != events {
		return nil
	}
	line := `data: {"type":"speech.audio.done","usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}` + "\n\n"
	switch b.server.kind {
	case "vllm-omni":
		line = "event: speech.audio.done\n" + line
	case "sglang-omni":
		line = strings.Replace(line, `"usage"`, `"finish_reason":"stop","usage"`, 1)
	case "openai":
		line += "data: [DONE]\n\n"
	case "speaches":
		line = strings.Replace(line, `"usage"`, `"token_usage"`, 1)
	}
	_, err := io.WriteString(b, line)
	return err
}

// failed writes the event of an error, in which some servers repeat the text.
func (b *writer) failed(text string) error {
	quoted, err := json.Marshal("generation failed: " + text)
	if err != nil {
		return err
	}
	line := `data: {"type":"error","error":{"message":` + string(quoted) + `,"type":"server_error","code":500}}` + "\n\n"
	if b.server.kind != "sglang-omni" {
		line = "event: speech.audio.error\n" + strings.Replace(line, `"type":"error"`, `"type":"speech.audio.error"`, 1)
	}
	_, err = io.WriteString(b, line)
	return err
}

// reset breaks the connection, or with HTTP/2 the stream.
func reset(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			under := conn
			if t, ok := conn.(interface{ NetConn() net.Conn }); ok {
				under = t.NetConn()
			}
			if tcp, ok := under.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // closing sends a reset
			}
			_ = under.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}
