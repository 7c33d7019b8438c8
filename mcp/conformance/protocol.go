package main

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// listTTL is how long clients may cache what they read, in milliseconds.
const listTTL = 300_000

// newProtocol makes the protocol server with every fixture.
func newProtocol(st *states) *server.MCPServer {
	p := server.NewMCPServer("vaak-conformance", "1.0.0",
		server.WithTitle("Fixtures of the conformance suite"),
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(completions{}),
		server.WithLogging(),
		server.WithElicitation(),
		server.WithCacheHints(listTTL, mcp.CacheScopePublic),
	)
	p.EnableSampling()
	for _, group := range [][]tool{contentTools(), notifyingTools(p), schemaTools(), askingTools(st)} {
		for _, t := range group {
			p.AddTool(mcp.NewToolWithRawSchema(t.name, t.description, []byte(t.input)), t.run)
		}
	}
	addResources(p)
	addPrompts(p)
	return p
}

// tool is a fixture; an empty input takes no arguments.
type tool struct {
	name, description string
	input             string // the schema of the arguments
	run               server.ToolHandlerFunc
}

// noArguments is the schema of a tool that takes none.
const noArguments = `{"type":"object","properties":{},"additionalProperties":false}`

// answers returns a tool that takes no arguments and always answers the same.
func answers(name, description string, result *mcp.CallToolResult) tool {
	return tool{name, description, noArguments, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return result, nil
	}}
}

// completions suggest one value for every argument of a prompt.
type completions struct{}

// CompletePromptArgument suggests what was typed.
func (completions) CompletePromptArgument(_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{argument.Value}, Total: 1}, nil
}
