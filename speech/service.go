package speech

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"runtime"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/engine"
	"vaak/internal/blob"
	"vaak/internal/fault"
	"vaak/internal/spool"
	"vaak/lang"
	"vaak/speech/cache"
	"vaak/speech/schedule"
	"vaak/text/frontend"
	"vaak/voice"
)

// Ledger holds the characters of a request until they are spoken. The product uses
// [*account.Service].
type Ledger interface {
	Reserve(ctx context.Context, caller account.Caller, characters int) (*account.Hold, error)
	// Ahead is Reserve where that need not wait; else ok is false.
	Ahead(ctx context.Context, caller account.Caller, characters int) (h *account.Hold, ok bool)
}

// Config configures a Service.
type Config struct {
	// Engines speak, each its voices; the first one speaks those of the roster.
	Engines engine.Set
	// Ledger charges for what is spoken.
	Ledger Ledger
	// Cache keeps answers for repeated requests, of voices that are deterministic on their
	// engines; nil keeps no answers. The caller closes it, after the service.
	Cache *cache.Cache
	// Fallback lets the nearest voice of the roster speak for an added one whose engine cannot
	// be used. Otherwise such requests are refused.
	Fallback bool
	// Revision names what else decides how an answer sounds: the versions of the program
	// and of its engines. Answers kept under another revision are not used.
	Revision string
	// PreviewDir is the directory that keeps rendered voice previews; it is created when
	// it is first needed. "" keeps none: each is rendered whenever it is asked for.
	PreviewDir string
	// Previews keeps the previews for several servers, each of which has copies of them in
	// PreviewDir; nil is none.
	Previews blob.Store
	// PreviewRevision names what else than text, voice and format decides how a preview
	// sounds: the content of the programs that make it. It must be the same after a
	// restart and on all servers that share PreviewDir or Previews. It is called once, when first
	// needed, because it may take long. nil means "".
	PreviewRevision func() (string, error)
	// Voices finds the voice that a request names; nil finds those of the roster and
	// their built-in aliases.
	Voices *voice.Directory
	// DefaultVoices are the voices that speak a language when a request names none, where
	// they differ from the roster's.
	DefaultVoices map[lang.Code]voice.ID
	// Languages are the ones that are offered: no others are detected, and requests that name
	// others are refused. The first is the language of texts without letters. Empty offers all
	// that the engines speak.
	Languages []lang.Code
	// Answers holds answers that are sent whole until they are made; nil is a pool with
	// the default bounds.
	Answers *spool.Pool
	// Logger receives failures, never text; nil is slog.Default.
	Logger *slog.Logger
}

// Service turns text into speech. It is safe for concurrent use.
type Service struct {
	engines   engine.Set
	languages int
	ledger    Ledger
	front     *frontend.Frontend
	offered   []lang.Code // empty offers all
	prior     lang.Prior  // offers the same
	schedule  *schedule.Scheduler
	dear      *schedule.Scheduler // of voices with a load; see [engine.Traits]
	cache     *cache.Cache        // nil keeps no answers
	revision  string
	previews  *previews
	answers   *spool.Pool
	voices    *voice.Directory
	fallback  bool
	defaults  map[lang.Code]voice.ID
	log       *slog.Logger
}

