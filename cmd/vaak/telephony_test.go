package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/telephony/agent"
	"vaak/telephony/line"
	"vaak/telephony/live"
)

// bridge is a running `vaak telephony`.
type bridge struct {
	t                      testing.TB
	calls, admin, asterisk string
	cmd                    *exec.Cmd
	log                    *lockedBuffer
	done                   chan struct{}
	err                    error // of its end
}

var bridgeReady = regexp.MustCompile(`^ready calls=(ws://127\.0\.0\.1:\d+) admin=(http://127\.0\.0\.1:\d+) audiosocket=(127\.0\.0\.1:\d+)\n$`)

// bridge starts a bridge beside a server.
func (s *server) bridge(flags ...string) *bridge {
	s.t.Helper()
	b := &bridge{t: s.t, log: &lockedBuffer{}, done: make(chan struct{})}
	b.cmd = exec.Command("vaak", append([]string{"telephony", "--server", s.public, "--lang", "en", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--audiosocket", "127.0.0.1:0"}, flags...)...)
	b.cmd.Env = append(os.Environ(), "VAAK_KEY="+s.key)
	b.cmd.Stderr = b.log
	stdout, err := b.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := b.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	text, err := bufio.NewReader(stdout).ReadString('\n')
	m := bridgeReady.FindStringSubmatch(text)
	if err != nil || m == nil {
		_ = b.cmd.Process.Kill()
		s.t.Fatalf("ready line = %q, %v; log: %s", text, err, b.log)
	}
	b.calls, b.admin, b.asterisk = m[1], m[2], m[3]
	go func() { b.err = b.cmd.Wait(); close(b.done) }()
	s.t.Cleanup(func() { _ = b.cmd.Process.Kill(); <-b.done })
	return b
}

// talker is an agent whose calls a test conducts.
type talker struct {
	url   string
	calls chan *agentCall
}

// agentCall is a call as the agent has it.
type agentCall struct {
	*websocket.Conn
	t      testing.TB
	header http.Header
}

func newTalker(t testing.TB) *talker {
	a := &talker{calls: make(chan *agentCall, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err == nil {
			a.calls <- &agentCall{ws, t, r.Header}
		}
	}))
	t.Cleanup(server.Close)
	a.url = "ws" + strings.TrimPrefix(server.URL, "http")
	return a
}

// call returns the next call.
func (a *talker) call(t testing.TB) *agentCall {
	t.Helper()
	select {
	case c := <-a.calls:
		t.Cleanup(func() { _ = c.Close() })
		return c
	case <-time.After(time.Minute):
		t.Fatal("the agent gets no call")
		return nil
	}
}

// await returns the next event of a type; others are dropped.
func (c *agentCall) await(kind string) (e agent.Event) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	var seen []string
	for e.Type != kind {
		e = agent.Event{}
		if err := c.ReadJSON(&e); err != nil {
			c.t.Fatalf("the agent waits for %q: %v, after %q", kind, err, seen)
		}
		if e.Type != "audio" {
			seen = append(seen, e.Type)
		}
	}
	return e
}

func (c *agentCall) send(commands ...object) {
	c.t.Helper()
	for _, m := range commands {
		if err := c.WriteJSON(m); err != nil {
			c.t.Fatal(err)
		}
	}
}

// trunk is what a test must know of a provider to play it.
type trunk struct {
	name   string
	format line.Format
	// from is whether the provider says who calls.
	from  bool
	start []string
	// audio and dtmf are the messages with the caller's audio and with the key 5.
	audio func(b []byte) (string, bool)
	dtmf  string
	// read reads a message of the bridge: a frame, the answer to a mark, or that it is a clear.
	read func(data []byte) (frame []byte, answer string, cleared bool)
	// dial opens the line.
	dial func(t testing.TB, b *bridge) phone
}

// phone is a line of a provider, as the provider has it.
type phone interface {
	send(data string, binary bool) error
	receive() ([]byte, error)
	io.Closer
}

type webPhone struct{ *websocket.Conn }

func (p webPhone) send(data string, binary bool) error {
	kind := websocket.TextMessage
	if binary {
		kind = websocket.BinaryMessage
	}
	return p.WriteMessage(kind, []byte(data))
}

func (p webPhone) receive() ([]byte, error) { _, b, err := p.ReadMessage(); return b, err }

func dialWeb(name string) func(testing.TB, *bridge) phone {
	return func(t testing.TB, b *bridge) phone {
		t.Helper()
		ws, resp, err := websocket.DefaultDialer.DialContext(t.Context(), b.calls+"/"+name, nil)
		if err != nil {
			t.Fatalf("dial %s: %v, %v", name, err, resp)
		}
		return webPhone{ws}
	}
}

type tcpPhone struct{ net.Conn }

func (p tcpPhone) send(data string, _ bool) error { _, err := io.WriteString(p, data); return err }

func (p tcpPhone) receive() ([]byte, error) {
	head := make([]byte, 3)
	if _, err := io.ReadFull(p, head); err != nil {
		return nil, err
	}
	b := make([]byte, int(binary.BigEndian.Uint16(head[1:])))
	_, err := io.ReadFull(p, b)
	if head[0] == 0 && err == nil {
		err = io.EOF // hung up
	}
	return b, err
}

// readJSON reads a message of those providers that send JSON, by the names of its events.
func readJSON(media, mark, clear string, answer func(name string) string) func([]byte) ([]byte, string, bool) {
	return func(data []byte) ([]byte, string, bool) {
		var m struct {
			Event, Name string
			Media       struct{ Payload string }
			Mark        struct{ Name string }
		}
		if json.Unmarshal(data, &m) != nil {
			return nil, "", false
		}
		switch m.Event {
		case media:
			frame, _ := base64.StdEncoding.DecodeString(m.Media.Payload)
			return frame, "", false
		case mark:
			return nil, answer(m.Name + m.Mark.Name), false
		}
		return nil, "", m.Event == clear
	}
}

func inJSON(format string) func([]byte) (string, bool) {
	return func(b []byte) (string, bool) { return fmt.Sprintf(format, base64.StdEncoding.EncodeToString(b)), false }
}

func trunks() []trunk {
	linear := line.Format{Codec: audio.PCM, Rate: 8000}
	wide := line.Format{Codec: audio.PCM, Rate: 16000}
	return []trunk{
		{
			name: "twilio", format: line.Telephone, from: true, dial: dialWeb("twilio"),
			start: []string{
				`{"event":"connected","protocol":"Call","version":"1.0.0"}`,
				`{"event":"start","sequenceNumber":"1","start":{"accountSid":"AC1","streamSid":"MZ1","callSid":"id-1","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"from":"+15550100","to":"+15550101"}},"streamSid":"MZ1"}`,
			},
			audio: inJSON(`{"event":"media","media":{"track":"inbound","payload":"%s"},"streamSid":"MZ1"}`),
			dtmf:  `{"event":"dtmf","streamSid":"MZ1","dtmf":{"track":"inbound_track","digit":"5"}}`,
			read: readJSON("media", "mark", "clear", func(name string) string {
				return `{"event":"mark","streamSid":"MZ1","mark":{"name":"` + name + `"}}`
			}),
		},
		{
			name: "telnyx", format: line.Format{Codec: audio.ALaw, Rate: 8000}, from: true, dial: dialWeb("telnyx"),
			start: []string{
				`{"event":"connected","version":"1.0.0"}`,
				`{"event":"start","sequence_number":"1","start":{"call_control_id":"id-1","from":"+15550100","to":"+15550101","media_format":{"encoding":"PCMA","sample_rate":8000,"channels":1}},"stream_id":"s"}`,
			},
			audio: inJSON(`{"event":"media","media":{"track":"inbound","payload":"%s"},"stream_id":"s"}`),
			dtmf:  `{"event":"dtmf","stream_id":"s","dtmf":{"digit":"5"}}`,
			read: readJSON("media", "mark", "clear", func(name string) string {
				return `{"event":"mark","stream_id":"s","mark":{"name":"` + name + `"}}`
			}),
		},
		{
			name: "plivo", format: wide, from: true, dial: dialWeb("plivo"),
			start: []string{`{"event":"start","sequenceNumber":1,"start":{"callId":"id-1","streamId":"s","mediaFormat":{"encoding":"audio/x-l16","sampleRate":16000}},"extra_headers":"from=+15550100;to=+15550101"}`},
			audio: inJSON(`{"event":"media","streamId":"s","media":{"track":"inbound","payload":"%s"}}`),
			dtmf:  `{"event":"dtmf","streamId":"s","dtmf":{"digit":"5"}}`,
			read: readJSON("playAudio", "checkpoint", "clearAudio", func(name string) string {
				return `{"event":"playedStream","streamId":"s","name":"` + name + `"}`
			}),
		},
		{
			name: "vonage", format: wide, from: true, dial: dialWeb("vonage"),
			start: []string{`{"event":"websocket:connected","content-type":"audio/l16;rate=16000","uuid":"id-1","from":"+15550100","to":"+15550101"}`},
			audio: func(b []byte) (string, bool) { return string(b), true },
			dtmf:  `{"event":"websocket:dtmf","digit":"5","duration":260}`,
			read: func(data []byte) ([]byte, string, bool) {
				var m struct {
					Action  string
					Payload json.RawMessage
				}
				if json.Unmarshal(data, &m) != nil {
					return data, "", false
				}
				if m.Action == "notify" {
					return nil, `{"event":"websocket:notify","payload":` + string(m.Payload) + `}`, false
				}
				return nil, "", m.Action == "clear"
			},
		},
		{
			name: "asterisk", format: linear,
			start: []string{"\x01\x00\x10id-1id-1id-1id-1"},
			audio: func(b []byte) (string, bool) {
				return "\x10" + string(binary.BigEndian.AppendUint16(nil, uint16(len(b)))) + string(b), true
			},
			dtmf: "\x03\x00\x015",
			read: func(data []byte) ([]byte, string, bool) { return data, "", false },
			dial: func(t testing.TB, b *bridge) phone {
				conn, err := net.Dial("tcp", b.asterisk)
				if err != nil {
					t.Fatal(err)
				}
				return tcpPhone{conn}
			},
		},
	}
}

// caller is a call as the provider has it.
type caller struct {
	trunk
	phone
	t testing.TB

	sending sync.Mutex
	mu      sync.Mutex
	frames  [][]byte
	clears  []int // how many frames had come
	wrong   string
	over    chan struct{} // closed when the bridge has hung up
	changed chan struct{}
}

// send sends a message. Marks are answered while the test sends, too.
func (c *caller) send(data string, binary bool) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	return c.phone.send(data, binary)
}

