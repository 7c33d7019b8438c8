// Package remote speaks with voices of model servers that others keep: pools of servers of several
// kinds, which the operator's settings name.
//
// A text is divided into sentences, and a member of the pool is asked for one after the other, one
// sentence ahead of the listener. The first sentence is passed on as it comes. A later one is held
// until all of it is there, or until the listener would run out of sound, so a member that fails
// in the middle is replaced from the beginning of the sentence, unheard. What cannot be unheard is
// not said again: the next member goes on at the next word.
//
// A voice has several rungs: pools, and voices of other engines. When nobody on one rung can speak,
// the next one goes on.
package remote

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vaak/engine"
	"vaak/engine/remote/fish"
	"vaak/engine/remote/openai"
	"vaak/engine/remote/pool"
	"vaak/engine/remote/riva"
	"vaak/engine/remote/settings"
	"vaak/engine/remote/wire"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// Kinds are the kinds of servers that can be asked.
var Kinds = slices.Concat(openai.Kinds, []wire.Kind{fish.Kind, riva.Kind})

// Read reads the settings at a path.
func Read(path string) (settings.Settings, error) { return settings.Read(path, Kinds) }

// Config configures an engine.
type Config struct {
	Settings settings.Settings
	// Others are the engines whose voices may speak instead; the first of them also times the
	// words of texts.
	Others engine.Set
	// Find returns a voice of another engine.
	Find   func(voice.ID) (voice.Voice, bool)
	Logger *slog.Logger // receives failures, never text; nil is slog.Default
}

// Engine speaks with the voices of pools. It is safe for concurrent use.
type Engine struct {
	others engine.Set
	find   func(voice.ID) (voice.Voice, bool)
	log    *slog.Logger
	clock  func() time.Time // of listeners; time.Now but in tests

	changing sync.Mutex // held while the settings change
	now      atomic.Pointer[state]
}

var _ engine.Engine = (*Engine)(nil)

// state is what the settings say, and the pools that they name.
type state struct {
	pools   map[string]*group
	voices  map[voice.ID]*spoken
	offered []voice.Voice
}

// spoken is a voice and what is known of how it speaks.
type spoken struct {
	settings.Voice
	traits engine.Traits
	pace   pace
}

// Open returns an engine. Members are reached when they are first asked, and looked after until
// Close.
func Open(c Config) (*Engine, error) {
	e := &Engine{others: c.Others, find: c.Find, log: cmp.Or(c.Logger, slog.Default()), clock: time.Now}
	e.now.Store(&state{})
	return e, e.Apply(c.Settings)
}

// Apply replaces the settings. Streams that run go on with the old ones. Pools whose servers are
// reached in the same way keep what is known of their members.
func (e *Engine) Apply(s settings.Settings) error {
	e.changing.Lock()
	defer e.changing.Unlock()
	old, next := e.now.Load(), &state{pools: map[string]*group{}, voices: map[voice.ID]*spoken{}}
	var failed error
	for _, p := range s.Pools {
		g := old.pools[p.Name]
		if g == nil || !g.takes(p) {
			var err error
			if g, err = newGroup(p, e.log); err != nil {
				failed = errors.Join(failed, err)
				continue
			}
		}
		next.pools[p.Name] = g
	}
	if failed != nil {
		for name, g := range next.pools {
			if old.pools[name] != g {
				g.close()
			}
		}
		return failed
	}
	for _, v := range s.Voices {
		one := &spoken{Voice: v, traits: traitsOf(v, s)}
		if was := old.voices[v.ID]; was != nil {
			if was.pace.known() {
				one.pace.set(was.pace.get())
			}
			// Callers know the rate of the voice; what a pool sends is converted to it.
			one.traits.SampleRate = was.traits.SampleRate
		}
		next.voices[v.ID] = one
		next.offered = append(next.offered, v.Voice)
	}
	for _, p := range s.Pools {
		next.pools[p.Name].start(p, e.trial(s, p))
	}
	e.now.Store(next)
	for name, g := range old.pools {
		if next.pools[name] != g {
			g.retire()
		}
	}
	return nil
}

// enter returns a voice with what it needs, which stays until leave is called, whatever happens to the
// settings meanwhile.
func (e *Engine) enter(v voice.Voice) (_ *state, _ *spoken, leave func(), err error) {
	for {
		st := e.now.Load()
		one := st.voices[v.ID]
		if one == nil {
			return nil, nil, nil, noVoice(v)
		}
		var in []*group
		leave := func() {
			for _, g := range in {
				g.leave()
			}
		}
		gone := false
		for _, r := range one.Rungs {
			g := st.pools[r.Pool]
			if g == nil {
				continue
			}
			if !g.enter() {
				gone = true
				break
			}
			in = append(in, g)
		}
		if !gone {
			return st, one, leave, nil
		}
		leave() // the settings have changed just now
	}
}

// traitsOf returns what a voice is like, which is that of its first pool.
func traitsOf(v settings.Voice, s settings.Settings) engine.Traits {
	p, _ := s.Pool(v.Rungs[0].Pool)
	return engine.Traits{
		SampleRate: rateOf(p), Languages: v.Languages, Parameters: p.Kind.Parameters, Remote: true, Clauses: true,
		Revision: revisionOf(v.Rungs[0], p),
	}
}

