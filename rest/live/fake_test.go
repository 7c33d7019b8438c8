package live

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vaak/account"
	"vaak/audio"
	"vaak/internal/fault"
	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/speech/align"
	"vaak/speech/chunk"
)

// fakeSpeaker opens fake sessions.
type fakeSpeaker struct {
	afford error
	// before is called before each word is spoken; nil is nothing.
	before func(ctx context.Context, word string) error

	mu     sync.Mutex
	opened []speech.SessionRequest
}

// open is an opener.
func (p *fakeSpeaker) open(_ account.Caller, req speech.SessionRequest) (session, error) {
	if req.Voice == "nobody" {
		return nil, fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", "voice %q does not exist", req.Voice)
	}
	if req.Speed != 0 && !(req.Speed >= speech.MinSpeed && req.Speed <= speech.MaxSpeed) {
		return nil, fault.BadParameter("speed", "speed %g is outside 0.7 to 1.5", req.Speed)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = append(p.opened, req)
	return &fakeSession{p: p, req: req, changed: make(chan struct{}, 1), cancelled: make(chan struct{}), over: make(chan struct{}), writing: free()}, nil
}

func (p *fakeSpeaker) requests() []speech.SessionRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}

func (*fakeSpeaker) Open(account.Caller, speech.SessionRequest) (*speech.Session, error) {
	panic("sessions are fakes")
}

func (*fakeSpeaker) Run(context.Context, *speech.Session, io.Writer) (speech.Result, error) {
	panic("sessions are fakes")
}

func (p *fakeSpeaker) Afford(context.Context, account.Caller) error { return p.afford }

// fakeSession speaks what was flushed: each word with the spaces after it as
// 100 ms a character, in one write.
type fakeSession struct {
	p         *fakeSpeaker
	req       speech.SessionRequest
	changed   chan struct{}
	cancelled chan struct{}
	over      chan struct{} // Run has returned
	writing   chan struct{} // holds one while nothing is written; a mutex would stop a bubble's time

	mu    sync.Mutex
	text  string
	due   int // bytes of text that are to be spoken
	at    int // that were spoken
	ended bool
	cut   bool
	ms    int
}

const perCharacter = 100 // ms

func (s *fakeSession) Notices() []string { return nil }

func (s *fakeSession) Format() audio.Format {
	f := s.req.Format
	if f.SampleRate == 0 {
		f.SampleRate = 24000
	}
	return f
}

func (s *fakeSession) Cut(c chunk.Config) { s.req.Chunks = c }

func (s *fakeSession) signal() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *fakeSession) Add(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.signal()
	if all := s.text + text; utf8.RuneCountInString(all[strings.LastIndexByte(all, ' ')+1:]) > speech.MaxUnended {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "text", "at most %d characters may wait for the end of a word", speech.MaxUnended)
	}
	s.text += text
	if i := strings.LastIndexAny(s.text, ".!?"); i >= s.due {
		s.due = i + 1
	}
	return nil
}

func (s *fakeSession) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.signal()
	s.due = len(s.text)
}

func (s *fakeSession) Trigger() {
	if utf8.RuneCountInString(s.text[s.due:]) >= 50 {
		s.Flush()
	}
}

func (s *fakeSession) End() {
	s.Flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.signal()
}

func (s *fakeSession) Touch() { s.signal() }

func (s *fakeSession) Cancel(played time.Duration) speech.Spoken {
	s.mu.Lock()
	if !s.cut {
		s.cut = true
		close(s.cancelled)
	}
	s.mu.Unlock()
	<-s.over
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.at
	if played >= 0 {
		n = min(n, int(played/(perCharacter*time.Millisecond)))
	}
	return speech.Spoken{
		Text: s.text[:n], Remaining: s.text[n:], Characters: n, Audio: time.Duration(n*perCharacter) * time.Millisecond,
	}
}

// next returns the next word that is due, and whether the session is over.
func (s *fakeSession) next() (word string, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at >= s.due {
		return "", s.ended
	}
	rest := s.text[s.at:s.due]
	n := strings.IndexByte(rest, ' ') + 1
	if n == 0 {
		n = len(rest)
	}
	return rest[:n], false
}

func (s *fakeSession) Run(ctx context.Context, w io.Writer) (speech.Result, error) {
	res := speech.Result{Info: speech.Info{Voice: "sv_fake", Format: s.Format()}}
	defer close(s.over)
	for {
		word, over := s.next()
		switch {
		case over:
			res.Charged = s.at
			return res, nil
		case word != "":
			n, err := s.speak(ctx, w, word)
			res.Bytes += int64(n)
			res.Duration = time.Duration(s.ms) * time.Millisecond
			res.Charged = s.at
			if err != nil {
				return res, err
			}
			select {
			case <-s.cancelled:
				return res, nil
			default:
			}
			continue
		}
		var idle <-chan time.Time
		if s.req.Idle > 0 {
			idle = time.After(s.req.Idle)
		}
		select {
		case <-s.changed:
		case <-s.cancelled:
			return res, nil
		case <-ctx.Done():
			return res, ctx.Err()
		case <-idle:
			return res, message.TimedOut(s.req.Idle)
		}
	}
}

func (s *fakeSession) speak(ctx context.Context, w io.Writer, word string) (int, error) {
	if s.p.before != nil {
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-s.cancelled:
				cancel()
			case <-within.Done():
			}
		}()
		if err := s.p.before(within, word); err != nil && (ctx.Err() != nil || within.Err() == nil) {
			return 0, err
		}
	}
	<-s.writing
	defer func() { s.writing <- struct{}{} }()
	select {
	case <-s.cancelled:
		return 0, nil
	default:
	}
	n := utf8.RuneCountInString(word)
	if f, ok := w.(speech.Follower); ok {
		a := align.Alignment{Begin: s.ms, End: s.ms + n*perCharacter}
		for i, r := range []rune(word) {
			a.Characters = append(a.Characters, string(r))
			a.Starts = append(a.Starts, s.ms+i*perCharacter)
		}
		f.Follow(a, a)
	}
	wrote, err := w.Write(make([]byte, 2*n*perCharacter*s.Format().SampleRate/1000))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ms += n * perCharacter
	s.at += len(word)
	return wrote, err
}

func free() chan struct{} {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	return c
}
