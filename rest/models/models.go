// Package models serves the model and the languages over HTTP.
package models

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/rest/frame"
	"vaak/speech"
	"vaak/voice"
)

// api holds the answers, which are rendered ahead.
type api struct {
	languages *frame.Renewing[frame.Document] // counts voices
	audio     frame.Document
	models    modelDocuments
}

// Register declares the operations on models and languages, of which some may be offered.
func Register(desc huma.API, voices *voice.Directory, offered lang.Prior) error {
	a := &api{}
	var err error
	a.languages, err = frame.Renew(voices.Stamp, func() (frame.Document, error) { return languageDocument(voices, offered) })
	if err != nil {
		return fmt.Errorf("render languages: %w", err)
	}
	if a.models, err = renderModels(offered); err != nil {
		return fmt.Errorf("render models: %w", err)
	}
	if a.audio, err = audioModelDocument(offered); err != nil {
		return fmt.Errorf("render the models of audio: %w", err)
	}
	a.registerModels(desc)
	a.registerAudioModels(desc)
	return nil
}

// modelRecord is the one model, with the fields of both dialects.
type modelRecord struct {
	ID      string `json:"id" example:"speech-tts-turbo"`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created" doc:"Unix seconds."`
	OwnedBy string `json:"owned_by"`

	ModelID                 string          `json:"model_id" example:"speech-tts-turbo"`
	Name                    string          `json:"name"`
	Description             string          `json:"description"`
	CanDoTextToSpeech       bool            `json:"can_do_text_to_speech"`
	CanDoVoiceConversion    bool            `json:"can_do_voice_conversion"`
	CanUseStyle             bool            `json:"can_use_style"`
	CanUseSpeakerBoost      bool            `json:"can_use_speaker_boost"`
	ServesProVoices         bool            `json:"serves_pro_voices"`
	CanBeFinetuned          bool            `json:"can_be_finetuned"`
	TokenCostFactor         float64         `json:"token_cost_factor"`
	RequiresAlphaAccess     bool            `json:"requires_alpha_access"`
	MaximumTextLength       int             `json:"maximum_text_length_per_request"`
	MaxCharactersFreeUser   int             `json:"max_characters_request_free_user"`
	MaxCharactersSubscribed int             `json:"max_characters_request_subscribed_user"`
	Languages               []modelLanguage `json:"languages" nullable:"false"`
	ModelRates              modelRates      `json:"model_rates"`
	ConcurrencyGroup        string          `json:"concurrency_group"`
}

type modelLanguage struct {
	LanguageID string `json:"language_id" example:"hi"`
	Name       string `json:"name" example:"Hindi"`
}

type modelRates struct {
	CharacterCostMultiplier float64 `json:"character_cost_multiplier"`
}

// modelList is the list as clients of the OpenAI dialect parse it.
type modelList struct {
	Object string        `json:"object" enum:"list"`
	Data   []modelRecord `json:"data" nullable:"false"`
}

// modelCreated is when the model's id was first published: 2026-01-01, in Unix
// seconds.
const modelCreated = 1767225600

func theModel(offered lang.Prior) modelRecord {
	m := modelRecord{
		ID: speech.Model, Object: "model", Created: modelCreated, OwnedBy: "vaak",
		ModelID: speech.Model, Name: "Speech Turbo",
		Description:             "One model that speaks every language of GET /v1/languages and switches between them inside a text.",
		CanDoTextToSpeech:       true,
		TokenCostFactor:         1,
		MaximumTextLength:       speech.MaxCharacters,
		MaxCharactersFreeUser:   speech.MaxCharacters,
		MaxCharactersSubscribed: speech.MaxCharacters,
		Languages:               []modelLanguage{},
		ModelRates:              modelRates{1},
		ConcurrencyGroup:        "standard",
	}
	for _, l := range offered.Languages() {
		m.Languages = append(m.Languages, modelLanguage{string(l.Code), l.Name})
	}
	return m
}

