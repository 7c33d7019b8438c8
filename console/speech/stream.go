package speech

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/internal/fault"
	"vaak/speech"
	"vaak/speech/align"
	"vaak/voice"
)

// ndjson is the media type of a stream of lines of JSON.
const ndjson = "application/x-ndjson"

// stream sends sound while it is made, in lines of JSON for the playground's script. The
// lines in their order:
//
//	{"start":{"voice":…,"speaker":…,"language":…,"characters":…,"format":…,"content_type":…,"sample_rate":…,"file":…,"file_name":…,"notices":[…]}}
//	{"audio":"base64 of 16-bit little-endian mono PCM","words":[[from,to,at_ms,until_ms],…]}
//	{"file":"base64 of a piece of the chosen format"}
//	{"head":"base64 that replaces the first bytes of the file"}
//	{"end":{"charged":…,"audio_ms":…,"first_audio_ms":…,"total_ms":…}} or {"error":{"message":…,"number":…}}
//
// The sound is made once: it goes to the script as PCM, and through the encoder of the
// chosen format as the file. With wav and pcm no file is sent, since the script makes it
// of the sound.
type stream struct {
	w       http.ResponseWriter
	voices  *voice.Directory
	control *http.ResponseController
	format  audio.Format // of the file
	rate    int          // of the sound, in Hz
	file    audio.Writer // nil where the sound is the file
	words   align.Words  // of the text that was spoken so far
	started bool
	sent    bool    // a line went out, so the status cannot change any more
	pcm     []int16 // reused
	line    []byte  // reused
}

var (
	_ speech.Starter  = (*stream)(nil)
	_ speech.Follower = (*stream)(nil)
	_ speech.Finisher = (*stream)(nil)
)

// newStream returns a stream for a file of a checked format. It must be closed.
func newStream(w http.ResponseWriter, voices *voice.Directory, f audio.Format) (*stream, error) {
	s := &stream{w: w, voices: voices, control: http.NewResponseController(w), format: f, rate: codec.InputRate(f)}
	if f.Codec == audio.PCM || f.Codec == audio.WAV {
		return s, nil
	}
	var err error
	s.file, err = codec.NewEncoder(filePieces{s}, f, codec.File)
	return s, err
}

// sound returns the format in which the service is to speak.
func (s *stream) sound() audio.Format { return audio.Format{Codec: audio.PCM, SampleRate: s.rate} }

// startLine is what is known when the first sound is made.
type startLine struct {
	Voice       string   `json:"voice"`   // id
	Speaker     string   `json:"speaker"` // name and language of the voice
	Language    string   `json:"language"`
	Characters  int      `json:"characters"`
	Format      string   `json:"format"`
	ContentType string   `json:"content_type"` // of the file
	SampleRate  int      `json:"sample_rate"`  // of the sound, in Hz
	File        bool     `json:"file"`         // pieces of it come
	FileName    string   `json:"file_name"`
	Notices     []string `json:"notices,omitempty"`
}

// Start prepares the first line. It goes out with the first sound, so that an error before
// it still gets a status of its own.
func (s *stream) Start(info speech.Info) {
	s.started = true
	h := s.w.Header()
	setHead(h, ndjson)
	h.Set("X-Accel-Buffering", "no")
	line, _ := json.Marshal(map[string]startLine{"start": { // strings and numbers can always be encoded
		Voice: string(info.Voice), Speaker: voiceWords(s.voices, info.Voice), Language: string(info.Language), Characters: info.Characters,
		Format: string(s.format.Codec), ContentType: s.format.ContentType(), SampleRate: s.rate,
		File: s.file != nil, FileName: fileName(s.voices, info, s.format), Notices: info.Notices,
	}})
	s.line = append(append(s.line[:0], line...), '\n')
}

// Follow adds the times of the text that the next Write speaks.
func (s *stream) Follow(written, _ align.Alignment) { s.words.Add(written) }

// Write sends sound with the words that are complete, and the file as far as it is encoded.
func (s *stream) Write(p []byte) (int, error) {
	if err := s.send(p, s.words.Take()); err != nil {
		return 0, err
	}
	if s.file == nil {
		return len(p), nil
	}
	s.pcm = s.pcm[:0]
	// The service writes whole samples of 16 bits.
	for i := 0; i+1 < len(p); i += 2 {
		s.pcm = append(s.pcm, int16(binary.LittleEndian.Uint16(p[i:])))
	}
	return len(p), s.file.WritePCM(s.pcm)
}

