package telephony

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"vaak/internal/telemetry"
	"vaak/telephony/audiosocket"
	"vaak/telephony/line"
	"vaak/telephony/pace"
	"vaak/telephony/plivo"
	"vaak/telephony/telnyx"
	"vaak/telephony/twilio"
	"vaak/telephony/vonage"
)

// protocols are the providers that connect over WebSocket, by the first part of the path.
var protocols = map[string]func() line.Protocol{
	"twilio": func() line.Protocol { return &twilio.Protocol{} },
	"telnyx": func() line.Protocol { return &telnyx.Protocol{} },
	"plivo":  func() line.Protocol { return &plivo.Protocol{} },
	"vonage": func() line.Protocol { return &vonage.Protocol{} },
}

const asterisk = "asterisk"

// Timeouts of lines. A provider sends audio all the time, so one that is silent has left.
const (
	lineTimeout  = 60 * time.Second
	writeTimeout = 3 * time.Second
	markPatience = 2 * time.Second
)

// ServeHTTP takes the calls of providers that connect over WebSocket, at /PROVIDER or
// /PROVIDER/TOKEN.
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, token, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	protocol := protocols[name]
	refuse := func(status int, reason, message string) {
		b.figures.refused.Add(1, name, reason)
		http.Error(w, message, status)
	}
	switch {
	case protocol == nil:
		http.Error(w, "There is nothing here. Calls come to /twilio, /telnyx, /plivo and /vonage.", http.StatusNotFound)
		return
	case !b.authentic(r, name, token):
		refuse(http.StatusForbidden, "forged", "The token of the address or the signature is wrong.")
		return
	case !websocket.IsWebSocketUpgrade(r):
		refuse(http.StatusUpgradeRequired, "no_websocket", "This address takes calls over WebSocket.")
		return
	}
	if err := b.admit(); err != nil {
		w.Header().Set("Retry-After", "5")
		refuse(http.StatusServiceUnavailable, reasonFull(err), "No call can be taken: "+err.Error()+".")
		return
	}
	defer b.release()
	// Providers are no pages: they send no Origin, and a page that does is refused.
	upgrader := websocket.Upgrader{CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") == "" }, Subprotocols: websocket.Subprotocols(r)[:min(1, len(websocket.Subprotocols(r)))]}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		b.figures.refused.Add(1, name, "no_websocket")
		return // Upgrade has answered
	}
	ws.SetReadLimit(line.MaxMessage)
	b.serve(&socket{ws: ws, protocol: protocol()}, provider{name: name, lead: b.cfg.Lead, patience: markPatience, foreignID: name == "vonage"})
}

func reasonFull(err error) string {
	if errors.Is(err, errFull) {
		return "full"
	}
	return "draining"
}

// authentic reports whether a handshake has what the settings ask for. Twilio's signature stands
// for the token, since it covers the address.
func (b *Bridge) authentic(r *http.Request, name, token string) bool {
	if name == "twilio" && b.cfg.TwilioToken != "" {
		return twilio.Signed(b.cfg.TwilioToken, strings.TrimRight(b.cfg.PublicURL, "/")+r.URL.RequestURI(), r.Header.Get("X-Twilio-Signature"))
	}
	if b.cfg.Token == "" {
		return true
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	same := func(given string) int { return subtle.ConstantTimeCompare([]byte(given), []byte(b.cfg.Token)) }
	return same(token)|same(bearer) == 1
}

// socket is the line of a provider over WebSocket.
type socket struct {
	ws       *websocket.Conn
	protocol line.Protocol
	out      []byte
}

var _ pace.Sender = (*socket)(nil)

func (s *socket) Read() (line.Event, error) {
	if err := s.ws.SetReadDeadline(time.Now().Add(lineTimeout)); err != nil {
		return line.Event{}, err
	}
	kind, data, err := s.ws.ReadMessage()
	switch {
	case websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseNoStatusReceived):
		return line.Event{}, io.EOF
	case errors.Is(err, websocket.ErrReadLimit):
		return line.Event{}, line.Refused("a message has more than %d bytes", line.MaxMessage)
	case err != nil:
		return line.Event{}, err
	}
	return s.protocol.Parse(data, kind == websocket.BinaryMessage)
}

func (s *socket) write(b []byte, binary bool) error {
	s.out = b
	kind := websocket.TextMessage
	if binary {
		kind = websocket.BinaryMessage
	}
	if err := s.ws.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return s.ws.WriteMessage(kind, b)
}

func (s *socket) Send(frame []byte) error { return s.write(s.protocol.AppendAudio(s.out[:0], frame)) }
func (s *socket) Clear() error            { return s.write(s.protocol.AppendClear(s.out[:0]), false) }
func (s *socket) Mark(name string) error {
	return s.write(s.protocol.AppendMark(s.out[:0], name), false)
}

// Hangup closes the connection, after which providers go on with what the operator has set, which
// is to hang up where nothing follows.
func (s *socket) Hangup() error {
	return s.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
}

func (s *socket) Close() error { return s.ws.Close() }

// asteriskLine is a line over AudioSocket. Asterisk neither buffers nor knows marks.
type asteriskLine struct {
	conn   net.Conn
	reader *audiosocket.Reader
	out    []byte
}

