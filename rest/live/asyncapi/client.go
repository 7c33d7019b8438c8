package asyncapi

import (
	"encoding/json"
	"fmt"

	"vaak/dictionary"
	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/speech/chunk"
)

const contentJSON = "application/json"

// envelopeOf describes a message in JSON. The examples are JSON, the usual one first.
func envelopeOf(name, title, summary string, payload *schema, examples ...string) *envelope {
	e := &envelope{Name: name, Title: title, Summary: summary, ContentType: contentJSON, Payload: payload}
	for i, text := range examples {
		of := "usual"
		if i > 0 {
			of = "other"
		}
		e.Examples = append(e.Examples, example{of, title + ".", json.RawMessage(text)})
	}
	return e
}

// fragment describes a text that is to be spoken. It has no length in the schema: the size of the
// message bounds it, and a bound on text without the end of a word cannot be said there.
func fragment(text string) *schema {
	return &schema{Type: "string", Description: text, MinLength: 1, MaxLength: message.MaxMessage}
}

func flush() *schema { return ofType("boolean", "Speak what there is, now.") }

func playedMs() *schema {
	return ofType("number", "How much of the audio was heard, in milliseconds.").atLeast(0)
}

func nativeReceives() []*envelope {
	return []*envelope{
		envelopeOf("text", "A fragment of text", "A fragment of any length; words may be cut anywhere.",
			objectOf(properties{"text": fragment("The next piece of the text.")}).with(properties{"flush": flush()}),
			`{"text":"Hel"}`, `{"text":"lo.","flush":true}`),
		envelopeOf("flush", "Flush", "Speak what there is, now.",
			objectOf(properties{"flush": exactly("boolean", true, "True.")}), `{"flush":true}`),
		envelopeOf("keepalive", "Keepalive", "The client is still there. Any message says so, and a ping does.",
			objectOf(properties{"keepalive": exactly("boolean", true, "True.")}), `{"keepalive":true}`),
		envelopeOf("cancel", "Cancel", "Stop at once; `cancelled` answers.",
			objectOf(properties{"cancel": exactly("boolean", true, "True.")}).
				with(properties{"played_ms": describedAs(playedMs(), " Without it, all that was sent.")}),
			`{"cancel":true,"played_ms":840}`, `{"cancel":true}`),
		envelopeOf("end", "End of the text", "That was all: the rest is spoken, and `done` answers.",
			objectOf(properties{"text": exactly("string", "", "Empty.")}), `{"text":""}`),
	}
}

// describedAs adds to the description of a schema.
func describedAs(s *schema, more string) *schema {
	s.Description += more
	return s
}

// settings describes what a message of the dialect may set before the session begins.
func settings() properties {
	return properties{
		"voice_settings":                    refer("voiceSettings"),
		"generation_config":                 refer("generationConfig"),
		"generator_config":                  refer("generationConfig"),
		"pronunciation_dictionary_locators": refer("dictionaries"),
	}
}

// triggers describes what a message with text may ask for.
func triggers() properties {
	return properties{
		"flush":                  flush(),
		"try_trigger_generation": ofType("boolean", "Speak what there is up to the last whole word, if that is 50 characters."),
	}
}

func singleReceives() []*envelope {
	return []*envelope{
		envelopeOf("keepalive", "Keepalive", "A lone space: the client is still there. It is spoken only as the space between two texts.",
			objectOf(properties{"text": exactly("string", " ", "One space.")}), `{"text":" "}`),
		envelopeOf("initialize", "Settings", "A space with settings, before the first text; it may be left out.",
			objectOf(properties{"text": exactly("string", " ", "One space.")}).with(settings(), triggers()),
			`{"text":" ","voice_settings":{"speed":1.1},"generation_config":{"chunk_length_schedule":[120,160,250,290]}}`,
			`{"text":" ","pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"`+message.ExampleDictionary+`"}]}`),
		envelopeOf("text", "A fragment of text", "A fragment of any length. The first may bring settings.",
			objectOf(properties{"text": fragment("The next piece of the text.")}).with(settings(), triggers()),
			`{"text":"Hello there. ","try_trigger_generation":true}`, `{"text":"Hello.","flush":true}`),
		envelopeOf("flush", "Flush", "Speak what there is, now. The session stays open.",
			objectOf(properties{"flush": exactly("boolean", true, "True.")}), `{"flush":true}`),
		envelopeOf("end", "End of the text", "That was all: the rest is spoken, and `final` answers.",
			objectOf(properties{"text": exactly("string", "", "Empty.")}), `{"text":""}`),
	}
}