// Finish sends the last word and the remainder of the file.
func (s *stream) Finish() error {
	s.words.Finish()
	if words := s.words.Take(); len(words) > 0 {
		if err := s.send(nil, words); err != nil {
			return err
		}
	}
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// close releases the encoder. Nothing is sent any more.
func (s *stream) close() {
	// So that closing the encoder, which writes what it holds, sends nothing after the answer.
	s.w = nil
	if s.file != nil {
		_ = s.file.Close() // what it could not send is not missed
	}
}

// send sends a line of sound and words. The JSON is appended by hand to a buffer that is
// reused, since a line goes out several times a second for each listener.
func (s *stream) send(pcm []byte, words []align.Word) error {
	s.line = append(s.line, `{"audio":"`...)
	s.line = base64.StdEncoding.AppendEncode(s.line, pcm)
	s.line = append(s.line, `","words":[`...)
	for i, w := range words {
		if i > 0 {
			s.line = append(s.line, ',')
		}
		for j, n := range [...]int{w.Unit, w.UnitEnd(), w.At, w.Until} {
			// The first number follows a bracket, the others a comma.
			s.line = strconv.AppendInt(append(s.line, "[,,,"[j]), int64(n), 10)
		}
		s.line = append(s.line, ']')
	}
	s.line = append(s.line, "]}\n"...)
	return s.flush()
}

// flush sends the line at once.
func (s *stream) flush() error {
	if s.w == nil {
		return clientGone(nil)
	}
	s.sent = true
	_, err := s.w.Write(s.line)
	s.line = s.line[:0]
	if err == nil {
		err = s.control.Flush()
	}
	if err != nil {
		return clientGone(err)
	}
	return nil
}

// piece sends bytes of the file: "file" appends them, "head" replaces the first ones.
func (s *stream) piece(name string, p []byte) error {
	s.line = append(append(append(s.line, `{"`...), name...), `":"`...)
	s.line = base64.StdEncoding.AppendEncode(s.line, p)
	s.line = append(s.line, "\"}\n"...)
	return s.flush()
}

// filePieces is where the encoder writes the file.
type filePieces struct{ s *stream }

func (f filePieces) Write(p []byte) (int, error) {
	if err := f.s.piece("file", p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Rewrite replaces the head of the file, which for some formats holds the length.
func (f filePieces) Rewrite(head []byte) error { return f.s.piece("head", head) }

// endLine is what is known when all is spoken.
type endLine struct {
	Charged    int     `json:"charged"` // characters
	Audio      int64   `json:"audio_ms"`
	FirstAudio float64 `json:"first_audio_ms"`
	Total      float64 `json:"total_ms"`
}

// end sends the last line.
func (s *stream) end(res speech.Result) error {
	// A text that makes no sound has no first line yet.
	if !s.started {
		s.Start(res.Info)
	}
	return s.last("end", endLine{
		Charged: res.Charged, Audio: res.Duration.Milliseconds(),
		FirstAudio: inMilliseconds(res.FirstAudio), Total: inMilliseconds(res.Total),
	})
}

// fail sends why the sound breaks off.
func (s *stream) fail(t errorLine) {
	_ = s.last("error", t) // a browser that left is no fault of ours
}

func (s *stream) last(name string, what any) error {
	line, err := json.Marshal(map[string]any{name: what})
	if err != nil {
		return err
	}
	s.line = append(append(s.line, line...), '\n')
	return s.flush()
}

func inMilliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// hurry makes a blocked write fail as soon as ctx ends, so that a browser that stopped
// reading cannot hold its stream. The caller must call done when nothing is written any
// more.
func (s *stream) hurry(ctx context.Context) (done func()) {
	control, ended := s.control, make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = control.SetWriteDeadline(time.Now()) // fails on a writer without deadlines, as in tests
	})
	return func() {
		if !stop() {
			<-ended // the writer may not be used after the request
		}
	}
}

func clientGone(err error) error {
	return &fault.Error{Kind: fault.Cancelled, Code: "client_closed_request", Msg: "the browser went away", Err: err}
}
