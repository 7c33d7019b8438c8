package app

import (
	"context"
	"errors"
	"io"
	"time"

	"vaak/account"
	"vaak/app/speaker"
	"vaak/internal/fault"
	"vaak/internal/telemetry"
	"vaak/speech"
	"vaak/voice"
)

// flushTimeout is how long the last traces may take to be sent when the server
// stops.
const flushTimeout = 5 * time.Second

// watch registers the functions that read the figures of the services. Telemetry calls them
// whenever metrics are collected.
func (a *application) watch() {
	s := telemetry.Sources{
		Accounts: a.accountFigures,
		Ledger:   a.audits.Figures,
		Jobs:     a.jobFigures,

		Connections: a.connectionFigures,
		Webhooks:    a.webhookFigures,
	}
	if a.engines != nil {
		s.Engine = func(context.Context) (telemetry.Engine, error) {
			crashes, leftOut := a.engines.Embedded.Crashes()
			return telemetry.Engine{Crashes: crashes, LeftOut: leftOut, Neural: neuralFigures(a.engines)}, nil
		}
	}
	if a.engines != nil && a.engines.Remote != nil {
		s.Pools = a.poolFigures
	}
	if kept := a.kept.Answers; kept != nil {
		s.Cache = func(context.Context) (telemetry.Cache, error) {
			now := kept.Stats()
			return telemetry.Cache{Bytes: now.Bytes, Hits: now.Hits, Misses: now.Misses}, nil
		}
	}
	if pool := a.kept.Whole; pool != nil {
		s.Answers = func(context.Context) (telemetry.Answers, error) {
			memory, disk := pool.Stats()
			return telemetry.Answers{Memory: memory, Disk: disk}, nil
		}
	}
	if a.certificates != nil {
		s.Certificates = a.certificateFigures
	}
	a.telemetry.Watch(s)
}

// neuralFigures returns the figures of the engine of added voices, if there is one.
func neuralFigures(e *speaker.Engines) telemetry.Neural {
	if e.Neural == nil {
		return telemetry.Neural{}
	}
	f := e.Neural.Figures()
	return telemetry.Neural{
		Name: e.Neural.Name(), Voices: f.Voices, Restarts: f.Restarts, Audio: f.Audio, Busy: f.Busy, Replaced: f.Replaced, Dropped: f.Dropped,
	}
}

func (a *application) accountFigures(context.Context) (telemetry.Accounts, error) {
	n := a.accounts.Stats()
	return telemetry.Accounts{
		HoldsOpen: n.OpenHolds, SlotsTaken: n.Slots, Charged: n.Charged,
		LateCharges: n.LateCharges, LostCharges: n.LostCharges, LostRecords: n.LostRequests,
		Refused:        map[string]int64{"quota": n.QuotaRefused, "requests": n.RateRefused, "streams": n.StreamsRefused},
		WaitingCharges: n.Waiting.Charges, WaitingCharacters: n.Waiting.Characters, WaitingSince: n.Waiting.Oldest,
		StoreUp: n.StoreUp, LimitsLocal: n.LocalLimits,
	}, nil
}

func (a *application) jobFigures(ctx context.Context) (telemetry.Jobs, error) {
	n, err := a.jobs.Stats(ctx)
	return telemetry.Jobs{
		ByState: map[string]int{
			"waiting": n.Waiting, "running": n.Running, "retrying": n.Retrying, "completed": n.Completed, "discarded": n.Discarded,
		},
		Oldest: n.Oldest,
	}, err
}

// FreeSpace is how many bytes the disk of the data directory must have free for the server
// to be ready: enough for the database to go on until somebody has made room.
const FreeSpace = 64 << 20

// keepSpoken is how long a successful probe of the engine is taken as good. A probe costs a
// few milliseconds of a processor.
const keepSpoken = 2 * time.Second

// checks returns the readiness checks. The server gets requests only while all of them
// pass.
func (a *application) checks(draining <-chan struct{}) []telemetry.Check {
	all := []telemetry.Check{
		// A drain must be seen at once, so the outcome of this check is never kept: a
		// balancer that asks just after the drain begins would send requests to a server
		// that closes.
		{Name: "accepting", Keep: -1, Run: func(context.Context) error {
			select {
			case <-draining:
				return errDraining
			default:
				return nil
			}
		}},
		{Name: "store", Run: a.store.Ping},
		{Name: "disk", Run: telemetry.Space(a.cfg.Place.DataDir, FreeSpace)},
	}
	if a.engines != nil {
		all = append(all, telemetry.Check{Name: "engine", Keep: keepSpoken, Run: a.speaks})
	}
	return all
}

var errDraining = errors.New("the server is about to stop")

// speaks returns an error unless the engine makes audio.
func (a *application) speaks(ctx context.Context) error {
	return a.engines.Embedded.Hear(ctx, voice.DefaultVoice(), "en")
}

// observedSpeech is the speech service with metrics and traces of each call, which are made
// from the call's result.
type observedSpeech struct {
	*speech.Service
	telemetry *telemetry.Telemetry
}

// Speak speaks; see [speech.Service.Speak].
func (o observedSpeech) Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (res speech.Result, err error) {
	began := time.Now()
	ctx = o.telemetry.BeginSpeech(ctx)
	err = errPanicked // what the deferred call sees when Speak does not return
	defer func() { o.telemetry.EndSpeech(ctx, spoken(ctx, began, req, res, err)) }()
	return o.Service.Speak(ctx, caller, req, w)
}

// Run speaks a session; see [speech.Service.Run].
func (o observedSpeech) Run(ctx context.Context, session *speech.Session, w io.Writer) (res speech.Result, err error) {
	began := time.Now()
	ctx = o.telemetry.BeginSpeech(ctx)
	err = errPanicked // as in Speak
	defer func() { o.telemetry.EndSpeech(ctx, spoken(ctx, began, speech.Request{Stream: true}, res, err)) }()
	return o.Service.Run(ctx, session, w)
}

// errPanicked is the error of a call that panicked.
var errPanicked = errors.New("the service panicked")

// spoken returns the telemetry record of a call.
func spoken(ctx context.Context, began time.Time, req speech.Request, res speech.Result, err error) telemetry.Speech {
	s := telemetry.Speech{
		Began:      began,
		Outcome:    telemetry.Succeeded,
		Format:     string(res.Format.Codec),
		Language:   string(res.Language),
		Voice:      string(res.Voice),
		Engine:     res.Engine,
		Characters: res.Characters,
		Streamed:   req.Stream,
		Cached:     res.Cache == speech.CacheHit,
		Queue:      res.QueueTime,
		Text:       res.TextTime,
		FirstAudio: res.FirstAudio,
		Audio:      res.Duration,
	}
	if err == nil {
		return s
	}
	kind := fault.KindOf(err)
	// A client that leaves breaks the write, which is an unknown error to the service. It
	// is not a fault of the server, and must not raise its error rate.
	if kind == fault.Internal && ctx.Err() != nil {
		kind = fault.Cancelled
	}
	s.Outcome = string(kind)
	s.Failed = kind == fault.Internal || kind == fault.Unavailable
	return s
}
