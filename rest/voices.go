package rest

import (
	"fmt"
	"net/http"

	"vaak/voice"
)

// voiceRecord is a voice of the API.
type voiceRecord struct {
	VoiceID     string            `json:"voice_id" doc:"Addresses the voice everywhere. It never changes." pattern:"^sv_[a-z2-7]{16}$"`
	Name        string            `json:"name" doc:"For display; may change."`
	Category    string            `json:"category" example:"premade"`
	Description string            `json:"description"`
	Labels      map[string]string `json:"labels" doc:"native_language, native_language_code, accent (what one hears: British English, Brazilian Portuguese; the native language where there is one way of speaking it, with (Indian) for those of India), gender, quality_band (standard, or basic where the native writing leaves the vowels out), is_native_source (true, or false where the sounds of a neighbour language stand in) and preview_language; all values are strings."`
	PreviewURL  string            `json:"preview_url" doc:"Path of a clip, relative to the origin." example:"/v1/voices/sv_aaaaaaaaaaaaaaaa/preview"`
	Aliases     []string          `json:"aliases,omitempty" nullable:"false" doc:"Names of other services' voices that mean this one here, such as alloy; left out where there are none."`
}

type voiceList struct {
	Voices []voiceRecord `json:"voices" nullable:"false"`
}

// voiceSettings are settings that clients ask for and that change nothing.
type voiceSettings struct {
	Stability       float64 `json:"stability"`
	SimilarityBoost float64 `json:"similarity_boost"`
	Style           float64 `json:"style"`
	UseSpeakerBoost bool    `json:"use_speaker_boost"`
	Speed           float64 `json:"speed"`
}

var defaultSettings = voiceSettings{Stability: 0.5, SimilarityBoost: 0.75, UseSpeakerBoost: true, Speed: 1}

type voiceInput struct {
	VoiceID string `path:"voice_id" doc:"A voice's id; also one of its aliases, or its display name in any case of letters."`
}

type noInput struct{}

// recordOf returns a voice as the API has it, with its aliases.
func (a *api) recordOf(v voice.Voice) voiceRecord {
	return voiceRecord{
		VoiceID:     string(v.ID),
		Name:        v.Name,
		Category:    voice.Category,
		Description: v.Description,
		Labels:      v.Labels(),
		PreviewURL:  "/v1/voices/" + string(v.ID) + "/preview",
		Aliases:     a.Voices.Aliases(v.ID),
	}
}

// voiceDocuments renders the roster, whole and voice by voice.
func (a *api) voiceDocuments() (document, map[voice.ID]document, error) {
	list := voiceList{Voices: []voiceRecord{}}
	each := map[voice.ID]document{}
	for _, v := range voice.All() {
		record := a.recordOf(v)
		list.Voices = append(list.Voices, record)
		d, err := render(record)
		if err != nil {
			return document{}, nil, fmt.Errorf("voice %s: %w", v.ID, err)
		}
		each[v.ID] = d
	}
	all, err := render(list)
	return all, each, err
}

func (a *api) listVoices(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	a.voices.serve(w, r)
	return nil
}

func (a *api) getVoice(w http.ResponseWriter, r *http.Request, in *voiceInput) error {
	v, err := a.Voices.Find(fieldVoiceID, in.VoiceID)
	if err != nil {
		return err
	}
	a.voice[v.ID].serve(w, r)
	return nil
}

func (a *api) previewVoice(w http.ResponseWriter, r *http.Request, in *voiceInput) error {
	v, err := a.Voices.Find(fieldVoiceID, in.VoiceID)
	if err != nil {
		return err
	}
	p, err := a.Speech.Preview(r.Context(), v.ID)
	if err != nil {
		return gone(r.Context(), err)
	}
	w.Header().Set("Cache-Control", "public, max-age=86400")
	serveBytes(w, r, p.ContentType, p.ETag, p.Modified, p.Data)
	return nil
}

func (a *api) getVoiceSettings(w http.ResponseWriter, r *http.Request, in *voiceInput) error {
	if _, err := a.Voices.Find(fieldVoiceID, in.VoiceID); err != nil {
		return err
	}
	return a.getDefaultSettings(w, r, nil)
}

func (a *api) getDefaultSettings(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	a.settings.serve(w, r)
	return nil
}

// fieldVoiceID is the parameter of a path that names a voice.
const fieldVoiceID = "voice_id"