// ring begins a call.
func (tr trunk) ring(t testing.TB, b *bridge) *caller {
	t.Helper()
	c := &caller{trunk: tr, phone: tr.dial(t, b), t: t, over: make(chan struct{}), changed: make(chan struct{}, 1)}
	t.Cleanup(func() { _ = c.Close() })
	for _, m := range tr.start {
		if err := c.send(m, false); err != nil {
			t.Fatal(err)
		}
	}
	go c.receiveAll()
	return c
}

func (c *caller) receiveAll() {
	defer close(c.over)
	for {
		data, err := c.receive()
		if err != nil {
			return
		}
		frame, answer, cleared := c.read(data)
		c.mu.Lock()
		switch {
		case answer != "":
			_ = c.send(answer, false) // as if all was played at once
		case cleared:
			c.clears = append(c.clears, len(c.frames))
		case len(frame) != c.format.Bytes(line.FrameTime):
			c.wrong = fmt.Sprintf("%q, a frame of %d bytes", data[:min(len(data), 100)], len(frame))
		default:
			c.frames = append(c.frames, frame)
		}
		c.mu.Unlock()
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
}

// silent reports whether a frame has no sound.
func (c *caller) silent(frame []byte) bool {
	return bytes.Count(frame, []byte{c.format.Silence()}) == len(frame)
}

// loud returns how many frames with sound have come, and how many clears.
func (c *caller) loud() (n, clears int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.frames {
		if !c.silent(f) {
			n++
		}
	}
	return n, len(c.clears)
}

// until waits for a condition.
func (c *caller) until(what string, holds func() bool) {
	c.t.Helper()
	late := time.After(time.Minute)
	for !holds() {
		select {
		case <-c.changed:
		case <-c.over:
			if !holds() {
				c.t.Fatalf("%s: the call ended before: %s", c.name, what)
			}
			return
		case <-late:
			c.t.Fatalf("%s: waited too long: %s", c.name, what)
		}
	}
}

// hungUp waits until the bridge has hung up.
func (c *caller) hungUp() {
	c.t.Helper()
	select {
	case <-c.over:
	case <-time.After(time.Minute):
		c.t.Fatalf("%s: the bridge does not hang up", c.name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wrong != "" {
		c.t.Errorf("%s: received %s", c.name, c.wrong)
	}
}

// heard is all audio of the call without the silence around it.
func (c *caller) heard() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Trim(bytes.Join(c.frames, nil), string([]byte{c.format.Silence()}))
}

// shout sends so much loud audio.
func (c *caller) shout(d time.Duration) {
	c.t.Helper()
	for range d / line.FrameTime {
		var frame bytes.Buffer
		w, err := codec.NewEncoder(&frame, audio.Format{Codec: c.format.Codec, SampleRate: c.format.Rate}, codec.Stream)
		if err != nil {
			c.t.Fatal(err)
		}
		pcm := make([]int16, c.format.Rate/50)
		for i := range pcm {
			pcm[i] = int16(9000 * math.Sin(float64(i)*2*math.Pi*200/float64(c.format.Rate)))
		}
		_ = w.WritePCM(pcm)
		data, bin := c.audio(frame.Bytes())
		if err := c.send(data, bin); err != nil {
			c.t.Fatal(err)
		}
	}
}

// said returns a text as the server speaks it on its native socket, in the format of a line: all but
// the last 100 ms, whose sound depends on whether more text may follow.
func (s *server) said(f line.Format, text string) []byte {
	s.t.Helper()
	client, err := live.New(s.public, s.key)
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := client.Open(s.t.Context(), live.Settings{Language: "en"})
	if err != nil {
		s.t.Fatal(err)
	}
	defer u.Close()
	var wide, out bytes.Buffer
	_ = u.Say(text)
	_ = u.Flush()
	_ = u.End()
	if _, err := u.Listen(&wide); err != nil {
		s.t.Fatal(err)
	}
	enc, err := codec.NewEncoder(&out, audio.Format{Codec: f.Codec, SampleRate: f.Rate}, codec.Stream)
	if err != nil {
		s.t.Fatal(err)
	}
	w, err := resample.NewWriter(enc, live.SampleRate, f.Rate)
	if err != nil {
		s.t.Fatal(err)
	}
	pcm := make([]int16, wide.Len()/2)
	_, _ = binary.Decode(wide.Bytes(), binary.LittleEndian, pcm)
	_ = w.WritePCM(pcm)
	_ = w.Close()
	said := bytes.Trim(out.Bytes(), string([]byte{f.Silence()}))
	return said[:len(said)-f.Bytes(100*time.Millisecond)]
}

// TestTelephony: calls of each provider against the real engine, and what may go wrong in them.
func TestTelephony(t *testing.T) {
	s := start(t)
	for _, tr := range trunks() {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			a := newTalker(t)
			b := s.bridge("--agent", a.url, "--agent-token", "for the agent")
			wholeCall(t, s, tr, a, b)
			interruptedCall(t, s, tr, a, b)
			for _, secret := range []string{"5550100", "leaves at nine", s.key, "for the agent"} {
				if strings.Contains(b.log.String(), secret) {
					t.Errorf("the log has %q: %s", secret, b.log)
				}
			}
		})
	}
}

