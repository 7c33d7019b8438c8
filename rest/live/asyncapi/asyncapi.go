// Package asyncapi describes the sockets of live speech in AsyncAPI 3.0.0. Package message makes
// the examples, so they are exactly what a client receives.
package asyncapi

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// apiVersion is the version of the interface. It is the same as that of the HTTP operations.
const apiVersion = "1.0.0"

const apiDoc = `Text goes in as it is written, audio comes out while the rest is still being thought of. Three WebSockets share one core:
a native one, and the two that clients of the ElevenLabs dialect dial.

Operations are those of the server: it receives what a client sends, and sends what a client receives. Messages of clients are JSON
objects in text frames. In them null is the same as leaving a property out, unknown properties are ignored, and a key is not looked for.

The API key goes into the handshake, as ` + "`Authorization: Bearer KEY`" + ` or as ` + "`xi-api-key: KEY`" + `; an open connection is one stream of its
key. What can be refused is refused there, as ` + "`x-handshake-errors`" + ` tells, in plain HTTP with the bodies and headers of /openapi.json.
Later errors are a text frame and then a close, see ` + "`x-close-codes`" + `. Query parameters that are not described are ignored.

Pings are answered at any time, also while audio is sent. Audio is paced by its reader: what is not read is not made, and a client that
takes nothing for 10 seconds is cut off. Paths are also served with the version twice (` + "`/v1/v1/...`" + `).`

// description is a document of AsyncAPI 3.0.0.
type description struct {
	AsyncAPI           string                `json:"asyncapi"`
	Info               info                  `json:"info"`
	DefaultContentType string                `json:"defaultContentType"`
	Servers            map[string]server     `json:"servers"`
	Channels           map[string]*channel   `json:"channels"`
	Operations         map[string]*operation `json:"operations"`
	Components         components            `json:"components"`
}

type info struct {
	Title       string            `json:"title"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     map[string]string `json:"license"`
	Tags        []tag             `json:"tags"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type server struct {
	Host        string              `json:"host"`
	Protocol    string              `json:"protocol"`
	Description string              `json:"description"`
	Variables   map[string]variable `json:"variables"`
	Security    []ref               `json:"security"`
}

type variable struct {
	Default     string `json:"default"`
	Description string `json:"description"`
}

type channel struct {
	Address     string               `json:"address"`
	Title       string               `json:"title"`
	Summary     string               `json:"summary"`
	Description string               `json:"description"`
	Parameters  map[string]parameter `json:"parameters,omitempty"`
	Messages    map[string]*envelope `json:"messages"`
	Bindings    bindings             `json:"bindings"`
	Limits      limits               `json:"x-limits"`
	CloseCodes  map[string]string    `json:"x-close-codes"`
	Refusals    map[string]string    `json:"x-handshake-errors"`
}

type parameter struct {
	Description string   `json:"description"`
	Examples    []string `json:"examples"`
}

type bindings struct {
	WS binding `json:"ws"`
}

// binding says what the handshake of a channel looks like.
type binding struct {
	Method  string  `json:"method"`
	Query   *schema `json:"query"`
	Headers *schema `json:"headers"`
	Version string  `json:"bindingVersion"`
}

// envelope describes a message.
type envelope struct {
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	Summary     string    `json:"summary"`
	ContentType string    `json:"contentType"`
	Payload     *schema   `json:"payload"`
	Examples    []example `json:"examples"`
}

type example struct {
	Name    string          `json:"name"`
	Summary string          `json:"summary"`
	Payload json.RawMessage `json:"payload"`
}

type operation struct {
	Action   string `json:"action"`
	Channel  ref    `json:"channel"`
	Title    string `json:"title"`
	Summary  string `json:"summary"`
	Messages []ref  `json:"messages"`
}

type components struct {
	Schemas         map[string]*schema           `json:"schemas"`
	SecuritySchemes map[string]map[string]string `json:"securitySchemes"`
}

type ref struct {
	Ref string `json:"$ref"`
}

// Document returns the description of the three sockets (AsyncAPI 3.0.0, JSON,
// indented, ending in a newline). It is the same on every machine.
func Document() ([]byte, error) {
	d := description{
		AsyncAPI: "3.0.0",
		Info: info{
			Title:       "Vaak live speech",
			Version:     apiVersion,
			Description: apiDoc,
			License:     map[string]string{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
			Tags:        []tag{{"live speech", "Text in while it is written, audio out while it is made."}},
		},
		DefaultContentType: contentJSON,
		Servers: map[string]server{
			"plain": described("ws", "This server, without TLS."),
			"tls":   described("wss", "This server, with TLS of its own or of a proxy in front of it."),
		},
		Channels:   map[string]*channel{},
		Operations: map[string]*operation{},
		Components: components{
			Schemas: sharedSchemas(),
			SecuritySchemes: map[string]map[string]string{
				"bearer":           {"type": "http", "scheme": "bearer", "description": "The API key as a bearer token."},
				"xi-api-key":       {"type": "httpApiKey", "in": "header", "name": "xi-api-key", "description": "The API key in a header of its own."},
				"single-use-token": {"type": "httpApiKey", "in": "query", "name": "single_use_token", "description": "A token that a program with a key has made for a web page."},
			},
		},
	}
	for _, s := range []socket{nativeSocket(), singleSocket(), multiSocket()} {
		d.add(s)
	}
	return d.encode()
}

func described(protocol, text string) server {
	return server{
		Host: "{host}", Protocol: protocol, Description: text,
		Variables: map[string]variable{"host": {"127.0.0.1:8080", "The host, and the port if it is not the usual one."}},
		Security:  []ref{{"#/components/securitySchemes/bearer"}, {"#/components/securitySchemes/xi-api-key"}, {"#/components/securitySchemes/single-use-token"}},
	}
}

// socket is a channel with the messages of both directions, in the order of the description.
type socket struct {
	id              string
	channel         channel
	receives, sends []*envelope
}

// add describes a socket: its channel, and an operation for each direction.
func (d *description) add(s socket) {
	at := ref{"#/channels/" + s.id}
	s.channel.Messages = map[string]*envelope{}
	for _, op := range []struct {
		action, title, summary string
		messages               []*envelope
	}{
		{"receive", "What clients send", "Text, and what is to be done with it.", s.receives},
		{"send", "What clients receive", "Audio, and what became of the text.", s.sends},
	} {
		o := &operation{Action: op.action, Channel: at, Title: op.title, Summary: op.summary}
		for _, m := range op.messages {
			s.channel.Messages[m.Name] = m
			o.Messages = append(o.Messages, ref{at.Ref + "/messages/" + m.Name})
		}
		d.Operations[op.action+"."+s.id] = o
	}
	d.Channels[s.id] = &s.channel
}

// encode returns the document.
func (d *description) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return nil, fmt.Errorf("encode the description of the sockets: %w", err)
	}
	return b.Bytes(), nil
}
