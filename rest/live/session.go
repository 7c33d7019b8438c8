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

// session is what a socket does with a [speech.Session].
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

// everything is how much of its audio the listener of a cancelled session has
// heard who did not say.
const everything time.Duration = -1

// live is a session that is being spoken. Its methods are called by the
// conductor.
type live struct {
	session
	out audioWriter

	said    bool // it was given text
	flushed bool // nothing was added since the last flush
	space   bool // a lone space came, which is spoken only before more text
	eager   bool // a lone space is text: it ends a word, which may be spoken then
	open    bool // the text given so far does not end in white space

	characters int   // that were added, in code points
	gaps       *gaps // nil when fragments are not phrases of their own

	halt   chan struct{} // closed when it must end
	done   chan struct{} // closed when Run has returned
	result speech.Result // then, and
	err    error
}

// start speaks a session into out, after another was closed; nil waits for none.
// When it is over it is sent to ended, if that is not nil.
func (c *connection) start(s session, out audioWriter, after <-chan struct{}, ended chan<- *live) *live {
	l := &live{session: s, out: out, halt: make(chan struct{}), done: make(chan struct{})}
	c.crew.Go(func() {
		l.run(c.ctx, after)
		close(l.done)
		if ended == nil {
			return
		}
		select {
		case ended <- l:
		case <-c.deaf:
		}
	})
	return l
}

// run speaks. A panic is an error: it must not take the other sockets with it.
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
			cancel() // it never speaks
		}
	}
	l.result, l.err = l.Run(ctx, l.out)
	if l.halted() && fault.KindOf(l.err) == fault.Internal {
		l.err = nil // that it was cut off, in the words of whatever was
	}
}

// say adds a fragment. A lone space is what clients send to keep a session
// alive, and also how some models write a space: it separates what came before
// from what comes after, if that does not begin with white space itself. To an eager
// session it is the end of a word.
func (l *live) say(text string) error {
	if text == " " && !(l.eager && l.open) {
		l.space = true
		l.Touch()
		return nil
	}
	if l.space && l.open && strings.TrimLeft(text, " \t\r\n") == text {
		text = " " + text
	}
	if err := l.Add(text); err != nil {
		return err
	}
	l.characters += utf8.RuneCountInString(text)
	last := text[len(text)-1]
	l.open = last != ' ' && last != '\n' && last != '\t' && last != '\r'
	l.space, l.said, l.flushed = false, true, false
	if l.open {
		l.gaps.add(l.characters)
	}
	return nil
}

// flushAll has all that was added spoken.
func (l *live) flushAll() {
	l.flushed = true
	l.Flush()
}

// stop ends the session at once and waits until it has ended.
func (l *live) stop(played time.Duration) speech.Spoken {
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
