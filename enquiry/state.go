package enquiry

import (
	"encoding/json"
	"time"
)

// How long a person may take to answer: the agent's host, whose call waits, and a page.
const (
	stateGood = 20 * time.Minute // more than hosts wait for
	linkGood  = 24 * time.Hour
)

// state is what an agent's host carries between two calls, sealed. It names the text
// that the person was shown, and is worth nothing with another.
type state struct {
	Token   string `json:"t"` // of the question
	Content string `json:"c"` // digest of all that the person is shown
	Asked   int64  `json:"a"` // Unix seconds
}

// What is wrong with a state or a token that comes back, as the journal has it.
const (
	staleForged   = "forged"   // not made here, or for another purpose
	staleExpired  = "expired"  // too old
	staleChanged  = "changed"  // for another text
	staleDeclined = "declined" // the person said no meanwhile
	staleAnswered = "answered" // the question was cancelled before
	staleUnasked  = "unasked"  // a token where tokens are not taken, or an answer to no question
	staleUnknown  = "unknown"  // a link that leads nowhere
	staleUnmailed = "unmailed" // a link that was not mailed to the person
	stalePolicy   = "policy"   // a host's word where the operator takes none
)

// sealed returns the state in a form that hosts carry.
func (k keys) sealed(st state, attest bool) string {
	text, err := json.Marshal(st)
	if err != nil {
		panic(err) // cannot be: strings and a number
	}
	if attest {
		return k.attest.Seal(text)
	}
	return k.state.Seal(text)
}

// opened returns the state that came back for a text, or what is wrong with it.
func (k keys) opened(sealed, content string, now time.Time, attest bool) (st state, stale string) {
	key := k.state
	if attest {
		key = k.attest
	}
	text, ok := key.Open(sealed)
	if !ok || json.Unmarshal(text, &st) != nil {
		return state{}, staleForged
	}
	switch age := now.Sub(time.Unix(st.Asked, 0)); {
	case age > stateGood || age < -time.Minute: // clocks of servers may differ a little
		return st, staleExpired
	case st.Content != content:
		return st, staleChanged
	}
	return st, ""
}

// digest is what is kept of a link's token.
func (k keys) digest(token string) string { return k.token.Sign(token) }
