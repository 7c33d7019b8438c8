package telephony

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"vaak/telephony/agent"
	"vaak/telephony/hear"
	"vaak/telephony/line"
	"vaak/telephony/live"
	"vaak/telephony/pace"
)

// wire is a connection to a provider. Read is called by one goroutine, the others by one at a
// time.
type wire interface {
	pace.Sender
	// Read returns the next event. What it holds is valid until the next Read.
	Read() (line.Event, error)
	// Hangup ends the call.
	Hangup() error
	// Close breaks the connection off; Read then returns an error.
	Close() error
}

// provider is what is different between providers beside their messages.
type provider struct {
	name string
	lead time.Duration
	// patience is as in [pace.Config]: how long to wait for the provider to say that a mark was
	// played.
	patience   time.Duration
	continuous bool
	foreignID  bool // the id of a call is what the operator has set, so it is not logged
}

// Why a call has ended: the label of the metric, and the reason in the event stop.
const (
	reasonCaller   = "caller_hung_up"
	reasonAgent    = "agent_hung_up"
	reasonGone     = "agent_gone"
	reasonSpeech   = "speech_unavailable"
	reasonLong     = "too_long"
	reasonStopping = "stopping"
	reasonRefused  = "refused"     // the provider has sent what it should not
	reasonBroken   = "line_broken" // the connection to the provider
)

// endError is why a call ends.
type endError string

func (e endError) Error() string { return string(e) }

// startTimeout is how long a provider may take to say what call it brings.
const startTimeout = 10 * time.Second

// call is one call.
type call struct {
	b        *Bridge
	wire     wire
	provider provider
	log      *slog.Logger
	start    line.Call
	player   *pace.Player
	mouth    *mouth
	ear      *ear
	detector *hear.Detector

	telling sync.Mutex
	agent   Agent         // nil until there is one
	early   []agent.Event // of the time before; told after the start of the call

	end    context.CancelCauseFunc // ends the call; the cause is an endError
	digits chan string
	idle   chan struct{} // the mouth has become idle
}

// serve takes a call whose provider has connected, until it ends. It closes the wire.
func (b *Bridge) serve(w wire, p provider) {
	began := time.Now()
	defer w.Close()
	late := time.AfterFunc(startTimeout, func() { _ = w.Close() }) // breaks Read off
	start, err := begin(w)
	if !late.Stop() || err != nil {
		b.figures.refused.Add(1, p.name, "no_start")
		b.cfg.Logger.Warn("a call was refused", "provider", p.name, "reason", reasonOf(err, reasonBroken), "error", logged(err))
		return
	}
	c := &call{b: b, wire: w, provider: p, start: start, digits: make(chan string, 16), idle: make(chan struct{}, 1)}
	c.log = b.cfg.Logger.With("provider", p.name, "bridge_call", rand.Text()[:12])
	if !p.foreignID {
		c.log = c.log.With("call", start.ID)
	}
	c.log.Info("a call began")
	reason := c.run()
	b.figures.calls.Add(1, p.name, reason)
	b.figures.seconds.Observe(seconds(time.Since(began)), p.name)
	c.log.Info("a call ended", "reason", reason, "took", time.Since(began).Round(time.Millisecond).String())
}

// begin reads until the start of the call.
func begin(w wire) (line.Call, error) {
	for {
		e, err := w.Read()
		switch {
		case err != nil:
			return line.Call{}, err
		case e.Kind == line.Start:
			return e.Call, nil
		case e.Kind != line.Nothing:
			return line.Call{}, line.Refused("the first event of a call is not its start")
		}
	}
}

