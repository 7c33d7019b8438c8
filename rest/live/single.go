package live

import (
	"context"
	"errors"
	"time"

	"github.com/gorilla/websocket"

	"vaak/dictionary"
	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/speech/chunk"
)

// single is a socket of one utterance.
type single struct {
	*connection
	wire wire
	live *live // nil until there is text
	idle *time.Timer
	// spoken is how far a cancelled session came; nil for others.
	spoken *speech.Spoken
	over   bool                 // the client has sent the end of the text
	named  []dictionary.Locator // the dictionaries of the last message that named any before the first text
}

// errDone ends a socket whose session has spoken everything.
var errDone = errors.New("done")

// conduct serves the socket until it is closed.
func (s *single) conduct() {
	s.idle = time.NewTimer(s.request.Idle)
	defer s.idle.Stop()
	s.finish(s.attend())
}

// attend handles messages and events until the session ends, and returns why: errDone when it has
// spoken everything.
func (s *single) attend() error {
	draining := s.handler.draining
	for {
		var done chan struct{} // nil, and so never ready, before there is a session
		if s.live != nil {
			done = s.live.done
		}
		select {
		case m := <-s.inbox:
			f, err := s.take(m)
			if err == nil {
				err = s.obey(f)
			}
			if err != nil {
				return err
			}
		case <-s.pings:
			if s.wire.lively() {
				s.touch()
			}
		case <-s.idle.C: // the timer is stopped when a session opens, which has its own timeout
			return message.TimedOut(s.request.Idle)
		case <-done:
			return s.said()
		case <-draining:
			// A session that speaks may finish, until stopping. A nil channel is never ready, so the
			// loop does not spin on one that stays closed.
			if s.live == nil {
				return message.ErrStopping
			}
			draining = nil
		case <-s.handler.stopping:
			return message.ErrStopping
		case <-s.late:
			return s.errLate()
		case <-s.present.Done():
			return context.Cause(s.present)
		}
	}
}

// said returns why the session has ended. Without an error it first sends the alignment that is
// still due.
func (s *single) said() error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if s.live.err != nil {
		// First the error, then the alignment: of a session that failed the remainder of the
		// alignment has no audio.
		return s.live.err
	}
	if err := s.live.out.flush(); err != nil {
		return err
	}
	return errDone
}

// touch restarts the inactivity timeout.
func (s *single) touch() {
	if s.live != nil {
		s.live.Touch()
		return
	}
	s.idle.Reset(s.request.Idle)
}

// obey does what a frame asks for.
func (s *single) obey(f message.Message) error {
	s.touch()
	switch {
	case f.Cancel:
		return s.cancel(f)
	case s.over:
		// Text after the end is dropped. Cancel above is still obeyed, because the audio of the text
		// may go on for long.
		return nil
	}
	s.configure(f)
	// The empty text ends the input, in both dialects.
	if f.Text != nil && *f.Text == "" {
		return s.end()
	}
	if err := s.say(f); err != nil || s.live == nil {
		return err
	}
	switch {
	case f.Flush:
		s.live.flushAll()
	case f.Trigger:
		s.live.Trigger()
	}
	return nil
}

// configure applies the settings of a message. Settings after the first text change nothing. It
// only notes dictionaries and does not look them up, because a later message may replace them
// before the first text.
func (s *single) configure(f message.Message) {
	if s.live != nil {
		return
	}
	configure(&s.request, f)
	if len(f.Dictionaries) > 0 {
		s.named = f.Dictionaries
	}
}

// configure applies the settings of a message of the dialect to a request.
func configure(r *speech.SessionRequest, f message.Message) {
	if f.Speed != nil {
		r.Speed = message.Clamp(*f.Speed, speech.MinSpeed, speech.MaxSpeed)
	}
	if f.Schedule != nil && r.Chunks.Mode == chunk.Schedule {
		r.Chunks.Characters = f.Schedule
	}
}

// say adds the text of a message. The first text opens the session.
func (s *single) say(f message.Message) error {
	// The first message of a client of the dialect is a space with the settings. It opens
	// no session, because messages after it may still change them.
	if f.Text == nil || s.live == nil && *f.Text == " " {
		return nil
	}
	if s.live == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	return s.live.say(*f.Text)
}

// begin opens the session, with the dictionaries that were named last.
func (s *single) begin() error {
	ready, err := s.use(s.named)
	if err != nil {
		return err
	}
	s.request.Dictionaries = ready
	session, err := s.handler.open(s.caller, s.request)
	if err != nil {
		return err
	}
	s.idle.Stop()
	var ends *gaps
	if s.words {
		ends = &gaps{}
	}
	out, gaps := s.wire.audio(s.connection, ends), newGaps(s.request)
	if d, ok := out.(*dialectAudio); ok {
		d.gaps = gaps
	}
	s.live = s.start(session, out, nil, nil)
	// After start, because only the conductor reads these. The writer of the audio has its own
	// references to gaps and ends, which it got before the session could write.
	s.live.gaps, s.live.ends, s.live.eager = gaps, ends, s.request.Chunks.Mode == chunk.Eager
	return nil
}

// end handles the end of the text.
func (s *single) end() error {
	s.over = true
	if s.live == nil {
		return errDone
	}
	s.live.End()
	return nil
}

// cancel stops the session at once.
func (s *single) cancel(f message.Message) error {
	s.spoken = &speech.Spoken{}
	if s.live != nil {
		*s.spoken = s.live.stop(heard(f))
	}
	return errDone
}

// heard returns how much of the audio the listener has heard, as a message says.
func heard(f message.Message) time.Duration {
	if f.Played == nil {
		return everything
	}
	return *f.Played
}

// finish ends the session if it still runs, and closes the socket with its last frame.
func (s *single) finish(why error) {
	// First, because stopping the session waits for the frame that it is writing, and a client that
	// has left or stopped reading would block that.
	defer s.boundClosing(why)()
	if s.live != nil {
		if why != errDone {
			s.live.stop(everything)
		}
		<-s.live.done // from here on the result does not change
		s.add(s.live.result)
	}
	if why != errDone {
		s.fail(why)
		return
	}
	last := s.wire.done(s)
	if s.spoken != nil {
		last = s.wire.cancelled(s)
	}
	s.endWith(last, websocket.CloseNormalClosure, "")
}

// fail closes the socket with an error.
func (s *single) fail(why error) {
	s.note(why)
	if isGone(why) {
		return
	}
	f, code := message.Trouble(why)
	var last []byte
	if why != message.ErrStopping || s.live != nil { // without text the stop cost the client nothing
		last = s.wire.failed(f)
	}
	s.endWith(last, code, f.Msg)
}
