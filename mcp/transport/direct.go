package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// direct reports whether the library's HTTP part would pass on a call of a tool. It has a reason to
// refuse every other one, and says it better.
func (m message) direct(header http.Header) bool {
	if m.Method != string(mcp.MethodToolsCall) || !m.request() {
		return false
	}
	version := header.Get(mcp.HeaderProtocolVersion)
	if !m.modern {
		return version == "" || mcp.IsValidProtocolVersion(version)
	}
	name, ok := mcp.DecodeHeaderValue(header.Get(mcp.HeaderName))
	return m.target != nil && version == m.version && mcp.IsValidProtocolVersion(version) && header.Get(mcp.HeaderLastEventID) == "" &&
		header.Get(mcp.HeaderMethod) == m.Method && ok && name != "" && name == m.target.Name
}

// call has the library handle a call, without its HTTP part, and writes the answer into a. It
// returns false if the library refuses the call. The tool has not run then, and nothing is written.
func (h *Handler) call(a *reply, r *http.Request, m message, x *session, body []byte) bool {
	p := &peer{}
	if x != nil {
		p.id = x.id
		x.meet(p)
		if a.streams { // a question needs a stream to be sent on
			a.asked = &x.questions
		}
	}
	ctx := withVisit(r.Context(), &visit{version: r.Header.Get(mcp.HeaderProtocolVersion)})
	ctx = h.protocol.WithContext(called(withNotifier(ctx, a), r), p)
	response, ok := h.protocol.HandleMessage(ctx, body).(mcp.JSONRPCResponse)
	if !ok {
		return false
	}
	if ctx.Err() != nil {
		return true // the client has left
	}
	answer := answers.Get().(*bytes.Buffer)
	defer func() {
		if answer.Cap() <= maxPooled {
			answer.Reset()
			answers.Put(answer)
		}
	}()
	if err := encodeAnswer(answer, m.ID, response.Result); err != nil {
		panic(err) // cannot be: strings, and what the tool has encoded
	}
	a.header.Set("Content-Type", "application/json")
	a.header.Set("Content-Length", strconv.Itoa(answer.Len()))
	a.WriteHeader(http.StatusOK)
	_, _ = a.Write(answer.Bytes()) // a client that left needs no answer
	return true
}

// answers holds buffers of answers that were written.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the largest buffer that is kept for another answer, in bytes: spoken audio must not
// hold memory for ever.
const maxPooled = 64 << 10

// peer is the client of one call as the library sees it. The library cannot send it anything.
type peer struct {
	id, version string
	info        mcp.Implementation
	can         mcp.ClientCapabilities
}

var (
	_ server.SessionWithClientInfo      = (*peer)(nil)
	_ server.SessionWithProtocolVersion = (*peer)(nil)
)

// Initialize does nothing: the client of a call has said who it is.
func (*peer) Initialize() {}

// Initialized returns true.
func (*peer) Initialized() bool { return true }

// NotificationChannel returns no channel, for which the library drops what it would send.
func (*peer) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }

// SessionID returns the id of the session, "" without one.
func (p *peer) SessionID() string { return p.id }

// GetClientInfo returns what the client calls itself.
func (p *peer) GetClientInfo() mcp.Implementation { return p.info }

// SetClientInfo keeps what the client calls itself.
func (p *peer) SetClientInfo(info mcp.Implementation) { p.info = info }

// GetClientCapabilities returns what the client can do.
func (p *peer) GetClientCapabilities() mcp.ClientCapabilities { return p.can }

// SetClientCapabilities keeps what the client can do.
func (p *peer) SetClientCapabilities(can mcp.ClientCapabilities) { p.can = can }

// ProtocolVersion returns the version that was agreed on, "" without a session.
func (p *peer) ProtocolVersion() string { return p.version }

// SetProtocolVersion keeps the version that was agreed on.
func (p *peer) SetProtocolVersion(version string) { p.version = version }

// encodeAnswer writes the answer to a call as the library encodes it, on one line and without escapes
// for <, > and &. The library would check and copy a structured result three times.
func encodeAnswer(w *bytes.Buffer, id json.RawMessage, result any) error {
	r, ok := result.(*mcp.CallToolResult)
	structured := ok && r.Content != nil && len(r.RawStructuredContent) > 0
	if structured {
		// Everything else is encoded, and the structured result written behind it.
		result = struct {
			Meta *mcp.Meta `json:"_meta,omitempty"`
			mcp.MultiRoundTripResult
			Content    []mcp.Content  `json:"content"`
			IsError    bool           `json:"isError,omitempty"`
			ResultType mcp.ResultType `json:"resultType,omitempty"`
		}{r.Meta, r.MultiRoundTripResult, r.Content, r.IsError, r.ResultType}
	}
	w.WriteString(`{"jsonrpc":"2.0","id":`)
	w.Write(id)
	w.WriteString(`,"result":`)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return err
	}
	w.Truncate(w.Len() - len("\n"))
	if structured {
		w.Truncate(w.Len() - len("}"))
		w.WriteString(`,"structuredContent":`)
		// Within a stream of events a line feed would end the answer. JSON has them between values only.
		if !bytes.ContainsAny(r.RawStructuredContent, "\r\n") {
			w.Write(r.RawStructuredContent)
		} else if err := json.Compact(w, r.RawStructuredContent); err != nil {
			return err
		}
		w.WriteByte('}')
	}
	w.WriteByte('}')
	return nil
}