// run conducts the call and returns why it has ended.
func (c *call) run() (reason string) {
	ctx, end := context.WithCancelCause(c.b.stopping)
	c.end = end
	defer end(nil)
	var err error
	if c.ear, err = newEar(c.start.Format); err != nil {
		c.log.Error("a call cannot be heard", "error", err)
		return reasonRefused
	}
	if c.b.cfg.BargeIn {
		c.detector = hear.New(c.start.Format.Rate, c.b.cfg.Hear)
	}
	c.player = pace.New(c.wire, pace.Config{
		Format: c.start.Format, Lead: c.provider.lead, Patience: c.provider.patience, Continuous: c.provider.continuous,
		Reached: func(mark string) { c.mouth.reached(mark) },
		Late:    func(d time.Duration) { c.b.figures.late.Observe(seconds(d)) },
	})
	c.mouth = &mouth{
		client: c.b.cfg.Speech, settings: c.b.cfg.Voice, player: c.player, format: c.start.Format, marks: map[string]func(){},
		tell: c.tell, failed: c.speechFailed, wake: make(chan struct{}, 1),
		first: func(d time.Duration) { c.b.figures.first.Observe(seconds(d)) },
		idle: func() {
			select {
			case c.idle <- struct{}{}:
			default:
			}
		},
	}
	var crew, playing sync.WaitGroup
	crew.Go(c.listen)
	playing.Go(func() {
		if err := c.player.Run(ctx); ctx.Err() == nil {
			c.log.Debug("the line broke", "error", err)
			end(endError(reasonBroken))
		}
	})
	crew.Go(func() { c.mouth.run(ctx) })
	why := c.conduct(ctx)
	end(why)
	reason = reasonOf(why, reasonStopping)
	c.tell(agent.Event{Type: "stop", Reason: reason})
	if a := c.listener(); a != nil {
		a.Close()
	}
	playing.Wait() // which writes to the line too
	if reason != reasonCaller && reason != reasonBroken {
		_ = c.wire.Hangup() // the connection is closed in any case
	}
	_ = c.wire.Close() // breaks listen off
	crew.Wait()
	return reason
}

func reasonOf(err error, other string) string {
	if end, ok := errors.AsType[endError](err); ok {
		return string(end)
	}
	return other
}

// maxEarly is how many events wait for the agent: more keys than a person presses in the time.
const maxEarly = 100

// tell tells the agent, or will when it has the start of the call.
func (c *call) tell(e agent.Event) {
	c.telling.Lock()
	defer c.telling.Unlock()
	if c.agent != nil {
		c.agent.Send(e)
	} else if len(c.early) < maxEarly {
		c.early = append(c.early, e)
	}
}

// listener returns the agent; nil when there is none, or not yet.
func (c *call) listener() Agent {
	c.telling.Lock()
	defer c.telling.Unlock()
	return c.agent
}

// join makes a the agent of the call and tells it what has happened so far.
func (c *call) join(a Agent) {
	c.telling.Lock()
	defer c.telling.Unlock()
	a.Send(agent.Event{
		Type: "start", CallID: c.start.ID, Provider: c.provider.name,
		From: c.start.From, To: c.start.To, Parameters: c.start.Parameters,
	})
	for _, e := range c.early {
		a.Send(e)
	}
	c.agent, c.early = a, nil
}

// speechFailed tells the agent that it was not spoken, and why. Without an agent the call is over.
func (c *call) speechFailed(err error) {
	code, message := reasonSpeech, "the speech server cannot be reached"
	if refused, ok := errors.AsType[*live.RefusedError](err); ok {
		code, message = refused.Code, refused.Message
	}
	if errors.Is(err, context.Canceled) || reasonOf(err, "") != "" {
		return // the call has ended
	}
	c.b.figures.speechErrors.Add(1, code)
	c.log.Warn("text was not spoken", "code", code) // the error itself may have the address
	c.tell(agent.Event{Type: "error", Code: code, Message: message})
	if c.b.cfg.AgentURL == "" {
		c.end(endError(reasonSpeech))
	}
}

// listen reads the provider until the connection ends.
func (c *call) listen() {
	for {
		e, err := c.wire.Read()
		if err == nil {
			err = c.hear(e)
		}
		if err == nil {
			continue
		}
		if reasonOf(err, "") == "" {
			if refused := line.IsRefused(err); refused {
				c.log.Warn("the provider sends what it should not", "error", logged(err))
				err = endError(reasonRefused)
			} else if errors.Is(err, io.EOF) {
				err = endError(reasonCaller)
			} else {
				err = endError(reasonBroken)
			}
		}
		c.end(err)
		return
	}
}