const firstText, secondText = "The next train to Pune leaves at nine.", " It stops at every station."

// wholeCall: the agent learns who calls and which key was pressed, what it writes is heard sample
// for sample, marks come when they should, and the call ends.
func wholeCall(t *testing.T, s *server, tr trunk, a *talker, b *bridge) {
	c := tr.ring(t, b)
	_ = c.send(tr.dtmf, false) // at once: the agent may not be there yet
	call := a.call(t)
	if got := call.header.Get("Authorization"); got != "Bearer for the agent" {
		t.Errorf("Authorization of the agent = %q", got)
	}
	begun := call.await("start")
	if begun.Provider != tr.name || !strings.HasPrefix(begun.CallID, "id-1") && tr.from || tr.from && (begun.From != "+15550100" || begun.To != "+15550101") {
		t.Errorf("start = %+v", begun)
	}
	if e := call.await("dtmf"); e.Digit != "5" {
		t.Errorf("dtmf = %+v", e)
	}
	c.shout(40 * time.Millisecond)
	if e := call.await("audio"); e.Audio == "" {
		t.Error("audio without audio")
	}
	call.send(object{"type": "text", "text": firstText}, object{"type": "mark", "name": "first"},
		object{"type": "text", "text": secondText}, object{"type": "end"}, object{"type": "nonsense"})
	if e := call.await("error"); e.Code != "invalid_message" {
		t.Errorf("error = %+v", e)
	}
	call.await("mark")
	e := call.await("spoken").Spoken
	if e == nil || e.Turn != 1 || e.Text != firstText+secondText || e.Remaining != "" || e.Interrupted || e.AudioMS < 2000 {
		t.Errorf("spoken = %+v", e)
	}
	call.send(object{"type": "text", "text": "Bye."}, object{"type": "hangup"})
	c.hungUp()
	if e := call.await("stop"); e.Reason != "agent_hung_up" {
		t.Errorf("stop = %+v", e)
	}
	heard := c.heard()
	for _, text := range []string{firstText, secondText, "Bye."} {
		if want := s.said(tr.format, text); !bytes.Contains(heard, want) {
			t.Errorf("%q was not heard as the server says it: %d bytes among %d", text, len(want), len(heard))
		}
	}
}

