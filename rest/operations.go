package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// parts are what is served; without speech there are no clips and dictionaries.
type parts struct{ speech, clips, dictionaries, catalogue bool }

// register declares the operations of the services.
func (a *api) register(desc huma.API, p parts) {
	defer allowEmpty(desc.OpenAPI())
	if p.catalogue {
		a.registerCatalogue(desc)
	}
	if !p.speech {
		return
	}
	a.registerSpeech(desc)
	if p.clips {
		a.registerClips(desc)
	}
	a.registerTextToSpeech(desc)
	if p.dictionaries {
		a.registerDictionaries(desc)
	}
	a.registerVoices(desc)
	a.registerVoicePages(desc)
	a.registerAudioLists(desc)
	a.registerRest(desc)
	a.registerUsage(desc)
}

func (a *api) registerSpeech(desc huma.API) {
	operate(desc, huma.Operation{
		OperationID: "createSpeech",
		Method:      http.MethodPost,
		Path:        "/v1/audio/speech",
		Tags:        []string{tagSpeech},
		Summary:     "Speak a text",
		Description: "Only input is required; leave the rest out unless you need it. The answer is audio, whole by default; " +
			"with stream or stream_format it is sent while it is being made. A stream that breaks off without its end was not completed.",
		Security:   withKey,
		Metadata:   map[string]any{metaSpeaks: true},
		Parameters: []*huma.Param{dictionaryParameter()},
		RequestBody: &huma.RequestBody{
			Required: true,
			Content: map[string]*huma.MediaType{"application/json": {
				Schema: schemaOf[speechRequest](desc),
				Examples: map[string]*huma.Example{
					"minimal": {Summary: "Only the text", Value: map[string]any{"input": "Hello there."}},
					"stream":  {Summary: "Raw samples while they are made", Value: map[string]any{"input": "नमस्ते, आप कैसे हैं?", "lang": "hi", "response_format": "pcm", "stream": true}},
					"sse":     {Summary: "Server-sent events", Value: map[string]any{"input": "Hello there.", "stream_format": "sse"}},
				},
			}},
		},
		Responses: responses(speechAnswer(), 400, 401, 402, 404, 413, 415, 429, 503),
	}, a.speak)
	reading := jsonOf[readingRecord](desc, "How the text would be read.")
	reading.Headers = map[string]*huma.Param{"x-ignored-parameters": speechAnswer().Headers["x-ignored-parameters"]}
	operate(desc, huma.Operation{
		OperationID: "previewText",
		Method:      http.MethodPost,
		Path:        "/v1/audio/speech/preview-text",
		Tags:        []string{tagSpeech},
		Summary:     "See how a text would be read",
		Description: "Takes the body of a request to speak and answers with the languages and the words that would be read: numbers, dates, " +
			"money, units and signs as they are said. No audio is made and nothing is charged; what would be refused there is refused here.",
		Security:   withKey,
		Parameters: []*huma.Param{dictionaryParameter()},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: schemaOf[speechRequest](desc),
			Examples: map[string]*huma.Example{
				"numbers": {Summary: "Numbers in a mixed text", Value: map[string]any{"input": "कुल ₹12,34,567 हुए, meeting 5:30 pm पर है।", "lang": "hi"}},
			},
		}}},
		Responses: responses(reading, 400, 401, 404, 413, 415, 429, 503),
	}, a.previewText)
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
	for media, doc := range map[string]string{
		"audio/wav":          "wav. A stream has 0xFFFFFFFF for the sizes that are not known yet.",
		"audio/mpeg":         "mp3.",
		"audio/ogg":          "opus, in Ogg.",
		"audio/aac":          "aac, in ADTS.",
		"audio/flac":         "flac.",
		"audio/pcm":          "pcm: 16-bit little-endian mono without a header; the rate and channels are parameters of the content type.",
		"audio/basic":        "ulaw at 8,000 Hz.",
		"audio/PCMU":         "ulaw at other rates.",
		"audio/x-alaw-basic": "alaw at 8,000 Hz.",
		"audio/PCMA":         "alaw at other rates.",
	} {
		content[media] = &huma.MediaType{Schema: binary(doc)}
	}
	return &huma.Response{
		Description: "The audio.",
		Content:     content,
		Headers: map[string]*huma.Param{
			"character-cost":       headerOf("integer", "The characters that are charged. When it shows within a stream that the engine cannot speak some of the text, the right number comes in a trailer of this name, with one of x-notice."),
			"x-voice-id":           headerOf("string", "The voice that speaks."),
			"x-language":           headerOf("string", "The language of the text."),
			"x-cache":              headerOf("string", "`hit` when the answer was kept from an earlier request of your organisation, `miss` when it was made; absent where nothing is kept. Both are charged."),
			"x-notice":             headerOf("string", "Something you may want to know, such as markup that was left out, text that the engine cannot speak and that is not charged, a bit rate that became another, or sampling parameters that change nothing."),
			"x-ignored-parameters": headerOf("string", "The parameters of the body that change nothing, by name, at most 20, separated by commas; any value of model means the one model, so it is none of them. Absent when all are used."),
			"server-timing":        headerOf("string", "Where the time went in milliseconds: queue, text, first-audio and, when the answer is whole, total."),
		},
	}
}

