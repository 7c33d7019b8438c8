package main

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/internal/pause"
	"vaak/mcp/transport"
)

// notifyingTools returns the tools that notify the client before they answer.
func notifyingTools(p *server.MCPServer) []tool {
	return []tool{
		{"test_tool_with_logging", "Logs three messages.", noArguments, logs(p, "Tool execution started", "Tool processing data", "Tool execution completed")},
		{"test_logging_tool", "Logs a message.", noArguments, logs(p, "Logged only for clients that ask")},
		{"test_tool_with_progress", "Tells its progress three times.", noArguments, progresses},
		{"test_trigger_tool_change", "Adds a tool and takes it away.", noArguments, changesTools(p)},
		{"test_trigger_prompt_change", "Adds a prompt and takes it away.", noArguments, changesPrompts(p)},
	}
}

// step is the pause that the suite requires between two messages of a tool.
const step = 50 * time.Millisecond

// logs sends messages of the level info to the client. After the last one it pauses, so that
// the message is sent before the result.
func logs(p *server.MCPServer, messages ...string) server.ToolHandlerFunc {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, m := range messages {
			if err := p.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", m)); err != nil {
				return nil, err
			}
			_ = pause.For(ctx, step)
		}
		return mcp.NewToolResultText("Logged."), nil
	}
}

// progresses reports 0, 50 and 100 of 100, in the same way as the product.
func progresses(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	progress := transport.ProgressOf(ctx, req.Params.Meta)
	defer progress.Flush()
	for _, done := range []float64{0, 50, 100} {
		if done > 0 {
			_ = pause.For(ctx, step)
		}
		progress.Tell(done, 100, "working")
	}
	return mcp.NewToolResultText("Done."), nil
}

func changesTools(p *server.MCPServer) server.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		const name = "test_passing_tool"
		p.AddTool(mcp.NewToolWithRawSchema(name, "Is there for a moment.", []byte(noArguments)), progresses)
		p.DeleteTools(name)
		return mcp.NewToolResultText("The tools changed twice."), nil
	}
}

func changesPrompts(p *server.MCPServer) server.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		const name = "test_passing_prompt"
		p.AddPrompt(mcp.NewPrompt(name, mcp.WithPromptDescription("Is there for a moment.")), says("Hello."))
		p.DeletePrompts(name)
		return mcp.NewToolResultText("The prompts changed twice."), nil
	}
}
