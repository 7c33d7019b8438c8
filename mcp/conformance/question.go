package main

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// question is something that a fixture asks its client for.
type question struct {
	method mcp.MCPMethod
	put    func(*server.InputRequestBuilder)
	answer func(mcp.InputResponses) (string, bool) // false without a usable answer
}

// elicit asks the person to fill in a form.
func elicit(key, message, schema string) question {
	return question{
		method: mcp.MethodElicitationCreate,
		put: func(b *server.InputRequestBuilder) {
			b.Elicit(key, mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(schema)})
		},
		answer: func(all mcp.InputResponses) (string, bool) {
			r := server.ElicitationResponse(all, key)
			if r == nil {
				return "", false
			}
			return fmt.Sprintf("action=%s, content=%v", r.Action, r.Content), true
		},
	}
}

// sample asks the client's model.
func sample(key, prompt string) question {
	return question{
		method: mcp.MethodSamplingCreateMessage,
		put: func(b *server.InputRequestBuilder) {
			b.Sample(key, promptOf(prompt))
		},
		answer: func(all mcp.InputResponses) (string, bool) {
			r := server.SamplingResponse(all, key)
			if r == nil {
				return "", false
			}
			return fmt.Sprint("LLM response: ", said(r.Content)), true
		},
	}
}

// promptOf returns the request to the model.
func promptOf(prompt string) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}},
		MaxTokens: 100,
	}
}

// said returns the text of a model's answer.
func said(content any) string {
	switch c := content.(type) {
	case mcp.TextContent:
		return c.Text
	case map[string]any:
		return fmt.Sprint(c["text"])
	}
	return "not a text"
}

// roots asks for the client's folders.
func roots(key string) question {
	return question{
		method: mcp.MethodListRoots,
		put:    func(b *server.InputRequestBuilder) { b.Roots(key) },
		answer: func(all mcp.InputResponses) (string, bool) {
			r := server.RootsResponse(all, key)
			if r == nil {
				return "", false
			}
			return fmt.Sprintf("%d roots: %v", len(r.Roots), r.Roots), true
		},
	}
}

// form is the schema of a form with one field that must be filled in.
func form(field, kind string) string {
	return fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, field, kind, field)
}
