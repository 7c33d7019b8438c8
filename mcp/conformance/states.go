package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
)

// errState is the error of a state that this server did not make.
var errState = errors.New("requestState was not made by this server for this tool")

// states makes the states that clients return with their answers, and recognizes them.
type states struct{ key [32]byte }

// newStates returns states with a random key.
func newStates() *states {
	s := new(states)
	_, _ = rand.Read(s.key[:]) // never fails
	return s
}

// seal returns the state of a round of a tool, in the form ROUND.MAC.
func (s *states) seal(tool string, round int) string {
	n := strconv.Itoa(round)
	return n + "." + base64.RawURLEncoding.EncodeToString(s.mac(tool, n))
}

// open returns the round of a state, which is below rounds.
func (s *states) open(tool, state string, rounds int) (int, error) {
	n, _, _ := strings.Cut(state, ".")
	round, err := strconv.Atoi(n)
	// Sealed again and compared whole, so that "01" is not another form of the round 1.
	if err != nil || round < 0 || round >= rounds || !hmac.Equal([]byte(state), []byte(s.seal(tool, round))) {
		return 0, errState
	}
	return round, nil
}

func (s *states) mac(tool, round string) []byte {
	m := hmac.New(sha256.New, s.key[:])
	_, _ = m.Write([]byte(tool + "\x00" + round)) // never fails
	return m.Sum(nil)
}
