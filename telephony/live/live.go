// Package live is a client of the native socket of Vaak, on which text is spoken while it is
// written.
package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// SampleRate is that of the audio, in Hz.
const SampleRate = 24000

// Idle is how long an utterance stays open without a message, at most. [Utterance.KeepAlive]
// begins the time anew.
const Idle = 3 * time.Minute

// writeTimeout is how long the server may take to read a message.
const writeTimeout = 5 * time.Second

// Client opens utterances on a server.
type Client struct {
	url    url.URL
	header http.Header
	dialer websocket.Dialer
}

// New returns a client of the server at an address such as https://speech.example.org, with a key
// of it.
func New(address, key string) (*Client, error) {
	u, err := url.Parse(address)
	schemes := map[string]string{"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
	if err != nil || u.Host == "" || schemes[u.Scheme] == "" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("the address of the speech server is not like https://speech.example.org")
	}
	u.Scheme = schemes[u.Scheme]
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1") + "/v1/audio/speech/stream-input"
	return &Client{
		url:    *u,
		header: http.Header{"Authorization": {"Bearer " + key}},
		dialer: websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: 5 * time.Second},
	}, nil
}

// Settings say how a text is spoken. The zero value leaves all to the server.
type Settings struct {
	Voice, Language string
	Speed           float64
}

// RefusedError is what the server says of an utterance that it does not speak.
type RefusedError struct {
	Status  int    // of HTTP; 0 after the handshake
	Code    string // such as insufficient_quota
	Message string
}

// CodeStopping is the code of a server that is stopping.
const CodeStopping = "server_stopping"

func (e *RefusedError) Error() string { return e.Message }

// Open opens an utterance. It must be closed.
func (c *Client) Open(ctx context.Context, s Settings) (*Utterance, error) {
	q := url.Values{"mode": {"eager"}, "inactivity_timeout": {strconv.Itoa(int(Idle.Seconds()))}}
	for name, value := range map[string]string{"voice": s.Voice, "lang": s.Language} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if s.Speed != 0 {
		q.Set("speed", strconv.FormatFloat(s.Speed, 'g', -1, 64))
	}
	u := c.url
	u.RawQuery = q.Encode()
	conn, resp, err := c.dialer.DialContext(ctx, u.String(), c.header)
	if err != nil {
		if resp != nil && errors.Is(err, websocket.ErrBadHandshake) {
			return nil, refusal(resp)
		}
		return nil, fmt.Errorf("dial the speech server: %w", err)
	}
	conn.SetReadLimit(1 << 20)
	return &Utterance{conn: conn}, nil
}

// refusal reads why the server refuses a handshake.
func refusal(resp *http.Response) error {
	var body struct {
		Error struct{ Code, Message string }
	}
	// A body that is something else leaves the error to the status.
	_ = json.NewDecoder(resp.Body).Decode(&body)
	return &RefusedError{resp.StatusCode, cmp.Or(body.Error.Code, "refused"), cmp.Or(body.Error.Message, "the speech server answers "+resp.Status)}
}

// Utterance is a text that is spoken while it is written. Its methods may be called at once,
// Listen once.
type Utterance struct {
	conn *websocket.Conn

	mu sync.Mutex // of writes
}

func (u *Utterance) write(v any) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return u.conn.WriteJSON(v)
}

// Say adds text; "" adds none.
func (u *Utterance) Say(text string) error {
	if text == "" {
		return nil // to the server it is the end
	}
	return u.write(map[string]any{"text": text})
}

// Flush has the server speak all that it has.
func (u *Utterance) Flush() error { return u.write(map[string]any{"flush": true}) }

// End says that no more text comes.
func (u *Utterance) End() error { return u.write(map[string]any{"text": ""}) }

// KeepAlive keeps the utterance open while there is no text.
func (u *Utterance) KeepAlive() error { return u.write(map[string]any{"keepalive": true}) }

// Cancel stops the utterance, of whose audio so much was heard.
func (u *Utterance) Cancel(heard time.Duration) error {
	return u.write(map[string]any{"cancel": true, "played_ms": heard.Milliseconds()})
}

// Close breaks the connection off.
func (u *Utterance) Close() error { return u.conn.Close() }

// Outcome is how an utterance has ended.
type Outcome struct {
	Cancelled bool
	// Spoken is the text that was heard of a cancelled utterance, Remaining that which was not.
	Spoken, Remaining string
}

// Listen writes the audio to w until the utterance ends: 16-bit little-endian mono PCM at
// [SampleRate].
func (u *Utterance) Listen(w io.Writer) (Outcome, error) {
	for {
		kind, data, err := u.conn.ReadMessage()
		if err != nil {
			return Outcome{}, fmt.Errorf("read from the speech server: %w", err)
		}
		if kind == websocket.BinaryMessage {
			if _, err := w.Write(data); err != nil {
				return Outcome{}, err
			}
			continue
		}
		var m struct {
			Type          string
			Code, Message string
			TextSpoken    string `json:"text_spoken"`
			TextRemaining string `json:"text_remaining"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return Outcome{}, errors.New("the speech server sends a message that cannot be read")
		}
		switch m.Type {
		case "done":
			return Outcome{}, nil
		case "cancelled":
			return Outcome{Cancelled: true, Spoken: m.TextSpoken, Remaining: m.TextRemaining}, nil
		case "error":
			return Outcome{}, &RefusedError{Code: m.Code, Message: m.Message}
		}
		// left_out, and what later versions may add
	}
}