// interruptedCall: when the caller speaks, speech stops, the agent learns what was heard, and the
// remainder of its turn is not said.
func interruptedCall(t *testing.T, s *server, tr trunk, a *talker, b *bridge) {
	c := tr.ring(t, b)
	call := a.call(t)
	call.await("start")
	text := strings.Repeat("One two three four five six seven eight nine ten. ", 8)
	call.send(object{"type": "text", "text": text})
	c.until("25 frames", func() bool { n, _ := c.loud(); return n > 25 })
	c.shout(200 * time.Millisecond)
	if e := call.await("speech_started"); !e.BargeIn {
		t.Errorf("speech_started = %+v", e)
	}
	e := call.await("spoken").Spoken
	if !e.Interrupted || e.Text == "" || e.Text+e.Remaining != text || e.AudioMS < 300 || e.AudioMS > 20_000 {
		t.Errorf("spoken = %+v", e)
	}
	call.send(object{"type": "text", "text": "This is what is left of the turn. "}, object{"type": "end"})
	call.send(object{"type": "text", "text": "Yes?"}, object{"type": "end"})
	if e := call.await("spoken").Spoken; e.Turn != 2 || e.Text != "Yes?" || e.Interrupted {
		t.Errorf("spoken = %+v", e)
	}
	call.send(object{"type": "clear"}, object{"type": "hangup", "now": true})
	c.hungUp()
	_, clears := c.loud()
	if tr.name != "asterisk" && clears != 1 {
		t.Errorf("%d clears, want 1", clears)
	}
	if want := s.said(tr.format, "Yes?"); !bytes.Contains(c.heard(), want) {
		t.Error("the next turn was not heard")
	}
}

