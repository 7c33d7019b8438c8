package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/lang"
	"vaak/voice"
)

// audioVoiceList is the answer of GET /v1/audio/voices. OpenAI has no such address:
// Open WebUI reads voices[].id and voices[].name of it, as Kokoro-FastAPI answers.
type audioVoiceList struct {
	Voices []audioVoice `json:"voices" nullable:"false"`
}

// audioVoice is a voice in that list.
type audioVoice struct {
	ID       string   `json:"id" doc:"What goes into voice: the voice_id of GET /v1/voices." pattern:"^sv_[a-z2-7]{16}$"`
	Name     string   `json:"name" doc:"For display; may change."`
	Language string   `json:"language" doc:"The native language; every voice speaks all of GET /v1/languages." example:"Hindi"`
	Code     string   `json:"language_code" example:"hi"`
	Gender   string   `json:"gender" enum:"female,male,neutral"`
	Accent   string   `json:"accent"`
	Aliases  []string `json:"aliases,omitempty" nullable:"false" doc:"Names of other services' voices that mean this one here."`
}

// audioModelList is the answer of GET /v1/audio/models: models as Open WebUI reads it,
// data as clients of the OpenAI dialect do.
type audioModelList struct {
	Models []audioModel  `json:"models" nullable:"false"`
	Object string        `json:"object" enum:"list"`
	Data   []modelRecord `json:"data" nullable:"false"`
}

type audioModel struct {
	ID   string `json:"id" example:"speech-tts-turbo"`
	Name string `json:"name"`
}

func (a *api) registerAudioLists(desc huma.API) {
	operate(desc, huma.Operation{
		OperationID: "listAudioVoices", Method: http.MethodGet, Path: "/v1/audio/voices", Tags: []string{tagVoices},
		Summary:     "List the voices, as clients of local servers ask for them",
		Description: "The voices of GET /v1/voices in the shape that Open WebUI and the clients of Kokoro-FastAPI read.",
		Responses:   responses(jsonOf[audioVoiceList](desc, "All voices.")),
	}, a.listAudioVoices)
	operate(desc, huma.Operation{
		OperationID: "listAudioModels", Method: http.MethodGet, Path: "/v1/audio/models", Tags: []string{tagModels},
		Summary:     "List the models, as clients of local servers ask for them",
		Description: "The model of GET /v1/models in the shapes that Open WebUI and clients of the OpenAI dialect read, both in one answer.",
		Responses:   responses(jsonOf[audioModelList](desc, "The one model.")),
	}, a.listAudioModels)
}

// audioLists renders both lists.
func (a *api) audioLists() (voices, models document, err error) {
	list := audioVoiceList{Voices: []audioVoice{}}
	for _, v := range voice.All() {
		native, _ := lang.Lookup(v.Native) // every voice of the roster has one
		list.Voices = append(list.Voices, audioVoice{
			ID: string(v.ID), Name: v.Name, Language: native.Name, Code: string(v.Native),
			Gender: string(v.Gender), Accent: v.Accent, Aliases: a.Voices.Aliases(v.ID),
		})
	}
	if voices, err = render(list); err != nil {
		return voices, models, err
	}
	m := theModel()
	models, err = render(audioModelList{
		Models: []audioModel{{m.ID, m.Name}}, Object: "list", Data: []modelRecord{m},
	})
	return voices, models, err
}

func (a *api) listAudioVoices(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	a.audioVoices.serve(w, r)
	return nil
}

func (a *api) listAudioModels(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	a.audioModels.serve(w, r)
	return nil
}