// binary describes a body of bytes. The format goes in as an extension, because
// huma would add the media type application/octet-stream, which it is not.
func binary(doc string) *huma.Schema {
	return &huma.Schema{Type: "string", Description: doc, Extensions: map[string]any{"format": "binary"}}
}

func (a *api) registerVoices(desc huma.API) {
	operate(desc, huma.Operation{
		OperationID: "listVoices", Method: http.MethodGet, Path: "/v1/voices", Tags: []string{tagVoices},
		Metadata:  inElevenLabs(),
		Summary:   "List the voices",
		Responses: responses(jsonOf[voiceList](desc, "All voices.")),
	}, a.listVoices)
	operate(desc, huma.Operation{
		OperationID: "getVoice", Method: http.MethodGet, Path: "/v1/voices/{voice_id}", Tags: []string{tagVoices},
		Metadata:  inElevenLabs(),
		Summary:   "Get a voice",
		Responses: responses(jsonOf[voiceRecord](desc, "The voice."), 404),
	}, a.getVoice)
	operate(desc, huma.Operation{
		OperationID: "previewVoice", Method: http.MethodGet, Path: "/v1/voices/{voice_id}/preview", Tags: []string{tagVoices},
		Summary:     "Hear a voice",
		Metadata:    map[string]any{metaFree: true},
		Description: "A clip of 3 to 6 seconds in the voice's preview language, free of charge. Conditional requests and ranges are served.",
		Responses: responses(&huma.Response{
			Description: "The clip.",
			Content: map[string]*huma.MediaType{
				"audio/mpeg": {Schema: binary("The clip.")},
				"audio/wav":  {Schema: binary("The clip, where the deployment makes no mp3.")},
			},
			Headers: map[string]*huma.Param{"ETag": headerOf("string", "Changes when the clip does.")},
		}, 404, 503),
	}, a.previewVoice)
	operate(desc, huma.Operation{
		OperationID: "getVoiceSettings", Method: http.MethodGet, Path: "/v1/voices/{voice_id}/settings", Tags: []string{tagVoices},
		Metadata:    inElevenLabs(),
		Summary:     "Get a voice's settings",
		Description: "The same for every voice: they exist for clients that ask for them.",
		Responses:   responses(jsonOf[voiceSettings](desc, "The settings."), 404),
	}, a.getVoiceSettings)
	operate(desc, huma.Operation{
		OperationID: "getDefaultVoiceSettings", Method: http.MethodGet, Path: "/v1/voices/settings/default", Tags: []string{tagVoices},
		Metadata:  inElevenLabs(),
		Summary:   "Get the default settings",
		Responses: responses(jsonOf[voiceSettings](desc, "The settings.")),
	}, a.getDefaultSettings)
}

func (a *api) registerRest(desc huma.API) {
	operate(desc, huma.Operation{
		OperationID: "listLanguages", Method: http.MethodGet, Path: "/v1/languages", Tags: []string{tagModels},
		Summary:   "List the languages",
		Responses: responses(jsonOf[languageList](desc, "All languages.")),
	}, a.listLanguages)
	models := jsonOf[modelList](desc, "The one model: as a list object for clients of the OpenAI dialect, as a bare array for all others.")
	media := models.Content["application/json"]
	array := &huma.Schema{Type: "array", Items: schemaOf[modelRecord](desc)}
	media.Schema = &huma.Schema{OneOf: []*huma.Schema{media.Schema, array}}
	operate(desc, huma.Operation{
		OperationID: "listModels", Method: http.MethodGet, Path: "/v1/models", Tags: []string{tagModels},
		Summary:     "List the models",
		Description: "The shape follows the caller's client: the OpenAI one when X-Stainless-Lang or the User-Agent says so, or when a bearer token comes without xi-api-key.",
		Responses:   responses(models, 400),
	}, a.listModels)
	operate(desc, huma.Operation{
		OperationID: "getModel", Method: http.MethodGet, Path: "/v1/models/{model_id}", Tags: []string{tagModels},
		Summary:   "Get a model",
		Responses: responses(jsonOf[modelRecord](desc, "The one model, whatever the id.")),
	}, a.getModel)
	operate(desc, huma.Operation{
		OperationID: "getHealth", Method: http.MethodGet, Path: "/health", Tags: []string{tagHealth},
		Summary:   "See what the deployment does",
		Metadata:  map[string]any{metaFree: true},
		Responses: responses(jsonOf[healthRecord](desc, "The server is alive.")),
	}, a.health)
}
