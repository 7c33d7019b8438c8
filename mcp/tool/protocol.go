package tool

import (
	"context"
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/mcp/transport"
)

// listTTL is how long clients may cache the lists of what is offered, in milliseconds. The
// lists change only with the program.
const listTTL = 300_000

// readTTL is how long clients may cache a resource, in milliseconds. Shared caches must not
// keep it, because some resources belong to one caller.
const readTTL = 60_000

// Protocol makes the protocol server of an offer.
func (s Runner) Protocol(o Offer) *server.MCPServer {
	options := []server.ServerOption{
		server.WithTitle(o.Title),
		server.WithInstructions(o.Instructions),
		server.WithToolCapabilities(false), // the list does not change while the server runs
		server.WithCacheHints(listTTL, mcp.CacheScopePublic),
		server.WithMethodCacheHints(mcp.MethodResourcesRead, readTTL, mcp.CacheScopePrivate),
	}
	if len(o.Resources)+len(o.Templates) > 0 {
		options = append(options, server.WithResourceCapabilities(false, false), server.WithResourceCompletionProvider(resourceCompletions(o.Templates)))
	}
	if len(o.Prompts) > 0 {
		options = append(options, server.WithPromptCapabilities(false), server.WithPromptCompletionProvider(promptCompletions(o.Prompts)))
	}
	if len(o.Templates)+len(o.Prompts) > 0 {
		options = append(options, server.WithCompletions())
	}
	p := server.NewMCPServer("vaak", s.Version, options...)
	for _, e := range o.Tools {
		s.addTool(p, e)
	}
	for _, r := range o.Resources {
		s.addResource(p, r)
	}
	for _, t := range o.Templates {
		s.addTemplate(p, t)
	}
	for _, pr := range o.Prompts {
		s.addPrompt(p, pr)
	}
	return p
}

func (s Runner) addTool(p *server.MCPServer, e Entry) {
	p.AddTool(wireTool(e.Tool), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := callOf(ctx)
		// Flush sends the last value before the answer: after it the client takes no progress for
		// this call.
		c.Progress = transport.ProgressOf(ctx, req.Params.Meta)
		defer c.Progress.Flush()
		c.State, c.Answers = req.Params.RequestState, answersOf(req.Params.InputResponses)
		return wireResult(s.converse(ctx, e, c, req.Params.RawArguments)), nil
	})
}

// callOf returns the call of a request, with the caller that the transport has checked.
func callOf(ctx context.Context) Call {
	caller, _ := transport.Caller(ctx) // zero where no key is needed
	return Call{Caller: caller, Client: transport.ClientOf(ctx), Progress: &transport.Progress{}}
}

// wireTool returns the description of a tool in the form of the protocol.
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

// wireResult returns a result in the form of the protocol.
func wireResult(r result) *mcp.CallToolResult {
	if r.question != nil {
		return wireQuestion(r.question)
	}
	w := &mcp.CallToolResult{
		Content:              []mcp.Content{mcp.NewTextContent(r.Text)},
		RawStructuredContent: r.Structured,
		IsError:              r.failed,
	}
	if r.audio != nil {
		w.Content = append(w.Content, mcp.NewAudioContent(base64.StdEncoding.EncodeToString(r.audio.Bytes), r.audio.MimeType))
	}
	for _, l := range r.links {
		w.Content = append(w.Content, wireLink(l))
	}
	return w
}

func wireLink(l Link) mcp.ResourceLink {
	w := mcp.NewResourceLink(l.Uri, l.Name, "", l.MimeType)
	w.Title = l.Title
	if l.Size > 0 {
		w.Size = &l.Size
	}
	return w
}