// revisionOf names what decides how a voice sounds, so that previews that were kept are made anew when
// it changes.
func revisionOf(r settings.Rung, p settings.Pool) string {
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode(struct {
		Kind, Model, Voice string
		Reference          *wire.Reference
		Sampling           engine.Sampling
		Extra              map[string]any
	}{p.Kind.Name, p.Target.Model, r.Name, r.Reference, r.Sampling, p.Target.Extra}) // never fails: all of it was read from a file
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// rateOf returns the sample rate of a pool.
func rateOf(p settings.Pool) int { return cmp.Or(p.Target.Rate, p.Kind.Rate) }

// trial returns what a member of a pool is asked for when it is tried: a few words in the voice
// that names the pool first. ok is false if no voice does.
func (e *Engine) trial(s settings.Settings, p settings.Pool) func() (wire.Ask, bool) {
	for _, v := range s.Voices {
		for _, r := range v.Rungs {
			code, ok := spokenBy(p, v)
			if r.Pool != p.Name || !ok {
				continue
			}
			text, _, _ := strings.Cut(voice.PreviewText(code), ".")
			ask := wire.Ask{Text: text, Voice: r.Name, Language: code, Reference: r.Reference, Sampling: r.Sampling}
			if code == v.Native {
				ask.Region = v.Region
			}
			return func() (wire.Ask, bool) { return ask, true }
		}
	}
	return func() (wire.Ask, bool) { return wire.Ask{}, false }
}

// spokenBy returns the first language of a voice that a pool speaks.
func spokenBy(p settings.Pool, v settings.Voice) (lang.Code, bool) {
	for _, code := range v.Languages {
		if len(p.Languages) == 0 || slices.Contains(p.Languages, code) {
			return code, true
		}
	}
	return "", false
}

// Close gives the servers up, each when the streams that run on its pool have ended.
func (e *Engine) Close() error {
	e.changing.Lock()
	defer e.changing.Unlock()
	for _, g := range e.now.Swap(&state{}).pools {
		g.retire()
	}
	return nil
}

// Name returns "remote".
func (e *Engine) Name() string { return settings.EngineName }

// Voices returns the voices of the settings.
func (e *Engine) Voices() []voice.Voice { return slices.Clone(e.now.Load().offered) }

// Languages returns the languages that any voice speaks.
func (e *Engine) Languages() []lang.Code {
	var all []lang.Code
	for _, v := range e.now.Load().voices {
		for _, code := range v.Languages {
			if !slices.Contains(all, code) {
				all = append(all, code)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Voice tells what a voice is like. The error is of kind Unavailable while nobody can speak for it.
func (e *Engine) Voice(v voice.Voice) (engine.Traits, error) {
	st := e.now.Load()
	one := st.voices[v.ID]
	if one == nil {
		return engine.Traits{}, noVoice(v)
	}
	var failed error
	for _, r := range one.Rungs {
		err := e.usable(st, r, one.Native)
		if err == nil {
			return one.traits, nil
		}
		failed = cmp.Or(failed, err)
	}
	return engine.Traits{}, unavailable(v.ID, failed)
}

// usable returns why a rung cannot speak a language now; nil if it can, as far as is known.
func (e *Engine) usable(st *state, r settings.Rung, code lang.Code) error {
	if g := st.pools[r.Pool]; g != nil {
		return g.pool.Usable(time.Now())
	}
	_, _, err := e.instead(r.Voice, code)
	return err
}

// instead returns the engine of a voice that speaks instead.
func (e *Engine) instead(id voice.ID, code lang.Code) (voice.Voice, engine.Engine, error) {
	v, ok := e.find(id)
	if !ok {
		return v, nil, fault.New(fault.Unavailable, fault.CodeEngineUnavailable, "voice", "voice %s, which may speak instead, does not exist", id)
	}
	by, _, err := e.others.For(v, code)
	return v, by, err
}

func noVoice(v voice.Voice) error {
	return fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", "engine %s has no voice %s", settings.EngineName, v.ID)
}

// unavailable returns the error of a voice for which nobody speaks, as callers understand it.
func unavailable(id voice.ID, err error) error {
	down := &pool.DownError{}
	failure := &wire.Failure{}
	switch {
	case errors.Is(err, pool.ErrFull):
		return fault.Down(fault.CodeOverloaded, time.Second, err, "all servers of voice %s are in use", id)
	case errors.As(err, &down):
		return fault.Down(fault.CodeEngineUnavailable, max(time.Second, time.Until(down.Until).Round(time.Second)), err, "no server of voice %s can speak now", id)
	case errors.As(err, &failure) && failure.Reason == wire.Busy:
		return fault.Down(fault.CodeOverloaded, max(time.Second, failure.RetryAfter), err, "all servers of voice %s are in use", id)
	}
	return fault.Down(fault.CodeEngineUnavailable, time.Second, err, "no server of voice %s can speak now", id)
}

// Pool tells how a pool is.
type Pool struct {
	Name, Kind string
	Rate       int
	Voices     int
	Members    []pool.Status
	Retries    int64         // sentences that another member said, or said again, before they were heard
	Resumed    int64         // sentences that went on with another member in their middle
	Replaced   int64         // sentences that the next rung said
	Audio      time.Duration // received
	Trouble    string        // why its members are not known; "" if they are
}

// Pools tells how all pools are, by name.
func (e *Engine) Pools() []Pool {
	st := e.now.Load()
	var all []Pool
	for _, g := range st.pools {
		p := g.status(time.Now())
		for _, v := range st.voices {
			if v.Rungs[0].Pool == p.Name {
				p.Voices++
			}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Probe asks every member of a pool for a few words, and returns how long each took to the first
// sound, or why it did not speak. It is for checks of the settings.
func (e *Engine) Probe(ctx context.Context, name string) (map[string]time.Duration, map[string]error) {
	g := e.now.Load().pools[name]
	if g == nil {
		return nil, nil
	}
	return g.probeAll(ctx)
}
