// Package telephony measures vaak telephony on the wire: calls of Twilio's protocol, whose
// providers and agents are this process, while the bridge and the speech server are their own.
package telephony

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// Limits.
const (
	jitterLimit  = 5 * time.Millisecond  // p99 of frames
	silenceLimit = 40 * time.Millisecond // from an interruption to the last frame
)

const (
	frameTime = 20 * time.Millisecond
	lead      = 60 * time.Millisecond // the default of the bridge
	detection = 60 * time.Millisecond // of speech, the default of the bridge
)

// Measure has many calls speak at once, and interrupts them.
func Measure(ctx context.Context, b *rig.Bench) (_ []report.Part, err error) {
	if err := b.Vaak.WaitIdle(); err != nil {
		return nil, err
	}
	agents := make(chan *websocket.Conn, b.Plan.Calls)
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil); err == nil {
			agents <- ws
		}
	}))
	defer desk.Close()
	address, stop, err := startBridge(ctx, b, "ws"+strings.TrimPrefix(desk.URL, "http"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()

	out := &report.Table{Header: []string{"calls at once", "frames", "jitter p50", "p99", "most", "caller speaks to silence p50", "p99", "clear to silence p50", "p99", "text to first frame p50", "p99", "6th token to first frame p50", "p99"}}
	for _, calls := range []int{1, b.Plan.Calls} {
		f, err := together(ctx, b, address, agents, calls)
		if err != nil {
			return nil, fmt.Errorf("%d calls: %w", calls, err)
		}
		cells := []string{fmt.Sprint(calls), fmt.Sprint(len(f.jitter)), report.Millis(report.Percentile(f.jitter, 0.5)), report.Millis(report.Percentile(f.jitter, 0.99)), report.Millis(report.Percentile(f.jitter, 1))}
		for _, d := range [][]time.Duration{f.bargeIn, f.clear, f.whole, f.token} {
			cells = append(cells, report.Millis(report.Percentile(d, 0.5)), report.Millis(report.Percentile(d, 0.99)))
		}
		out.Add(cells...)
		report.AtMost(&b.Report, fmt.Sprintf("Telephony, %d calls: frame jitter p99", calls), report.Percentile(f.jitter, 0.99), jitterLimit, report.Millis)
		report.AtMost(&b.Report, fmt.Sprintf("Telephony, %d calls: caller speaks to silence p99", calls), report.Percentile(f.bargeIn, 0.99), silenceLimit, report.Millis)
		report.AtMost(&b.Report, fmt.Sprintf("Telephony, %d calls: clear to silence p99", calls), report.Percentile(f.clear, 0.99), silenceLimit, report.Millis)
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("Calls of Twilio's protocol, each with an agent that gets all audio. Provider and agent are this process, which shares the cores with the bridge and the server, so its own delays are in the figures. "+
			"Jitter is by how much the time between two frames differs from 20 ms, without the %s that are sent ahead. A call begins with a text at once, then speaks a long one for %s and is interrupted by the caller: "+
			"the time runs from the frame with which the caller has spoken for %s, which is what counts as speaking, until the last frame. Then a turn is written word by word, every 20 ms, and stopped by the agent's `clear`. "+
			"The first words are spoken when the sixth is complete.", lead, b.Plan.CallSpeech, detection)),
		out,
	}, nil
}

var readyLine = regexp.MustCompile(`^ready calls=(ws://\S+) `)

// startBridge starts the program in a process of its own.
func startBridge(ctx context.Context, b *rig.Bench, agent string) (address string, stop func() error, err error) {
	program, err := filepath.Abs(filepath.Join(b.Settings.Bin, "vaak"))
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, program, "telephony", "--server", "http://"+b.Vaak.Addr, "--lang", "en", "--agent", agent,
		"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "VAAK_KEY="+b.Vaak.Key)
	var log strings.Builder
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	m := readyLine.FindStringSubmatch(line)
	if m == nil {
		_ = cmd.Process.Kill()
		return "", nil, errors.Join(err, cmd.Wait(), fmt.Errorf("vaak telephony: %s", &log))
	}
	return m[1], func() error {
		// io.EOF and the like are nobody's fault: all calls have ended.
		return errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait())
	}, nil
}

