package console

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
)

// ndjson is the media type of a stream of lines of JSON.
const ndjson = "application/x-ndjson"

// playStream sends sound as it is made, in lines of JSON that the playground's script
// reads. In their order:
//
//	{"start":{"voice":…,"speaker":…,"language":…,"characters":…,"format":…,"content_type":…,"sample_rate":…,"file":…,"file_name":…,"notices":[…]}}
//	{"audio":"base64 of 16-bit little-endian mono PCM","words":[[from,to,at_ms,until_ms],…]}
//	{"file":"base64 of a piece of the chosen format"}
//	{"head":"base64 that replaces the first bytes of the file"}
//	{"end":{"charged":…,"audio_ms":…,"first_audio_ms":…,"total_ms":…}} or {"error":{"message":…,"number":…}}
//
// The sound is made once: what is heard goes through the encoder of the file as well.
// Of wav and pcm there is no file, since the sound is it.
type playStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	format  audio.Format // of the file
	rate    int          // of the sound, in Hz
	file    audio.Writer // nil where the sound is the file
	words   wordLine
	started bool
	sent    bool
	pcm     []int16 // reused
	line    []byte  // reused
}

var (
	_ speech.Starter  = (*playStream)(nil)
	_ speech.Follower = (*playStream)(nil)
	_ speech.Finisher = (*playStream)(nil)
)

// newPlayStream returns a stream of a format that was checked. It must be closed.
func newPlayStream(w http.ResponseWriter, f audio.Format) (*playStream, error) {
	s := &playStream{w: w, control: http.NewResponseController(w), format: f, rate: codec.InputRate(f)}
	if f.Codec == audio.PCM || f.Codec == audio.WAV {
		return s, nil
	}
	var err error
	s.file, err = codec.NewEncoder(filePieces{s}, f, codec.File)
	return s, err
}

// sound is the format in which the service is asked to speak.
func (s *playStream) sound() audio.Format { return audio.Format{Codec: audio.PCM, SampleRate: s.rate} }

// playStart is what is known when the first sound is there.
type playStart struct {
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

// Start sends the head of the answer with the first sound.
func (s *playStream) Start(info speech.Info) {
	s.started = true
	h := s.w.Header()
	playHead(h, ndjson)
	h.Set("X-Accel-Buffering", "no")
	line, _ := json.Marshal(map[string]playStart{"start": { // strings and numbers always can be
		Voice: string(info.Voice), Speaker: voiceWords(info.Voice), Language: string(info.Language), Characters: info.Characters,
		Format: string(s.format.Codec), ContentType: s.format.ContentType(), SampleRate: s.rate,
		File: s.file != nil, FileName: fileName(info, s.format), Notices: info.Notices,
	}})
	s.line = append(append(s.line[:0], line...), '\n')
}

// Follow is told of the text of the next Write.
func (s *playStream) Follow(written, _ align.Alignment) { s.words.add(written) }

// Write sends sound with the words that are complete, and what comes of it in the file.
func (s *playStream) Write(p []byte) (int, error) {
	if err := s.send(p, s.words.taken()); err != nil {
		return 0, err
	}
	if s.file == nil {
		return len(p), nil
	}
	s.pcm = s.pcm[:0]
	for i := 0; i+1 < len(p); i += 2 {
		s.pcm = append(s.pcm, int16(binary.LittleEndian.Uint16(p[i:])))
	}
	return len(p), s.file.WritePCM(s.pcm)
}

// Finish sends the last word and the rest of the file.
func (s *playStream) Finish() error {
	s.words.finish()
	if words := s.words.taken(); len(words) > 0 {
		if err := s.send(nil, words); err != nil {
			return err
		}
	}
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// close gives back what the encoder holds, without sending anything any more.
func (s *playStream) close() {
	s.w = nil
	if s.file != nil {
		_ = s.file.Close() // what it could not send is not missed
	}
}

// send sends a line of sound and words.
func (s *playStream) send(pcm []byte, words []heard) error {
	s.line = append(s.line, `{"audio":"`...)
	s.line = base64.StdEncoding.AppendEncode(s.line, pcm)
	s.line = append(s.line, `","words":[`...)
	for i, w := range words {
		if i > 0 {
			s.line = append(s.line, ',')
		}
		for j, n := range [...]int{w.From, w.To, w.At, w.Until} {
			s.line = strconv.AppendInt(append(s.line, "[,,,"[j]), int64(n), 10)
		}
		s.line = append(s.line, ']')
	}
	s.line = append(s.line, "]}\n"...)
	return s.flush()
}

// flush sends the line that was written, at once.
func (s *playStream) flush() error {
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

// piece sends bytes of the file under a name.
func (s *playStream) piece(name string, p []byte) error {
	s.line = append(append(append(s.line, `{"`...), name...), `":"`...)
	s.line = base64.StdEncoding.AppendEncode(s.line, p)
	s.line = append(s.line, "\"}\n"...)
	return s.flush()
}

// filePieces takes the bytes of the file.
type filePieces struct{ s *playStream }

func (f filePieces) Write(p []byte) (int, error) {
	if err := f.s.piece("file", p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f filePieces) Rewrite(head []byte) error { return f.s.piece("head", head) }

// playEnd is what is known when all was spoken.
type playEnd struct {
	Charged    int     `json:"charged"` // characters
	Audio      int64   `json:"audio_ms"`
	FirstAudio float64 `json:"first_audio_ms"`
	Total      float64 `json:"total_ms"`
}

// end sends the last line.
func (s *playStream) end(res speech.Result) error {
	if !s.started {
		s.Start(res.Info)
	}
	return s.last("end", playEnd{
		Charged: res.Charged, Audio: res.Duration.Milliseconds(),
		FirstAudio: inMilliseconds(res.FirstAudio), Total: inMilliseconds(res.Total),
	})
}

// fail says why the sound breaks off.
func (s *playStream) fail(t playTrouble) {
	_ = s.last("error", t) // whoever left need not know
}

func (s *playStream) last(name string, what any) error {
	line, err := json.Marshal(map[string]any{name: what})
	if err != nil {
		return err
	}
	s.line = append(append(s.line, line...), '\n')
	return s.flush()
}

func inMilliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// hurry breaks off the write that goes on when ctx ends; done must be called when
// nothing is written under ctx any more.
func (s *playStream) hurry(ctx context.Context) (done func()) {
	control, ended := s.control, make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = control.SetWriteDeadline(time.Now()) // a writer without deadlines, as in tests, is not hurried
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