// TestTelephonyTrouble: what may go wrong in calls ends them as it should.
func TestTelephonyTrouble(t *testing.T) {
	s := start(t)
	a := newTalker(t)
	tr := trunks()[0]
	b := s.bridge("--agent", a.url, "--apology", "Sorry, goodbye.", "--max-calls", "3")

	// The agent leaves: the apology is said.
	c := tr.ring(t, b)
	call := a.call(t)
	call.await("start")
	_ = call.Close()
	c.hungUp()
	if !bytes.Contains(c.heard(), s.said(tr.format, "Sorry, goodbye.")) {
		t.Error("there is no apology")
	}

	// The caller leaves: the agent learns it.
	c = tr.ring(t, b)
	call = a.call(t)
	call.await("start")
	call.send(object{"type": "text", "text": firstText})
	c.until("a frame", func() bool { n, _ := c.loud(); return n > 0 })
	_ = c.send(`{"event":"stop","stop":{},"streamSid":"MZ1"}`, false)
	if e := call.await("stop"); e.Reason != "caller_hung_up" {
		t.Errorf("stop = %+v", e)
	}
	c.hungUp()

	// A hostile provider is refused.
	c = tr.ring(t, b)
	call = a.call(t)
	call.await("start") // before, it may not be told of the end
	_ = c.send(`{"event":"media","media":{"payload":"`+strings.Repeat("A", 60_000)+`"}}`, false)
	if e := call.await("stop"); e.Reason != "refused" {
		t.Errorf("stop = %+v", e)
	}
	c.hungUp()

	// More calls than allowed are refused; the places are free again after.
	var open []*caller
	for range 3 {
		open = append(open, tr.ring(t, b))
		a.call(t).await("start")
	}
	if _, resp, err := websocket.DefaultDialer.Dial(b.calls+"/twilio", nil); err == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a fourth call: %v, %v", resp, err)
	}
	for _, c := range open {
		_ = c.Close()
	}
	for free := false; !free; time.Sleep(time.Millisecond) {
		_, metrics := httpGet(t, b.admin+"/metrics")
		free = strings.Contains(metrics, "vaak_telephony_calls 0\n")
	}

	// The speech server is lost: the agent learns that its text was not spoken.
	c = tr.ring(t, b)
	call = a.call(t)
	call.await("start")
	_ = s.cmd.Process.Kill()
	<-s.done
	call.send(object{"type": "text", "text": firstText}, object{"type": "end"})
	if e := call.await("spoken").Spoken; e.Text != "" || e.Remaining != firstText {
		t.Errorf("spoken = %+v", e)
	}
	if e := call.await("error"); e.Code != "speech_unavailable" {
		t.Errorf("error = %+v", e)
	}

	// A stop: new calls are refused, the running one may end.
	if status, _ := httpGet(t, b.admin+"/readyz"); status != http.StatusOK {
		t.Errorf("/readyz = %d", status)
	}
	_, metrics := httpGet(t, b.admin+"/metrics")
	for _, want := range []string{
		`vaak_telephony_calls_total{provider="twilio",reason="agent_gone"} 1`, `vaak_telephony_calls_total{provider="twilio",reason="refused"} 1`,
		`vaak_telephony_refused_total{provider="twilio",reason="full"} 1`, `vaak_telephony_speech_errors_total{code="speech_unavailable"} 1`, "vaak_telephony_calls 1",
	} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("/metrics has no %s", want)
		}
	}
	guide, err := os.ReadFile("../../docs/telephony.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`# TYPE (vaak_telephony_\S+)`).FindAllStringSubmatch(metrics, -1) {
		if !bytes.Contains(guide, []byte("`"+m[1]+"`")) {
			t.Errorf("docs/telephony.md does not have %s", m[1])
		}
	}
	_ = b.cmd.Process.Signal(syscall.SIGTERM)
	for {
		if status, _ := httpGet(t, b.admin+"/readyz"); status == http.StatusServiceUnavailable {
			break
		}
	}
	if _, resp, err := websocket.DefaultDialer.Dial(b.calls+"/twilio", nil); err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a call while the bridge stops: %v, %v", resp, err)
	}
	call.send(object{"type": "hangup"})
	c.hungUp()
	<-b.done
	if b.err != nil {
		t.Errorf("the bridge ends with %v: %s", b.err, b.log)
	}

	// A call that goes on after the time to drain is ended.
	b = s.bridge("--agent", a.url, "--drain-timeout", "100ms")
	c = tr.ring(t, b)
	call = a.call(t)
	call.await("start")
	_ = b.cmd.Process.Signal(syscall.SIGTERM)
	if e := call.await("stop"); e.Reason != "stopping" {
		t.Errorf("stop = %+v", e)
	}
	c.hungUp()
	<-b.done
	if b.cmd.ProcessState.ExitCode() != 1 || !strings.Contains(b.log.String(), "calls were still running") {
		t.Errorf("the bridge ends with %v: %s", b.err, b.log)
	}
}

