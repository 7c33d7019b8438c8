package enquiry

import (
	"encoding/json"
	"time"
)

// How long a person has for the answer: through the agent's host, whose call waits, and by a
// mailed link.
const (
	stateValid = 20 * time.Minute // longer than hosts wait
	linkValid  = 24 * time.Hour
)

// state is what an agent's host carries from the question to the answer, sealed. It is bound to
// the text that the person was shown, and not valid for any other.
type state struct {
	Token   string `json:"t"` // identifies the question
	Content string `json:"c"` // digest of everything that the person is shown
	Asked   int64  `json:"a"` // Unix seconds
}

// Why a state, token or link cannot be used; these are codes in the journal.
const (
	staleForged   = "forged"   // not made by us, or for another purpose
	staleExpired  = "expired"  // too old
	staleChanged  = "changed"  // made for another text
	staleDeclined = "declined" // the person has declined meanwhile
	staleAnswered = "answered" // the question was dismissed before
	staleUnasked  = "unasked"  // a token although tokens are not accepted, or an answer without a question
	staleUnknown  = "unknown"  // an unknown link
	staleUnmailed = "unmailed" // a link that was not mailed to the person
	stalePolicy   = "policy"   // the word of a host, which the operator does not accept
)

// sealed returns the state in sealed form.
func (k keys) sealed(st state, attest bool) string {
	text, err := json.Marshal(st)
	if err != nil {
		panic(err) // cannot happen: two strings and a number
	}
	if attest {
		return k.attest.Seal(text)
	}
	return k.state.Seal(text)
}

// opened returns the state that came back for a text, or why it cannot be used.
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
	case age > stateValid || age < -time.Minute: // the clocks of servers may differ a little
		return st, staleExpired
	case st.Content != content:
		return st, staleChanged
	}
	return st, ""
}

// digest returns what is stored of the token of a link.
func (k keys) digest(token string) string { return k.token.Sign(token) }
