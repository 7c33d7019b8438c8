package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/telemetry"
	"vaak/speech"
	"vaak/voice"
)

// telemetryFlags say where traces go; figures are always there to be collected.
type telemetryFlags struct {
	OTLPEndpoint string  `help:"Send traces there, in OTLP over HTTP, such as http://127.0.0.1:4318; env takes the address from OTEL_EXPORTER_OTLP_ENDPOINT. Default: no traces." name:"otlp-endpoint" placeholder:"URL"`
	TraceSample  float64 `help:"Share of traces to keep, 0 to 1, of those that begin here. Default: ${default}." default:"0.1" placeholder:"SHARE"`
}

func (f telemetryFlags) traces() telemetry.Traces {
	return telemetry.Traces{Endpoint: f.OTLPEndpoint, Ratio: f.TraceSample}
}

func (f telemetryFlags) open(log *slog.Logger) (*telemetry.Telemetry, error) {
	return telemetry.New(telemetry.Config{Version: version, Traces: f.traces(), Logger: log})
}

// flushTimeout is how long the last traces may take to be sent when the server
// stops.
const flushTimeout = 5 * time.Second

// watch has the figures of the services read whenever somebody asks for them.
func (a *application) watch() {
	s := telemetry.Sources{
		Accounts: a.accountFigures,
		Ledger:   a.audited.figures,
		Jobs:     a.jobFigures,

		Connections: a.connectionFigures,
	}
	if a.engine != nil {
		s.Engine = func(context.Context) (telemetry.Engine, error) {
			crashes, leftOut := a.engine.Crashes()
			return telemetry.Engine{Crashes: crashes, LeftOut: leftOut}, nil
		}
	}
	if kept := a.kept.answers; kept != nil {
		s.Cache = func(context.Context) (telemetry.Cache, error) {
			now := kept.Stats()
			return telemetry.Cache{Bytes: now.Bytes, Hits: now.Hits, Misses: now.Misses}, nil
		}
	}
	if pool := a.kept.whole; pool != nil {
		s.Answers = func(context.Context) (telemetry.Answers, error) {
			memory, disk := pool.Stats()
			return telemetry.Answers{Memory: memory, Disk: disk}, nil
		}
	}
	a.telemetry.Watch(s)
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

// freeSpace is how much room the data directory must have for the server to be
// ready: enough for the database to go on until somebody has made more.
const freeSpace = 64 << 20

// keepSpoken is how long it is taken for granted that the engine speaks, since
// finding out costs a few milliseconds of a processor.
const keepSpoken = 2 * time.Second

// checks are what must be well for the server to get requests.
func (a *application) checks(draining <-chan struct{}) []telemetry.Check {
	all := []telemetry.Check{
		{Name: "accepting", Keep: -1, Run: func(context.Context) error {
			if closed(draining) {
				return errDraining
			}
			return nil
		}},
		{Name: "store", Run: a.store.Ping},
		{Name: "disk", Run: telemetry.Space(a.dataDir, freeSpace)},
	}
	if a.engine != nil {
		all = append(all, telemetry.Check{Name: "engine", Keep: keepSpoken, Run: a.speaks})
	}
	return all
}

var errDraining = errors.New("the server is about to stop")

// speaks finds out whether the engine makes audio.
func (a *application) speaks(ctx context.Context) error {
	return a.engine.Hear(ctx, voice.DefaultVoice(), "en")
}

// observedSpeech is the speech service, whose calls are counted and traced.
// What happens inside a call it learns when the call is over.
type observedSpeech struct {
	*speech.Service
	telemetry *telemetry.Telemetry
}

// Speak speaks; see [speech.Service.Speak].
func (o observedSpeech) Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (res speech.Result, err error) {
	began := time.Now()
	ctx = o.telemetry.BeginSpeech(ctx)
	err = errPanicked // unless Speak returns
	defer func() { o.telemetry.EndSpeech(ctx, spoken(ctx, began, req, res, err)) }()
	return o.Service.Speak(ctx, caller, req, w)
}

// Run speaks a session; see [speech.Service.Run].
func (o observedSpeech) Run(ctx context.Context, session *speech.Session, w io.Writer) (res speech.Result, err error) {
	began := time.Now()
	ctx = o.telemetry.BeginSpeech(ctx)
	err = errPanicked // unless Run returns
	defer func() { o.telemetry.EndSpeech(ctx, spoken(ctx, began, speech.Request{Stream: true}, res, err)) }()
	return o.Service.Run(ctx, session, w)
}

// errPanicked is how a call ended that did not return.
var errPanicked = errors.New("the service panicked")

// spoken is what is told of a call.
func spoken(ctx context.Context, began time.Time, req speech.Request, res speech.Result, err error) telemetry.Speech {
	s := telemetry.Speech{
		Began:      began,
		Outcome:    telemetry.Succeeded,
		Format:     string(res.Format.Codec),
		Language:   string(res.Language),
		Voice:      string(res.Voice),
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
	if kind == fault.Internal && ctx.Err() != nil {
		kind = fault.Cancelled
	}
	s.Outcome = string(kind)
	s.Failed = kind == fault.Internal || kind == fault.Unavailable
	return s
}
