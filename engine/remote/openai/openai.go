// Package openai asks model servers that answer POST /v1/audio/speech, each kind as it documents.
//
// The kinds differ in how sampling, languages, references and streams are asked for. The answers
// are read by the type they have: events (text/event-stream), bare samples (audio/pcm), WAV, or the
// JSON lines of captioned speech.
package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"

	"vaak/engine"
	"vaak/engine/remote/exchange"
	"vaak/engine/remote/wire"
	"vaak/lang"
)

// speech is where all kinds are asked, captioned where Kokoro-FastAPI is asked for times.
const (
	speech    = "/v1/audio/speech"
	captioned = "/dev/captioned_speech"
	voices    = "/v1/audio/voices"
)

// times is how a kind tells the times of words.
type times int

const (
	noTimes      times = iota
	headerTimes        // in X-Word-Timestamps, of an answer that is not streamed
	captionTimes       // in the lines of captioned speech
)

// dialect is what one kind of server wants.
type dialect struct {
	wire.Kind
	model     string // sent where the settings name none; "" sends none
	needs     bool   // the settings must name a model
	voice     string // sent where none is asked for; "" sends none
	health    string
	lenient   bool // the health path is a guess: any answer but one of 401, 403 and 5xx is good
	nested    []string
	times     times
	normalize bool // has normalization_options
	// stream returns the fields that ask for a stream.
	stream func(wire.Target) map[string]any
	// language returns the field of a language and the word for it; an empty word sends none.
	language func(ask wire.Ask) string
	word     string // the name of the field of the language
}

// Kinds are the kinds that this package speaks to.
var Kinds = kindsOf(dialects)

func kindsOf(all []dialect) []wire.Kind {
	var kinds []wire.Kind
	for _, d := range all {
		d.Kind.Times = d.times != noTimes
		d.Kind.Dial = func(t wire.Target) (wire.Server, error) { return dial(d, t) }
		kinds = append(kinds, d.Kind)
	}
	return kinds
}

var dialects = []dialect{
	{
		// What the others have in common, for servers that have no kind of their own. All
		// parameters are sent by name; a server that does not know one ignores or refuses it.
		Kind:   wire.Kind{Name: "openai", Rate: 24000, Parameters: engine.Usual},
		model:  "tts-1",
		voice:  "alloy",
		health: "/v1/models", lenient: true,
		word: "language",
	},
	{
		// vLLM-Omni 0.30: protocol/audio.py and serving_speech.py. Of extra_params the server
		// takes these three for the first stage, and the seed from the top level.
		Kind: wire.Kind{Name: "vllm-omni", Rate: 24000, Reference: true, Parameters: []engine.Parameter{
			{Name: "temperature", Min: 0, Max: 2}, {Name: "top_p", Min: 0.01, Max: 1},
			{Name: "top_k", Min: 0, Max: 1000}, {Name: "seed", Min: 0, Max: engine.MaxSeed},
		}},
		health: "/health",
		nested: []string{"temperature", "top_p", "top_k"},
		times:  headerTimes,
		// No rate is asked for: all models but two refuse even their own. For those two the
		// settings can have sample_rate among the further fields.
		stream: func(wire.Target) map[string]any { return map[string]any{"stream": true, "stream_format": "sse"} },
		word:   "language", language: english,
	},
	{
		// SGLang-Omni 0.1.9: protocol.py, speech_service.py and openai_api.py. It demands a
		// model, whose name is not looked at, and a voice.
		Kind: wire.Kind{Name: "sglang-omni", Rate: 24000, Reference: true, Parameters: []engine.Parameter{
			{Name: "temperature", Min: 0, Max: 2}, {Name: "top_p", Min: 0.01, Max: 1},
			{Name: "top_k", Min: 1, Max: 1000}, {Name: "repetition_penalty", Min: 0.5, Max: 2},
			{Name: "seed", Min: 0, Max: engine.MaxSeed},
		}},
		model:  "default",
		voice:  "default",
		health: "/health",
		stream: func(wire.Target) map[string]any { return map[string]any{"stream": true, "stream_format": "sse"} },
		word:   "language", language: english,
	},
	{
		// Kokoro-FastAPI 0.3: structures/schemas.py, routers/openai_compatible.py and
		// routers/development.py. It streams bare samples, a sentence at a time.
		Kind:      wire.Kind{Name: "kokoro-fastapi", Rate: 24000},
		model:     "kokoro",
		health:    "/health",
		times:     captionTimes,
		normalize: true,
		stream:    func(wire.Target) map[string]any { return map[string]any{"stream": true} },
		word:      "lang_code", language: letter,
	},
	{
		// Speaches 0.8: routers/speech.py. Events have the rate of the model whatever is asked
		// for, so a rate is asked for with bare samples.
		Kind:   wire.Kind{Name: "speaches", Rate: 24000},
		needs:  true,
		voice:  "af_heart",
		health: "/health",
		stream: func(t wire.Target) map[string]any {
			if t.Rate != 0 {
				return map[string]any{"stream_format": "audio", "sample_rate": t.Rate}
			}
			return map[string]any{"stream_format": "sse"}
		},
	},
}

