package enquiry

import (
	"strings"
	"unicode/utf8"
)

// Source is where a call comes from, for limits and for the journal.
type Source struct {
	// Client is what the client is counted by, as edge.ClientScope has it; "" is not
	// counted: a program on this machine.
	Client    string
	RequestID string
	KeyID     string // of the API key that was sent, "" without
	// Of a client over MCP, as it says itself.
	Agent, AgentVersion, Protocol string
}

// maxSource is how much is kept of each word of a source, in Unicode code points.
const maxSource = 100

// kept is what the journal keeps of a source: not the address, and of what the client
// says itself a line of bounded length.
func (s Source) kept() Source {
	s.Client = ""
	for _, word := range []*string{&s.RequestID, &s.KeyID, &s.Agent, &s.AgentVersion, &s.Protocol} {
		*word = plainLine(*word, maxSource)
	}
	return s
}

// plainLine makes a line of what others wrote: without characters that have no place in
// one, and not longer than most code points.
func plainLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if Hidden(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return s
}
