package live

import (
	"context"
	"slices"

	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
	"vaak/rest/live/message"
)

// decline says why the context of a frame was not opened, unless that is why the socket
// ends.
func (m *multi) decline(f message.Message, why error) error {
	if m.present.Err() != nil {
		return context.Cause(m.present)
	}
	if why == message.ErrStopping {
		return why
	}
	if err := m.tried(); err != nil {
		return err
	}
	if len(f.Dictionaries) > 0 {
		m.refuse(f.Context)
	}
	return m.complain(f.Context, why)
}

// tried says why the socket ends when more than maxUnfinished contexts in a row had
// dictionaries looked up, which nobody pays for, and said nothing.
func (m *multi) tried() error {
	if m.inVain <= message.MaxUnfinished {
		return nil
	}
	return fault.New(fault.RateLimited, fault.CodeRateLimited, elevenlabs.FieldLocators,
		"more than %d contexts with pronunciation dictionaries were refused or said nothing", message.MaxUnfinished)
}

// refuse notes that a context was refused. Of more than maxUnfinished the oldest are
// forgotten.
func (m *multi) refuse(id string) {
	m.pardon(id)
	m.refused = append(m.refused, id)
	m.refused = slices.Delete(m.refused, 0, max(0, len(m.refused)-message.MaxUnfinished))
}

// pardon forgets that a context was refused, and reports whether it was.
func (m *multi) pardon(id string) bool {
	at := slices.Index(m.refused, id)
	if at < 0 {
		return false
	}
	m.refused = slices.Delete(m.refused, at, at+1)
	return true
}

// drops reports whether a frame brings text for a context that was refused. One that
// names dictionaries asks for it anew.
func (m *multi) drops(f message.Message) bool {
	return len(f.Dictionaries) == 0 && slices.Contains(m.refused, f.Context)
}
