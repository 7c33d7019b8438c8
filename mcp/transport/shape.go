package transport

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// Bounds of the parts of a message that answers repeat.
const (
	maxID     = 256     // bytes of an id that is a string
	maxNumber = 1 << 53 // of an id that is a number: many clients count in floating point
	maxMethod = 128     // bytes
)

// failed is the answer to a message that is refused.
type failed struct {
	JSONRPC string                  `json:"jsonrpc"`
	ID      json.RawMessage         `json:"id"` // nil is null
	Error   mcp.JSONRPCErrorDetails `json:"error"`
}

func newFailed(id json.RawMessage, wrong *mcp.JSONRPCErrorDetails) failed {
	return failed{mcp.JSONRPC_VERSION, id, *wrong}
}

func wrongf(code int, format string, args ...any) *mcp.JSONRPCErrorDetails {
	e := mcp.NewJSONRPCErrorDetails(code, fmt.Sprintf(format, args...), nil)
	return &e
}

// sniff reads a message that is well-formed JSON. It returns what is wrong with it, where the
// library would name types of Go, or say nothing. Header may be nil. A wrong message without a
// valid id has a nil ID. checkParams finds what is wrong with the params of a method.
func sniff(body []byte, header http.Header) (m message, wrong *mcp.JSONRPCErrorDetails) {
	m.modern = mcp.IsModernProtocol(header.Get(mcp.HeaderProtocolVersion))
	switch start := bytes.TrimLeft(body, " \t\r\n"); {
	case len(start) > 0 && start[0] == '[':
		return m, wrongf(mcp.INVALID_REQUEST, "send one message at a time: an array of messages is not taken")
	case len(start) == 0 || start[0] != '{':
		return m, wrongf(mcp.INVALID_REQUEST, "a message is a JSON object with jsonrpc and method, and an id where an answer is wanted")
	}
	// The error is looked at later: encoding/json goes on after a value of a wrong type, so the id
	// that the refusal needs is there.
	err := json.Unmarshal(body, &m)
	// Before all else, because every refusal below repeats the id.
	if why := checkID(m.ID); why != "" {
		m.ID = nil
		return m, wrongf(mcp.INVALID_REQUEST, "%s", why)
	}
	metaErr := m.open()
	m.modern = m.modern || mcp.IsModernProtocol(m.version)
	switch {
	case err != nil:
		return m, wrongf(mcp.INVALID_REQUEST, "%s", mistake("the message", err))
	case m.JSONRPC != mcp.JSONRPC_VERSION:
		return m, wrongf(mcp.INVALID_REQUEST, `jsonrpc must be "2.0"`)
	case m.Method == "" && !m.answers():
		return m, wrongf(mcp.INVALID_REQUEST, "a message needs a method")
	case len(m.Method) > maxMethod && m.request():
		return m, wrongf(mcp.METHOD_NOT_FOUND, "there is no such method: the name has %d bytes", len(m.Method))
	case m.Method != "" && len(m.Params) > 0 && m.Params[0] != '{' && !bytes.Equal(m.Params, []byte("null")):
		return m, wrongf(mcp.INVALID_PARAMS, "params must be an object")
	case metaErr != nil:
		return m, wrongf(mcp.INVALID_PARAMS, "%s", mistake("params._meta", metaErr))
	}
	return m, nil
}

// checkID returns what is wrong with an id, "" for nothing. An id that is null counts as none,
// because some clients write messages that want no answer in that way.
func checkID(id json.RawMessage) string {
	if len(id) == 0 || bytes.Equal(id, []byte("null")) {
		return ""
	}
	if id[0] == '"' {
		if len(id) > maxID+2 {
			return fmt.Sprintf("the id has %d bytes; at most %d are taken", len(id)-2, maxID)
		}
		return ""
	}
	// Larger numbers are not exact in floating point, so the answer would have another id.
	if n, err := strconv.ParseInt(string(id), 10, 64); err != nil || n > maxNumber || n < -maxNumber {
		return "an id must be a string, or a whole number from -2^53 to 2^53"
	}
	return ""
}

// checkParams reads the params of a request in the same way as the library, and returns what is
// wrong with them.
func (m message) checkParams(body []byte) *mcp.JSONRPCErrorDetails {
	into := m.into()
	if into == nil || !m.request() {
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return wrongf(mcp.INVALID_PARAMS, "%s", mistake("params of "+m.Method, err))
	}
	var page struct {
		Cursor string `json:"cursor"`
	}
	if !strings.HasSuffix(m.Method, "/list") || len(m.Params) == 0 || json.Unmarshal(m.Params, &page) != nil {
		return nil
	}
	// The cursors of the library are base64.
	if _, err := base64.StdEncoding.DecodeString(page.Cursor); err != nil {
		return wrongf(mcp.INVALID_PARAMS, "the cursor is none of this server's: send nextCursor of the page before as it is, or none")
	}
	return nil
}

// into returns a value of the type into which the library reads a request; nil where the params
// cannot be wrong or the method is not known.
func (m message) into() any {
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodInitialize:
		return new(mcp.InitializeRequest)
	case mcp.MethodServerDiscover:
		return new(mcp.DiscoverRequest)
	case mcp.MethodSubscriptionsListen:
		return new(mcp.SubscriptionsListenRequest)
	case mcp.MethodSetLogLevel:
		return new(mcp.SetLevelRequest)
	case mcp.MethodToolsList:
		return new(mcp.ListToolsRequest)
	case mcp.MethodToolsCall:
		return new(mcp.CallToolRequest)
	case mcp.MethodResourcesList:
		return new(mcp.ListResourcesRequest)
	case mcp.MethodResourcesTemplatesList:
		return new(mcp.ListResourceTemplatesRequest)
	case mcp.MethodResourcesRead:
		return new(mcp.ReadResourceRequest)
	case mcp.MethodPromptsList:
		return new(mcp.ListPromptsRequest)
	case mcp.MethodPromptsGet:
		return new(mcp.GetPromptRequest)
	case mcp.MethodCompletionComplete:
		return new(mcp.CompleteRequest)
	}
	return nil
}

// mistake returns a sentence, without names of Go types, that says why a value could not be read.
func mistake(what string, err error) string {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return what + " are not of the form that the protocol has for them"
	}
	if e.Field != "" {
		what = e.Field
	}
	sent, _, _ := strings.Cut(e.Value, " ") // encoding/json writes "number 1.5"
	return fmt.Sprintf("%.100s must be %s; what was sent is of the type %s", what, kindWord(e.Type), sent)
}

// kindWord returns the name that a sentence has for the JSON form of a type.
func kindWord(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct, reflect.Map, reflect.Interface:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	default:
		return "a number"
	}
}
