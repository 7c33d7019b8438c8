package speech

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/audio"
	"vaak/rest/frame"
)

func (a *api) registerSpeech(desc huma.API) {
	frame.Operate(desc, huma.Operation{
		OperationID: "createSpeech",
		Method:      http.MethodPost,
		Path:        "/v1/audio/speech",
		Tags:        []string{frame.TagSpeech},
		Summary:     "Speak a text",
		Description: "Only input is required; leave the rest out unless you need it. The answer is audio, whole by default; " +
			"with stream or stream_format it is sent while it is being made. A stream that breaks off without its end was not completed.",
		Security:   frame.WithKey,
		Metadata:   map[string]any{frame.MetaSpeaks: true, frame.MetaRepeats: true},
		Parameters: []*huma.Param{dictionaryParameter()},
		RequestBody: &huma.RequestBody{
			Required: true,
			Content: map[string]*huma.MediaType{"application/json": {
				Schema: frame.SchemaOf[speechRequest](desc),
				Examples: map[string]*huma.Example{
					"minimal": {Summary: "Only the text", Value: map[string]any{"input": "Hello there."}},
					"stream":  {Summary: "Raw samples while they are made", Value: map[string]any{"input": "नमस्ते, आप कैसे हैं?", "lang": "hi", "response_format": "pcm", "stream": true}},
					"sse":     {Summary: "Server-sent events", Value: map[string]any{"input": "Hello there.", "stream_format": "sse"}},
				},
			}},
		},
		Responses: withScriptRefusal(desc, frame.Responses(speechAnswer(), 400, 401, 402, 404, 413, 415, 429, 503)),
	}, a.speak)
	reading := frame.JsonOf[ReadingRecord](desc, "How the text would be read.")
	reading.Headers = map[string]*huma.Param{"x-ignored-parameters": speechAnswer().Headers["x-ignored-parameters"]}
	frame.Operate(desc, huma.Operation{
		OperationID: "previewText",
		Method:      http.MethodPost,
		Path:        "/v1/audio/speech/preview-text",
		Tags:        []string{frame.TagSpeech},
		Summary:     "See how a text would be read",
		Description: "Takes the body of a request to speak and answers with the languages and the words that would be read: numbers, dates, " +
			"money, units and signs as they are said. No audio is made and nothing is charged; what would be refused there is refused here.",
		Security:   frame.WithKey,
		Parameters: []*huma.Param{dictionaryParameter()},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: frame.SchemaOf[speechRequest](desc),
			Examples: map[string]*huma.Example{
				"numbers": {Summary: "Numbers in a mixed text", Value: map[string]any{"input": "कुल ₹12,34,567 हुए, meeting 5:30 pm पर है।", "lang": "hi"}},
			},
		}}},
		Responses: withScriptRefusal(desc, frame.Responses(reading, 400, 401, 404, 413, 415, 429, 503)),
	}, a.previewText)
}

// withScriptRefusal adds the answer to a text in a script of no language.
func withScriptRefusal(desc huma.API, answers map[string]*huma.Response) map[string]*huma.Response {
	answers["422"] = &huma.Response{
		Description: "The text is in a script in which no supported language is written (`script_not_supported`).",
		Headers:     map[string]*huma.Param{"x-request-id": frame.HeaderOf("string", "The id of the request.")},
		Content:     map[string]*huma.MediaType{"application/json": {Schema: frame.SchemaOf[frame.ErrorBody](desc)}},
	}
	return answers
}

// speechAnswer describes the audio of POST /v1/audio/speech.
func speechAnswer() *huma.Response {
	content := map[string]*huma.MediaType{
		"text/event-stream": {Schema: &huma.Schema{
			Type: "string",
			Description: "With stream_format sse: events `{\"type\":\"speech.audio.delta\",\"audio\":\"BASE64\"}`, then " +
				"`{\"type\":\"speech.audio.done\",\"usage\":{...}}`, or `{\"type\":\"error\",\"error\":{...}}` when it breaks off.",
		}},
	}
	for _, c := range audio.Codecs {
		for _, m := range c.Media() {
			content[m.Type] = &huma.MediaType{Schema: frame.Binary(m.Description)}
		}
	}
	return &huma.Response{
		Description: "The audio.",
		Content:     content,
		Headers: map[string]*huma.Param{
			"character-cost":       frame.HeaderOf("integer", "The characters that are charged. When it shows within a stream that the engine cannot speak some of the text, the right number comes in a trailer of this name, with one of x-notice."),
			"x-voice-id":           frame.HeaderOf("string", "The voice that speaks."),
			"x-fallback-voice":     frame.HeaderOf("string", "The voice that speaks instead of x-voice-id, which cannot be used now, where the deployment allows that."),
			"x-engine":             frame.HeaderOf("string", "Who makes the sound: the name of an engine such as `espeak` or `onnx`, or `remote/` and the name of a pool of model servers. It is known from the first sound; where another speaks later, x-notice says so."),
			"x-language":           frame.HeaderOf("string", "The language of the text."),
			"x-cache":              frame.HeaderOf("string", "`hit` when the answer was kept from an earlier request of your organisation, `miss` when it was made; absent where nothing is kept. Both are charged."),
			"x-notice":             frame.HeaderOf("string", "Something you may want to know, such as markup that was left out, text that the engine cannot speak and that is not charged, a bit rate that became another, sampling parameters that change nothing, or another voice that speaks what yours cannot."),
			"x-ignored-parameters": frame.HeaderOf("string", "The parameters of the body that change nothing, by name, at most 20, separated by commas; any value of model means the one model, so it is none of them. Absent when all are used."),
			"server-timing":        frame.HeaderOf("string", "Where the time went in milliseconds: queue, text, first-audio and, when the answer is whole, total."),
		},
	}
}
