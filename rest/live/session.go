package live

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/account"
	"vaak/audio"
	"vaak/internal/fault"
	"vaak/speech"
	"vaak/speech/chunk"
)

// session is the part of [speech.Session] that a socket uses.
type session interface {
	Format() audio.Format
	Notices() []string
	Cut(chunk.Config)
	Add(text string) error
	Flush()
	Trigger()
	End()
	Touch()
	Cancel(played time.Duration) speech.Spoken
	Run(ctx context.Context, w io.Writer) (speech.Result, error)
}

// opener opens sessions.
type opener func(account.Caller, speech.SessionRequest) (session, error)

// spoken is a session with the service that runs it.
type spoken struct {
	*speech.Session
	speaker Speaker
}

// Run speaks the session.
func (s spoken) Run(ctx context.Context, w io.Writer) (speech.Result, error) {
	return s.speaker.Run(ctx, s.Session, w)
}

func opening(speaker Speaker) opener {
	return func(caller account.Caller, req speech.SessionRequest) (session, error) {
		s, err := speaker.Open(caller, req)
		if err != nil {
			return nil, err
		}
		return spoken{s, speaker}, nil
	}
}

// everything is the audio position to report when a client cancels without saying how much it has
// heard: the session then counts all audio that was sent as heard.
const everything time.Duration = -1

// live is a session that is being spoken. Its methods are called by the
// conductor.
type live struct {
	session
	out audioWriter

	said    bool // text was added
	flushed bool // nothing was added since the last flush
	space   bool // a message with only a space came; the space is added before the next text
	eager   bool // such a space is added at once: it ends a word, which may then be spoken
	open    bool // the text so far does not end in white space

	characters int        // how many code points were added
	allowed    *allowance // of the socket; nil without a limit
	gaps       *gaps      // nil when fragments are not phrases of their own
	ends       *gaps      // of flushed phrases; nil when the client wants no words
	solid      int        // code points up to the last one that is no white space

	halt   chan struct{} // closed when the session must end
	done   chan struct{} // closed when Run has returned
	result speech.Result // set when done is closed
	err    error         // likewise
}

// start speaks a session into out, in a goroutine of its own. It waits until after is closed; nil
// waits for nothing. When the session has ended it is sent to ended, if that is not nil.
func (c *connection) start(s session, out audioWriter, after <-chan struct{}, ended chan<- *live) *live {
	l := &live{session: s, out: out, allowed: c.allowed, halt: make(chan struct{}), done: make(chan struct{})}
	// In the crew, so that connection.serve does not return while a session still runs.
	c.crew.Go(func() {
		l.run(c.ctx, after)
		close(l.done)
		if ended == nil {
			return
		}
		select {
		case ended <- l:
		case <-c.deaf: // the conductor has returned and receives nothing
		}
	})
	return l
}

// run speaks the session. It turns a panic into an error, so that a panic does not end the program
// and with it all other sockets.
func (l *live) run(ctx context.Context, after <-chan struct{}) {
	defer func() {
		if v := recover(); v != nil {
			l.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if after != nil {
		select {
		case <-after:
		case <-l.halt:
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			// Run is called in any case. Cancel waits for it, and would wait for ever otherwise.
			cancel() // the session was stopped before its turn: Run only releases what it holds
		}
	}
	l.result, l.err = l.Run(ctx, l.out)
	if l.halted() && fault.KindOf(l.err) == fault.Internal {
		l.err = nil // only says that a write or read was broken off by the stop
	}
}

// say adds a fragment of text. Clients send a fragment that is only a space to keep a session open;
// some models also write the spaces of a text that way. So say holds it back, and adds it before
// the next text if that does not begin with white space. An eager session adds it at once where it
// ends a word.
func (l *live) say(text string) error {
	if text == " " && !(l.eager && l.open) {
		l.space = true
		l.Touch()
		return nil
	}
	if l.space && l.open && strings.TrimLeft(text, " \t\r\n") == text {
		text = " " + text
	}
	if err := l.allowed.take(utf8.RuneCountInString(text)); err != nil {
		return err
	}
	// The last byte is enough: all four kinds of white space are ASCII, and no byte of a longer
	// UTF-8 sequence equals one of them.
	last := text[len(text)-1]
	open := last != ' ' && last != '\n' && last != '\t' && last != '\r'
	end := l.characters + utf8.RuneCountInString(text)
	// A phrase that ends in white space needs no gap: the alignment has a space there already.
	// The gap is noted first, because the text may be spoken as soon as it is added.
	if open {
		l.gaps.add(end)
	}
	if err := l.Add(text); err != nil {
		l.gaps.forget(end)
		return err
	}
	if trimmed := strings.TrimRight(text, " \t\r\n"); trimmed != "" {
		l.solid = l.characters + utf8.RuneCountInString(trimmed)
	}
	l.characters, l.open = end, open
	l.space, l.said, l.flushed = false, true, false
	return nil
}

// flushAll makes the session speak all text that was added.
func (l *live) flushAll() {
	// Kept beside the session, because the closing of a context depends on it: see multi.shut.
	l.flushed = true
	// White space behind a phrase is spoken with the next one.
	l.ends.add(l.solid)
	l.Flush()
}

// stop ends the session at once, waits until it has ended, and returns how far it came for a
// listener who heard the audio up to played.
func (l *live) stop(played time.Duration) speech.Spoken {
	// Only the conductor calls stop, so nobody closes halt between the look and the close.
	if !l.halted() {
		close(l.halt)
	}
	s := l.Cancel(played)
	<-l.done
	return s
}

// halted reports whether the session was stopped.
func (l *live) halted() bool {
	select {
	case <-l.halt:
		return true
	default:
		return false
	}
}
