package transport

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// message holds what the transport needs of a message before the protocol library reads it. It
// must be read in the same way as the library reads it. Otherwise a client could make the two
// see different messages.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	ID      json.RawMessage `json:"id"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	version string  // of the protocol, as the message declares it; "" for none
	modern  bool    // of version 2026-07-28 or later, which know no sessions
	target  *target // nil where there are no params, or one has a wrong type
}

// target says what a message is about.
type target struct {
	Name string `json:"name"`
	URI  string `json:"uri"`
	Ref  struct {
		URI string `json:"uri"`
	} `json:"ref"`
}

// open reads the params of a message. The error is one of _meta; checkParams finds all others.
func (m *message) open() error {
	if len(m.Params) == 0 {
		return nil
	}
	type head struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	var params struct {
		head
		target
	}
	if json.Unmarshal(m.Params, &params) == nil {
		m.target = &params.target
	} else if err := json.Unmarshal(m.Params, &params.head); err != nil {
		return err
	}
	m.version = params.Meta.ProtocolVersion()
	return nil
}

// request reports whether a message wants an answer.
func (m message) request() bool {
	return m.Method != "" && len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null"))
}

// calls reports whether a message makes the server work, so that the number of such messages of
// one client at the same time is bounded.
func (m message) calls() bool {
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodCompletionComplete:
		return m.request()
	}
	return false
}

// missing returns the error of a message that names a tool, a prompt or a resource which does
// not exist; nil for others.
func (m message) missing(say func(method, name string) string) *mcp.JSONRPCErrorDetails {
	if say == nil || m.target == nil || !m.request() {
		return nil
	}
	code, name := mcp.INVALID_PARAMS, m.target.Name
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet:
	case mcp.MethodResourcesRead:
		name = m.target.URI
		// 2026-07-28 has no code for this and uses that of invalid params.
		if !m.modern {
			code = mcp.RESOURCE_NOT_FOUND
		}
	default:
		return nil
	}
	if why := say(m.Method, name); why != "" {
		return wrongf(code, "%s", why)
	}
	return nil
}

// needs returns the scope that a connected application needs for a message.
func (m message) needs(scope func(method, name string) string) string {
	if scope == nil || m.target == nil {
		return "" // the library refuses such params
	}
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsCall:
		return scope(m.Method, m.target.Name)
	case mcp.MethodResourcesRead:
		return scope(m.Method, m.target.URI)
	case mcp.MethodCompletionComplete:
		return scope(m.Method, m.target.Ref.URI)
	}
	return ""
}

// answers reports whether a message is an answer to a question of the server.
func (m message) answers() bool { return m.Method == "" && len(m.Result)+len(m.Error) > 0 }

// named reports whether the id of a message is a string. The ids of our questions are strings;
// the library uses numbers for its own.
func (m message) named() bool { return len(m.ID) > 0 && m.ID[0] == '"' }

// initializes reports whether a message sets up a connection, which only the
// versions before 2026-07-28 do.
func (m message) initializes() bool {
	return m.Method == string(mcp.MethodInitialize) && !m.modern
}

// cancels reports whether a message ends another request.
func (m message) cancels() bool { return m.Method == string(mcp.MethodNotificationCancelled) }

// listens reports whether a message asks for a stream of messages outside of calls.
func (m message) listens() bool {
	return m.Method == string(mcp.MethodSubscriptionsListen) && m.request()
}

// hush returns a message that listens, changed so that it asks for no messages. The library
// then answers it at once.
func (m message) hush() []byte {
	params := map[string]json.RawMessage{}
	_ = json.Unmarshal(m.Params, &params) // params that are no object have no members
	if params == nil {
		params = map[string]json.RawMessage{} // null leaves a nil map
	}
	for name := range params {
		if strings.EqualFold(name, "notifications") { // encoding/json, and so the library, ignores the case of names
			delete(params, name)
		}
	}
	params["notifications"] = json.RawMessage(`{}`)
	b, err := json.Marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": m.ID, "method": m.Method, "params": params})
	if err != nil {
		panic(err) // cannot be: pieces of JSON are always encoded
	}
	return b
}

// methodAcknowledged is the first notification on the stream of a client that listens.
const methodAcknowledged = "notifications/subscriptions/acknowledged"

// acknowledgement returns the notification that tells a client that it will hear nothing. The
// library queues its own acknowledgement, and sometimes loses it when the stream ends at once.
func (m message) acknowledgement() []byte {
	b, err := json.Marshal(notification{mcp.JSONRPC_VERSION, methodAcknowledged, map[string]any{
		"_meta":         map[string]any{mcp.MetaKeySubscriptionID: m.ID},
		"notifications": map[string]any{},
	}})
	if err != nil {
		panic(err) // cannot be: pieces of JSON are always encoded
	}
	return b
}
