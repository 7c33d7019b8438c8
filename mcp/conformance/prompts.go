package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addPrompts adds a prompt for each kind of message, and one that asks.
func addPrompts(p *server.MCPServer) {
	p.AddPrompt(mcp.NewPrompt("test_simple_prompt", mcp.WithPromptDescription("Says a sentence.")),
		says("This is a simple prompt for testing."))
	p.AddPrompt(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithPromptDescription("Says what it was given."),
		argument("arg1", "The first value."), argument("arg2", "The second value.")), saysArguments)
	p.AddPrompt(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("Holds a resource."),
		argument("resourceUri", "The address of the resource.")), holdsResource)
	p.AddPrompt(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("Holds a picture.")),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return messages(mcp.NewImageContent(pixel, "image/png"), mcp.NewTextContent("Please analyze the image above.")), nil
		})
	p.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("Asks what it is about.")), asksForContext)
}

func argument(name, description string) mcp.PromptOption {
	return mcp.WithArgument(name, mcp.ArgumentDescription(description), mcp.RequiredArgument())
}

// messages returns a prompt with a message of the person for each part.
func messages(parts ...mcp.Content) *mcp.GetPromptResult {
	r := &mcp.GetPromptResult{}
	for _, p := range parts {
		r.Messages = append(r.Messages, mcp.NewPromptMessage(mcp.RoleUser, p))
	}
	return r
}

func says(text string) server.PromptHandlerFunc {
	return func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return messages(mcp.NewTextContent(text)), nil
	}
}

func saysArguments(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	a := req.Params.Arguments
	return messages(mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))), nil
}

func holdsResource(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return messages(
		embedded(req.Params.Arguments["resourceUri"], "text/plain", "Embedded resource content for testing."),
		mcp.NewTextContent("Please process the embedded resource above."),
	), nil
}

func asksForContext(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	q := elicit("user_context", "What context should the prompt use?", form("context", "string"))
	got, ok := q.answer(req.Params.InputResponses)
	if !ok {
		b := server.NewInputRequestBuilder("")
		q.put(b)
		return b.PromptResult(), nil
	}
	return messages(mcp.NewTextContent("The context is " + got + ".")), nil
}
