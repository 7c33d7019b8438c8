package speech

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/engine"
	"vaak/internal/spool"
	"vaak/lang"
	"vaak/speech/cache"
	"vaak/speech/schedule"
	"vaak/text/frontend"
	"vaak/voice"
)

// Ledger holds the characters of a request until they are spoken.
// [*account.Service] is the one of the product.
type Ledger interface {
	Reserve(ctx context.Context, caller account.Caller, characters int) (*account.Hold, error)
}

// Config says what a Service works with.
type Config struct {
	// Engines speak; the first that knows a language is used for it. All must
	// have the same sample rate.
	Engines engine.Set
	// Ledger counts what is spoken.
	Ledger Ledger
	// Cache keeps answers for those who ask the same again, if every engine is
	// deterministic; nil keeps none. The caller closes it, after the service.
	Cache *cache.Cache
	// Revision names what else decides how an answer sounds: the versions of
	// the program and of its engines. Kept answers of another are not used.
	Revision string
	// PreviewDir keeps rendered voice previews; it is made when first needed. ""
	// keeps none: each is rendered when it is asked for.
	PreviewDir string
	// PreviewRevision names what else than text, voice and format decides how a
	// preview sounds: the programs that make it, by their content, so that it is
	// the same after a restart and on all servers that share PreviewDir. It is
	// called once, when it is first needed, for it may take a while; nil is "".
	PreviewRevision func() (string, error)
	// Voices finds the voice that a request names; nil knows the roster and the
	// built-in aliases.
	Voices *voice.Directory
	// DefaultVoices replaces the voice that speaks a language when a request
	// names none; nil leaves the roster's choice.
	DefaultVoices map[lang.Code]voice.ID
	// Answers holds answers that are sent when all of them is made; nil is a pool of the
	// usual bounds.
	Answers *spool.Pool
	// Logger gets failures, never text; nil is slog.Default.
	Logger *slog.Logger
}

// Service speaks. It is safe for concurrent use.
type Service struct {
	engines    map[lang.Code]engine.Engine
	name       string // of the first engine
	languages  int
	sampleRate int // Hz, of every engine
	ledger     Ledger
	front      *frontend.Frontend
	schedule   *schedule.Scheduler
	cache      *cache.Cache // nil keeps nothing
	revision   string
	previews   *previews
	answers    *spool.Pool
	voices     *voice.Directory
	defaults   map[lang.Code]voice.ID
	log        *slog.Logger
}

