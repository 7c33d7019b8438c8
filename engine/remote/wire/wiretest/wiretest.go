// Package wiretest checks what every kind of model server must do, against a server of
// engine/remote/remotetest.
package wiretest

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/wire"
)

// Suite is a kind and what its protocol can do.
type Suite struct {
	Kind  wire.Kind
	Model string // for the settings, "" for none
	// Marked says that a whole answer has a mark at its end: without it a clean end is as good.
	Marked bool
	// Events says that an error can be told in the middle of an answer.
	Events bool
	// Bare says that the sound has no header and no events: bytes by chance are sound.
	Bare bool
	// Unrated says that answers do not tell their rate.
	Unrated bool
	// Plain says that answers over plain connections have statuses of HTTP.
	Plain bool
	// Options change those of the servers.
	Options func(*remotetest.Options)
}

// Text is what is said.
const Text = "Bright yellow canaries sing softly. Eleven pelicans glided homeward, unhurried!"

// patience is how long a test waits for what should come soon.
const patience = 10 * time.Second

var errLate = &wire.Failure{Reason: wire.Late, Detail: "the test's patience"}

func (s Suite) start(t *testing.T, o remotetest.Options) *remotetest.Server {
	t.Helper()
	o.Kind = s.Kind.Name
	if s.Options != nil {
		s.Options(&o)
	}
	return remotetest.Start(t, o)
}

// Dial connects to a test server.
func (s Suite) Dial(t *testing.T, server *remotetest.Server, change func(*wire.Target)) wire.Server {
	t.Helper()
	target := wire.Target{URL: server.URL, Model: s.Model}
	if change != nil {
		change(&target)
	}
	client, err := s.Kind.Dial(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// Ask is a request for the text.
func Ask() wire.Ask { return wire.Ask{Text: Text, Voice: "one", Language: "en"} }

// Hear asks and reads a whole answer, in pieces of 37 ms at 24 kHz.
func Hear(ctx context.Context, s wire.Server, ask wire.Ask) (pcm []int16, rate int, words []wire.Word, err error) {
	answer, err := s.Speak(ctx, ask)
	if err != nil {
		return nil, 0, nil, err
	}
	defer answer.Close()
	piece := make([]int16, 888)
	for {
		n, err := answer.Read(piece)
		pcm = append(pcm, piece[:n]...)
		if errors.Is(err, io.EOF) {
			return pcm, answer.Rate(), answer.Words(), nil
		}
		if err != nil {
			return pcm, answer.Rate(), answer.Words(), err
		}
	}
}

func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errLate)
	t.Cleanup(cancel)
	return ctx
}

func (s Suite) rate() int { return s.Kind.Rate }

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	t.Run("whole", s.whole)
	t.Run("again", s.again)
	t.Run("faults", s.faults)
	t.Run("hang", s.hang)
	t.Run("cancel", s.cancel)
	t.Run("silence", s.silence)
	t.Run("gone", s.gone)
	t.Run("held back", s.heldBack)
	t.Run("tls", s.tls)
	t.Run("key", s.key)
	t.Run("health", s.health)
}

func (s Suite) whole(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{Chunk: 33 * time.Millisecond})
	client := s.Dial(t, server, nil)
	pcm, rate, _, err := Hear(patient(t), client, Ask())
	if err != nil {
		t.Fatal(err)
	}
	if rate != 0 && rate != s.rate() {
		t.Errorf("the rate is %d, want 0 or %d", rate, s.rate())
	}
	want := remotetest.Split(Text)
	if diff := cmp.Diff(want, remotetest.Words(pcm, s.rate(), want)); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	r := server.Settled(t)[0]
	if r.Text != Text || r.Voice != "one" || r.End != "done" || len(pcm) != r.Samples {
		t.Errorf("heard %d samples of request %q in voice %q, %s with %d", len(pcm), r.Text, r.Voice, r.End, r.Samples)
	}
}