// modelDocuments holds the description of the model in three forms: alone, in an array, and in a
// list as OpenAI has it.
type modelDocuments struct{ one, array, list frame.Document }

func renderModels(offered lang.Prior) (d modelDocuments, err error) {
	m := theModel(offered)
	if d.one, err = frame.Render(m); err != nil {
		return d, err
	}
	if d.array, err = frame.Render([]modelRecord{m}); err != nil {
		return d, err
	}
	d.list, err = frame.Render(modelList{Object: "list", Data: []modelRecord{m}})
	return d, err
}

type modelsInput struct {
	Format string `query:"format" enum:"openai,elevenlabs" doc:"Asks for the shape of one dialect, whatever the headers say."`
}

type modelInput struct {
	ModelID string `path:"model_id" doc:"Any value names the one model."`
}

// listModels answers in the form that the client reads: the two dialects have different forms at
// the same address.
func (a *api) listModels(w http.ResponseWriter, r *http.Request, in *modelsInput) error {
	// All headers that decide the form. Otherwise a cache would give one client the form of
	// another.
	w.Header().Set("Vary", "Authorization, xi-api-key, X-Stainless-Lang, User-Agent")
	switch in.Format {
	case "openai":
		a.models.list.Serve(w, r)
	case "elevenlabs":
		a.models.array.Serve(w, r)
	case "":
		if speaksOpenAI(r.Header) {
			a.models.list.Serve(w, r)
		} else {
			a.models.array.Serve(w, r)
		}
	default:
		return fault.BadParameter("format", "format %.64q is not one of openai, elevenlabs", in.Format)
	}
	return nil
}

// speaksOpenAI reports whether a request comes from a client of the OpenAI
// dialect.
func speaksOpenAI(h http.Header) bool {
	if h.Get("X-Stainless-Lang") != "" || strings.HasPrefix(h.Get("User-Agent"), "OpenAI/") {
		return true
	}
	// A client that is no SDK: those of the OpenAI dialect send a bearer token, those of the
	// ElevenLabs dialect xi-api-key.
	scheme, _, _ := strings.Cut(h.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && h.Get("Xi-Api-Key") == ""
}

func (a *api) getModel(w http.ResponseWriter, r *http.Request, _ *modelInput) error {
	a.models.one.Serve(w, r)
	return nil
}

// registerModels declares the operations on models and languages.
func (a *api) registerModels(desc huma.API) {
	frame.Operate(desc, huma.Operation{
		OperationID: "listLanguages", Method: http.MethodGet, Path: "/v1/languages", Tags: []string{frame.TagModels},
		Summary:   "List the languages",
		Responses: frame.Responses(frame.JsonOf[languageList](desc, "The languages that this deployment offers: all, unless it was told otherwise.")),
	}, a.listLanguages)
	models := frame.JsonOf[modelList](desc, "The one model: as a list object for clients of the OpenAI dialect, as a bare array for all others.")
	media := models.Content["application/json"]
	array := &huma.Schema{Type: "array", Items: frame.SchemaOf[modelRecord](desc)}
	media.Schema = &huma.Schema{OneOf: []*huma.Schema{media.Schema, array}}
	frame.Operate(desc, huma.Operation{
		OperationID: "listModels", Method: http.MethodGet, Path: "/v1/models", Tags: []string{frame.TagModels},
		Summary:     "List the models",
		Description: "The shape follows the caller's client: the OpenAI one when X-Stainless-Lang or the User-Agent says so, or when a bearer token comes without xi-api-key.",
		Responses:   frame.Responses(models, 400),
	}, a.listModels)
	frame.Operate(desc, huma.Operation{
		OperationID: "getModel", Method: http.MethodGet, Path: "/v1/models/{model_id}", Tags: []string{frame.TagModels},
		Summary:   "Get a model",
		Responses: frame.Responses(frame.JsonOf[modelRecord](desc, "The one model, whatever the id.")),
	}, a.getModel)
}