// hear takes an event of the provider.
func (c *call) hear(e line.Event) error {
	switch e.Kind {
	case line.Audio:
		pcm := c.ear.samples(e.Audio)
		if c.detector != nil {
			if err := c.detected(c.detector.Hear(pcm)); err != nil {
				return err
			}
		}
		if !c.b.cfg.SendAudio || c.listener() == nil {
			return nil
		}
		ulaw, err := c.ear.telephone(e.Audio, pcm)
		if len(ulaw) > 0 {
			c.tell(agent.Event{Type: "audio", Audio: base64.StdEncoding.EncodeToString(ulaw)})
		}
		return err
	case line.DTMF:
		c.tell(agent.Event{Type: "dtmf", Digit: e.Digit})
	case line.Mark:
		c.player.Echo(e.Mark)
	case line.Stop:
		return endError(reasonCaller)
	case line.Start:
		return line.Refused("a second start came")
	}
	return nil
}

// detected stops what is said when the caller speaks. It is called by the reader of the line, so
// that nothing is between the caller's audio and the clear.
func (c *call) detected(change hear.Change) error {
	switch change {
	case hear.Started:
		return c.mouth.clear(true, func(interrupted bool) {
			if interrupted {
				c.b.figures.bargeIns.Add(1, c.provider.name)
			}
			c.tell(agent.Event{Type: "speech_started", BargeIn: interrupted})
		})
	case hear.Stopped:
		c.tell(agent.Event{Type: "speech_stopped"})
	}
	return nil
}

// conduct does what the agent asks for until the call ends, and returns why.
func (c *call) conduct(ctx context.Context) error {
	tooLong := time.NewTimer(c.b.cfg.MaxCall)
	defer tooLong.Stop()
	var leaving error // why the call ends when all is said
	commands, err := c.connect(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.log.Warn("the agent cannot be reached") // the error may have its address
		leaving = c.apologize()
	}
	for {
		if leaving != nil && !c.mouth.busy() {
			return leaving
		}
		select {
		case cmd, ok := <-commands:
			switch {
			case !ok:
				commands = nil
				if leaving == nil {
					c.log.Warn("the agent has left")
					leaving = c.apologize()
				}
			case cmd.Type == agent.Hangup && cmd.Now:
				return endError(reasonAgent)
			case cmd.Type == agent.Hangup:
				c.mouth.end()
				leaving = endError(reasonAgent)
			default:
				if err := c.obey(cmd); err != nil {
					return err
				}
			}
		case <-c.idle:
		case <-tooLong.C:
			return endError(reasonLong)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// connect opens the connection to the agent, and tells it of the call. Without an agent the
// commands are those that say the prompt.
func (c *call) connect(ctx context.Context) (<-chan agent.Command, error) {
	if c.b.cfg.AgentURL == "" {
		commands := make(chan agent.Command, 2)
		commands <- agent.Command{Type: agent.Text, Text: c.b.cfg.Prompt}
		commands <- agent.Command{Type: agent.Hangup}
		return commands, nil
	}
	conn, err := agent.Dial(ctx, c.b.cfg.AgentURL, c.b.cfg.AgentToken)
	if err != nil {
		return nil, err
	}
	c.join(conn)
	return conn.Commands(), nil
}

// apologize says that there is no agent, and returns why the call ends after it.
func (c *call) apologize() error {
	c.mouth.end()
	c.mouth.say(c.b.cfg.Apology)
	c.mouth.end()
	return endError(reasonGone)
}

// obey does what a command asks for. An error ends the call.
func (c *call) obey(cmd agent.Command) error {
	switch cmd.Type {
	case agent.Text:
		if !c.mouth.say(cmd.Text) {
			c.tell(agent.Event{Type: "error", Code: "too_much_text", Message: "100,000 characters wait already; the text was dropped"})
		}
	case agent.Flush:
		c.mouth.flush()
	case agent.End:
		c.mouth.end()
	case agent.Mark:
		c.mouth.mark(cmd.Name)
	case agent.Clear:
		if err := c.mouth.clear(false, func(bool) {}); err != nil {
			return endError(reasonBroken)
		}
	case agent.Settings:
		c.mouth.set(func(s *live.Settings) {
			base := c.b.cfg.Voice
			if cmd.Voice != nil {
				s.Voice = orElse(*cmd.Voice, base.Voice)
			}
			if cmd.Language != nil {
				s.Language = orElse(*cmd.Language, base.Language)
			}
			if cmd.Speed != nil {
				s.Speed = *cmd.Speed
			}
		})
	}
	return nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// logged returns an error as the log gets it: what a provider sent wrong, but no address.
func logged(err error) string {
	if err == nil || line.IsRefused(err) || reasonOf(err, "") != "" {
		return errorText(err)
	}
	return "the connection ended"
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
