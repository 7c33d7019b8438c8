package asyncapi

import (
	"strconv"

	"github.com/gorilla/websocket"

	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/voice"
)

// exampleVoice returns the voice of examples.
func exampleVoice() string { return string(voice.DefaultVoice().ID) }

const nativeDoc = `One utterance a connection. Voice, language and the way in which the text is cut are chosen in the query; audio is 16-bit little-endian
mono PCM at 24 kHz, in binary frames of whole samples. At the end there is one text frame, ` + "`done` or `cancelled`" + `, and the close.

A sentence has ended when the next one begins, or on a flush; one that does not end is spoken clause by clause from some 300 characters on.`

const singleDoc = `One utterance a connection, as the clients of the ElevenLabs dialect speak it: audio in base64 in JSON, each piece with the time of
the characters that begin in it. It is one stream of the format: one header, one encoder, however many messages and flushes there are. In
WAV the sizes of the header are 0xFFFFFFFF.

The settings of the message that brings the first text, or of those before it, hold for the whole session; later ones change nothing.
Pronunciation dictionaries are looked up once, with the first text; one that is not there ends the session.
Text is spoken when as many characters wait as ` + "`chunk_length_schedule`" + ` says, when a message asks for it, and at the end. Pings do not keep
a session open.`

const multiDoc = `Many utterances on one connection, each a context with an id, a session and an encoder of its own. The first text for an id
opens it; frames without one are of the context ` + "`default`" + `. One context speaks at a time, a chunk in its turn, first come, first served. ` + "`isFinal`" + ` comes
once for each, when it is over: after it was closed, after it has failed, or when nothing came for it in ` + "`inactivity_timeout`" + `. An id
whose context was closed makes a new one, which waits until the old one is over. A flush or the close of an id that is not open does nothing.

Settings are those of the message that opens the context; ` + "`chunk_length_schedule`" + ` may still come in a later one, until there is text. What goes wrong
in a context is told with its ` + "`contextId`" + ` before its ` + "`isFinal`" + `, and nothing else is touched; one that cannot be opened, as when a pronunciation
dictionary is not there, gets the error alone. If it was asked for with dictionaries, text for its id is dropped until the id is closed, or asked for
with dictionaries again. The 101st context in a row whose dictionaries are refused, or that says nothing with them, ends the connection
(` + "`rate_limit_exceeded`" + `). A message that
cannot be read ends the connection. When no context is left it is closed if nothing comes for ` + "`inactivity_timeout`" + `; pings do not count.`

func nativeSocket() socket {
	return socket{
		id: "native",
		channel: channel{
			Address:     "/v1/audio/speech/stream-input",
			Title:       "Native",
			Summary:     "Text in, raw PCM out.",
			Description: nativeDoc,
			Bindings:    handshake(nativeQuery()),
			Limits:      bounds(0),
			CloseCodes:  closings(),
			Refusals:    refusals("400", "lang"),
		},
		receives: nativeReceives(),
		sends:    nativeSends(),
	}
}

func singleSocket() socket {
	return socket{
		id: "streamInput",
		channel: channel{
			Address:     "/v1/text-to-speech/{voice_id}/stream-input",
			Title:       "ElevenLabs dialect, one utterance",
			Summary:     "Text in, audio with the time of each character out.",
			Description: singleDoc,
			Parameters:  voiceParameter(),
			Bindings:    handshake(dialectQuery()),
			Limits:      bounds(0),
			CloseCodes:  closings(),
			Refusals:    refusals("422", "language_code"),
		},
		receives: singleReceives(),
		sends:    dialectSends(false),
	}
}

func multiSocket() socket {
	return socket{
		id: "multiStreamInput",
		channel: channel{
			Address:     "/v1/text-to-speech/{voice_id}/multi-stream-input",
			Title:       "ElevenLabs dialect, many contexts",
			Summary:     "Many turns on one connection, as LiveKit and Pipecat have them.",
			Description: multiDoc,
			Parameters:  voiceParameter(),
			Bindings:    handshake(dialectQuery()),
			Limits:      bounds(message.MaxOpen),
			CloseCodes:  closings(),
			Refusals:    refusals("422", "language_code"),
		},
		receives: multiReceives(),
		sends:    dialectSends(true),
	}
}

func voiceParameter() map[string]parameter {
	return map[string]parameter{"voice_id": {"A voice of GET /v1/voices, by id or name.", []string{exampleVoice()}}}
}

// limits holds the limits of a socket, for programs that read the description.
type limits struct {
	MessageBytes      int `json:"messageBytes"`
	UnendedCharacters int `json:"unendedCharacters"` // of a word
	SessionCharacters int `json:"sessionCharacters"`
	OpenContexts      int `json:"openContexts,omitempty"`
	LiveContexts      int `json:"openOrSpeakingContexts,omitempty"`
	SentBytes         int `json:"sentMessageBytes"`
}

// bounds returns the limits of a socket with up to this many contexts; 0 is a socket without
// contexts.
func bounds(contexts int) limits {
	l := limits{
		MessageBytes:      message.MaxMessage,
		UnendedCharacters: speech.MaxUnended,
		SessionCharacters: speech.MaxSessionCharacters,
		OpenContexts:      contexts,
		SentBytes:         message.MaxMessage,
	}
	if contexts > 0 {
		l.LiveContexts = message.MaxUnfinished
	}
	return l
}

// closings describes the codes of close frames.
func closings() map[string]string {
	out := map[string]string{}
	for code, text := range map[int]string{
		websocket.CloseNormalClosure:     "Everything was said, or the client asked for the end.",
		websocket.CloseGoingAway:         "The server stops. What was being said was finished if it could be; if not, an error says so.",
		websocket.CloseUnsupportedData:   "A binary frame was sent. An error says so.",
		websocket.ClosePolicyViolation:   "Something was wrong with what was sent, with the key or the balance, or nothing was sent for too long. An error says what.",
		websocket.CloseMessageTooBig:     "A message was longer than 64 KiB. An error says so.",
		websocket.CloseInternalServerErr: "A fault of the server, or a part of it is down. An error says so.",
	} {
		out[strconv.Itoa(code)] = text
	}
	return out
}

// refusals describes the statuses with which a handshake may be refused. Invalid is the status of
// a bad parameter.
func refusals(invalid, language string) map[string]string {
	out := map[string]string{
		"400": "The request is no WebSocket handshake (`upgrade_required`).",
		"401": "The API key is missing (`missing_api_key`) or not valid (`invalid_api_key`); or the single-use token is not valid (`invalid_token`), has expired (`token_expired`) or was used (`token_used`).",
		"402": "The balance of characters is spent (`insufficient_quota`).",
		"403": "Pages of this origin may not open sockets, or not with this token (`origin_not_allowed`); or the token is for another voice or language (`not_allowed_by_token`).",
		"404": "There is no such voice (`voice_not_found`) or pronunciation dictionary (`pronunciation_dictionary_not_found`).",
		"429": "The minute's requests are spent (`rate_limit_exceeded`) or all streams of the key are taken (`too_many_concurrent_requests`).",
		"500": "A fault of the server (`internal_error`).",
		"503": "The server stops (`server_stopping`) or a part of it is down. Try again after Retry-After.",
	}
	bad := "A parameter is malformed or out of range (`invalid_parameter`), or the language of `" + language + "` is not spoken."
	if out[invalid] != "" {
		bad = out[invalid] + " " + bad
	}
	out[invalid] = bad
	return out
}