// again sees that connections are used again after whole answers.
func (s Suite) again(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{})
	client := s.Dial(t, server, nil)
	for range 5 {
		if _, _, _, err := Hear(patient(t), client, Ask()); err != nil {
			t.Fatal(err)
		}
	}
	// On a busy machine the end of an answer may come too late for its connection.
	if c, err := server.Count(); err != nil || c.Conns > 2 || c.Requests != 5 {
		t.Errorf("%d connections for %d requests (%v), want 1", c.Conns, c.Requests, err)
	}
}

func (s Suite) faults(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{})
	client := s.Dial(t, server, nil)
	rated := s.Dial(t, server, func(target *wire.Target) { target.Rate = s.rate() })
	inMiddle := func(marked bool) wire.Reason {
		if marked {
			return wire.Broken
		}
		return ""
	}
	event := wire.Broken
	if s.Events {
		event = wire.Failed
	}
	type row struct {
		fault remotetest.Fault
		want  wire.Reason
		after time.Duration
	}
	rows := []row{
		{remotetest.Fault{Trouble: remotetest.Error}, wire.Failed, 0},
		{remotetest.Fault{Trouble: remotetest.ErrorEvent}, event, 0},
		{remotetest.Fault{Trouble: remotetest.Empty}, wire.Empty, 0},
		{remotetest.Fault{Trouble: remotetest.HalfSample}, wire.Broken, 0},
		{remotetest.Fault{Trouble: remotetest.WrongRate}, wire.WrongRate, 0},
		{remotetest.Fault{Trouble: remotetest.Busy}, wire.Busy, 0},
		{remotetest.Fault{Trouble: remotetest.Reset}, wire.Broken, 0},
		{remotetest.Fault{Trouble: remotetest.Short}, inMiddle(s.Marked), 0},
		{remotetest.Fault{Trouble: remotetest.Denied}, wire.Denied, 0},
		{remotetest.Fault{Trouble: remotetest.Refused}, wire.Refused, 0},
	}
	if s.Unrated {
		rows = slices.DeleteFunc(rows, func(r row) bool { return r.fault.Trouble == remotetest.WrongRate })
	}
	if s.Plain {
		rows = append(rows,
			row{remotetest.Fault{Trouble: remotetest.Busy, RetryAfter: "7"}, wire.Busy, 7 * time.Second},
			row{remotetest.Fault{Trouble: remotetest.Overload, RetryAfter: "Fri, 01 Jan 2100 00:00:00 GMT"}, wire.Busy, time.Hour},
			row{remotetest.Fault{Trouble: remotetest.Overload, RetryAfter: "soon"}, wire.Busy, 0},
			row{remotetest.Fault{Trouble: remotetest.Garbage}, wire.Broken, 0},
			row{remotetest.Fault{Trouble: remotetest.Page}, wire.Broken, 0},
			row{remotetest.Fault{Trouble: remotetest.JSON}, wire.Failed, 0},
			row{remotetest.Fault{Trouble: remotetest.Redirect, To: "http://127.0.0.1:1/"}, wire.Broken, 0},
		)
		if !s.Bare {
			rows = append(rows, row{remotetest.Fault{Trouble: remotetest.Long}, wire.Broken, 0})
		}
	}
	for _, r := range rows {
		t.Run(string(r.fault.Trouble)+" "+r.fault.RetryAfter, func(t *testing.T) {
			server.Break(t, r.fault)
			client := client
			if r.want == wire.WrongRate {
				client = rated
			}
			begin := time.Now()
			pcm, _, _, err := Hear(patient(t), client, Ask())
			if d := time.Since(begin); d > patience/2 {
				t.Errorf("it took %v", d)
			}
			f, ok := errors.AsType[*wire.Failure](err)
			if r.want == "" {
				if err != nil || len(pcm) == 0 {
					t.Errorf("%d samples, %v", len(pcm), err)
				}
				return
			}
			if !ok || f.Reason != r.want || f.RetryAfter != r.after {
				t.Fatalf("%v after %d samples, want %s and %v", err, len(pcm), r.want, r.after)
			}
			if len(f.Detail) > 200 {
				t.Errorf("a detail of %d bytes", len(f.Detail))
			}
			for _, w := range remotetest.Split(Text) {
				if strings.Contains(strings.ToLower(f.Error()), w) {
					t.Errorf("the failure tells of the text: %v", f)
				}
			}
		})
	}
	server.Break(t, remotetest.Fault{})
	if _, _, _, err := Hear(patient(t), client, Ask()); err != nil {
		t.Errorf("after all faults: %v", err)
	}
}

