// Package snippet writes programs that ask the services for what was set in the
// playground: in the shell, in JavaScript and in Python, with the official SDKs of
// OpenAI and ElevenLabs, and over a WebSocket.
//
// Every value is quoted for the language that it stands in, so that each program says
// the text character by character, whatever is in it. The key is never in it: programs
// take it from [KeyVariable] of their environment.
package snippet

import (
	"net/url"
	"strconv"
	"strings"
)

// KeyVariable is the variable of the environment that holds the key.
const KeyVariable = "VAAK_API_KEY"

// Settings are what a program asks for. All text is valid UTF-8.
type Settings struct {
	API        string  // where the services are: an http or https address, without a slash at its end
	Model      string  // which is sent where an SDK wants one
	Text       string  // that is spoken
	Voice      string  // id or alias; required
	Language   string  // in any form; "" is told from the text
	Codec      string  // as response_format names it
	Extension  string  // of the file that is written
	SampleRate int     // Hz
	Speed      float64 // 1 is left out
	Dictionary string  // id of a pronunciation dictionary; "" is none
}

// Snippet is a program.
type Snippet struct {
	ID    string // for addresses and elements of a page: "curl"
	Title string // what it uses
	Code  string
}

// All returns the six programs for some settings.
func All(s Settings) []Snippet {
	return []Snippet{
		{"curl", "curl", s.curl()},
		{"openai-js", "OpenAI, JavaScript", s.openaiJS()},
		{"openai-py", "OpenAI, Python", s.openaiPython()},
		{"elevenlabs-js", "ElevenLabs, JavaScript", s.elevenlabsJS()},
		{"elevenlabs-py", "ElevenLabs, Python", s.elevenlabsPython()},
		{"websocket", "WebSocket, Python", s.websocket()},
	}
}

// file is the name of the file that a program writes.
func (s Settings) file() string { return "speech." + s.Extension }

// outputFormat is the format as ElevenLabs' SDKs name it.
func (s Settings) outputFormat() string { return s.Codec + "_" + strconv.Itoa(s.SampleRate) }

func (s Settings) speed() string { return strconv.FormatFloat(s.Speed, 'f', -1, 64) }

// changesSpeed reports whether the speed has to be said.
func (s Settings) changesSpeed() bool { return s.Speed != 0 && s.Speed != 1 }

// socket is the address of the WebSocket in the dialect of ElevenLabs, which knows every
// format.
func (s Settings) socket() string {
	query := url.Values{"output_format": {s.outputFormat()}}
	if s.Language != "" {
		query.Set("language_code", s.Language)
	}
	if s.Dictionary != "" {
		query.Set("pronunciation_dictionary_id", s.Dictionary)
	}
	address := s.API
	if rest, ok := strings.CutPrefix(address, "http"); ok {
		address = "ws" + rest // and https becomes wss
	}
	return address + "/v1/text-to-speech/" + url.PathEscape(s.Voice) + "/stream-input?" + query.Encode()
}

// entry is a name with its value, which is quoted already.
type entry struct{ name, value string }

// body lists what the body of a request in OpenAI's dialect holds beside text and voice:
// what the SDK knows, and what is ours.
func (s Settings) body(quote func(string) string) (known, ours []entry) {
	known = []entry{{"response_format", quote(s.Codec)}}
	if s.changesSpeed() {
		known = append(known, entry{"speed", s.speed()})
	}
	ours = []entry{{"sample_rate", strconv.Itoa(s.SampleRate)}}
	if s.Language != "" {
		ours = append(ours, entry{"lang", quote(s.Language)})
	}
	if s.Dictionary != "" {
		ours = append(ours, entry{"pronunciation_dictionary_id", quote(s.Dictionary)})
	}
	return known, ours
}
