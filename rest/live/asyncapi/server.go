package asyncapi

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/speech/align"
)

// exampleRequest is the id of a connection in examples.
const exampleRequest = "9f86d081884c7d65"

func exampleSpoken() *speech.Spoken {
	return &speech.Spoken{Text: "The next train to", Remaining: " Pune leaves at nine.", Characters: 17, Audio: 840 * time.Millisecond}
}

func nativeSends() []*envelope {
	pcm := &envelope{
		Name: "audio", Title: "A piece of audio", ContentType: "audio/pcm;rate=24000;channels=1",
		Summary: "A binary frame: 16-bit little-endian mono PCM at 24 kHz, whole samples, at most 64 KiB.",
		Payload: &schema{Type: "string", Format: "binary"},
		Examples: []example{{
			"usual", "One sample of silence; each character stands for a byte.", json.RawMessage(`"\u0000\u0000"`),
		}},
	}
	return []*envelope{
		pcm,
		envelopeOf("left_out", "Text that is not spoken", "A piece of the text that the engine cannot speak. It is left out and not charged; the session goes on.", objectOf(properties{
			"type": exactly("string", "left_out", "Always `left_out`."),
			"text": ofType("string", "The piece, as it was sent."),
		}), string(message.AppendLeftOut(nil, "\U0001f700"))),
		envelopeOf("words", "When words are heard", "Words that are complete, with their times, before the audio in which they end: with `words=true` alone.", objectOf(properties{
			"type":  exactly("string", "words", "Always `words`."),
			"words": {Type: "array", Description: "The words, in order. A word is what stands between spaces, and in scripts that write none each character.", Items: wordSchema()},
		}), string(message.AppendWords(nil, []align.Word{{Text: "The", At: 0, Until: 110}, {Text: "next", Character: 4, At: 110, Until: 372}}))),
		envelopeOf("done", "All was said", "The last message of a session whose text was ended.", objectOf(properties{
			"type":       exactly("string", "done", "Always `done`."),
			"characters": ofType("integer", "Code points of the text.").atLeast(0),
			"audio_ms":   ofType("integer", "Length of the audio in milliseconds.").atLeast(0),
			"request_id": ofType("string", "The id of the connection, which the log has too."),
		}).maybe(spokeEngine()), string(message.AppendDone(nil, 41, 2630*time.Millisecond, exampleRequest, "espeak"))),
		envelopeOf("cancelled", "How far the listener came", "The last message of a session that was cancelled.", objectOf(properties{
			"type":           exactly("string", "cancelled", "Always `cancelled`."),
			"text_spoken":    ofType("string", "What was heard of the text."),
			"text_remaining": ofType("string", "The rest."),
			"char_offset":    ofType("integer", "Code points that were heard.").atLeast(0),
			"audio_ms":       ofType("integer", "Milliseconds of audio that were heard.").atLeast(0),
		}).maybe(spokeEngine()), string(message.AppendCancelled(nil, exampleSpoken(), "espeak"))),
		envelopeOf("error", "An error", "What went wrong; the close follows.", objectOf(properties{
			"type":    exactly("string", "error", "Always `error`."),
			"message": ofType("string", "What is wrong, in a sentence."),
			"error":   errorCode(errorCodes()),
			"code":    ofType("string", "The same as `error`."),
		}), string(message.AppendNativeError(nil, message.TimedOut(message.DefaultIdle*time.Second)))),
	}
}

// wordSchema describes a word of the native socket.
func wordSchema() *schema {
	return objectOf(properties{
		"text":        ofType("string", "The word as it was sent, with the punctuation at it."),
		"char_offset": ofType("integer", "Code points of the text before it.").atLeast(0),
		"start_ms":    ofType("integer", "When it begins, in milliseconds of the session's audio.").atLeast(0),
		"end_ms":      ofType("integer", "When it ends, likewise.").atLeast(0),
	}).maybe(properties{
		"estimated": exactly("boolean", true, "The times are estimated from the text and the sound, because the voice does not tell them. Left out where they are known."),
	})
}

// spokeEngine describes who spoke, in the last message of a native session.
func spokeEngine() properties {
	return properties{"engine": ofType("string", "Who made the first sound, as in the header x-engine: `espeak`, `onnx`, or `remote/` and the name of a pool of model servers. Left out where nothing was spoken.")}
}

// errorCodes returns the codes of the errors that every socket sends, and more.
func errorCodes(more ...string) []string {
	return append([]string{
		fault.CodeInvalidMessage, fault.CodeInvalidParameter, fault.CodeTextTooLong, fault.CodeInputTimeout, fault.CodeInvalidKey,
		fault.CodeInsufficientQuota, fault.CodeEngineUnavailable, fault.CodeStoreUnavailable, fault.CodeOverloaded, fault.CodeInternal, message.CodeStopping, message.CodeSessionTime,
	}, more...)
}

// errorCode describes the code of an error. The codes are examples and no enumeration, because
// later versions may add some.
func errorCode(codes []string) *schema {
	s := ofType("string", "A code for programs. Others may be added.")
	for _, c := range codes {
		s.Examples = append(s.Examples, c)
	}
	return s
}