// figures are what calls have shown.
type figures struct {
	mu                                   sync.Mutex
	jitter, bargeIn, clear, whole, token []time.Duration
}

// together runs so many calls at once.
func together(ctx context.Context, b *rig.Bench, address string, agents <-chan *websocket.Conn, calls int) (*figures, error) {
	text, err := corpus.New(corpus.English, 4000)
	if err != nil {
		return nil, err
	}
	f := &figures{}
	var g client.Group
	for i := range calls {
		// One after the other, so that each has its own agent.
		c, err := ring(ctx, address, agents)
		if err != nil {
			return nil, errors.Join(err, g.Wait())
		}
		g.Go(func() error {
			defer c.close()
			// Calls do not begin in step.
			server.Pause(ctx, time.Duration(i)*7*time.Millisecond)
			return c.talk(ctx, f, text.Text, b.Plan.CallSpeech)
		})
	}
	return f, errors.Join(g.Wait(), ctx.Err())
}

// call is a call with both of its ends.
type call struct {
	line, agent *websocket.Conn
	loud        chan bool // whether the caller speaks
	spoke       chan time.Time

	mu      sync.Mutex
	frames  []time.Time
	ended   error
	changed chan struct{}
	crew    sync.WaitGroup
	stop    context.CancelFunc
}

func ring(ctx context.Context, address string, agents <-chan *websocket.Conn) (*call, error) {
	ws, _, err := websocket.DefaultDialer.DialContext(ctx, address+"/twilio", nil)
	if err != nil {
		return nil, err
	}
	c := &call{line: ws, loud: make(chan bool), spoke: make(chan time.Time, 1), changed: make(chan struct{}, 1)}
	if err := ws.WriteMessage(websocket.TextMessage, []byte(`{"event":"start","start":{"streamSid":"MZ1","callSid":"CA1"},"streamSid":"MZ1"}`)); err != nil {
		return nil, err
	}
	select {
	case c.agent = <-agents:
	case <-time.After(server.Patience):
		return nil, errors.New("the agent gets no call")
	}
	ctx, c.stop = context.WithCancel(ctx)
	c.crew.Go(func() { c.speak(ctx) })
	c.crew.Go(c.listen)
	c.crew.Go(func() { _, _ = io.Copy(io.Discard, reader{c.agent}) })
	return c, nil
}

func (c *call) close() {
	c.stop()
	_ = c.line.Close()
	_ = c.agent.Close()
	c.crew.Wait()
}

// reader reads the messages of an agent, which nobody needs.
type reader struct{ ws *websocket.Conn }

func (r reader) Read([]byte) (int, error) { _, _, err := r.ws.ReadMessage(); return 0, err }

// media are messages with 20 ms of audio: a tone of 400 Hz, and silence.
var (
	tone    = media(strings.Repeat(strings.Repeat("\x80", 10)+strings.Repeat("\x00", 10), 8))
	silence = media(strings.Repeat("\xff", 160))
)

func media(ulaw string) []byte {
	return []byte(`{"event":"media","media":{"track":"inbound","payload":"` + base64.StdEncoding.EncodeToString([]byte(ulaw)) + `"},"streamSid":"MZ1"}`)
}

// speak sends what the caller says, a frame every 20 ms.
func (c *call) speak(ctx context.Context) {
	frame, loud := silence, 0
	for next := time.Now(); ctx.Err() == nil; next = next.Add(frameTime) {
		select {
		case on := <-c.loud:
			if frame, loud = silence, 0; on {
				frame, loud = tone, 1
			}
		default:
			if loud > 0 {
				loud++
			}
		}
		if c.line.WriteMessage(websocket.TextMessage, frame) != nil {
			return
		}
		if time.Duration(loud)*frameTime == detection {
			c.spoke <- time.Now()
		}
		server.Pause(ctx, time.Until(next.Add(frameTime)))
	}
}

