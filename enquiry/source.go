package enquiry

import (
	"strings"
	"unicode/utf8"
)

// Source says where a call comes from, for limits and for the journal.
type Source struct {
	// Client is the address by which the client is counted; see edge.ClientScope. "" is a
	// program on this machine, which is not counted.
	Client    string
	RequestID string
	KeyID     string // of the API key in the request, or ""
	// What an MCP client says about itself.
	Agent, AgentVersion, Protocol string
}

// maxSource is how much of each text in a source is stored, in Unicode code points.
const maxSource = 100

// kept returns what the journal stores of a source: without the address, and with short lines
// of what the client says about itself.
func (s Source) kept() Source {
	s.Client = ""
	for _, word := range []*string{&s.RequestID, &s.KeyID, &s.Agent, &s.AgentVersion, &s.Protocol} {
		*word = plainLine(*word, maxSource)
	}
	return s
}

// plainLine returns a text of strangers as one line of at most most code points, without
// characters that are hidden or not valid.
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
