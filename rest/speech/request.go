package speech

import (
	"github.com/danielgtaylor/huma/v2"

	"vaak/audio"
	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/rest/elevenlabs"
	"vaak/speech"
)

// speechRequest is the body of POST /v1/audio/speech. The tags are its public description.
// Package speech checks the ranges.
type speechRequest struct {
	Input          *string    `json:"input" nullable:"false" minLength:"1" maxLength:"5000" doc:"What is spoken: plain text or Markdown in any supported language or a mix of them, 1 to 5,000 characters (Unicode code points). Of SSML only <break time> is obeyed; other tags are removed, and their text is spoken." example:"Hello, and नमस्ते!"`
	Voice          voiceName  `json:"voice,omitempty"`
	ResponseFormat *codecName `json:"response_format,omitempty" default:"wav" doc:"The audio format. GET /health tells which of them this deployment makes."`
	SampleRate     *int       `json:"sample_rate,omitempty" enum:"8000,16000,22050,24000,32000,44100,48000" default:"24000" doc:"Sample rate in Hz."`
	BitrateKbps    *int       `json:"bitrate_kbps,omitempty" minimum:"1" doc:"Bit rate in kbps, of the lossy formats only: by default 128 for mp3, 64 for opus, 96 for aac, or the nearest that the codec has at the sample rate. One that the codec does not have there, within 8 to 320 (opus: 6 to 256), becomes the nearest that it has, and x-notice says so."`
	Speed          *float64   `json:"speed,omitempty" minimum:"0.7" maximum:"1.5" default:"1" doc:"Stretches time and keeps the pitch."`
	Lang           string     `json:"lang,omitempty" default:"auto" doc:"The language of the text in any form: its name, a 2- or 3-letter code, or a tag with a region. When left out it is detected from the words of the text and from how many people write each language; for a text of names alone, from the native language of the voice." example:"en-IN"`
	Language       string     `json:"language,omitempty" doc:"The same as lang, under the name that other services have for it. Two of the three that name different languages are refused."`
	LanguageCode   string     `json:"language_code,omitempty" doc:"The same as lang, too."`
	Stream         bool       `json:"stream,omitempty" default:"false" doc:"Send audio as it is made, without a Content-Length."`
	StreamFormat   *string    `json:"stream_format,omitempty" enum:"audio,sse" doc:"How a stream is sent: audio is the bytes themselves, sse wraps them in server-sent events. Either one asks for a stream."`

	Markdown *bool  `json:"markdown,omitempty" default:"true" doc:"Whether the text may have Markdown, whose signs, code blocks and link addresses are then not read. false reads every sign as text."`
	Emoji    string `json:"emoji,omitempty" enum:"silent,named" default:"silent" doc:"Whether emoji are silent, or read by their names in the language of the text, as far as it has them."`
	URLs     string `json:"urls,omitempty" enum:"host,full" default:"host" doc:"Whether a web address with http:// or https:// is read up to the end of its host, or whole."`

	Temperature       *float64 `json:"temperature,omitempty" minimum:"0" maximum:"2" doc:"Sampling, for engines that sample. Leave unset."`
	TopP              *float64 `json:"top_p,omitempty" minimum:"0" maximum:"1" doc:"Sampling, for engines that sample. Leave unset."`
	TopK              *float64 `json:"top_k,omitempty" minimum:"0" maximum:"1000" doc:"Sampling, for engines that sample. Leave unset."`
	MinP              *float64 `json:"min_p,omitempty" minimum:"0" maximum:"1" doc:"Sampling, for engines that sample. Leave unset."`
	RepetitionPenalty *float64 `json:"repetition_penalty,omitempty" minimum:"0.5" maximum:"2" doc:"Sampling, for engines that sample. Leave unset."`
	PresencePenalty   *float64 `json:"presence_penalty,omitempty" minimum:"-2" maximum:"2" doc:"Sampling, for engines that sample. Leave unset."`
	Seed              seed     `json:"seed,omitempty"`

	PreviousText string `json:"previous_text,omitempty" doc:"Text that was spoken just before. It shapes the prosody, is not spoken and not charged."`
	NextText     string `json:"next_text,omitempty" doc:"Text that will follow. It shapes the prosody, is not spoken and not charged."`

	Dictionary string   `json:"pronunciation_dictionary_id,omitempty" doc:"A pronunciation dictionary of your organisation, applied before the text is read. May also stand in the query."`
	Locators   locators `json:"pronunciation_dictionary_locators,omitempty"`

	Model        string `json:"model,omitempty" bind:"any" default:"speech-1" doc:"Any value is taken; the current model speaks."`
	Instructions string `json:"instructions,omitempty" bind:"ignore" doc:"Taken and ignored; named in x-ignored-parameters."`
}

// delivery is how an answer is sent.
type delivery int

const (
	whole  delivery = iota // with a Content-Length
	chunks                 // as it is made
	events                 // as it is made, in server-sent events
)

