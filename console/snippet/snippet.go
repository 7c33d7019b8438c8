// Package snippet writes a request of the playground as programs: in the shell, in
// JavaScript and in Python, with the official SDKs of OpenAI and ElevenLabs, and over a
// WebSocket.
//
// Every value is quoted for its language, so each program sends the text unchanged, whatever
// it contains. A program never contains the key: it reads the key from the environment
// variable [KeyVariable].
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
	Model      string  // sent where an SDK requires one
	Text       string  // to be spoken
	Voice      string  // id or alias; required
	Language   string  // in any form; "" is detected from the text
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

// All returns the six programs for the settings.
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

// outputFormat returns the name of the format in the SDKs of ElevenLabs.
func (s Settings) outputFormat() string { return s.Codec + "_" + strconv.Itoa(s.SampleRate) }

func (s Settings) speed() string { return strconv.FormatFloat(s.Speed, 'f', -1, 64) }

// changesSpeed reports whether the program must set the speed.
func (s Settings) changesSpeed() bool { return s.Speed != 0 && s.Speed != 1 }

// socket returns the address of the WebSocket in the dialect of ElevenLabs, which has every
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
	if tail, ok := strings.CutPrefix(address, "http"); ok {
		address = "ws" + tail // https becomes wss
	}
	return address + "/v1/text-to-speech/" + url.PathEscape(s.Voice) + "/stream-input?" + query.Encode()
}

// entry is a name with its quoted value.
type entry struct{ name, value string }

// body returns what the body of a request in OpenAI's dialect has beside text and voice: the
// entries that the SDK knows, and those that only this service knows.
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
