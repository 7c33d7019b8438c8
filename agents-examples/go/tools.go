package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolbox holds the tools of both endpoints of a server, and one of our own.
type toolbox struct {
	definitions []definition
	sessions    []*mcp.ClientSession
	owner       map[string]*mcp.ClientSession // by the name of the tool
}

// connect connects to both endpoints and asks what tools they have.
func connect(ctx context.Context, server, key string) (_ *toolbox, err error) {
	if server == "" || key == "" {
		return nil, errors.New("VAAK_URL and VAAK_KEY say which server to use, and with which key")
	}
	t := &toolbox{owner: map[string]*mcp.ClientSession{}}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	for endpoint, client := range map[string]*http.Client{
		"/api/catalogue/mcp": http.DefaultClient,
		"/v1/mcp":            {Transport: bearer(key)},
	} {
		if err := t.add(ctx, strings.TrimRight(server, "/")+endpoint, client); err != nil {
			return nil, fmt.Errorf("connect to %s: %w", endpoint, err)
		}
	}
	t.definitions = append(t.definitions, listenDefinition)
	return t, nil
}

// add connects to an endpoint. What it says of its tools is what the model
// reads: names, descriptions and schemas need no translation.
func (t *toolbox) add(ctx context.Context, endpoint string, client *http.Client) error {
	c := mcp.NewClient(&mcp.Implementation{Name: "vaak-agent", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			fmt.Fprintf(os.Stderr, "  %s\n", r.Params.Message)
		},
	})
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: client, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return err
	}
	t.sessions = append(t.sessions, session)
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		t.owner[tool.Name] = session
		t.definitions = append(t.definitions, definition{"function", function{tool.Name, tool.Description, tool.InputSchema}})
	}
	return nil
}

// call calls a tool and returns what the model is told of it. Failures are told,
// too: they say what to do next.
func (t *toolbox) call(ctx context.Context, name, arguments string) string {
	if name == listenDefinition.Function.Name {
		return listen(ctx, arguments)
	}
	session := t.owner[name]
	if session == nil {
		return "there is no tool " + name
	}
	params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(cmp.Or(arguments, "{}"))}
	if name == "synthesize_speech" {
		params.SetProgressToken(name)
	}
	result, err := session.CallTool(ctx, params)
	if err != nil {
		return "the call failed: " + err.Error()
	}
	if link := field(result.StructuredContent, "audio_url"); link != "" {
		if err := save(ctx, link, "summary."+cmp.Or(field(result.StructuredContent, "format"), "audio")); err != nil {
			return "the audio was made but could not be fetched: " + err.Error()
		}
	}
	var said []string
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok { // the short form, made for models
			said = append(said, text.Text)
		}
	}
	return strings.Join(said, "\n")
}

// field is a text in a structured result, "" when it is not there.
func field(structured any, name string) string {
	members, _ := structured.(map[string]any)
	text, _ := members[name].(string)
	return text
}

func (t *toolbox) close() {
	for _, s := range t.sessions {
		_ = s.Close() // we leave in any case
	}
}

// bearer sends a key along with every request.
type bearer string

// RoundTrip sends a request.
func (key bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}