// request returns the request for package speech, and how to send the answer.
func (b *speechRequest) request() (speech.Request, delivery, error) {
	req := speech.Request{
		Voice:        string(b.Voice),
		PreviousText: b.PreviousText,
		NextText:     b.NextText,
		Sampling: speech.Sampling{
			Temperature:       b.Temperature,
			TopP:              b.TopP,
			TopK:              b.TopK,
			MinP:              b.MinP,
			RepetitionPenalty: b.RepetitionPenalty,
			PresencePenalty:   b.PresencePenalty,
			Seed:              b.Seed.number,
		},
	}
	if b.Input == nil {
		return req, whole, fault.BadParameter("input", "input is missing; send 1 to %d characters of text", speech.MaxCharacters)
	}
	req.Text = *b.Input
	language, err := b.language()
	if err != nil {
		return req, whole, err
	}
	req.Language = language
	if req.Style, err = speech.ParseStyle(b.Markdown, b.Emoji, b.URLs); err != nil {
		return req, whole, err
	}
	how, err := b.delivery()
	if err != nil {
		return req, whole, err
	}
	req.Stream = how != whole
	if req.Format, err = b.format(); err != nil {
		return req, whole, err
	}
	if b.Speed != nil {
		if req.Speed = *b.Speed; req.Speed == 0 {
			return req, whole, fault.BadParameter("speed", "speed 0 is outside %g to %g", speech.MinSpeed, speech.MaxSpeed)
		}
	}
	return req, how, nil
}

func (b *speechRequest) delivery() (delivery, error) {
	switch {
	case b.StreamFormat == nil && b.Stream:
		return chunks, nil
	case b.StreamFormat == nil:
		return whole, nil
	case *b.StreamFormat == "audio":
		return chunks, nil
	case *b.StreamFormat == "sse":
		return events, nil
	default:
		return whole, fault.BadParameter("stream_format", "stream_format %.64q is not one of audio, sse", *b.StreamFormat)
	}
}

// language returns the language that the request asks for, under any of its three names. A name
// that is left out or is "auto" asks for nothing. All others must mean the same language.
func (b *speechRequest) language() (string, error) {
	if b.Language == "" && b.LanguageCode == "" {
		return b.Lang, nil // which the service resolves
	}
	type hint struct {
		name, value string
		tag         lang.Tag
	}
	var first *hint
	for _, h := range []hint{{name: "lang", value: b.Lang}, {name: "language", value: b.Language}, {name: "language_code", value: b.LanguageCode}} {
		var err error
		switch h.tag, err = lang.Resolve(h.value); {
		case err != nil:
			return "", elevenlabs.RenameField(err, h.name)
		case h.tag.IsZero():
		case first == nil:
			first = &h
		case first.tag != h.tag:
			return "", fault.BadParameter(h.name, "%s %.64q and %s %.64q name different languages; send one of lang, language, language_code",
				first.name, first.value, h.name, h.value)
		}
	}
	if first == nil {
		return "", nil
	}
	return first.value, nil
}

// format returns the audio format. It refuses "" and 0, which package speech would take for the
// default: a caller who sent one of them made a mistake.
func (b *speechRequest) format() (audio.Format, error) {
	var f audio.Format
	if b.ResponseFormat != nil {
		if f.Codec = audio.Codec(*b.ResponseFormat); f.Codec == "" {
			return f, fault.BadParameter("response_format", `response_format "" is not one of %s`, fault.Listed(audio.Codecs))
		}
	}
	if b.SampleRate != nil {
		if f.SampleRate = *b.SampleRate; f.SampleRate == 0 {
			return f, fault.BadParameter("sample_rate", "sample_rate 0 is not one of %s", fault.Listed(audio.SampleRates))
		}
	}
	if b.BitrateKbps != nil {
		if f.BitrateKbps = *b.BitrateKbps; f.BitrateKbps == 0 {
			return f, fault.BadParameter("bitrate_kbps", "bitrate_kbps 0 is less than 1")
		}
	}
	return f, nil
}

// codecName is the name of an audio format, which need not be known.
type codecName string

// Schema lists the formats.
func (codecName) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: "string"}
	for _, c := range audio.Codecs {
		s.Enum = append(s.Enum, string(c))
	}
	return s
}

// voiceName is a voice's id, sent as a string or as an object with an id.
type voiceName string

// voiceObject is a voice as an object.
type voiceObject struct {
	ID *string `json:"id"`
}

var voiceBinder = document.NewBinder[voiceObject]()

// SetJSON takes both forms.
func (v *voiceName) SetJSON(sent document.Value) error {
	switch sent.Kind() {
	case document.String:
		*v = voiceName(sent.Text())
		return nil
	case document.Object:
		var object voiceObject
		if err := voiceBinder.Bind(sent, &object); err != nil || object.ID == nil {
			return fault.BadParameter(sent.Name, "%s must be a string or an object with a string id", sent.Name)
		}
		*v = voiceName(*object.ID)
		return nil
	default:
		return sent.Mistyped("a string or an object with an id")
	}
}

// Schema describes both forms.
func (voiceName) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "Who speaks: an id of GET /v1/voices, which begins with sv_, or a name that it lists: one of aliases, such as alloy, or the display name, in any case of letters. A native default voice of the text's language when left out.",
		OneOf: []*huma.Schema{
			{Type: "string", Description: "The id or name."},
			{
				Type:                 "object",
				Properties:           map[string]*huma.Schema{"id": {Type: "string", Description: "The id."}},
				Required:             []string{"id"},
				AdditionalProperties: true,
			},
		},
	}
}
