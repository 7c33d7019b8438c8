package mcp

import (
	"context"
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/account"
)

// listTTL is how long clients may keep the list of tools, which changes only
// with the program, in milliseconds.
const listTTL = 300_000

// protocol makes the protocol server of a face's tools.
func (s *Server) protocol(f Face) *server.MCPServer {
	p := server.NewMCPServer("vaak", s.cfg.Version,
		server.WithTitle("Vaak speech"),
		server.WithInstructions(instructions()),
		server.WithToolCapabilities(false), // the list does not change while the server runs
		server.WithCacheHints(listTTL, mcp.CacheScopePublic),
	)
	for _, e := range s.tools[f] {
		p.AddTool(wireTool(e.tool), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			caller, ok := callerFrom(ctx)
			if !ok {
				return wireResult(failure(errNoKey)), nil
			}
			return wireResult(s.call(ctx, e, caller, req.Params.RawArguments)), nil
		})
	}
	return p
}

// wireTool is the protocol's form of a description.
func wireTool(t Tool) mcp.Tool {
	return mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		RawInputSchema: t.Input, RawOutputSchema: t.Output,
		Annotations: mcp.ToolAnnotation{
			ReadOnlyHint:    new(t.Hints.ReadOnly),
			DestructiveHint: new(t.Hints.Destructive),
			IdempotentHint:  new(t.Hints.Idempotent),
			OpenWorldHint:   new(t.Hints.OpenWorld),
		},
	}
}

// wireResult is the protocol's form of a result.
func wireResult(r result) *mcp.CallToolResult {
	w := &mcp.CallToolResult{
		Content:              []mcp.Content{mcp.NewTextContent(r.text)},
		RawStructuredContent: r.structured,
		IsError:              r.failed,
	}
	if r.audio != nil {
		w.Content = append(w.Content, mcp.NewAudioContent(base64.StdEncoding.EncodeToString(r.audio.bytes), r.audio.mimeType))
	}
	return w
}

// callerKey is where a transport leaves the caller for the handlers.
type callerKey struct{}

func withCaller(ctx context.Context, c account.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func callerFrom(ctx context.Context) (account.Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(account.Caller)
	return c, ok
}
