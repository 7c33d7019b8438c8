package live

import (
	"time"

	"vaak/internal/fault"
	"vaak/rest/live/message"
	"vaak/speech/chunk"
)

// obey does what a message asks for.
func (m *multi) obey(f message.Message) error {
	// While there is a context, the timeouts of the contexts count instead.
	if len(m.all) == 0 {
		m.idle.Reset(m.request.Idle)
	}
	if m.leaving == errDone { // the client has closed the socket; it only waits for its audio
		return nil
	}
	u := m.open[f.Context]
	m.touch(u, f)
	if err := m.hear(u, f); err != nil {
		return err
	}
	if f.CloseContext {
		if err := m.shutNamed(f); err != nil {
			return err
		}
	}
	if f.CloseSocket {
		return m.shutAll()
	}
	return nil
}

// touch restarts the inactivity timeout of a context. An empty text without a context restarts
// those of all contexts.
func (m *multi) touch(u *utterance, f message.Message) {
	if u != nil {
		u.Touch()
		return
	}
	if f.Text != nil && *f.Text == "" && !f.Named {
		for _, u := range m.open {
			u.Touch()
		}
	}
}

// hear adds the text of a message to a context, and flushes it if the message says so. The first
// text opens the context. A message without text for a context that is not open does nothing.
func (m *multi) hear(u *utterance, f message.Message) error {
	hasText := f.Text != nil && *f.Text != ""
	if u == nil {
		if !hasText || m.drops(f) {
			return nil
		}
		var err error
		if u, err = m.begin(f); err != nil {
			return m.decline(f, err)
		}
		// begin may have looked up dictionaries, which counts in vain until the context speaks.
		if err = m.tried(); err != nil {
			return err
		}
	} else if f.Schedule != nil && !u.said && m.request.Chunks.Mode == chunk.Schedule {
		// The schedule may change until the context has text. A copy, because a message of one
		// context must not change the others.
		request := m.request
		configure(&request, f)
		u.Cut(request.Chunks)
	}
	if hasText {
		if err := u.say(*f.Text); err != nil {
			// Only this context ends. stop waits for Run, so nothing else writes u.err.
			u.stop(everything)
			u.err = err
			return m.close(u)
		}
	}
	switch {
	case f.Flush && f.CloseContext:
		// Closing speaks all that was flushed. A flush before it would be a race with
		// the speaker: the last sound would have another tail if it were seen first.
		u.flushed = true
	case f.Flush:
		u.flushAll()
	case f.Trigger:
		u.Trigger()
	}
	return nil
}

// begin opens a context. If another context with the same id is still being spoken, the new one
// waits until that has ended.
func (m *multi) begin(f message.Message) (*utterance, error) {
	if len(m.open) >= message.MaxOpen || len(m.all) >= message.MaxUnfinished {
		return nil, fault.New(fault.TooManyStreams, fault.CodeTooManyContexts, "context_id",
			"at most %d contexts may be open, and %d with those that are still spoken; close one first", message.MaxOpen, message.MaxUnfinished)
	}
	request := m.request
	configure(&request, f)
	ready, err := m.use(f.Dictionaries)
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
	if old := m.last[f.Context]; old != nil {
		// Clients tell frames apart by the id alone, so frames of both must not overlap.
		after = old.closed
	}
	out := &dialectAudio{c: m.connection, context: f.Context, gaps: newGaps(request)}
	u := &utterance{id: f.Context, named: len(f.Dictionaries) > 0, closed: make(chan struct{}), live: m.start(session, out, after, m.ended)}
	u.gaps = out.gaps
	// In all three maps at once: a context leaves open when it takes no more text, and the other
	// two when its last frame is sent.
	m.open[u.id], m.all[u.live], m.last[u.id] = u, u, u
	m.pardon(u.id)
	return u, nil
}

// shutNamed closes the context that a message names. A context that was already closed and is
// still being spoken ends at once: a client closes it again when the listener interrupts. For a
// context that was refused there is nothing to do.
func (m *multi) shutNamed(f message.Message) error {
	if m.pardon(f.Context) {
		return nil
	}
	if u := m.open[f.Context]; u != nil {
		return m.shut(u, f.Played)
	}
	// Closed before and still spoken.
	u := m.last[f.Context]
	if u == nil {
		return nil
	}
	spoken := u.stop(heard(f))
	if f.Played != nil {
		u.spoken = &spoken
	}
	return m.close(u)
}

// shut closes a context. If all its text was flushed, the remainder is still spoken. Otherwise, or
// if the message says how much was heard, the context ends at once and text that waits is dropped.
func (m *multi) shut(u *utterance, played *time.Duration) error {
	// From here on text with this id opens a new context, even while this one is still spoken.
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

// shutAll closes all contexts, and the socket after the last of them was spoken.
func (m *multi) shutAll() error {
	// Set before the contexts end, so that attend returns after the last of them.
	m.leaving = errDone
	for _, u := range m.open {
		if err := m.shut(u, nil); err != nil {
			return err
		}
	}
	return nil
}
