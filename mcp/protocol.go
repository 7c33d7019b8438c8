package mcp

import (
	"context"
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/mcp/transport"
)

// listTTL is how long clients may keep the lists of what is offered, which
// change only with the program, in milliseconds.
const listTTL = 300_000

// readTTL is how long clients may keep a resource, in milliseconds. No cache that
// others share may: some are the caller's alone.
const readTTL = 60_000

// protocol makes the protocol server of an offer.
func (s *Server) protocol(o offer) *server.MCPServer {
	options := []server.ServerOption{
		server.WithTitle(o.title),
		server.WithInstructions(o.instructions),
		server.WithToolCapabilities(false), // the list does not change while the server runs
		server.WithCacheHints(listTTL, mcp.CacheScopePublic),
		server.WithMethodCacheHints(mcp.MethodResourcesRead, readTTL, mcp.CacheScopePrivate),
	}
	if len(o.resources)+len(o.templates) > 0 {
		options = append(options, server.WithResourceCapabilities(false, false), server.WithResourceCompletionProvider(resourceCompletions(o.templates)))
	}
	if len(o.prompts) > 0 {
		options = append(options, server.WithPromptCapabilities(false), server.WithPromptCompletionProvider(promptCompletions(o.prompts)))
	}
	if len(o.templates)+len(o.prompts) > 0 {
		options = append(options, server.WithCompletions())
	}
	p := server.NewMCPServer("vaak", s.cfg.Version, options...)
	for _, e := range o.tools {
		s.addTool(p, e)
	}
	for _, r := range o.resources {
		s.addResource(p, r)
	}
	for _, t := range o.templates {
		s.addTemplate(p, t)
	}
	for _, pr := range o.prompts {
		s.addPrompt(p, pr)
	}
	return p
}

func (s *Server) addTool(p *server.MCPServer, e entry) {
	p.AddTool(wireTool(e.tool), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := callOf(ctx)
		c.progress = transport.ProgressOf(ctx, req.Params.Meta)
		defer c.progress.Flush()
		c.state, c.answers = req.Params.RequestState, answersOf(req.Params.InputResponses)
		return wireResult(s.converse(ctx, e, c, req.Params.RawArguments)), nil
	})
}

// callOf is a call of the caller that the transport let in.
func callOf(ctx context.Context) call {
	caller, _ := transport.Caller(ctx) // nobody where no key is needed
	return call{Caller: caller, client: transport.ClientOf(ctx), progress: &transport.Progress{}}
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
	if r.question != nil {
		return wireQuestion(r.question)
	}
	w := &mcp.CallToolResult{
		Content:              []mcp.Content{mcp.NewTextContent(r.text)},
		RawStructuredContent: r.structured,
		IsError:              r.failed,
	}
	if r.audio != nil {
		w.Content = append(w.Content, mcp.NewAudioContent(base64.StdEncoding.EncodeToString(r.audio.bytes), r.audio.mimeType))
	}
	for _, l := range r.links {
		w.Content = append(w.Content, wireLink(l))
	}
	return w
}

func wireLink(l link) mcp.ResourceLink {
	w := mcp.NewResourceLink(l.uri, l.name, "", l.mimeType)
	w.Title = l.title
	if l.size > 0 {
		w.Size = &l.size
	}
	return w
}
