package models

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/lang"
	"vaak/rest/frame"
)

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

// registerAudioModels declares the list of models for clients of local servers.
func (a *api) registerAudioModels(desc huma.API) {
	frame.Operate(desc, huma.Operation{
		OperationID: "listAudioModels", Method: http.MethodGet, Path: "/v1/audio/models", Tags: []string{frame.TagModels},
		Summary:     "List the models, as clients of local servers ask for them",
		Description: "The model of GET /v1/models in the shapes that Open WebUI and clients of the OpenAI dialect read, both in one answer.",
		Responses:   frame.Responses(frame.JsonOf[audioModelList](desc, "The one model.")),
	}, a.listAudioModels)
}

// audioModelDocument renders the list.
func audioModelDocument(offered lang.Prior) (frame.Document, error) {
	m := theModel(offered)
	return frame.Render(audioModelList{Models: []audioModel{{m.ID, m.Name}}, Object: "list", Data: []modelRecord{m}})
}

func (a *api) listAudioModels(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	a.audio.Serve(w, r)
	return nil
}