// New returns a service. It returns an error if the configuration names voices or
// languages that do not exist.
func New(c Config) (*Service, error) {
	if len(c.Engines) == 0 {
		return nil, errors.New("speech needs an engine")
	}
	if err := CheckVoices(c.Voices, c.DefaultVoices); err != nil {
		return nil, err
	}
	for _, code := range c.Languages {
		if _, ok := lang.Lookup(code); !ok {
			return nil, fmt.Errorf("language %q is offered, but is not one of the supported ones", code)
		}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	s := &Service{
		engines:  c.Engines,
		ledger:   c.Ledger,
		offered:  c.Languages,
		prior:    lang.Offering(c.Languages...),
		schedule: schedule.New(schedule.Config{}),
		dear:     schedule.New(schedule.Config{Slots: runtime.GOMAXPROCS(0)}),
		revision: c.Revision,
		previews: newPreviews(c),
		answers:  c.Answers,
		voices:   c.Voices,
		fallback: c.Fallback,
		defaults: map[lang.Code]voice.ID{},
		log:      c.Logger,
	}
	s.front = frontend.New().Expecting(s.prior)
	if s.answers == nil {
		s.answers = spool.New(spool.Config{})
	}
	s.cache = c.Cache
	for _, code := range c.Engines.Languages() {
		s.defaults[code] = voice.Default(code).ID
		if s.prior.Offers(code) {
			s.languages++
		}
	}
	if err := s.PrepareRates(); err != nil {
		return nil, err
	}
	maps.Copy(s.defaults, c.DefaultVoices)
	return s, nil
}

// PrepareRates computes the filters between the rates of the voices and those of the formats. That
// takes long, so no request should wait for it. It is to be called again when the voices of the
// directory have changed.
func (s *Service) PrepareRates() error {
	prepared := map[int]bool{}
	for _, v := range s.voices.All() {
		_, traits, err := s.engines.For(v, v.Native)
		if err != nil || prepared[traits.SampleRate] {
			continue // a voice that cannot be used now is prepared by its first request
		}
		prepared[traits.SampleRate] = true
		for _, rate := range audio.SampleRates {
			if _, err := resample.NewWriter(nil, traits.SampleRate, rate); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckVoices returns an error if default voices, as in [Config], name a language that does not
// exist, or a voice that the directory does not have.
func CheckVoices(voices *voice.Directory, defaults map[lang.Code]voice.ID) error {
	for code, id := range defaults {
		if _, ok := lang.Lookup(code); !ok {
			return fmt.Errorf("default_voices names the unknown language %q", code)
		}
		if _, ok := voices.ByID(id); !ok {
			return fmt.Errorf("default_voices names the unknown voice %q", id)
		}
	}
	return nil
}

// Voices returns [Config.Voices], which may be nil.
func (s *Service) Voices() *voice.Directory { return s.voices }

// Health describes what a deployment speaks and how.
type Health struct {
	Engine        string
	Formats       []audio.Codec
	DefaultVoice  voice.ID
	DefaultVoices map[lang.Code]voice.ID // do not modify
	Languages     int
	Offered       lang.Prior // the languages that requests may name
	Voices        int
}

// Preload loads the tables of the languages that are offered, so that no request waits for
// them. It may run beside requests.
func (s *Service) Preload() { frontend.Warm(s.prior.Languages()) }

// Health returns what this service speaks and how.
func (s *Service) Health() Health {
	return Health{
		Engine:        s.engines[0].Name(),
		Formats:       codec.Available(),
		DefaultVoice:  voice.DefaultVoice().ID,
		DefaultVoices: s.defaults,
		Languages:     s.languages,
		Offered:       s.prior,
		Voices:        s.voices.Len(),
	}
}

// Speak speaks a request into w. Every refusal comes before the first byte, as a
// *fault.Error. The interfaces [Starter], [Watcher], [Follower], [Omitter] and [Finisher]
// say what else w is told if it implements them.
//
// The caller is charged for all characters when Speak returns nil. If ctx ends or w fails
// while a stream is sent, the caller is charged for the characters whose audio w
// accepted. In every other case nothing is charged; this includes w failing with a
// *fault.Error of kind Unavailable or Internal, because then the server is at fault.
// Result.Charged holds the charge, also when there is an error.
func (s *Service) Speak(ctx context.Context, caller account.Caller, req Request, w io.Writer) (Result, error) {
	a, err := s.prepare(ctx, req, nil)
	if err != nil {
		return Result{}, err
	}
	result, err := a.speak(ctx, caller, w)
	if !a.failedOver(result, err) {
		return result, err
	}
	if a, err = s.prepare(ctx, req, nil); err != nil {
		return Result{}, err
	}
	return a.speak(ctx, caller, w)
}

// failedOver reports whether the engine of an added voice has failed before a byte was sent, so
// that another voice can speak the answer instead.
func (a *answer) failedOver(result Result, err error) bool {
	if fault.KindOf(err) != fault.Unavailable || result.Bytes > 0 || a.voice.Engine == "" || a.speaker.voice.ID != a.voice.ID {
		return false
	}
	by, err := a.service.speakerFor(a.voice, a.info.Language)
	return err == nil && by.voice.ID != a.voice.ID
}

// speak answers from the cache, or else admits the answer to the scheduler, reserves its
// characters, and delivers it.
func (a *answer) speak(ctx context.Context, caller account.Caller, w io.Writer) (_ Result, err error) {
	out := a.response(w)
	// A Follower wants timings, which are not in the cache.
	if _, follows := w.(Follower); a.recital == nil && a.cacheable(caller) && !follows {
		key := a.cacheKey(caller)
		if result, ok, err := a.fromCache(ctx, caller, key, w); ok {
			return result, err
		}
		a.info.Cache = CacheMiss
		out.draft = a.service.cache.Begin(key)
		// Discard does nothing once the draft is committed.
		defer out.draft.Discard()
	}
	kind := schedule.Live
	if !a.req.Stream {
		kind = schedule.Whole
		if out.whole, err = a.openBuffer(caller, w); err != nil {
			return Result{Info: a.info}, err
		}
		defer func() { out.whole.Close() }() // nil by then if it was handed over
	}
	if a.stream, err = a.service.admit(a.service.dearest(a.speaker, a.voice), kind); err != nil {
		return Result{Info: a.info}, err
	}
	defer a.stream.End()
	out.stream = a.stream
	out.funds = &funds{ledger: a.service.ledger, caller: caller}
	out.funds.ask(ctx, a.info.Characters)
	// Without this, an error before the hold is committed would keep the characters
	// reserved until the hold's lease expires.
	defer out.funds.cancel()
	return a.deliver(ctx, out)
}

// voice returns the voice that a request names, or the default of the language if it
// names none.
func (s *Service) voice(name string, code lang.Code) (voice.Voice, error) {
	if name != "" {
		return s.voices.Find("voice", name)
	}
	if v, ok := s.voices.ByID(s.defaults[code]); ok {
		return v, nil
	}
	return voice.Default(code), nil // while a voice that the operator has added is not there
}
