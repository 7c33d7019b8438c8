// Package telephony joins telephone calls with speech and with the operator's agent: it takes the
// media streams of telephone providers, has the text of the agent spoken by a Vaak server, and
// plays that to the caller at pace.
//
// Each call has a conductor, which owns its state, and goroutines that read the provider, play to
// it, and say what the agent writes. [vaak/telephony/line] is what all providers have in common.
package telephony

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"vaak/internal/telemetry"
	"vaak/telephony/agent"
	"vaak/telephony/hear"
	"vaak/telephony/live"
)

// Agent decides what is said in one call. [agent.Conn] is the one that operators write.
type Agent interface {
	// Send tells the agent something; it does not block.
	Send(agent.Event)
	// Commands are what the agent asks for. The channel is closed when the agent has left.
	Commands() <-chan agent.Command
	Close()
}

// Config says how calls are bridged.
type Config struct {
	Speech *live.Client // required
	Voice  live.Settings
	// AgentURL is the WebSocket of the agent, and AgentToken what is sent to it as bearer; "" is
	// none. Without an agent Prompt is said, and the call ends.
	AgentURL, AgentToken string
	Prompt               string
	// Apology is said when the agent cannot be reached or has left; "" is nothing.
	Apology string
	// SendAudio sends the audio of callers to the agent.
	SendAudio bool
	// BargeIn stops what is said when the caller speaks; Hear says what counts as speaking.
	BargeIn bool
	Hear    hear.Config
	// Lead is how much audio providers with a buffer get ahead; AsteriskLead is that of Asterisk.
	Lead, AsteriskLead time.Duration
	MaxCalls           int           // at once; 0 is 200
	MaxCall            time.Duration // how long a call may take; 0 is an hour

	// Token is what the address of a call, or its bearer, must have; "" takes all.
	Token string
	// TwilioToken is the auth token with which Twilio signs; "" does not ask for a signature. It
	// needs PublicURL, the address that TwiML names, without the path.
	TwilioToken, PublicURL string
	// AsteriskFrom are the networks from which AudioSocket is taken.
	AsteriskFrom []netip.Prefix

	Telemetry *telemetry.Telemetry // required
	Logger    *slog.Logger         // nil discards; gets no number, text or audio
}

// Bridge takes calls. [Bridge.Close] must be called.
type Bridge struct {
	cfg     Config
	figures figures

	calls    sync.WaitGroup
	stopping context.Context // ends when calls must end
	stop     context.CancelCauseFunc

	mu       sync.Mutex
	running  int
	draining bool
}

// New returns a bridge.
func New(cfg Config) (*Bridge, error) {
	switch {
	case cfg.Speech == nil || cfg.Telemetry == nil:
		return nil, errors.New("a bridge needs Speech and Telemetry")
	case (cfg.AgentURL == "") == (cfg.Prompt == ""):
		return nil, errors.New("a bridge needs either AgentURL or Prompt")
	case cfg.TwilioToken != "" && cfg.PublicURL == "":
		return nil, errors.New("signatures of Twilio can be checked only with PublicURL")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.MaxCalls == 0 {
		cfg.MaxCalls = 200
	}
	if cfg.MaxCall == 0 {
		cfg.MaxCall = time.Hour
	}
	b := &Bridge{cfg: cfg}
	b.stopping, b.stop = context.WithCancelCause(context.Background())
	b.figures = newFigures(cfg.Telemetry, b)
	return b, nil
}

var (
	errDraining = errors.New("the bridge is stopping")
	errFull     = errors.New("as many calls as the bridge takes are running")
)

// admit makes room for a call, which must be released.
func (b *Bridge) admit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.draining:
		return errDraining
	case b.running >= b.cfg.MaxCalls:
		return errFull
	}
	b.running++
	b.calls.Add(1)
	return nil
}

func (b *Bridge) release() {
	b.mu.Lock()
	b.running--
	b.mu.Unlock()
	b.calls.Done()
}

// Running returns how many calls are running.
func (b *Bridge) Running() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running
}

// Accepting returns an error while no new calls are taken.
func (b *Bridge) Accepting(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.draining {
		return errDraining
	}
	return nil
}

// errCutOff is that calls were ended because the time to drain is over.
var errCutOff = errors.New("calls were still running when the time to drain was over")

// Drain refuses new calls and waits until the running ones have ended. Those that still run when
// the context ends are ended, and the error says so.
func (b *Bridge) Drain(ctx context.Context) error {
	b.mu.Lock()
	b.draining = true
	b.mu.Unlock()
	over := make(chan struct{})
	go func() { b.calls.Wait(); close(over) }()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		b.stop(errDraining)
		<-over
		return errCutOff
	}
}

// Close ends all calls.
func (b *Bridge) Close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = b.Drain(ctx) // that calls are ended is what is asked for
	b.stop(errDraining)
}