func (a *asteriskLine) Read() (line.Event, error) {
	if err := a.conn.SetReadDeadline(time.Now().Add(lineTimeout)); err != nil {
		return line.Event{}, err
	}
	return a.reader.Read()
}

func (a *asteriskLine) write(b []byte) error {
	a.out = b
	if err := a.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := a.conn.Write(b)
	return err
}

func (a *asteriskLine) Send(frame []byte) error {
	return a.write(audiosocket.AppendAudio(a.out[:0], frame))
}
func (*asteriskLine) Clear() error      { return nil }
func (*asteriskLine) Mark(string) error { return nil }
func (a *asteriskLine) Hangup() error   { return a.write(audiosocket.AppendHangup(nil)) }
func (a *asteriskLine) Close() error    { return a.conn.Close() }

// serveAsterisk takes the calls of Asterisk until the listener is closed.
func (b *Bridge) serveAsterisk(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		} else if err != nil {
			// Out of files, most likely, which passes.
			b.cfg.Logger.Error("a connection of Asterisk was not accepted", "error", err)
			select {
			case <-time.After(100 * time.Millisecond):
				continue
			case <-b.stopping.Done():
				return nil
			}
		}
		reason := ""
		if !b.known(conn.RemoteAddr()) {
			reason = "forged"
		} else if err := b.admit(); err != nil {
			reason = reasonFull(err)
		}
		if reason != "" {
			b.figures.refused.Add(1, asterisk, reason)
			_ = conn.Close()
			continue
		}
		go func() {
			defer b.release()
			b.serve(&asteriskLine{conn: conn, reader: audiosocket.NewReader(conn)}, provider{name: asterisk, lead: b.cfg.AsteriskLead, continuous: true})
		}()
	}
}

// known reports whether AudioSocket is taken from an address.
func (b *Bridge) known(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && slices.ContainsFunc(b.cfg.AsteriskFrom, func(p netip.Prefix) bool { return p.Contains(tcp.AddrPort().Addr().Unmap()) })
}

// Listen says where a server listens, as HOST:PORT.
type Listen struct {
	Calls string // of providers over WebSocket
	Admin string // /livez, /readyz, /metrics
	// Asterisk is where AudioSocket is taken; "" is nowhere.
	Asterisk string
	TLS      *tls.Config // of Calls; nil is without
	Drain    time.Duration
}

// Addresses are where a server listens.
type Addresses struct {
	Calls, Admin string // URLs
	Asterisk     string // HOST:PORT, or ""
}

// Run serves until the context ends, then drains. ready is called once, when all addresses are
// taken.
func (b *Bridge) Run(ctx context.Context, at Listen, ready func(Addresses) error) error {
	var open []net.Listener
	listen := func(address string) (net.Listener, error) {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listen: %w", err)
		}
		open = append(open, l)
		return l, nil
	}
	defer func() {
		for _, l := range open {
			_ = l.Close() // most were closed before
		}
	}()
	calls, err := listen(at.Calls)
	if err != nil {
		return err
	}
	admin, err := listen(at.Admin)
	if err != nil {
		return err
	}
	where := Addresses{Calls: "ws://" + calls.Addr().String(), Admin: "http://" + admin.Addr().String()}
	if at.TLS != nil {
		calls, where.Calls = tls.NewListener(calls, at.TLS), "wss://"+calls.Addr().String()
	}
	servers := []*http.Server{
		{Handler: b, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10},
		{Handler: b.admin(), ReadHeaderTimeout: 10 * time.Second},
	}
	failed := make(chan error, 3)
	var crew sync.WaitGroup
	for i, l := range []net.Listener{calls, admin} {
		crew.Go(func() { failed <- servers[i].Serve(l) })
	}
	var trunk net.Listener
	if at.Asterisk != "" {
		if trunk, err = listen(at.Asterisk); err != nil {
			return errors.Join(err, servers[0].Close(), servers[1].Close())
		}
		where.Asterisk = trunk.Addr().String()
		crew.Go(func() { _ = b.serveAsterisk(trunk) })
	}
	if err = ready(where); err == nil {
		select {
		case <-ctx.Done():
		case err = <-failed:
		}
	}
	// /readyz fails from now on; a call that comes is refused, until all have ended.
	patience, cancel := context.WithTimeout(context.Background(), at.Drain)
	defer cancel()
	err = errors.Join(err, b.Drain(patience))
	if trunk != nil {
		_ = trunk.Close()
	}
	err = errors.Join(err, servers[0].Close(), servers[1].Close())
	crew.Wait()
	return err
}

// admin serves what operators watch.
func (b *Bridge) admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n")) // a prober that has left needs no answer
	})
	mux.Handle("GET /readyz", b.cfg.Telemetry.Readiness(telemetry.Check{Name: "accepting", Run: b.Accepting, Keep: -1}))
	mux.Handle("GET /metrics", b.cfg.Telemetry.Handler())
	return mux
}

// counted counts what is written, and tells of the first write.
type counted struct {
	to    io.Writer
	n     atomic.Int64
	first func()
}

func (c *counted) Write(b []byte) (int, error) {
	c.first()
	n, err := c.to.Write(b)
	c.n.Add(int64(n))
	return n, err
}
