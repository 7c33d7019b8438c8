package ws

import (
	"time"

	"vaak/internal/fault"
	"vaak/speech/chunk"
)

// Limits of a socket of many contexts.
const (
	// maxOpen is how many contexts may be open; one is no longer when it is
	// closed, though it may still have to be spoken.
	maxOpen = 20
	// maxUnfinished is how many there may be with those, and how many may be refused
	// because of their dictionaries.
	maxUnfinished = 100
)

// obey does what a frame asks for.
func (m *multi) obey(f frame) error {
	if len(m.all) == 0 {
		m.idle.Reset(m.request.Idle)
	}
	if m.leaving == errDone {
		return nil
	}
	u := m.open[f.context]
	m.touch(u, f)
	if err := m.hear(u, f); err != nil {
		return err
	}
	if f.closeContext {
		if err := m.shutNamed(f); err != nil {
			return err
		}
	}
	if f.closeSocket {
		return m.shutAll()
	}
	return nil
}

// touch notes that the client of a context is there, or with an empty text that
// names none, that of all.
func (m *multi) touch(u *utterance, f frame) {
	if u != nil {
		u.Touch()
		return
	}
	if f.text != nil && *f.text == "" && !f.named {
		for _, u := range m.open {
			u.Touch()
		}
	}
}

// hear gives a context the text of a frame and has it spoken if the frame says
// so. The first text makes the context; without one, nothing is done to a context
// that is not there.
func (m *multi) hear(u *utterance, f frame) error {
	hasText := f.text != nil && *f.text != ""
	if u == nil {
		if !hasText || m.drops(f) {
			return nil
		}
		var err error
		if u, err = m.begin(f); err != nil {
			return m.decline(f, err)
		}
		if err = m.tried(); err != nil {
			return err
		}
	} else if f.schedule != nil && !u.said && m.request.Chunks.Mode == chunk.Schedule {
		request := m.request
		configure(&request, f)
		u.Cut(request.Chunks)
	}
	if hasText {
		if err := u.say(*f.text); err != nil {
			u.stop(everything)
			u.err = err
			return m.close(u)
		}
	}
	switch {
	case f.flush:
		u.flushAll()
	case f.trigger:
		u.Trigger()
	}
	return nil
}

// begin opens a context. One that has the id of another that is still spoken
// waits until that is over.
func (m *multi) begin(f frame) (*utterance, error) {
	if len(m.open) >= maxOpen || len(m.all) >= maxUnfinished {
		return nil, fault.New(fault.TooManyStreams, fault.CodeTooManyContexts, "context_id",
			"at most %d contexts may be open, and %d with those that are still spoken; close one first", maxOpen, maxUnfinished)
	}
	request := m.request
	configure(&request, f)
	ready, err := m.use(f.dictionaries)
	if err != nil {
		m.inVain++
		return nil, err
	}
	request.Dictionaries = ready
	session, err := m.handler.open(m.caller, request)
	if err != nil {
		return nil, err
	}
	var after <-chan struct{}
	if old := m.last[f.context]; old != nil {
		after = old.closed
	}
	out := &dialectAudio{c: m.connection, context: f.context, gaps: newGaps(request)}
	u := &utterance{id: f.context, named: len(f.dictionaries) > 0, closed: make(chan struct{}), live: m.start(session, out, after, m.ended)}
	u.gaps = out.gaps
	m.open[u.id], m.all[u.live], m.last[u.id] = u, u, u
	m.pardon(u.id)
	return u, nil
}

// shutNamed closes the context of a frame. One that was closed before and is
// still spoken ends at once: it is closed again when its listener interrupts it. Of
// one that was refused nothing is left to do.
func (m *multi) shutNamed(f frame) error {
	if m.pardon(f.context) {
		return nil
	}
	if u := m.open[f.context]; u != nil {
		return m.shut(u, f.played)
	}
	u := m.last[f.context]
	if u == nil {
		return nil
	}
	spoken := u.stop(heard(f))
	if f.played != nil {
		u.spoken = &spoken
	}
	return m.close(u)
}

// shut closes a context. If all its text was flushed the rest is spoken;
// otherwise, or if the frame says how much was heard, it ends at once and before
// anything else is done, and what waited is dropped.
func (m *multi) shut(u *utterance, played *time.Duration) error {
	delete(m.open, u.id)
	if played == nil && u.said && u.flushed {
		u.End()
		return nil
	}
	if played == nil {
		u.stop(everything)
	} else {
		u.spoken = new(u.stop(*played))
	}
	return m.close(u)
}

// shutAll closes all contexts, and the socket when they are spoken.
func (m *multi) shutAll() error {
	m.leaving = errDone
	for _, u := range m.open {
		if err := m.shut(u, nil); err != nil {
			return err
		}
	}
	return nil
}
