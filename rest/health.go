package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/audio"
	"vaak/lang"
	"vaak/rest/frame"
	"vaak/voice"
)

// healthRecord says what the deployment does.
type healthRecord struct {
	Status        string                 `json:"status" enum:"healthy"`
	Version       string                 `json:"version" doc:"Of the program." example:"1.0.0"`
	Engine        string                 `json:"engine" doc:"The synthesis engine." example:"espeak"`
	StreamFormats []audio.Codec          `json:"stream_formats" nullable:"false" doc:"The response formats that this deployment makes and streams."`
	DefaultVoice  voice.ID               `json:"default_voice" doc:"Who speaks when neither a voice nor a native default is known."`
	DefaultVoices map[lang.Code]voice.ID `json:"default_voices" doc:"Who speaks a language when a request names no voice, by language."`
	Languages     int                    `json:"languages" example:"80"`
	Voices        int                    `json:"voices" example:"320"`
}

func (s *server) health(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	health := s.Speech.Health()
	return frame.AnswerJSON(w, r, healthRecord{
		Status:        "healthy",
		Version:       s.Version,
		Engine:        health.Engine,
		StreamFormats: health.Formats,
		DefaultVoice:  health.DefaultVoice,
		DefaultVoices: health.DefaultVoices,
		Languages:     health.Languages,
		Voices:        health.Voices,
	})
}

// registerHealth declares the operation that tells of the deployment.
func (s *server) registerHealth(desc huma.API) {
	frame.Operate(desc, huma.Operation{
		OperationID: "getHealth", Method: http.MethodGet, Path: "/health", Tags: []string{frame.TagHealth},
		Summary:   "See what the deployment does",
		Metadata:  map[string]any{frame.MetaFree: true},
		Responses: frame.Responses(frame.JsonOf[healthRecord](desc, "The server is alive.")),
	}, s.health)
}
