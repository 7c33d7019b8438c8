package speech

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/audio"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
)

// registerTextToSpeech declares the routes that speak in the ElevenLabs dialect.
func (a *api) registerTextToSpeech(desc huma.API) {
	const path = frame.ElevenLabsSpeech + "{voice_id}"
	declare := func(id, path, summary, text string, answer *huma.Response, h frame.Handler[ttsInput]) {
		op := huma.Operation{
			OperationID: id, Method: http.MethodPost, Path: path, Tags: []string{frame.TagEleven},
			Summary: summary, Description: text,
			Security:    frame.WithKey,
			Metadata:    map[string]any{frame.MetaSpeaks: true, frame.MetaRepeats: true, frame.MetaDialect: frame.ElevenLabs},
			Parameters:  ttsParameters(),
			RequestBody: ttsBody(desc),
			Responses:   frame.Responses(answer, 401, 402, 404, 413, 415, 422, 429, 503),
		}
		op.Responses["400"] = ttsRefusal(desc)
		frame.DescribeDialect(op.Responses["200"].Headers)
		frame.Operate(desc, op, h)
	}
	declare("textToSpeech", path, "Speak a text, whole",
		"Answers with audio when all of it is made.", ttsAudio(), a.textToSpeech(false, a.speakWhole))
	declare("textToSpeechStream", path+"/stream", "Speak a text as a stream",
		"Answers with audio while it is made. A stream that breaks off without its end was not completed.",
		ttsAudio(), a.textToSpeech(true, a.speakChunks))
	declare("textToSpeechWithTimestamps", path+"/with-timestamps", "Speak a text and time its characters",
		"Answers with one object when all is spoken. Times are exact where words begin and even inside a word.",
		timedAnswer(desc, "The audio and its timing."), a.textToSpeech(false, a.speakTimed))
	declare("textToSpeechStreamWithTimestamps", path+"/stream/with-timestamps", "Speak a text as a stream and time its characters",
		"Answers with one object a line while speech is made; every line ends in a newline and has at most 64 KiB. Times count from the beginning of "+
			"the whole audio, and each character stands in one line. A stream that breaks off without its end was not completed.",
		timedLines(desc), a.textToSpeech(true, a.speakTimedChunks))
}

// either writes values as the alternatives of a regular expression.
func either[T any](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, "|")
}

// ttsParameters describes the query.
func ttsParameters() []*huma.Param {
	query := func(name, doc string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: doc, Schema: schema}
	}
	return []*huma.Param{
		query(elevenlabs.FieldFormat, "Codec, sample rate in Hz and, of "+audio.LossyNames+", bit rate in kbps if you like. Every codec of GET /health goes with "+
			"8000, 16000, 22050, 24000, 32000, 44100 and 48000 Hz. A bit rate that the codec does not have there, within 8 to 320 (opus: 6 to 256), becomes the "+
			"nearest that it has, and x-notice says so.", &huma.Schema{
			Type: "string", Default: elevenlabs.DefaultFormat,
			Pattern:  "^(" + either(audio.Codecs) + ")_(" + either(audio.SampleRates) + ")(_[1-9][0-9]*)?$",
			Examples: []any{"mp3_44100_128", "pcm_24000", "ulaw_8000", "opus_48000_64"},
		}),
		dictionaryParameter(),
		query("enable_logging", "Taken and ignored: texts are never kept.", &huma.Schema{Type: "boolean"}),
		query("optimize_streaming_latency", "Taken and ignored: latency is always the least.", &huma.Schema{Type: "integer"}),
	}
}

func ttsBody(desc huma.API) *huma.RequestBody {
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
		Schema: frame.SchemaOf[textToSpeechRequest](desc),
		Examples: map[string]*huma.Example{
			"minimal":  {Summary: "Only the text", Value: map[string]any{"text": "Hello there."}},
			"language": {Summary: "With its language", Value: map[string]any{"text": "कुल ₹500 हुए।", "language_code": "hi"}},
			"slower": {Summary: "As a client sends it", Value: map[string]any{
				"text": "Hello there.", "model_id": "eleven_multilingual_v2",
				"voice_settings": map[string]any{"stability": 0.5, "similarity_boost": 0.75, "speed": 0.9},
			}},
		},
	}}}
}

// ttsAudio describes audio, which is of the types of POST /v1/audio/speech.
func ttsAudio() *huma.Response {
	answer := speechAnswer()
	delete(answer.Content, "text/event-stream")
	return answer
}

// timedAnswer describes audio with its timing.
func timedAnswer(desc huma.API, text string) *huma.Response {
	answer := speechAnswer()
	answer.Description = text
	answer.Content = frame.JsonOf[timedRecord](desc, "").Content
	return answer
}

// timedLines describes a stream of audio with its timing. The stream is lines of JSON and not one
// value, but clients expect the content type application/json.
func timedLines(desc huma.API) *huma.Response {
	answer := timedAnswer(desc, "Lines, each an object that ends in a newline.")
	answer.Content["application/json"].Schema = &huma.Schema{
		Type:        "string",
		Description: "Newline-delimited JSON: read it line by line.",
		Extensions: map[string]any{
			"contentMediaType": "application/x-ndjson",
			"contentSchema":    frame.SchemaOf[timedRecord](desc),
		},
	}
	return answer
}

// ttsRefusal describes the answer 400, to a body that cannot be read or a text that is too long.
// Bad parameters have another form and status on these routes.
func ttsRefusal(desc huma.API) *huma.Response {
	return &huma.Response{
		Description: "The body is not well-formed JSON (`invalid_body`), or the text is over 5,000 characters (`max_character_limit_exceeded`).",
		Headers:     map[string]*huma.Param{"x-request-id": frame.HeaderOf("string", "The id of the request.")},
		Content:     map[string]*huma.MediaType{"application/json": {Schema: frame.SchemaOf[frame.ErrorBody](desc)}},
	}
}
