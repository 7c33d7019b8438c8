// Package voices serves the roster of voices over HTTP: the whole list, single voices, a search,
// previews, and lists in the forms that clients of other services read.
package voices

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/rest/frame"
	"vaak/speech"
	"vaak/voice"
)

// VoiceRecord is a voice of the API.
type VoiceRecord struct {
	VoiceID     string            `json:"voice_id" doc:"Addresses the voice everywhere. It never changes." pattern:"^sv_[a-z2-7]{16}$"`
	Name        string            `json:"name" doc:"For display; may change."`
	Category    string            `json:"category" enum:"premade,custom" example:"premade" doc:"custom are the voices that the operator of the server has added."`
	Description string            `json:"description"`
	Labels      map[string]string `json:"labels" doc:"native_language, native_language_code, accent (what one hears: British English, Brazilian Portuguese; the native language where there is one way of speaking it, with (Indian) for those of India), gender, quality_band (standard, or basic where the native writing leaves the vowels out), is_native_source (true, or false where the sounds of a neighbour language stand in) and preview_language; of a voice that the operator has added also engine, and quality (x_low, low, medium or high) and license where its files tell them; all values are strings."`
	PreviewURL  string            `json:"preview_url" doc:"Path of a clip, relative to the origin." example:"/v1/voices/sv_aaaaaaaaaaaaaaaa/preview"`
	Aliases     []string          `json:"aliases,omitempty" nullable:"false" doc:"Names of other services' voices that mean this one here, such as alloy; left out where there are none."`
}

// VoiceList is the answer of GET /v1/voices.
type VoiceList struct {
	Voices []VoiceRecord `json:"voices" nullable:"false"`
}

// voiceSettings holds settings that clients request before they speak. They change nothing here.
type voiceSettings struct {
	Stability       float64 `json:"stability"`
	SimilarityBoost float64 `json:"similarity_boost"`
	Style           float64 `json:"style"`
	UseSpeakerBoost bool    `json:"use_speaker_boost"`
	Speed           float64 `json:"speed"`
}

var defaultSettings = voiceSettings{Stability: 0.5, SimilarityBoost: 0.75, UseSpeakerBoost: true, Speed: 1}

// Previews has a clip of each voice. [*speech.Service] is the one of the product.
type Previews interface {
	Preview(ctx context.Context, id voice.ID) (speech.Preview, error)
}

// Config says which voices are served.
type Config struct {
	// Voices finds the voices that requests name; nil knows the roster and the built-in
	// aliases.
	Voices *voice.Directory
	// Previews may be nil where the operations are only described.
	Previews Previews
}

// api has the handlers, and the answers that are rendered ahead.
type api struct {
	Config
	settings frame.Document
	voices   *frame.Renewing[documents]
}

// documents are the answers that change with the voices of the directory.
type documents struct {
	list, audio frame.Document
	voice       map[voice.ID]frame.Document
}

// Register declares the operations on voices.
func Register(desc huma.API, cfg Config) error {
	a := &api{Config: cfg}
	var err error
	if a.voices, err = frame.Renew(a.Voices.Stamp, a.documents); err != nil {
		return err
	}
	if a.settings, err = frame.Render(defaultSettings); err != nil {
		return fmt.Errorf("render settings: %w", err)
	}
	a.registerVoices(desc)
	a.registerVoicePages(desc)
	a.registerAudioVoices(desc)
	return nil
}

type voiceInput struct {
	VoiceID string `path:"voice_id" doc:"A voice's id; also one of its aliases, or its display name in any case of letters."`
}

// recordOf returns a voice as the API has it, with its aliases.
func (a *api) recordOf(v voice.Voice) VoiceRecord {
	return VoiceRecord{
		VoiceID:     string(v.ID),
		Name:        v.Name,
		Category:    v.Category(),
		Description: v.Description,
		Labels:      v.Labels(),
		PreviewURL:  "/v1/voices/" + string(v.ID) + "/preview",
		Aliases:     a.Voices.Aliases(v.ID),
	}
}

// documents renders the voices, whole and one by one.
func (a *api) documents() (documents, error) {
	d := documents{voice: map[voice.ID]frame.Document{}}
	all := a.Voices.All()
	list := VoiceList{Voices: []VoiceRecord{}}
	for _, v := range all {
		record := a.recordOf(v)
		list.Voices = append(list.Voices, record)
		one, err := frame.Render(record)
		if err != nil {
			return d, fmt.Errorf("render voice %s: %w", v.ID, err)
		}
		d.voice[v.ID] = one
	}
	var err error
	if d.list, err = frame.Render(list); err != nil {
		return d, fmt.Errorf("render voices: %w", err)
	}
	if d.audio, err = a.audioVoiceDocument(all); err != nil {
		return d, fmt.Errorf("render the voices of audio: %w", err)
	}
	return d, nil
}

func (a *api) listVoices(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	d, err := a.voices.Get()
	if err != nil {
		return err
	}
	d.list.Serve(w, r)
	return nil
}

func (a *api) getVoice(w http.ResponseWriter, r *http.Request, in *voiceInput) error {
	v, err := a.Voices.Find(fieldVoiceID, in.VoiceID)
	if err != nil {
		return err
	}
	d, err := a.voices.Get()
	if err != nil {
		return err
	}
	one, ok := d.voice[v.ID]
	if !ok { // added since
		if one, err = frame.Render(a.recordOf(v)); err != nil {
			return err
		}
	}
	one.Serve(w, r)
	return nil
}

func (a *api) previewVoice(w http.ResponseWriter, r *http.Request, in *voiceInput) error {
	v, err := a.Voices.Find(fieldVoiceID, in.VoiceID)
	if err != nil {
		return err
	}
	p, err := a.Previews.Preview(r.Context(), v.ID)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	w.Header().Set("Cache-Control", "public, max-age=86400")
	frame.ServeBytes(w, r, p.ContentType, p.ETag, p.Modified, p.Data)
	return nil
}

func (a *api) getVoiceSettings(w http.ResponseWriter, r *http.Request, in *voiceInput) error {
	if _, err := a.Voices.Find(fieldVoiceID, in.VoiceID); err != nil {
		return err
	}
	return a.getDefaultSettings(w, r, nil)
}

func (a *api) getDefaultSettings(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	a.settings.Serve(w, r)
	return nil
}

// fieldVoiceID is the parameter of a path that names a voice.
const fieldVoiceID = "voice_id"