// words are the languages that both kinds with words know, for Qwen3-TTS among others; another
// word is refused.
var words = map[lang.Code]string{
	"zh": "Chinese", "en": "English", "ja": "Japanese", "ko": "Korean", "de": "German",
	"fr": "French", "ru": "Russian", "pt": "Portuguese", "es": "Spanish", "it": "Italian",
}

func english(ask wire.Ask) string {
	if w, ok := words[ask.Language]; ok {
		return w
	}
	return "Auto"
}

var letters = map[lang.Code]string{
	"es": "e", "fr": "f", "hi": "h", "it": "i", "ja": "j", "pt": "p", "zh": "z",
}

// letter returns Kokoro's letter of a language. Of English there are two; without a region the
// voice tells which, as its name begins with the letter.
func letter(ask wire.Ask) string {
	if ask.Language != "en" {
		return letters[ask.Language]
	}
	switch ask.Region {
	case "":
		if strings.HasPrefix(ask.Voice, "a") || strings.HasPrefix(ask.Voice, "b") {
			return ""
		}
		return "a"
	case "US", "CA", "PH", "LR":
		return "a"
	}
	return "b"
}

type server struct {
	dialect dialect
	target  wire.Target
	client  *exchange.Client
	// untimed says that the server was started without what it needs to tell times.
	untimed atomic.Bool
}

func dial(d dialect, t wire.Target) (wire.Server, error) {
	if d.needs && t.Model == "" {
		return nil, fmt.Errorf("a server of kind %s needs the name of a model", d.Name)
	}
	if _, err := json.Marshal(t.Extra); err != nil {
		return nil, fmt.Errorf("further fields: %w", err)
	}
	client, err := exchange.New(t)
	if err != nil {
		return nil, err
	}
	return &server{dialect: d, target: t, client: client}, nil
}

// Close implements [wire.Server].
func (s *server) Close() { s.client.Close() }

// Healthy implements [wire.Server].
func (s *server) Healthy(ctx context.Context) error {
	_, err := s.client.Get(ctx, s.dialect.health, 64<<10)
	if f, ok := errors.AsType[*wire.Failure](err); ok && s.dialect.lenient && f.Reason == wire.Refused {
		return nil
	}
	return err
}

// Voices returns the names of the server's voices, at most 10,000. The error is as that of
// [wire.Server.Healthy].
func (s *server) Voices(ctx context.Context) ([]string, error) {
	body, err := s.client.Get(ctx, voices, 4<<20)
	if err != nil {
		return nil, err
	}
	return exchange.Names(body, "voices")
}

