package asyncapi

import (
	"fmt"
	"strings"

	"vaak/audio"
	"vaak/rest/elevenlabs"
	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/speech/chunk"
)

// handshake describes the handshake of a socket with these query parameters.
func handshake(query properties) bindings {
	return bindings{binding{
		Method: "GET",
		// A key in a header, or a token in the query: a schema of either cannot say that.
		Query: &schema{Type: "object", Properties: query},
		Headers: &schema{
			Type: "object",
			Properties: properties{
				"Authorization": {
					Type: "string", Pattern: "^[Bb][Ee][Aa][Rr][Ee][Rr] +[^ ]", Description: "Bearer and the API key.",
					Examples: []any{"Bearer sk_live_..."},
				},
				"xi-api-key":   ofType("string", "The API key. Both headers may be sent if they agree.").such("sk_live_..."),
				"x-request-id": ofType("string", "An id of 1 to 256 visible ASCII characters for the connection; without it one is made. The answer to the handshake carries it."),
				"Origin":       ofType("string", "Sent by browsers: it must be the origin of the server, or one that its operator allows. With a single-use token it must be one that the token names, if it names any."),
			},
		},
		Version: "0.1.0",
	}}
}

// moved ends the description of a number that is clamped and not refused.
const moved = " A value outside the range is moved to the nearest inside."

// sharedQuery are the parameters of every socket.
func sharedQuery() properties {
	return properties{
		"single_use_token": ofType("string", "A token of POST /v1/audio/speech/tokens or POST /v1/single-use-token/tts_websocket, in place of the API key: browsers cannot set headers of a handshake. "+
			"It opens one socket; a handshake that is refused does not use it up.").such("sutkn_..."),
		"markdown": ofType("boolean", "Whether the text may have Markdown, whose signs, code blocks and link addresses are then not read. `false` reads every sign as text.").usually(true),
		"emoji":    ofType("string", "Whether emoji are silent, or read by their names in the language of the text, as far as it has them.").usually("silent").oneOf("silent", "named"),
		"urls":     ofType("string", "Whether a web address with http:// or https:// is read up to the end of its host, or whole.").usually("host").oneOf("host", "full"),
		"inactivity_timeout": ofType("number", "Seconds without a message after which a session that has nothing to say is closed."+moved).
			between(message.MinIdle, message.MaxIdle).usually(message.DefaultIdle),
		"pronunciation_dictionary_id": ofType("string", "A pronunciation dictionary of your organisation, which respells words before the text is read. "+
			"Its version is the latest at the handshake, for as long as the connection lasts. One that is not there is refused with 404.").such(message.ExampleDictionary),
	}
}

// nativeQuery are the parameters of the native socket.
func nativeQuery() properties {
	usual := chunk.Config{}.Clamped()
	q := sharedQuery()
	q["voice"] = ofType("string", "The id of a voice, `sv_` and 16 characters, or a name of GET /v1/voices. Without it a native voice of the language speaks.").such(exampleVoice())
	q["lang"] = ofType("string", "The language in any form; without it, and with `auto`, it is told from the first text.").such("hi", "hin", "Hindi", "en-IN")
	q["mode"] = ofType("string", "When text is spoken: `sentence` when a sentence has ended, `eager` when a few words and those behind them are known.").usually("sentence")
	q["mode"].Enum = []any{"sentence", "eager"}
	q["speed"] = ofType("number", "How fast, at the same pitch.").between(speech.MinSpeed, speech.MaxSpeed).usually(1)
	q["chunk_words"] = ofType("integer", "Eager: how many words are spoken at a time."+moved).between(1, message.MaxChunkWords).usually(usual.ChunkWords)
	q["peek_words"] = ofType("integer", "Eager: how many words must be known behind them."+moved).between(1, message.MaxPeekWords).usually(usual.PeekWords)
	q["max_chunk_words"] = ofType("integer", "Eager: how many words are spoken at a time at most, when text has queued; no fewer than `chunk_words`."+moved).
		between(1, message.MaxMaxChunkWords).usually(usual.MaxChunkWords)
	q["words"] = ofType("boolean", "Tell when each word is heard, in the messages `words`. Audio is then sent up to the end of a word.").usually(false)
	q["temperature"] = knob(0, 2)
	q["top_p"] = knob(0, 1)
	q["top_k"] = knob(0, 1000)
	q["min_p"] = knob(0, 1)
	q["repetition_penalty"] = knob(0.5, 2)
	q["presence_penalty"] = knob(-2, 2)
	q["seed"] = seed("One outside the range is refused.")
	return q
}

// seed describes the seed; strange says what becomes of a value that is none.
func seed(strange string) *schema {
	return ofType("integer", "Voices that sample say the text a little differently with another seed, and always the same with the same one, or none. "+
		"It has no effect on others, and x-notice in the answer to the handshake says so. "+strange).between(0, speech.MaxSeed)
}

// knob describes a parameter of sampling.
func knob(least, most float64) *schema {
	return ofType("number", "For engines that sample; checked, and without effect on others.").between(least, most)
}

// dialectQuery are the parameters of the sockets of the ElevenLabs dialect.
func dialectQuery() properties {
	q := sharedQuery()
	q["output_format"] = ofType("string", "A codec, a sample rate in Hz and, if you like, of "+audio.LossyNames+" a bit rate in kbps. One that the codec "+
		"does not have at that rate, within 8 to 320 (opus: 6 to 256), becomes the nearest that it has; x-notice in the answer to the handshake says so.").
		usually(elevenlabs.DefaultFormat).such("mp3_44100_128", "pcm_24000", "ulaw_8000", "opus_48000_64")
	q["output_format"].Pattern = FormatPattern()
	q["language_code"] = ofType("string", "The language in any form; without it, and with `auto`, it is told from the first text.").such("hi", "hin", "Hindi", "en-IN")
	q["auto_mode"] = ofType("boolean", "Speak at the end of each sentence and of each message that ends a phrase; `chunk_length_schedule` is not used.").usually(false)
	q["seed"] = seed("A value that is none is ignored, and x-notice says that too.")
	return q
}

// FormatPattern is what values of output_format look like.
func FormatPattern() string {
	var lossy, others, rates []string
	for _, c := range audio.Codecs {
		if c.Lossy() {
			lossy = append(lossy, string(c))
		} else {
			others = append(others, string(c))
		}
	}
	for _, r := range audio.SampleRates {
		rates = append(rates, fmt.Sprint(r))
	}
	or := func(words []string) string { return "(" + strings.Join(words, "|") + ")" }
	return "^(" + or(others) + "_" + or(rates) + "|" + or(lossy) + "_" + or(rates) + "(_[1-9][0-9]{0,5})?)$"
}
