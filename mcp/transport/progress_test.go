package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

var discard = slog.New(slog.DiscardHandler)

func withChanges() server.ServerOption { return server.WithToolCapabilities(true) }

// checkCount checks that the events of a call of "count" are all there, in
// their order, with the answer behind them.
func checkCount(events []string, id, to int) error {
	if len(events) != to+1 {
		return fmt.Errorf("%d events, want %d: %q", len(events), to+1, events)
	}
	for i, event := range events[:to] {
		var m struct {
			Method string
			Params struct{ Progress, Total, ProgressToken float64 }
		}
		if err := json.Unmarshal([]byte(event), &m); err != nil {
			return err
		}
		if m.Method != "notifications/progress" || m.Params.Progress != float64(i+1) || m.Params.Total != float64(to) || m.Params.ProgressToken != float64(id) {
			return fmt.Errorf("event %d of call %d = %s", i, id, event)
		}
	}
	if got := text(events[to]); got != "counted" {
		return fmt.Errorf("answer = %s", got)
	}
	return nil
}

func TestProgressOverHTTP(t *testing.T) {
	t.Parallel()
	e := listen(t, newHandler(t, Config{Sessions: true}))
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Go(func() {
			header, make := modern("count"), modernCall
			if c%2 == 0 {
				header, make = []string{sessionName, e.initialize()}, call
			}
			for i := range 125 {
				a := e.send(http.MethodPost, make(i, "count", map[string]any{"to": 5}), header...)
				if err := checkCount(a.events, i, 5); err != nil {
					t.Errorf("client %d: %v", c, err)
				}
			}
		})
	}
	clients.Wait()
}

func TestProgressOverStdio(t *testing.T) {
	t.Parallel()
	const calls = 1000
	var in, out bytes.Buffer
	for i := range calls {
		in.WriteString(call(i+1, "count", map[string]any{"to": 5}) + "\n")
	}
	if err := Stdio(t.Context(), Config{Server: protocol(newGate())}, &in, &out); err != nil {
		t.Fatal(err)
	}
	byCall := map[int][]string{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			ID     int
			Params struct{ ProgressToken int }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		byCall[m.ID+m.Params.ProgressToken] = append(byCall[m.ID+m.Params.ProgressToken], line)
	}
	for i := range calls {
		if err := checkCount(byCall[i+1], i+1, 5); err != nil {
			t.Error(err)
		}
	}
}

func TestProgressNeedsAStream(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for accept, streams := range map[string]bool{"application/json": false, "": true, "*/*": true, "text/*": true, "Text/Event-Stream": true} {
		a := record(h, http.MethodPost, call(1, "count", nil), "Accept", accept)
		if got := a.header.Get("Content-Type") == eventStream; got != streams || text(a.last()) != "counted" {
			t.Errorf("Accept %q gets %s: %s", accept, a.header.Get("Content-Type"), a.last())
		}
	}
}

// kept keeps what a call notifies.
type kept struct{ told []map[string]any }

func (k *kept) notify(_ string, params map[string]any) error {
	k.told = append(k.told, params)
	return nil
}

func TestProgressIsNotTooOften(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &kept{}
		p := ProgressOf(withNotifier(t.Context(), k), &mcp.Meta{ProgressToken: "t"})
		for i := range 1000 {
			p.Tell(float64(i), 1000, "")
			time.Sleep(10 * time.Millisecond) // of the bubble's clock: 10 s in all
		}
		p.Flush()
		p.Tell(5000, 1000, "late")
		p.Flush()
		if n := len(k.told); n < 150 || n > burst+10*perSecond+1 {
			t.Errorf("told %d times in 10 s, want about %d", n, 10*perSecond)
		}
		if last := k.told[len(k.told)-1]["progress"]; last != 999. {
			t.Errorf("the last is %v, want 999", last)
		}
	})
}

func TestProgressGrows(t *testing.T) {
	t.Parallel()
	k := &kept{}
	p := ProgressOf(withNotifier(t.Context(), k), &mcp.Meta{ProgressToken: 1})
	var zero float64
	for _, done := range []float64{0, 1, 1, 0.5, zero / zero, 1 / zero, 2, -1, 3} {
		p.Tell(done, zero/zero, "")
	}
	p.Flush()
	var got []any
	for _, m := range k.told {
		if len(m) != 2 {
			t.Errorf("notification = %v, want token and progress alone", m)
		}
		got = append(got, m["progress"])
	}
	if fmt.Sprint(got) != "[0 1 2 3]" {
		t.Errorf("told %v, want 0 1 2 3", got)
	}
}

func TestProgressTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		token  any
		wanted bool
	}{{"t", true}, {1., true}, {nil, false}, {true, false}, {map[string]any{}, false}, {strings.Repeat("x", 257), false}} {
		if got := ProgressOf(context.Background(), &mcp.Meta{ProgressToken: tt.token}).Wanted(); got != tt.wanted {
			t.Errorf("token %.20v wanted = %t, want %t", tt.token, got, tt.wanted)
		}
	}
	var none Progress
	none.Tell(1, 2, "")
	none.Flush()
	ProgressOf(context.Background(), &mcp.Meta{ProgressToken: 1}).Tell(1, 2, "nobody listens")
}
