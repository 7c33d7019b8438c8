package live

import (
	"context"
	"slices"

	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
	"vaak/rest/live/message"
)

// decline tells the client why a context was not opened. It returns the error instead if that ends
// the socket.
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

// tried returns the error that ends the socket when more than MaxUnfinished contexts in a row had
// dictionaries looked up and spoke nothing, because look-ups cost the server and are not charged.
func (m *multi) tried() error {
	if m.inVain <= message.MaxUnfinished {
		return nil
	}
	return fault.New(fault.RateLimited, fault.CodeRateLimited, elevenlabs.FieldLocators,
		"more than %d contexts with pronunciation dictionaries were refused or said nothing", message.MaxUnfinished)
}

// refuse notes that a context was refused. It remembers the last MaxUnfinished of them.
func (m *multi) refuse(id string) {
	m.pardon(id)
	m.refused = append(m.refused, id)
	m.refused = slices.Delete(m.refused, 0, max(0, len(m.refused)-message.MaxUnfinished))
}

// pardon removes a context from the refused ones, and reports whether it was among them.
func (m *multi) pardon(id string) bool {
	at := slices.Index(m.refused, id)
	if at < 0 {
		return false
	}
	m.refused = slices.Delete(m.refused, at, at+1)
	return true
}

// drops reports whether a message has text for a context that was refused. A message that names
// dictionaries asks to open the context again, so its text is not dropped.
func (m *multi) drops(f message.Message) bool {
	return len(f.Dictionaries) == 0 && slices.Contains(m.refused, f.Context)
}
