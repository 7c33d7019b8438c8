package voices

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/rest/frame"
)

func (a *api) registerVoices(desc huma.API) {
	frame.Operate(desc, huma.Operation{
		OperationID: "listVoices", Method: http.MethodGet, Path: "/v1/voices", Tags: []string{frame.TagVoices},
		Metadata:  frame.InElevenLabs(),
		Summary:   "List the voices",
		Responses: frame.Responses(frame.JsonOf[VoiceList](desc, "All voices.")),
	}, a.listVoices)
	frame.Operate(desc, huma.Operation{
		OperationID: "getVoice", Method: http.MethodGet, Path: "/v1/voices/{voice_id}", Tags: []string{frame.TagVoices},
		Metadata:  frame.InElevenLabs(),
		Summary:   "Get a voice",
		Responses: frame.Responses(frame.JsonOf[VoiceRecord](desc, "The voice."), 404),
	}, a.getVoice)
	frame.Operate(desc, huma.Operation{
		OperationID: "previewVoice", Method: http.MethodGet, Path: "/v1/voices/{voice_id}/preview", Tags: []string{frame.TagVoices},
		Summary:     "Hear a voice",
		Metadata:    map[string]any{frame.MetaFree: true},
		Description: "A clip of 3 to 6 seconds in the voice's preview language, free of charge. Conditional requests and ranges are served.",
		Responses: frame.Responses(&huma.Response{
			Description: "The clip.",
			Content: map[string]*huma.MediaType{
				"audio/mpeg": {Schema: frame.Binary("The clip.")},
				"audio/wav":  {Schema: frame.Binary("The clip, where the deployment makes no mp3.")},
			},
			Headers: map[string]*huma.Param{"ETag": frame.HeaderOf("string", "Changes when the clip does.")},
		}, 404, 503),
	}, a.previewVoice)
	frame.Operate(desc, huma.Operation{
		OperationID: "getVoiceSettings", Method: http.MethodGet, Path: "/v1/voices/{voice_id}/settings", Tags: []string{frame.TagVoices},
		Metadata:    frame.InElevenLabs(),
		Summary:     "Get a voice's settings",
		Description: "The same for every voice: they exist for clients that ask for them.",
		Responses:   frame.Responses(frame.JsonOf[voiceSettings](desc, "The settings."), 404),
	}, a.getVoiceSettings)
	frame.Operate(desc, huma.Operation{
		OperationID: "getDefaultVoiceSettings", Method: http.MethodGet, Path: "/v1/voices/settings/default", Tags: []string{frame.TagVoices},
		Metadata:  frame.InElevenLabs(),
		Summary:   "Get the default settings",
		Responses: frame.Responses(frame.JsonOf[voiceSettings](desc, "The settings.")),
	}, a.getDefaultSettings)
}
