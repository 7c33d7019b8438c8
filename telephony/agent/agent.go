// Package agent is the protocol between the bridge and the operator's agent, the program that
// decides what is said: one WebSocket for each call, JSON messages in both directions.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// Event is what an agent is told. Fields that a type does not name are left out.
type Event struct {
	Type string `json:"type"`

	// Of "start".
	CallID     string            `json:"call_id,omitempty"`
	Provider   string            `json:"provider,omitempty"`
	From       string            `json:"from,omitempty"`
	To         string            `json:"to,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`

	Audio string `json:"audio,omitempty"` // of "audio": base64 of μ-law at 8 kHz
	Digit string `json:"digit,omitempty"` // of "dtmf"
	Name  string `json:"name,omitempty"`  // of "mark"

	// BargeIn is of "speech_started": the caller has interrupted what was said.
	BargeIn bool `json:"barge_in,omitempty"`

	Spoken *Spoken `json:"spoken,omitempty"` // of "spoken"

	// Of "error" and "stop".
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Spoken is how far a turn was heard.
type Spoken struct {
	Turn        int    `json:"turn"` // counted from 1
	Text        string `json:"text"` // that was heard
	Remaining   string `json:"remaining"`
	AudioMS     int64  `json:"audio_ms"`    // that was heard
	Interrupted bool   `json:"interrupted"` // by the caller or a clear
	// Estimated says that Text was cut by the share of the audio, not by the times of the words.
	Estimated bool `json:"estimated,omitempty"`
}

// Command is what an agent asks for.
type Command struct {
	Type string `json:"type"`
	Text string `json:"text"` // of "text"
	Name string `json:"name"` // of "mark"
	Now  bool   `json:"now"`  // of "hangup": without waiting for what is being said

	// Of "settings". What is absent stays as it is, "" is the default of the bridge.
	Voice    *string  `json:"voice"`
	Language *string  `json:"lang"`
	Speed    *float64 `json:"speed"`
}

// The types of commands.
const (
	Text     = "text"
	Flush    = "flush"
	End      = "end"
	Clear    = "clear"
	Mark     = "mark"
	Hangup   = "hangup"
	Settings = "settings"
)

// Bounds of commands.
const (
	MaxMessage = 64 << 10 // bytes
	maxName    = 256      // bytes of a mark, a voice or a language
)

// Parse reads a command.
func Parse(data []byte) (c Command, err error) {
	if !utf8.Valid(data) {
		return c, errors.New("the message is not UTF-8")
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("the message cannot be read: %w", err)
	}
	switch c.Type {
	case Text, Flush, End, Clear, Hangup:
	case Mark:
		if c.Name == "" || len(c.Name) > maxName {
			return c, fmt.Errorf("a mark has a name of 1 to %d bytes, not of %d", maxName, len(c.Name))
		}
	case Settings:
		if c.Speed != nil && (*c.Speed < 0.7 || *c.Speed > 1.5) {
			return c, fmt.Errorf("speed %g is outside 0.7 to 1.5", *c.Speed)
		}
		for _, s := range []*string{c.Voice, c.Language} {
			if s != nil && len(*s) > maxName {
				return c, fmt.Errorf("a voice or lang has %d bytes; at most %d are allowed", len(*s), maxName)
			}
		}
	default:
		return c, fmt.Errorf("type %.40q is not one of text, flush, end, clear, mark, hangup, settings", c.Type)
	}
	return c, nil
}

// Conn is the connection to an agent for one call.
type Conn struct {
	ws       *websocket.Conn
	commands chan Command
	outbox   chan []byte
	closing  chan struct{} // closed by Close
	broken   chan struct{} // closed when the agent has left
	once     sync.Once
	crew     sync.WaitGroup
}

// Timeouts of a connection, and how many events may wait: of audio, 20 s.
const (
	dialTimeout  = 5 * time.Second
	writeTimeout = 5 * time.Second
	pingEvery    = 20 * time.Second
	silence      = 3 * pingEvery // after which an agent that answers no ping has left
	maxWaiting   = 1000
)

// Dial opens a connection, with a token as bearer unless that is "". It must be closed.
func Dial(ctx context.Context, url, token string) (*Conn, error) {
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: dialTimeout}
	ws, resp, err := dialer.DialContext(ctx, url, header)
	if err != nil {
		if resp != nil && errors.Is(err, websocket.ErrBadHandshake) {
			return nil, fmt.Errorf("the agent answers %s", resp.Status)
		}
		return nil, fmt.Errorf("dial the agent: %w", err)
	}
	c := &Conn{ws: ws, commands: make(chan Command), outbox: make(chan []byte, maxWaiting), closing: make(chan struct{}), broken: make(chan struct{})}
	ws.SetReadLimit(MaxMessage)
	c.crew.Go(c.read)
	c.crew.Go(c.write)
	return c, nil
}

// Commands returns the commands in order. The channel is closed when the agent has left.
func (c *Conn) Commands() <-chan Command { return c.commands }

// Send sends an event. It does not block: an agent that does not read is left.
func (c *Conn) Send(e Event) {
	data, err := json.Marshal(e)
	if err != nil {
		return // cannot be: events are texts and numbers
	}
	select {
	case c.outbox <- data:
	default:
		c.leave()
	}
}

// Close sends what waits, for a second at most, and closes the connection.
func (c *Conn) Close() {
	c.once.Do(func() { close(c.closing) })
	c.crew.Wait()
}

// leave breaks the connection off; read then closes the commands.
func (c *Conn) leave() { _ = c.ws.Close() }

func (c *Conn) read() {
	defer close(c.commands)
	defer close(c.broken)
	alive := func() error { return c.ws.SetReadDeadline(time.Now().Add(silence)) }
	c.ws.SetPongHandler(func(string) error { return alive() })
	for {
		if alive() != nil {
			return
		}
		kind, data, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		cmd, err := Command{}, errors.New("the message is binary; the protocol is JSON in text messages")
		if kind == websocket.TextMessage {
			cmd, err = Parse(data)
		}
		if err != nil {
			c.Send(Event{Type: "error", Code: "invalid_message", Message: err.Error()})
			continue
		}
		select {
		case c.commands <- cmd:
		case <-c.closing:
			return
		}
	}
}

func (c *Conn) write() {
	defer c.leave()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	send := func(kind int, data []byte, within time.Duration) error {
		if err := c.ws.SetWriteDeadline(time.Now().Add(within)); err != nil {
			return err
		}
		return c.ws.WriteMessage(kind, data)
	}
	for {
		select {
		case data := <-c.outbox:
			if send(websocket.TextMessage, data, writeTimeout) != nil {
				return
			}
		case <-ping.C:
			if send(websocket.PingMessage, nil, writeTimeout) != nil {
				return
			}
		case <-c.broken:
			return
		case <-c.closing:
			for {
				select {
				case data := <-c.outbox:
					if send(websocket.TextMessage, data, time.Second) != nil {
						return
					}
					continue
				default:
				}
				// The agent is told; whether it reads that does not matter.
				_ = send(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Second)
				return
			}
		}
	}
}
