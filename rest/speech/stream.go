package speech

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"vaak/rest/frame"
	"vaak/rest/openai"
	"vaak/speech"
)

// flusher sends each write at once.
type flusher struct {
	w       http.ResponseWriter
	control *http.ResponseController
	sent    bool
	leftOut int      // how many characters were left out of the audio, as the headers say
	told    []string // the notices in the headers
}

func newFlusher(w http.ResponseWriter) flusher {
	return flusher{w: w, control: http.NewResponseController(w)}
}

func (f *flusher) write(p []byte) (int, error) {
	f.sent = true // before the write: after a failed one the status may be sent
	n, err := f.w.Write(p)
	if err == nil {
		err = f.control.Flush()
	}
	if err != nil {
		return n, frame.ClientGone(err)
	}
	return n, nil
}

// hurryEvery is how often the deadline is set again. A write that begins after ctx has ended sets
// a deadline of its own, and is broken off at the next turn.
const hurryEvery = 50 * time.Millisecond

// hurry breaks off writes that block after ctx has ended, until done is called. It sets their
// deadline again and again, because each write sets its own.
func (f *flusher) hurry(ctx context.Context) (done func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		for {
			// The error says that the writer has no deadlines, as in tests.
			_ = f.control.SetWriteDeadline(time.Now())
			select {
			case <-over:
				return
			case <-time.After(hurryEvery):
			}
		}
	})
	return func() {
		close(over)
		if !stop() {
			<-ended // the writer must not be used after the handler has returned
		}
	}
}

// start sets the headers of all streams, which tell proxies not to buffer the answer.
func (f *flusher) start(info speech.Info, contentType string) {
	h := f.w.Header()
	f.leftOut, f.told = info.LeftOut, info.Notices
	speechHeaders(h, info, 0)
	h.Set("Content-Type", contentType)
	h.Set("X-Accel-Buffering", "no")
	h.Set("Cache-Control", "no-store")
}

// end sets the trailers: what became known after the headers were sent.
func (f *flusher) end(info speech.Info) {
	h := f.w.Header()
	// The prefix makes a trailer of a name that was not announced in the header Trailer: nobody
	// knew at the start that something would be left out, or that another voice would take over.
	if info.LeftOut != f.leftOut {
		h.Set(http.TrailerPrefix+"Character-Cost", strconv.Itoa(info.Characters))
	}
	for _, notice := range info.Notices {
		if !slices.Contains(f.told, notice) {
			h.Add(http.TrailerPrefix+"X-Notice", frame.Printable(notice))
		}
	}
}

// audioStream sends audio as it is.
type audioStream struct {
	writer  flusher
	started bool
}

// Start sets the headers.
func (s *audioStream) Start(info speech.Info) {
	s.started = true
	s.writer.start(info, info.Format.ContentType())
}

// Write sends a piece of audio.
func (s *audioStream) Write(p []byte) (int, error) { return s.writer.write(p) }

func (s *audioStream) hurry(ctx context.Context) func() { return s.writer.hurry(ctx) }

func (s *audioStream) begun() bool { return s.writer.sent }

func (s *audioStream) finish(info speech.Info) error {
	if s.writer.sent {
		s.writer.end(info)
		return nil
	}
	// A text without anything to speak has no audio, and its answer no body.
	if !s.started {
		s.Start(info)
	}
	s.writer.w.WriteHeader(http.StatusOK)
	return nil
}

// fail breaks the connection, because a stream of audio bytes cannot hold an error.
func (s *audioStream) fail(error) { panic(http.ErrAbortHandler) }

// eventStream sends audio in server-sent events.
type eventStream struct {
	writer  flusher
	started bool
	event   []byte // reused
}

// Start sets the headers.
func (s *eventStream) Start(info speech.Info) {
	s.started = true
	s.writer.start(info, "text/event-stream")
}

// Write sends a piece of audio, as one event or more.
func (s *eventStream) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		piece := p[done:min(done+openai.MaxDelta, len(p))]
		s.event = openai.AppendDelta(s.event[:0], piece)
		if _, err := s.writer.write(s.event); err != nil {
			return done, err
		}
		done += len(piece)
	}
	return done, nil
}

func (s *eventStream) hurry(ctx context.Context) func() { return s.writer.hurry(ctx) }

func (s *eventStream) begun() bool { return s.writer.sent }

func (s *eventStream) finish(info speech.Info) error {
	if !s.started {
		s.Start(info)
	}
	_, err := s.writer.write(openai.AppendDone(s.event[:0], info.Characters))
	s.writer.end(info)
	return err
}

// fail sends an event that says why the stream ends.
func (s *eventStream) fail(err error) {
	if _, werr := s.writer.write(openai.AppendError(s.event[:0], frame.ErrorObject(err))); werr != nil {
		panic(http.ErrAbortHandler)
	}
}