// Speak implements [wire.Server].
func (s *server) Speak(ctx context.Context, ask wire.Ask) (wire.Answer, error) {
	how := noTimes
	if ask.Times && !s.untimed.Load() {
		how = s.dialect.times
	}
	path := speech
	if how == captionTimes {
		path = captioned
	}
	body, err := json.Marshal(s.fields(ask, how))
	if err != nil {
		return nil, &wire.Failure{Reason: wire.Refused, Detail: "the request is no JSON", Err: err}
	}
	resp, said, err := s.client.Post(ctx, path, body, ask.Text)
	if err != nil {
		f, ok := errors.AsType[*wire.Failure](err)
		if ok && how == headerTimes && f.Status == http.StatusBadRequest && strings.Contains(string(said), "aligner") {
			// It answers so where it was started without --forced-aligner.
			s.untimed.Store(true)
			return s.Speak(ctx, ask)
		}
		return nil, err
	}
	return s.answer(resp, ask.Text, how)
}

// answer reads an answer by its type.
func (s *server) answer(resp *exchange.Response, text string, how times) (wire.Answer, error) {
	format, err := exchange.Header(resp.Header)
	if err != nil {
		resp.Close()
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" where it is damaged
	switch {
	case media == "text/event-stream":
		return exchange.NewAnswer(resp, newEvents(resp.Body, text), format, s.target.Rate, nil)
	case how == captionTimes && (media == "application/json" || media == "application/x-ndjson"):
		c := newCaptions(resp.Body, text)
		return exchange.NewAnswer(resp, c, format, s.target.Rate, c.told)
	}
	told := headerWords(resp.Header.Get("X-Word-Timestamps"))
	return exchange.Sound(resp, text, media, format, s.target.Rate, false, func() []wire.Word { return told })
}

// fields returns what is sent. The fields of the settings come before those of the kind, and those
// of the request before both.
func (s *server) fields(ask wire.Ask, how times) map[string]any {
	d := &s.dialect
	f := map[string]any{"response_format": "pcm"}
	switch how {
	case headerTimes:
		f["word_timestamps"] = true
	case captionTimes:
		f["stream"], f["return_timestamps"] = true, true
	default:
		if d.stream != nil {
			maps.Copy(f, d.stream(s.target))
		}
	}
	if d.normalize && !s.target.Normalize {
		f["normalization_options"] = map[string]any{"normalize": false}
	}
	maps.Copy(f, s.target.Extra)
	if how == headerTimes {
		delete(f, "stream") // it cannot be streamed, whatever the settings say
		delete(f, "stream_format")
	}
	f["input"] = ask.Text
	set := func(name string, values ...string) {
		delete(f, name)
		for _, v := range values {
			if v != "" {
				f[name] = v
				return
			}
		}
	}
	set("model", s.target.Model, d.model)
	if ask.Voice != "" || d.voice != "" {
		set("voice", ask.Voice, d.voice)
	} else {
		delete(f, "voice")
	}
	name, named := s.target.Languages[ask.Language]
	if !named {
		name, named = s.target.Languages[""] // that of all others
	}
	if named && d.word != "" {
		if name != "" {
			f[d.word] = name
		}
	} else if d.language != nil && ask.Language != "" {
		if w := d.language(ask); w != "" {
			f[d.word] = w
		}
	}
	if ask.Reference != nil && d.Reference {
		f["ref_audio"] = "data:audio/wav;base64," + base64.StdEncoding.EncodeToString(ask.Reference.Audio)
		if ask.Reference.Text != "" {
			f["ref_text"] = ask.Reference.Text
		}
	}
	knobs := exchange.Knobs(ask.Sampling, d.Parameters)
	var inner map[string]any
	for _, name := range d.nested {
		if v, ok := knobs[name]; ok {
			if inner == nil {
				inner = map[string]any{}
			}
			inner[name] = v
			delete(knobs, name)
		}
	}
	if inner != nil {
		all := map[string]any{}
		if given, ok := f["extra_params"].(map[string]any); ok {
			maps.Copy(all, given) // the settings' own map is shared
		}
		maps.Copy(all, inner)
		f["extra_params"] = all
	}
	maps.Copy(f, knobs)
	return f
}
