package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// pipes is a client on standard input and output.
type pipes struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

func pipe(t *testing.T, g *gate) *pipes {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &pipes{t, inW, make(chan string, 1000), make(chan error, 1)}
	go func() {
		err := Stdio(context.WithoutCancel(t.Context()), Config{Server: protocol(g)}, inR, outW)
		outW.Close()
		c.done <- err
	}()
	go func() {
		defer close(c.lines)
		s := bufio.NewScanner(outR)
		s.Buffer(nil, 8<<20)
		for s.Scan() {
			c.lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		inW.Close()
		if err := receive(t, c.done, "end"); err != nil {
			t.Errorf("Stdio = %v", err)
		}
	})
	return c
}

// send sends messages in one write.
func (c *pipes) send(messages ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(messages, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func cancellation(id any) string {
	return encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
}

// TestStdioCancelsWhileBusy makes more calls than are served at once, and cancels
// them all: those that wait are not answered.
func TestStdioCancelsWhileBusy(t *testing.T) {
	t.Parallel()
	g := newGate()
	c := pipe(t, g)
	const calls = maxInFlight + 5
	for i := range calls {
		c.send(call(i, "wait", nil))
	}
	for range maxInFlight {
		receive(t, g.started, "call")
	}
	for i := range calls {
		c.send(cancellation(calls - 1 - i))
	}
	for range maxInFlight {
		if err := receive(t, g.ended, "cancellation"); !errors.Is(err, context.Canceled) {
			t.Errorf("a call ended by %v", err)
		}
		receive(t, c.lines, "answer")
	}
	c.send(ping)
	if got := receive(t, c.lines, "answer to ping"); !strings.Contains(got, `"result":{}`) {
		t.Errorf("after the calls comes %s, want the answer to ping", got)
	}
	if len(g.started) != 0 {
		t.Errorf("%d calls began after they were cancelled", len(g.started))
	}
}

// TestStdioCancelInOneWrite sends a call and its cancellation together.
func TestStdioCancelInOneWrite(t *testing.T) {
	t.Parallel()
	g := newGate()
	c := pipe(t, g)
	for i := range 40 {
		id := any(i)
		if i%2 == 1 {
			id = fmt.Sprintf("é%d", i)
		}
		c.send(call(id, "wait", nil), cancellation(fmt.Sprint("other", i)), cancellation(id))
		receive(t, c.lines, "end of a cancelled call")
	}
}

// TestStdioNumbersAndWords has calls whose ids differ in type alone.
func TestStdioNumbersAndWords(t *testing.T) {
	t.Parallel()
	g := newGate()
	c := pipe(t, g)
	c.send(call(1, "wait", nil), call("1", "wait", nil))
	receive(t, g.started, "call")
	receive(t, g.started, "call")
	c.send(cancellation("1"))
	if got := receive(t, c.lines, "answer"); !strings.Contains(got, `"id":"1"`) {
		t.Errorf("cancelled was %s", got)
	}
	close(g.release)
	if got := receive(t, c.lines, "answer"); text(got) != "released" {
		t.Errorf("the other = %s", got)
	}
}

// TestStdioBackpressure fills the queue: what is read is answered in the end.
func TestStdioBackpressure(t *testing.T) {
	t.Parallel()
	g := newGate()
	c := pipe(t, g)
	const calls = maxInFlight + maxWaiting + 50
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range calls {
			_, _ = io.WriteString(c.in, call(i, "say", nil)+"\n") // a failure shows below
		}
	}()
	for range calls {
		receive(t, c.lines, "answer")
	}
	<-sent
}

func TestStdioHostileMessages(t *testing.T) {
	t.Parallel()
	c := pipe(t, newGate())
	for name, tt := range hostile() {
		c.send(strings.ReplaceAll(tt.body, "\n", " "))
		got := receive(t, c.lines, "answer to "+name)
		if strings.Contains(got, `"result"`) || leaks(got) || len(got) > 1000 || !strings.Contains(got, strings.TrimPrefix(tt.says, "-32700")) {
			t.Errorf("%s = %.300s, want %s in it", name, got, tt.says)
		}
	}
	c.send(`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, cancellation([]int{1}),
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}`, ping)
	if got := receive(t, c.lines, "answer to ping"); !strings.Contains(got, `"result":{}`) {
		t.Errorf("what wants no answer got %s", got)
	}
}
