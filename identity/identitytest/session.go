package identitytest

import (
	"bytes"
	"context"
	"slices"
	"time"

	"vaak/identity"
)

// PutSession implements [identity.SessionStore].
func (m *Memory) PutSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	if m.sessions == nil {
		m.sessions = make(map[string]session)
	}
	m.sessions[token] = session{bytes.Clone(data), stored(expires)}
	return nil
}

// UpdateSession implements [identity.SessionStore].
func (m *Memory) UpdateSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if _, there := m.sessions[token]; err != nil || !there {
		return err
	}
	m.sessions[token] = session{bytes.Clone(data), stored(expires)}
	return nil
}

// Session implements [identity.SessionStore].
func (m *Memory) Session(ctx context.Context, token string) ([]byte, bool, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return nil, false, err
	}
	s, ok := m.sessions[token]
	if !ok || !m.now().Before(s.expires) {
		return nil, false, nil
	}
	return bytes.Clone(s.data), true, nil
}

// DeleteSession implements [identity.SessionStore].
func (m *Memory) DeleteSession(ctx context.Context, token string) error {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err == nil {
		delete(m.sessions, token)
	}
	return err
}

// PruneSessions implements [identity.SessionStore].
func (m *Memory) PruneSessions(ctx context.Context, before time.Time) (int, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n := len(m.sessions) + len(m.invitations)
	for token, s := range m.sessions {
		if s.expires.Before(before) {
			delete(m.sessions, token)
		}
	}
	m.invitations = slices.DeleteFunc(m.invitations, func(i identity.Invitation) bool { return i.Expires.Before(before) })
	return n - len(m.sessions) - len(m.invitations), nil
}