// begun waits until the server has been asked to speak.
func begun(t *testing.T, server *remotetest.Server) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		if c, err := server.Count(); err != nil || time.Now().After(deadline) {
			t.Fatalf("the server was not asked: %v", err)
		} else if c.Active > 0 {
			return
		}
	}
}

// hang sees that the end of a context ends the wait, with its cause, and that the server sees it.
func (s Suite) hang(t *testing.T) {
	t.Parallel()
	for _, trouble := range []remotetest.Trouble{remotetest.Hang, remotetest.HangMiddle, remotetest.Slow} {
		t.Run(string(trouble), func(t *testing.T) {
			t.Parallel()
			server := s.start(t, remotetest.Options{Fault: remotetest.Fault{Trouble: trouble, Delay: time.Minute}})
			client := s.Dial(t, server, nil)
			ctx, cancel := context.WithCancelCause(patient(t))
			late := &wire.Failure{Reason: wire.Late}
			var ended time.Time
			ready := make(chan struct{})
			go func() {
				defer close(ready)
				begun(t, server)
				ended = time.Now()
				cancel(late)
			}()
			_, _, _, err := Hear(ctx, client, Ask())
			took := time.Since(ended)
			<-ready
			if f, ok := errors.AsType[*wire.Failure](err); !ok || f != late {
				t.Errorf("%v, want the cause", err)
			}
			if took > patience/2 {
				t.Errorf("it took %v", took)
			}
			if r := server.Settled(t)[0]; r.End != "cancelled" {
				t.Errorf("the server ended with %q", r.End)
			}
		})
	}
}

// cancel sees that closing an answer stops the server.
func (s Suite) cancel(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{Speed: 1})
	client := s.Dial(t, server, nil)
	answer, err := client.Speak(patient(t), Ask())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := answer.Read(make([]int16, 100)); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	begin := time.Now()
	answer.Close()
	answer.Close()
	all := server.Settled(t)
	if d := time.Since(begin); all[0].End != "cancelled" || d > patience/2 {
		t.Errorf("the server ended with %q after %v", all[0].End, d)
	}
	if _, err := answer.Read(make([]int16, 100_000)); err == nil {
		if _, err = answer.Read(make([]int16, 100_000)); err == nil {
			t.Error("a closed answer can be read")
		}
	}
}

// silence sees that silence without end can be left.
func (s Suite) silence(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{Fault: remotetest.Fault{Trouble: remotetest.Mute}})
	client := s.Dial(t, server, nil)
	answer, err := client.Speak(patient(t), Ask())
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Close()
	for heard := 0; heard < 5*s.rate(); {
		pcm := make([]int16, 1000)
		n, err := answer.Read(pcm)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(pcm[:n], func(x int16) bool { return x != 0 }) {
			t.Fatal("a sound")
		}
		heard += n
	}
	answer.Close()
	if r := server.Settled(t)[0]; r.End != "cancelled" {
		t.Errorf("the server ended with %q", r.End)
	}
}

// gone sees what a killed server means, in the middle of an answer and before one.
func (s Suite) gone(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{Speed: 1})
	client := s.Dial(t, server, nil)
	answer, err := client.Speak(patient(t), Ask())
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Close()
	if _, err := answer.Read(make([]int16, 100)); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	for err == nil {
		_, err = answer.Read(make([]int16, 1000))
	}
	if f, ok := errors.AsType[*wire.Failure](err); !ok || f.Reason != wire.Broken {
		t.Errorf("in the middle: %v, want %s", err, wire.Broken)
	}
	_, err = client.Speak(patient(t), Ask())
	if f, ok := errors.AsType[*wire.Failure](err); !ok || f.Reason != wire.Unreachable {
		t.Errorf("before: %v, want %s", err, wire.Unreachable)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	answer, err = client.Speak(patient(t), Ask())
	if err != nil {
		t.Fatalf("after the restart: %v", err)
	}
	answer.Close()
}

