package main

import (
	"errors"
	"testing"
)

func TestStates(t *testing.T) {
	t.Parallel()
	st := newStates()
	state := st.seal("a", 1)
	for _, tt := range []struct {
		name, tool, state string
		rounds            int
		want              error
	}{
		{"as sealed", "a", state, 2, nil},
		{"of another tool", "b", state, 2, errState},
		{"of a round that is not there", "a", state, 1, errState},
		{"longer", "a", state + "-TAMPERED", 2, errState},
		{"of another round", "a", "0" + state[1:], 2, errState},
		{"of another process", "a", newStates().seal("a", 1), 2, errState},
		{"empty", "a", "", 2, errState},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			round, err := st.open(tt.tool, tt.state, tt.rounds)
			if !errors.Is(err, tt.want) || err == nil && round != 1 {
				t.Errorf("open(%q, %q) = %d, %v; want %v", tt.tool, tt.state, round, err, tt.want)
			}
		})
	}
}

// FuzzStates opens what clients might send: nothing but what was sealed.
func FuzzStates(f *testing.F) {
	st := newStates()
	for _, seed := range []string{"", ".", "0.", st.seal("a", 0), st.seal("a", 3), "-1." + "AAAA", "1e9.=="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, state string) {
		if round, err := st.open("a", state, 2); err == nil && state != st.seal("a", round) {
			t.Errorf("open(%q) = %d, want an error", state, round)
		}
	})
}
