package transport

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Client is what a client says about itself, and how it can be asked. Its texts have at most
// 128 bytes and hold what the client sent, unchecked.
type Client struct {
	Name, Version string
	Protocol      string // the version that it speaks; "" when it did not say
	// Asks says that the client can show a form to its person, and that a question can reach it.
	Asks bool
	// Retries says that the client gets questions as the result of a call and calls again with
	// the answer, as from 2026-07-28 on. All others are asked with [Ask].
	Retries bool
}

// ClientOf returns the client whose call ctx belongs to. Before 2026-07-28 a client without a
// session says nothing about itself.
func ClientOf(ctx context.Context) Client {
	var info mcp.Implementation
	var can mcp.ClientCapabilities
	c := Client{Protocol: server.RequestProtocolVersion(ctx)}
	// A modern client says who it is in every message, an older one when it connects.
	if p := server.RequestProtocolInfoFromContext(ctx); p != nil && p.Modern {
		c.Retries = true
		if p.ClientInfo != nil {
			info = *p.ClientInfo
		}
		if p.ClientCapabilities != nil {
			can = *p.ClientCapabilities
		}
	} else if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		info, can = s.GetClientInfo(), s.GetClientCapabilities()
	}
	if c.Protocol == "" {
		c.Protocol = visitOf(ctx).version
	}
	c.Name, c.Version, c.Protocol = clip(info.Name), clip(info.Version), clip(c.Protocol)
	// An older client needs a stream on which the question can reach it, see asks.
	c.Asks = forms(can.Elicitation) && (c.Retries || asks(ctx) != nil)
	return c
}

// forms reports whether a client shows forms. A client that names no mode shows forms, because
// they were the only mode at first.
func forms(e *mcp.ElicitationCapability) bool { return e != nil && (e.Form != nil || e.URL == nil) }
