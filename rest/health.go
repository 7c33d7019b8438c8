package rest

import (
	"net/http"

	"vaak/audio"
	"vaak/lang"
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

func (a *api) health(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	s := a.Speech.Health()
	return answerJSON(w, r, healthRecord{
		Status:        "healthy",
		Version:       a.Version,
		Engine:        s.Engine,
		StreamFormats: s.Formats,
		DefaultVoice:  s.DefaultVoice,
		DefaultVoices: s.DefaultVoices,
		Languages:     s.Languages,
		Voices:        s.Voices,
	})
}