// dialectSends describes the messages of the dialect, with contexts or without.
func dialectSends(contexts bool) []*envelope {
	id, over := "", "All was said; the close follows."
	if contexts {
		id, over = "turn-1", "A context is over."
	}
	hello := message.Stretch{Characters: []string{"H", "i", "."}, Starts: []int{0, 120, 240}, End: 360}
	final := envelopeOf("final", "The end", over, within(contexts, finalSchema()), string(message.AppendFinal(nil, id, nil)))
	if contexts {
		final.Payload.Properties["spoken"] = refer("spoken")
		final.Examples = append(final.Examples, example{"other", "The end of a context that was interrupted.",
			json.RawMessage(message.AppendFinal(nil, id, exampleSpoken()))})
	}
	return []*envelope{
		envelopeOf("audio", "A piece of audio", "A piece of audio with the text that begins in it, at most 64 KiB in all.",
			within(contexts, audioSchema()), string(message.AppendAudio(nil, []byte{0, 0, 1, 0}, hello, hello, id))),
		envelopeOf("leftOut", "Text that is not spoken", "A piece of the text that the engine cannot speak. It is left out and not charged; the speech goes on.",
			within(contexts, leftOutSchema()), string(message.AppendUnspoken(nil, "\U0001f700", id))),
		final,
		dialectError(contexts),
	}
}

// within adds the id of the context to what is sent, if there are contexts.
func within(contexts bool, s *schema) *schema {
	if contexts {
		s.Properties["contextId"] = ofType("string", "The context.")
		s.Required = append(s.Required, "contextId")
		slices.Sort(s.Required)
	}
	return s
}

func dialectError(contexts bool) *envelope {
	codes, text := errorCodes(dictionary.CodeNotFound), "What went wrong; the close follows."
	if contexts {
		codes, text = append(codes, fault.CodeTooManyContexts, fault.CodeRateLimited), "What went wrong in a context, or with the connection; after the latter the close follows."
	}
	s := objectOf(properties{
		"message": ofType("string", "What is wrong, in a sentence."),
		"error":   errorCode(codes),
		"code":    ofType("integer", "The close code that belongs to it."),
	})
	for _, code := range TroubleCodes() {
		s.Properties["code"].Enum = append(s.Properties["code"].Enum, code)
	}
	if contexts {
		s.Properties["contextId"] = ofType("string", "The context that has failed, or could not be opened; absent when it is the connection.")
	}
	return envelopeOf("error", "An error", text, s, string(message.AppendError(nil, message.TimedOut(message.DefaultIdle*time.Second), "")))
}

// TroubleCodes returns the close codes of errors, ascending.
func TroubleCodes() []int {
	codes := append(slices.Collect(maps.Values(message.CloseCodes)), websocket.CloseInternalServerErr)
	slices.Sort(codes)
	return slices.Compact(codes)
}

func finalSchema() *schema {
	null := func() *schema { return ofType("null", "Null.") }
	return objectOf(properties{
		"audio": null(), "isFinal": exactly("boolean", true, "True."), "alignment": null(), "normalizedAlignment": null(),
	})
}

func leftOutSchema() *schema {
	null := func() *schema { return ofType("null", "Null.") }
	return objectOf(properties{
		"audio": null(), "isFinal": null(), "alignment": null(), "normalizedAlignment": null(),
		"leftOut": ofType("string", "The piece, as it was sent."),
	})
}

func audioSchema() *schema {
	audio := ofType("string", "Bytes of the stream, in standard base64 with padding. Samples of PCM are never split. It may be empty.")
	audio.ContentEncoding = "base64"
	return objectOf(properties{
		"audio":               audio,
		"isFinal":             ofType("null", "Null."),
		"alignment":           refer("alignment").orNull(),
		"normalizedAlignment": refer("alignment").orNull(),
	}).maybe(properties{
		"estimated": exactly("boolean", true, "The times are estimated from the text and the sound, because the voice does not tell them. Left out where they are known."),
	})
}

// alignmentSchema describes when characters are heard.
func alignmentSchema() *schema {
	list := func(items *schema, text string) *schema {
		s := ofType("array", text)
		s.Items = items
		return s
	}
	a := objectOf(properties{
		"chars":            list(ofType("string", "A character."), "The characters, each once and in order."),
		"charStartTimesMs": list(ofType("integer", "Milliseconds.").atLeast(0), "When each begins, in milliseconds from the beginning of the piece."),
		"charDurationsMs":  list(ofType("integer", "Milliseconds.").atLeast(0), "How long each lasts: until the next one begins."),
	})
	a.Description = "When characters are heard. In `alignment` they are those that were sent, in `normalizedAlignment` those of the words that were read. " +
		"The three lists are of one length; null says that no character begins in the piece."
	return a
}

// spokenSchema describes how much of a context the listener heard.
func spokenSchema() *schema {
	s := objectOf(properties{
		"text":        ofType("string", "What was heard of the text."),
		"remaining":   ofType("string", "The rest."),
		"char_offset": ofType("integer", "Code points that were heard.").atLeast(0),
		"audio_ms":    ofType("integer", "Milliseconds of audio that were heard.").atLeast(0),
	})
	s.Description = "How far the listener came, of a context that was closed with `played_ms`."
	return s
}