// listen notes when frames come.
func (c *call) listen() {
	for {
		_, data, err := c.line.ReadMessage()
		now := time.Now()
		c.mu.Lock()
		if err != nil {
			c.ended = err
		} else if strings.HasPrefix(string(data[:min(len(data), 20)]), `{"event":"media"`) {
			c.frames = append(c.frames, now)
		}
		c.mu.Unlock()
		select {
		case c.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// since returns the frames that have come, without the first n.
func (c *call) since(n int) ([]time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frames[n:len(c.frames):len(c.frames)], c.ended
}

// await waits for so many frames more.
func (c *call) await(n, more int) error {
	late := time.After(server.Patience)
	for {
		frames, err := c.since(n)
		if err != nil || len(frames) >= more {
			return err
		}
		select {
		case <-c.changed:
		case <-late:
			return errors.New("a call gets no audio")
		}
	}
}

// quiet waits until no frame has come for a while, and returns how many there are.
func (c *call) quiet(ctx context.Context) (int, error) {
	for {
		before, err := c.since(0)
		server.Pause(ctx, 500*time.Millisecond)
		after, _ := c.since(0)
		if err != nil || ctx.Err() != nil || len(before) == len(after) {
			return len(after), errors.Join(err, ctx.Err())
		}
	}
}

type command map[string]any

func (c *call) send(commands ...command) error {
	for _, m := range commands {
		if err := c.agent.WriteJSON(m); err != nil {
			return err
		}
	}
	return nil
}

// talk is what happens in a call.
func (c *call) talk(ctx context.Context, f *figures, text string, length time.Duration) error {
	// A short text at once.
	began := time.Now()
	if err := errors.Join(c.send(command{"type": "text", "text": "Yes, of course."}, command{"type": "end"}), c.await(0, 1)); err != nil {
		return err
	}
	frames, _ := c.since(0)
	whole := frames[0].Sub(began)
	n, err := c.quiet(ctx)
	if err != nil {
		return err
	}

	// A long one, which the caller interrupts.
	if err := errors.Join(c.send(command{"type": "text", "text": text}, command{"type": "end"}), c.await(n, 10)); err != nil {
		return err
	}
	server.Pause(ctx, length)
	c.loud <- true
	var spoke time.Time
	select {
	case spoke = <-c.spoke:
	case <-time.After(server.Patience):
		return errors.New("the caller does not speak")
	}
	before := n
	if n, err = c.quiet(ctx); err != nil {
		return err
	}
	c.loud <- false
	frames, _ = c.since(before)
	bargeIn := max(frames[len(frames)-1].Sub(spoke), 0)
	var jitter []time.Duration
	for i := int(lead/frameTime) + 2; i < len(frames); i++ {
		jitter = append(jitter, (frames[i].Sub(frames[i-1]) - frameTime).Abs())
	}
	server.Pause(ctx, time.Second) // until the caller counts as silent

	// One that is written word by word, which the agent stops.
	var sixth time.Time
	for i, word := range strings.Fields(text)[:40] {
		if err := c.send(command{"type": "text", "text": word + " "}); err != nil {
			return err
		}
		if i == 5 {
			sixth = time.Now()
		}
		server.Pause(ctx, frameTime)
	}
	if err := c.await(n, 20); err != nil {
		return err
	}
	frames, _ = c.since(n)
	token := frames[0].Sub(sixth)
	stopped := time.Now()
	if err := c.send(command{"type": "clear"}); err != nil {
		return err
	}
	if _, err = c.quiet(ctx); err != nil {
		return err
	}
	frames, _ = c.since(n)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.jitter = append(f.jitter, jitter...)
	f.bargeIn = append(f.bargeIn, bargeIn)
	f.clear = append(f.clear, max(frames[len(frames)-1].Sub(stopped), 0))
	f.whole, f.token = append(f.whole, whole), append(f.token, max(token, 0))
	return nil
}
