package voices

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/lang"
	"vaak/rest/frame"
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
	Language string   `json:"language" doc:"The native language; every premade voice speaks all of GET /v1/languages, and for what another does not speak the nearest of them does." example:"Hindi"`
	Code     string   `json:"language_code" example:"hi"`
	Gender   string   `json:"gender" enum:"female,male,neutral"`
	Accent   string   `json:"accent"`
	Aliases  []string `json:"aliases,omitempty" nullable:"false" doc:"Names of other services' voices that mean this one here."`
}

func (a *api) registerAudioVoices(desc huma.API) {
	frame.Operate(desc, huma.Operation{
		OperationID: "listAudioVoices", Method: http.MethodGet, Path: "/v1/audio/voices", Tags: []string{frame.TagVoices},
		Summary:     "List the voices, as clients of local servers ask for them",
		Description: "The voices of GET /v1/voices in the shape that Open WebUI and the clients of Kokoro-FastAPI read.",
		Responses:   frame.Responses(frame.JsonOf[audioVoiceList](desc, "All voices.")),
	}, a.listAudioVoices)
}

// audioVoiceDocument renders the list.
func (a *api) audioVoiceDocument(all []voice.Voice) (frame.Document, error) {
	list := audioVoiceList{Voices: []audioVoice{}}
	for _, v := range all {
		native, _ := lang.Lookup(v.Native) // every voice has one
		list.Voices = append(list.Voices, audioVoice{
			ID: string(v.ID), Name: v.Name, Language: native.Name, Code: string(v.Native),
			Gender: string(v.Gender), Accent: v.Accent, Aliases: a.Voices.Aliases(v.ID),
		})
	}
	return frame.Render(list)
}

func (a *api) listAudioVoices(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	d, err := a.voices.Get()
	if err != nil {
		return err
	}
	d.audio.Serve(w, r)
	return nil
}