func multiReceives() []*envelope {
	of := properties{"context_id": {
		Type: "string", Description: "The context, in at most 128 bytes; `default` when it is left out or empty.", MaxLength: message.MaxContextID,
	}}
	closing := properties{
		"close_context": ofType("boolean", "Close the context, after the rest of the message was obeyed."),
		"played_ms":     describedAs(playedMs(), " With it a close stops the context at once and its `final` says how far the listener came."),
		"close_socket":  ofType("boolean", "Close all contexts likewise, and then the connection."),
	}
	return []*envelope{
		envelopeOf("keepalive", "Keepalive", "An empty text, which never ends anything: the client of the context is still there, or without an id that of all contexts.",
			objectOf(properties{"text": exactly("string", "", "Empty.")}).with(of), `{"text":"","context_id":"turn-1"}`, `{"text":""}`),
		envelopeOf("initialize", "Open a context", "A space with settings opens a context; to an open one it is a keepalive. The first text does as well.",
			objectOf(properties{"text": exactly("string", " ", "One space.")}).with(of, settings(), triggers(), closing),
			`{"text":" ","context_id":"turn-1","voice_settings":{"speed":1.1}}`,
			`{"text":" ","context_id":"turn-2","pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"`+message.ExampleDictionary+`"}]}`),
		envelopeOf("text", "A fragment of text", "A fragment of any length; the first opens the context.",
			objectOf(properties{"text": fragment("The next piece of the text.")}).with(of, settings(), triggers(), closing),
			`{"text":"Hello there. ","context_id":"turn-1"}`, `{"text":"Bye.","context_id":"turn-2","flush":true,"close_context":true}`),
		envelopeOf("flush", "Flush", "Speak what there is of a context, now. It stays open.",
			objectOf(properties{"flush": exactly("boolean", true, "True.")}).
				with(of, properties{"text": exactly("string", "", "Empty.")}), `{"context_id":"turn-1","flush":true}`),
		envelopeOf("closeContext", "Close a context",
			"If all its text was flushed, that is spoken first. Otherwise what waits is dropped, what is being said stops, and `final` answers at once.",
			objectOf(properties{"close_context": exactly("boolean", true, "True.")}).
				with(of, properties{"played_ms": closing["played_ms"], "text": exactly("string", "", "Empty."), "flush": flush()}),
			`{"context_id":"turn-1","close_context":true}`, `{"context_id":"turn-1","close_context":true,"played_ms":840}`),
		envelopeOf("closeSocket", "Close the connection", "Close all contexts likewise, and the connection when they are over.",
			objectOf(properties{"close_socket": exactly("boolean", true, "True.")}), `{"close_socket":true}`),
	}
}

// inside describes the range of a number in words. The range is not in the schema, because numbers
// outside it are accepted and moved into it.
func inside(least, most float64) string { return fmt.Sprintf("From %g to %g.", least, most) + moved }

// locatorsSchema describes the pronunciation dictionaries of a session.
func locatorsSchema() *schema {
	s := ofType("array", "Pronunciation dictionaries of your organisation, applied in this order, behind that of the address. A list of more than 3 entries is refused as "+
		"`invalid_message`; more than 3 different ones with that of the address are `invalid_parameter`. "+
		"One that is named twice counts once, where it was named first and in the first version that is named. Of several lists before the first text the last counts; "+
		"they are looked up with that text, or when a context opens, and are fixed from then on: later ones change nothing.")
	s.MaxItems = dictionary.MaxPerRequest
	id := ofType("string", "Its id. Missing or null it is `invalid_message`; one that is nobody's, also an empty one, is `pronunciation_dictionary_not_found`.")
	s.Items = objectOf(properties{"pronunciation_dictionary_id": id}).
		with(properties{"version_id": ofType("string", "A version of it. Without one, or empty, it is the latest, and of that of the address the one of the handshake.")})
	return s
}

// sharedSchemas returns the schemas to which messages refer.
func sharedSchemas() map[string]*schema {
	schedule := ofType("array", "How many characters must wait for the first piece, the second and so on; the last repeats.")
	schedule.Items = ofType("number", inside(message.MinChunk, message.MaxChunk))
	schedule.Default = chunk.Config{}.Clamped().Characters
	return map[string]*schema{
		"voiceSettings": (&schema{Type: "object", Description: "Only `speed` has an effect.", Properties: properties{}}).with(properties{
			"speed": ofType("number", "How fast, at the same pitch. "+inside(speech.MinSpeed, speech.MaxSpeed)),
		}),
		"generationConfig": (&schema{Type: "object", Description: "When to speak. `generator_config` is another name for it.", Properties: properties{}}).
			with(properties{"chunk_length_schedule": schedule}),
		"dictionaries": locatorsSchema(),
		"alignment":    alignmentSchema(),
		"spoken":       spokenSchema(),
	}
}
