package speech

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"

	"vaak/account"
	"vaak/edge"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
	"vaak/speech"
	"vaak/speech/align"
)

// ttsInput holds the path and the raw body of a request in the ElevenLabs dialect. The method
// [textToSpeechRequest.request] reads the query.
type ttsInput struct {
	VoiceID string `path:"voice_id" doc:"Who speaks: an id of GET /v1/voices, which begins with sv_, or a name that it lists."`
	RawBody []byte `contentType:"application/json"`
}

// timedRecord describes audio with its timing, a whole answer or a line of one, as
// [elevenlabs.Line] writes it.
type timedRecord struct {
	Audio      string                         `json:"audio_base64" doc:"Audio in the output_format, in padded standard base64."`
	Alignment  frame.OrNull[elevenlabs.Times] `json:"alignment" doc:"The text as it was sent; null where no characters belong to the audio."`
	Normalized frame.OrNull[elevenlabs.Times] `json:"normalized_alignment" doc:"The text as it was read, numbers and signs in words; null likewise."`
	Estimated  bool                           `json:"estimated,omitempty" doc:"True where the times are estimated from the text and the sound, because the voice does not tell them; left out where they are known."`
}

// ttsAnswer answers a request to speak.
type ttsAnswer func(ctx context.Context, w http.ResponseWriter, caller account.Caller, req speech.Request) error

// textToSpeech serves a request to speak in the ElevenLabs dialect.
func (a *api) textToSpeech(stream bool, answer ttsAnswer) frame.Handler[ttsInput] {
	return func(w http.ResponseWriter, r *http.Request, in *ttsInput) error {
		var body textToSpeechRequest
		ignored, err := body.bind(in.RawBody)
		frame.NoteIgnored(w.Header(), ignored...)
		if err != nil {
			return err
		}
		query := r.URL.Query()
		req, err := body.request(in.VoiceID, query)
		if err != nil {
			return err
		}
		if req.Dictionaries, err = a.dictionaries(r, body.Dictionary, body.Locators); err != nil {
			return err
		}
		req.Stream = stream
		err = a.speaking(w, r, func(ctx context.Context, caller account.Caller) error {
			frame.DialectHeaders(w.Header(), edge.From(ctx), false)
			return answer(ctx, w, caller, req)
		})
		// Last, because the services name their own parameters.
		return body.inDialect(err, query)
	}
}

// speakChunks sends the bytes of the audio while it is made.
func (a *api) speakChunks(ctx context.Context, w http.ResponseWriter, caller account.Caller, req speech.Request) error {
	return a.speakStream(ctx, caller, req, &audioStream{writer: newFlusher(w)})
}

// speakTimedChunks sends lines of JSON while the audio is made.
func (a *api) speakTimedChunks(ctx context.Context, w http.ResponseWriter, caller account.Caller, req speech.Request) error {
	return a.speakStream(ctx, caller, req, &timedStream{writer: newFlusher(w)})
}

// speakTimed sends one JSON object when all audio is made.
func (a *api) speakTimed(ctx context.Context, w http.ResponseWriter, caller account.Caller, req speech.Request) error {
	var whole timedWhole
	defer whole.Close()
	return a.collect(ctx, caller, req, &whole, func(res speech.Result) error {
		line := elevenlabs.Line{Written: whole.written, Spoken: whole.spoken}
		head, tail := line.AppendHead(nil), line.AppendTail(nil)
		h := w.Header()
		speechHeaders(h, res.Info, res.Total)
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Length", strconv.Itoa(len(head)+base64.StdEncoding.EncodedLen(int(whole.Len()))+len(tail)))
		if _, err := w.Write(head); err != nil {
			return err
		}
		// Encoded while it is sent: the audio may be in a file, and its base64 is a third longer.
		encoder := base64.NewEncoder(base64.StdEncoding, w)
		if _, err := whole.WriteTo(encoder); err != nil {
			return err
		}
		if err := encoder.Close(); err != nil {
			return err
		}
		_, err := w.Write(tail)
		return err
	})
}

// timing collects the alignment of audio until it is sent.
type timing struct{ written, spoken align.Alignment }

// Follow takes the alignment of the audio of the next Write.
func (t *timing) Follow(written, spoken align.Alignment) {
	extend(&t.written, written)
	extend(&t.spoken, spoken)
}

// extend appends an alignment that follows directly.
func extend(a *align.Alignment, next align.Alignment) {
	if a.End == 0 && len(a.Characters) == 0 {
		a.Begin = next.Begin
	}
	a.Append(next)
}

// timedWhole collects a whole answer with its timing.
type timedWhole struct {
	speech.Whole
	timing
}

var _ speech.Follower = (*timedWhole)(nil)

// timedStream sends audio and its timing in lines of JSON.
type timedStream struct {
	timing
	writer  flusher
	started bool
	line    []byte // reused
}

var _ speech.Follower = (*timedStream)(nil)

// Start sets the headers.
func (s *timedStream) Start(info speech.Info) {
	s.started = true
	s.writer.start(info, "application/json")
}

// Write sends a piece of audio with the text that is heard in it.
func (s *timedStream) Write(p []byte) (int, error) {
	done := 0
	for line := range s.take(p) {
		s.line = line.Append(s.line[:0])
		if _, err := s.writer.write(s.line); err != nil {
			return done, err
		}
		done += len(line.Audio)
	}
	return done, nil
}

// take returns the lines for a piece of audio and the alignment that was collected before it.
func (s *timedStream) take(p []byte) func(func(elevenlabs.Line) bool) {
	line := elevenlabs.Line{Audio: p, Written: s.written, Spoken: s.spoken}
	// A new one, because the line still uses the slices of the old one.
	s.timing = timing{}
	return line.Lines()
}

func (s *timedStream) hurry(ctx context.Context) func() { return s.writer.hurry(ctx) }

func (s *timedStream) begun() bool { return s.writer.sent }

// finish sends the alignment of the remainder of the text, whose audio was already sent.
func (s *timedStream) finish(info speech.Info) error {
	if !s.started {
		s.Start(info)
	}
	if _, err := s.Write(nil); err != nil { // writes no line where nothing is left
		return err
	}
	s.writer.end(info)
	if !s.writer.sent {
		s.writer.w.WriteHeader(http.StatusOK)
	}
	return nil
}

// fail breaks the connection, because clients read every line as audio.
func (s *timedStream) fail(error) { panic(http.ErrAbortHandler) }