// heldBack sees that a server does not get far ahead of a reader that stops.
func (s Suite) heldBack(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{})
	client := s.Dial(t, server, nil)
	ask := Ask()
	ask.Text = strings.TrimSpace(strings.Repeat(Text+" ", 500))
	answer, err := client.Speak(patient(t), ask)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := answer.Read(make([]int16, 100)); err != nil {
		t.Fatal(err)
	}
	answer.Close()
	r := server.Settled(t)[0]
	all := int(remotetest.Duration(ask.Text).Seconds()) * s.rate()
	if r.End != "cancelled" || r.Samples > all/4 {
		t.Errorf("the server made %d of %d samples and ended with %q", r.Samples, all, r.End)
	}
}

func (s Suite) tls(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{TLS: true, Names: []string{"speech.example"}})
	config := func(target *wire.Target) {
		target.TLS = TLS(server)
		target.Host = "speech.example"
	}
	for _, fault := range []remotetest.Trouble{remotetest.None, remotetest.Reset} {
		server.Break(t, remotetest.Fault{Trouble: fault})
		_, _, _, err := Hear(patient(t), s.Dial(t, server, config), Ask())
		if fault == remotetest.None && err != nil {
			t.Fatal(err)
		}
		if f, ok := errors.AsType[*wire.Failure](err); fault != remotetest.None && (!ok || f.Reason != wire.Broken) {
			t.Errorf("a stream that is reset: %v", err)
		}
	}
	if r := server.Last(t); r.Protocol != "HTTP/2.0" {
		t.Errorf("asked over %s", r.Protocol)
	}
	server.Break(t, remotetest.Fault{Trouble: remotetest.Slow, Delay: time.Minute})
	client := s.Dial(t, server, config)
	ctx, cancel := context.WithCancel(patient(t))
	go func() {
		begun(t, server)
		cancel()
	}()
	if _, _, _, err := Hear(ctx, client, Ask()); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled stream: %v", err)
	}
	if all := server.Settled(t); all[len(all)-1].End != "cancelled" {
		t.Errorf("the server ended with %q", all[len(all)-1].End)
	}
	server.Break(t, remotetest.Fault{Trouble: remotetest.Impostor})
	_, err := s.Dial(t, server, config).Speak(patient(t), Ask())
	if f, ok := errors.AsType[*wire.Failure](err); !ok || f.Reason != wire.Unreachable {
		t.Errorf("another's certificate: %v", err)
	}
	server.Break(t, remotetest.Fault{})
	_, err = s.Dial(t, server, nil).Speak(patient(t), Ask())
	if f, ok := errors.AsType[*wire.Failure](err); !ok || f.Reason != wire.Unreachable {
		t.Errorf("an unknown authority: %v", err)
	}
}

func (s Suite) key(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{Key: "right"})
	for key, want := range map[string]wire.Reason{"right": "", "wrong": wire.Denied, "": wire.Denied} {
		client := s.Dial(t, server, func(target *wire.Target) { target.Key = key })
		_, _, _, err := Hear(patient(t), client, Ask())
		f, _ := errors.AsType[*wire.Failure](err)
		if (err == nil) != (want == "") || f != nil && f.Reason != want {
			t.Errorf("with key %q: %v, want %q", key, err, want)
		}
	}
}

func (s Suite) health(t *testing.T) {
	t.Parallel()
	server := s.start(t, remotetest.Options{})
	client := s.Dial(t, server, nil)
	for trouble, want := range map[remotetest.Trouble]wire.Reason{
		remotetest.None: "", remotetest.Sick: wire.Busy, remotetest.Error: wire.Failed,
	} {
		server.Break(t, remotetest.Fault{Trouble: trouble})
		err := client.Healthy(patient(t))
		f, _ := errors.AsType[*wire.Failure](err)
		if (err == nil) != (want == "") || f != nil && f.Reason != want {
			t.Errorf("with fault %q: %v, want %q", trouble, err, want)
		}
	}
	server.Kill()
	if f, ok := errors.AsType[*wire.Failure](client.Healthy(patient(t))); !ok || f.Reason != wire.Unreachable {
		t.Errorf("a killed server: %v", f)
	}
}