func httpGet(t testing.TB, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

// TestTelephonyDoor: calls without the secret of the address, or the signature of Twilio, are
// refused, and so are pages. A prompt is said without an agent.
func TestTelephonyDoor(t *testing.T) {
	s := start(t)
	const token = "a-secret-of-32-characters-1234567"
	b := s.bridge("--prompt", "Hello.", "--token", token, "--twilio-auth-token", "12345", "--public-url", "wss://calls.example.org")
	sign := func(url string) string {
		mac := hmac.New(sha1.New, []byte("12345"))
		mac.Write([]byte(url))
		return base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	for _, tt := range []struct {
		name, path string
		header     http.Header
		want       int
	}{
		{"no token", "/telnyx", nil, 403},
		{"another token", "/telnyx/" + token + "8", nil, 403},
		{"the token", "/telnyx/" + token, nil, 101},
		{"as bearer", "/plivo", http.Header{"Authorization": {"Bearer " + token}}, 101},
		{"a page", "/plivo/" + token, http.Header{"Origin": {"https://example.org"}}, 403},
		{"the token for Twilio", "/twilio/" + token, nil, 403},
		{"a signature", "/twilio", http.Header{"X-Twilio-Signature": {sign("wss://calls.example.org/twilio")}}, 101},
		{"a signature of another address", "/twilio/x", http.Header{"X-Twilio-Signature": {sign("wss://calls.example.org/twilio")}}, 403},
		{"nobody", "/nobody", nil, 404},
	} {
		ws, resp, err := websocket.DefaultDialer.Dial(b.calls+tt.path, tt.header)
		if resp == nil || resp.StatusCode != tt.want {
			t.Errorf("%s: %v, %v; want %d", tt.name, resp, err, tt.want)
		}
		if ws != nil {
			_ = ws.Close()
		}
	}
	if strings.Contains(b.log.String(), token) {
		t.Errorf("the log has the token: %s", b.log)
	}
	c := trunks()[4].ring(t, b)
	c.hungUp()
	if want := s.said(c.format, "Hello."); !bytes.HasPrefix(c.heard(), want) {
		t.Errorf("heard %d bytes, want the %d of the prompt", len(c.heard()), len(want))
	}
}

// TestCommandTelephonyFlags: what cannot work is refused before anything is opened.
func TestCommandTelephonyFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                                          "--key is needed",
		"--key k":                                                   "give either --agent",
		"--key k --prompt a --agent ws:b":                           "give either --agent",
		"--key k --agent http://a":                                  "--agent is not an address such as wss://",
		"--key k --prompt a --speed 2":                              "--speed 2 is outside 0.7 to 1.5",
		"--key k --prompt a --lead 2s":                              "--lead 2 is outside 0 to 1",
		"--key k --prompt a --listen 0.0.0.0:1":                     "--token is needed",
		"--key k --prompt a --token short":                          "at least 16",
		"--key k --prompt a --twilio-auth-token x":                  "needs --public-url",
		"--key k --prompt a --server example.org":                   "not like https://speech.example.org",
		"--key k --prompt a --listen nowhere":                       "not HOST:PORT",
		"--key k --prompt a --tls-cert /nowhere":                    "go together",
		"--key k --prompt a --tls-cert /nowhere --tls-key /nowhere": "--tls-cert and --tls-key: open /nowhere",
		"--key k --prompt a --max-calls 0":                          "--max-calls 0 is outside",
	} {
		var out, stderr bytes.Buffer
		status := run(t.Context(), append([]string{"telephony"}, strings.Fields(args)...), nil, &out, &stderr)
		if status != 2 || !strings.Contains(stderr.String(), want) {
			t.Errorf("vaak telephony %s = %d, %s; want 2, %q", args, status, &stderr, want)
		}
	}
}
