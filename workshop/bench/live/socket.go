package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/websocket"

	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/server"
)

// The sockets of live speech, as parts of an address.
const (
	nativeSocket = "/v1/audio/speech/stream-input"
	singleSocket = "/v1/text-to-speech/%s/stream-input"
	multiSocket  = "/v1/text-to-speech/%s/multi-stream-input"
)

// socketPath returns the address of a socket that speaks English as samples at
// 24 kHz, with more parameters, which come in pairs.
func socketPath(socket string, parameters ...string) string {
	q := url.Values{}
	if socket == nativeSocket {
		q.Set("voice", string(corpus.English.Voice))
		q.Set("lang", corpus.English.Code)
	} else {
		socket = fmt.Sprintf(socket, corpus.English.Voice)
		q.Set("language_code", corpus.English.Code)
		q.Set("output_format", fmt.Sprintf("pcm_%d", server.VaakRate))
	}
	for i := 0; i+1 < len(parameters); i += 2 {
		q.Set(parameters[i], parameters[i+1])
	}
	return socket + "?" + q.Encode()
}

// socket is one connection for live speech. One goroutine may send and one may
// read.
type socket struct{ ws *websocket.Conn }

// dialSocket opens a socket, whose handshake has been answered when it returns.
func dialSocket(s *server.Server, path string, d *net.Dialer) (*socket, error) {
	dialer := websocket.Dialer{
		HandshakeTimeout: server.Patience,
		NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return d.DialContext(ctx, network, addr)
		},
	}
	ws, resp, err := dialer.Dial("ws://"+s.Addr+path, http.Header{"Authorization": {"Bearer " + s.Key}})
	if err == nil {
		return &socket{ws}, nil
	}
	if resp != nil {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1000)) // the status says enough without it
		err = fmt.Errorf("%w: status %d: %s", err, resp.StatusCode, body)
	}
	return nil, fmt.Errorf("%s: open a socket: %w", s.Name, err)
}

func (k *socket) close() { _ = k.ws.Close() } // nothing that was sent matters any more

// message is what a client sends, on any of the sockets.
type message map[string]any

func (k *socket) send(m message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := k.ws.SetWriteDeadline(time.Now().Add(server.Patience)); err != nil {
		return err
	}
	return k.ws.WriteMessage(websocket.TextMessage, b)
}

// reply is a frame of the server.
type reply struct {
	at      time.Time // when it had come whole
	bytes   int       // of audio
	context string    // on a socket of many
	last    bool      // it says that all was said, or that it was cancelled
}

// sound is how long the audio of a frame is.
func (r reply) sound() time.Duration {
	return time.Duration(r.bytes/2) * time.Second / server.VaakRate
}

// next reads a frame; its error is that of a frame which tells one, too.
func (k *socket) next() (reply, error) {
	if err := k.ws.SetReadDeadline(time.Now().Add(server.Patience)); err != nil {
		return reply{}, err
	}
	kind, b, err := k.ws.ReadMessage()
	r := reply{at: time.Now()}
	if err != nil {
		return r, err
	}
	if kind == websocket.BinaryMessage {
		r.bytes = len(b)
		return r, nil
	}
	return r, r.parse(b)
}

// parse reads a frame of text, of the native socket or of the dialect.
func (r *reply) parse(b []byte) error {
	var f struct {
		Type    string `json:"type"`
		Audio   []byte `json:"audio"`
		Final   bool   `json:"isFinal"`
		Context string `json:"contextId"`
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("a frame of %d bytes: %w", len(b), err)
	}
	if f.Error != "" || f.Type == "error" {
		return fmt.Errorf("the server says %q: %s", f.Error, f.Message)
	}
	r.bytes, r.context = len(f.Audio), f.Context
	r.last = f.Final || f.Type == "done" || f.Type == "cancelled"
	return nil
}

// errUnheard is the error of a session that ended before it was to.
var errUnheard = errors.New("the session ended without its last frame")
