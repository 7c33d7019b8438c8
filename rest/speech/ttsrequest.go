package speech

import (
	"encoding/json"
	"errors"
	"net/url"

	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
	"vaak/speech"
)

// textToSpeechRequest is the body of the routes that speak in the ElevenLabs dialect. The tags
// are its public description. Package speech checks the ranges that are not checked here.
type textToSpeechRequest struct {
	Text          *string          `json:"text" nullable:"false" minLength:"1" maxLength:"5000" doc:"What is spoken: plain text or Markdown in any supported language or a mix of them, 1 to 5,000 characters (Unicode code points). Of SSML only <break time> is obeyed; other tags are removed, and their text is spoken." example:"Hello, and नमस्ते!"`
	LanguageCode  string           `json:"language_code,omitempty" doc:"The language of the text in any form: its name, a 2- or 3-letter code, or a tag with a region. When left out it is detected from the words of the text and from how many people write each language; for a text of names alone, from the native language of the voice." example:"hi"`
	VoiceSettings speakingSettings `json:"voice_settings,omitempty"`
	Locators      locators         `json:"pronunciation_dictionary_locators,omitempty"`
	Dictionary    string           `json:"pronunciation_dictionary_id,omitempty" doc:"A pronunciation dictionary of your organisation; the same as one locator. May also stand in the query."`
	OutputFormat  string           `json:"output_format,omitempty" default:"mp3_44100_128" doc:"As in the query, which goes before."`
	PreviousText  string           `json:"previous_text,omitempty" doc:"Text that was spoken just before. It shapes the prosody, is not spoken and not charged."`
	NextText      string           `json:"next_text,omitempty" doc:"Text that will follow. It shapes the prosody, is not spoken and not charged."`
	Markdown      *bool            `json:"markdown,omitempty" default:"true" doc:"Whether the text may have Markdown, whose signs, code blocks and link addresses are then not read. false reads every sign as text."`
	Emoji         string           `json:"emoji,omitempty" enum:"silent,named" default:"silent" doc:"Whether emoji are silent, or read by their names in the language of the text, as far as it has them."`
	URLs          string           `json:"urls,omitempty" enum:"host,full" default:"host" doc:"Whether a web address with http:// or https:// is read up to the end of its host, or whole."`
	ModelID       string           `json:"model_id,omitempty" bind:"any" doc:"Any value is taken; the current model speaks."`
	Seed          lenientSeed      `json:"seed,omitempty"`
	Previous      []string         `json:"previous_request_ids,omitempty" bind:"ignore" doc:"Taken and ignored; send previous_text."`
	Next          []string         `json:"next_request_ids,omitempty" bind:"ignore" doc:"Taken and ignored; send next_text."`
	AsIVC         bool             `json:"use_pvc_as_ivc,omitempty" bind:"ignore" doc:"Taken and ignored."`
	Normalization string           `json:"apply_text_normalization,omitempty" bind:"ignore" doc:"Taken and ignored: numbers and signs are always read in words."`
	ByLanguage    bool             `json:"apply_language_text_normalization,omitempty" bind:"ignore" doc:"Taken and ignored: every text is read by the rules of its language."`
	Effects       json.RawMessage  `json:"audio_effects,omitempty" bind:"ignore" doc:"Taken and ignored."`
}

// speakingSettings are how a voice speaks.
type speakingSettings struct {
	Speed           *float64 `json:"speed,omitempty" minimum:"0.7" maximum:"1.5" default:"1" doc:"Stretches time and keeps the pitch."`
	Stability       float64  `json:"stability,omitempty" bind:"ignore" doc:"Taken and ignored."`
	SimilarityBoost float64  `json:"similarity_boost,omitempty" bind:"ignore" doc:"Taken and ignored."`
	Style           float64  `json:"style,omitempty" bind:"ignore" doc:"Taken and ignored."`
	UseSpeakerBoost bool     `json:"use_speaker_boost,omitempty" bind:"ignore" doc:"Taken and ignored."`
}

var (
	ttsBinder      = document.NewBinder[textToSpeechRequest]()
	settingsBinder = document.NewBinder[speakingSettings]()
)

// bind fills the request from a body, and returns the keys that change nothing. A body that is no
// object is a bad parameter: clients of the dialect expect 422 for everything that is
// well-formed JSON.
func (b *textToSpeechRequest) bind(body []byte) (ignored []string, err error) {
	ignored, err = ttsBinder.BindNoting(document.Of(body), b)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.CodeInvalidBody {
		return nil, fault.BadParameter("", "%s", f.Msg)
	}
	if b.Seed.strange {
		ignored = append(ignored, "seed")
	}
	return ignored, err
}

// SetJSON takes an object.
func (s *speakingSettings) SetJSON(v document.Value) error {
	if v.Kind() != document.Object {
		return v.Mistyped("an object")
	}
	if err := settingsBinder.Bind(v, s); err != nil {
		return err
	}
	// Checked here too, because the service takes a speed of 0 for the default.
	if s.Speed != nil && !(*s.Speed >= speech.MinSpeed && *s.Speed <= speech.MaxSpeed) {
		name := v.Name + ".speed"
		return fault.BadParameter(name, "%s %g is outside %g to %g", name, *s.Speed, speech.MinSpeed, speech.MaxSpeed)
	}
	return nil
}

// request returns the request for package speech.
func (b *textToSpeechRequest) request(voiceID string, query url.Values) (speech.Request, error) {
	req := speech.Request{
		Voice:        voiceID,
		Language:     b.LanguageCode,
		PreviousText: b.PreviousText,
		NextText:     b.NextText,
		Sampling:     speech.Sampling{Seed: b.Seed.number},
	}
	if b.Text == nil {
		return req, fault.BadParameter("text", "text is missing; send 1 to %d characters of text", speech.MaxCharacters)
	}
	req.Text = *b.Text
	if b.VoiceSettings.Speed != nil {
		req.Speed = *b.VoiceSettings.Speed
	}
	var err error
	if req.Style, err = speech.ParseStyle(b.Markdown, b.Emoji, b.URLs); err != nil {
		return req, err
	}
	if req.Format, err = elevenlabs.ParseFormat(b.format(query)); err != nil {
		return req, b.inDialect(err, query)
	}
	return req, nil
}

// format returns the output_format of a request. The one in the query takes precedence over the
// one in the body.
func (b *textToSpeechRequest) format(query url.Values) string {
	if sent := query.Get(elevenlabs.FieldFormat); sent != "" {
		return sent
	}
	return b.OutputFormat
}

// inDialect returns an error of the services in the words of the dialect.
func (b *textToSpeechRequest) inDialect(err error, query url.Values) error {
	err = elevenlabs.Rename(err, b.format(query))
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Field == elevenlabs.FieldFormat && query.Get(f.Field) != "" {
		return frame.InQuery(err)
	}
	return err
}