// New returns a service. It refuses a configuration that names voices or
// languages that do not exist.
func New(c Config) (*Service, error) {
	if len(c.Engines) == 0 {
		return nil, errors.New("speech needs an engine")
	}
	if err := CheckVoices(c.DefaultVoices); err != nil {
		return nil, err
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	s := &Service{
		engines:    map[lang.Code]engine.Engine{},
		name:       c.Engines[0].Name(),
		sampleRate: c.Engines[0].SampleRate(),
		ledger:     c.Ledger,
		front:      frontend.New(),
		schedule:   schedule.New(schedule.Config{}),
		revision:   c.Revision,
		previews:   newPreviews(c),
		answers:    c.Answers,
		voices:     c.Voices,
		defaults:   map[lang.Code]voice.ID{},
		log:        c.Logger,
	}
	if s.answers == nil {
		s.answers = spool.New(spool.Config{})
	}
	s.cache = c.Cache
	for _, e := range c.Engines {
		if !e.Deterministic() {
			s.cache = nil
		}
		if e.SampleRate() != s.sampleRate {
			return nil, fmt.Errorf("engine %s speaks at %d Hz and engine %s at %d; all must agree",
				s.name, s.sampleRate, e.Name(), e.SampleRate())
		}
	}
	for _, code := range c.Engines.Languages() {
		e, err := c.Engines.For(code)
		if err != nil {
			return nil, err
		}
		s.engines[code] = e
		s.defaults[code] = voice.Default(code).ID
	}
	s.languages = len(s.engines)
	for _, rate := range audio.SampleRates { // so that no request waits for a filter's table
		if _, err := resample.NewWriter(nil, s.sampleRate, rate); err != nil {
			return nil, err
		}
	}
	maps.Copy(s.defaults, c.DefaultVoices)
	return s, nil
}

// CheckVoices refuses default voices, as [Config] has them, that name a voice or a
// language that does not exist.
func CheckVoices(defaults map[lang.Code]voice.ID) error {
	for code, id := range defaults {
		if _, ok := lang.Lookup(code); !ok {
			return fmt.Errorf("default_voices names the unknown language %q", code)
		}
		if _, ok := voice.Lookup(id); !ok {
			return fmt.Errorf("default_voices names the unknown voice %q", id)
		}
	}
	return nil
}

// Voices returns what finds the voice that a request names. It may be nil.
func (s *Service) Voices() *voice.Directory { return s.voices }

// Health says what a deployment speaks and how.
type Health struct {
	Engine        string
	Formats       []audio.Codec
	DefaultVoice  voice.ID
	DefaultVoices map[lang.Code]voice.ID // do not modify
	Languages     int
	Voices        int
}

// Health returns what the service speaks and how.
func (s *Service) Health() Health {
	return Health{
		Engine:        s.name,
		Formats:       codec.Available(),
		DefaultVoice:  voice.DefaultVoice().ID,
		DefaultVoices: s.defaults,
		Languages:     s.languages,
		Voices:        len(voice.All()),
	}
}

// Speak speaks a request into w. Everything that can be refused is refused,
// with a *fault.Error, before the first byte; if w is a [Starter] it is told
// just before that byte; if it is a [Watcher] it is told how far the answer has come.
//
// The caller is charged for all characters when Speak returns nil. When the
// context ends or w fails while a stream is sent, it is charged for those whose
// audio w took; in every other case for none, and so where w fails with a
// *fault.Error of kind Unavailable or Internal: what the server could not take costs
// nothing. The Result says so, beside an error too. See [Finisher], too.
func (s *Service) Speak(ctx context.Context, caller account.Caller, req Request, w io.Writer) (Result, error) {
	a, err := s.prepare(ctx, req)
	if err != nil {
		return Result{}, err
	}
	return a.speak(ctx, caller, w)
}

// speak answers from the cache, or admits an answer, holds its characters and
// delivers it.
func (a *answer) speak(ctx context.Context, caller account.Caller, w io.Writer) (_ Result, err error) {
	out := a.response(w)
	if _, follows := w.(Follower); a.rest == nil && a.remembers(caller) && !follows { // kept answers have no timing
		key := a.cacheKey(caller)
		if result, ok, err := a.recall(ctx, caller, key, w); ok {
			return result, err
		}
		a.info.Cache = CacheMiss
		out.draft = a.service.cache.Begin(key)
		defer out.draft.Discard()
	}
	kind := schedule.Live
	if !a.req.Stream {
		kind = schedule.Whole
		if out.whole, err = a.room(caller, w); err != nil {
			return Result{Info: a.info}, err
		}
		defer func() { out.whole.Close() }() // unless it is handed over
	}
	if a.stream, err = a.service.schedule.Admit(kind); err != nil {
		return Result{Info: a.info}, err
	}
	defer a.stream.End()
	out.stream = a.stream
	out.held = &funds{ledger: a.service.ledger, caller: caller}
	out.held.ask(ctx, a.info.Characters)
	defer out.held.cancel()
	return a.deliver(ctx, out)
}

// voice returns the voice that a request names; "" is the language's default.
func (s *Service) voice(name string, code lang.Code) (voice.Voice, error) {
	if name != "" {
		return s.voices.Find("voice", name)
	}
	if v, ok := voice.Lookup(s.defaults[code]); ok {
		return v, nil
	}
	return voice.DefaultVoice(), nil
}
