package identitytest

import (
	"errors"
	"testing"
	"time"

	"vaak/internal/fault"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	Run(t, func(*testing.T) Opened {
		return Opened{Store: new(Memory), Orgs: [2]string{"org_0000000000000001", "org_0000000000000002"}}
	})
}

// TestMemoryFails: a store that is away answers so, and its sessions go by its clock.
func TestMemoryFails(t *testing.T) {
	t.Parallel()
	now := created
	m := &Memory{Now: func() time.Time { return now }}
	check(t, "PutSession", m.PutSession(t.Context(), "a", nil, now.Add(time.Minute)))
	away := fault.Down(fault.CodeStoreUnavailable, time.Second, errors.New("cable"), "the store is away")
	m.Fail(away)
	if _, _, err := m.Session(t.Context(), "a"); !errors.Is(err, away) {
		t.Errorf("Session: %v, want %v", err, away)
	}
	m.Fail(nil)
	now = now.Add(time.Minute - 1)
	if _, ok, err := m.Session(t.Context(), "a"); !ok || err != nil {
		t.Errorf("Session = %v, %v; want it until it expires", ok, err)
	}
	now = now.Add(1)
	if _, ok, err := m.Session(t.Context(), "a"); ok || err != nil {
		t.Errorf("Session = %v, %v; want none when it expires", ok, err)
	}
}
