package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// askingTools ask their client for something.
func askingTools(st *states) []tool {
	all := append(formerInquiries(), roundTrips(st)...)
	tools := []tool{
		{"test_sampling", "Asks the client's model.", form("prompt", "string"), samples},
		{"test_missing_capability", "Needs a client that samples.", noArguments, needsSampling},
	}
	for _, q := range all {
		tools = append(tools, q.tool())
	}
	return tools
}

// Forms with what the older versions of the protocol added one by one.
const (
	contactForm = `{"type":"object","properties":{
		"username":{"type":"string","description":"User's response"},
		"email":{"type":"string","description":"User's email address"}},
		"required":["username","email"]}`
	defaultsForm = `{"type":"object","properties":{
		"name":{"type":"string","default":"John Doe"},
		"age":{"type":"integer","default":30},
		"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","default":true}}}`
	choicesForm = `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2"],"enumNames":["Option One","Option Two"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"}]}}}}`
)

// formerInquiries are those of the scenarios for the versions to 2025-11-25.
func formerInquiries() []inquiry {
	return []inquiry{
		{name: "test_elicitation", description: "Asks the person for a name and an address.", input: form("message", "string"), finish: "User response: ",
			rounds: func(_ context.Context, req mcp.CallToolRequest) [][]question {
				return [][]question{{elicit("contact", req.GetString("message", ""), contactForm)}}
			}},
		{name: "test_elicitation_sep1034_defaults", description: "Asks with values filled in.", finish: "Elicitation completed: ",
			rounds: once(elicit("profile", "Please review your profile.", defaultsForm))},
		{name: "test_elicitation_sep1330_enums", description: "Asks with choices of every form.", finish: "Elicitation completed: ",
			rounds: once(elicit("choices", "Please choose.", choicesForm))},
	}
}

// roundTrips are those of the scenarios for 2026-07-28.
func roundTrips(st *states) []inquiry {
	const prefix = "test_input_required_result_"
	name := elicit("user_name", "What is your name?", form("name", "string"))
	confirm := elicit("confirm", "Please confirm", form("ok", "boolean"))
	return []inquiry{
		{name: "test_streaming_elicitation", description: "Asks for a name.", rounds: once(name)},
		{name: prefix + "elicitation", description: "Asks for a name.", finish: "Hello! ", rounds: once(name)},
		{name: prefix + "sampling", description: "Asks the client's model.",
			rounds: once(sample("capital_question", "What is the capital of France?"))},
		{name: prefix + "list_roots", description: "Asks for folders.", rounds: once(roots("client_roots"))},
		{name: prefix + "multiple_inputs", description: "Asks three things at once.", states: st,
			rounds: once(name, sample("greeting", "Generate a greeting"), roots("client_roots"))},
		{name: prefix + "request_state", description: "Asks, and checks the state.", finish: "state-ok: ", states: st, rounds: once(confirm)},
		{name: prefix + "tampered_state", description: "Asks, and refuses a state that was changed.", states: st, rounds: once(confirm)},
		{name: prefix + "multi_round", description: "Asks twice.", states: st, rounds: inRounds(
			[]question{elicit("step1", "Step 1: What is your name?", form("name", "string"))},
			[]question{elicit("step2", "Step 2: What is your favorite color?", form("color", "string"))},
		)},
		{name: prefix + "capabilities", description: "Asks what the client can answer.",
			rounds: answerable(name, sample("greeting", "Generate a greeting"), roots("client_roots"))},
	}
}

// answerable asks only the questions that the client says it can answer.
func answerable(questions ...question) func(context.Context, mcp.CallToolRequest) [][]question {
	return func(ctx context.Context, _ mcp.CallToolRequest) [][]question {
		round := []question{}
		for _, q := range questions {
			if declared(ctx, q.method) {
				round = append(round, q)
			}
		}
		return [][]question{round}
	}
}

// declared reports whether the client of a request says that it answers a method. Clients of older
// versions say that elsewhere, and count as answering nothing.
func declared(ctx context.Context, method mcp.MCPMethod) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	if info == nil || info.ClientCapabilities == nil {
		return false
	}
	switch method {
	case mcp.MethodElicitationCreate:
		return info.ClientCapabilities.Elicitation != nil
	case mcp.MethodSamplingCreateMessage:
		return info.ClientCapabilities.Sampling != nil
	case mcp.MethodListRoots:
		return info.ClientCapabilities.Roots != nil
	}
	return false
}

// needsSampling refuses clients without the capability, with the error that the protocol has for
// that.
func needsSampling(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if !declared(ctx, mcp.MethodSamplingCreateMessage) {
		return nil, fmt.Errorf("call test_missing_capability: %w", mcp.MissingRequiredClientCapabilityError{Capability: "sampling"})
	}
	return mcp.NewToolResultText("The client samples."), nil
}

// samplePatience is how long the client's model may take. mcp-go sends the question on a stream
// that clients open with GET, which is not served. Without this bound the call would wait until
// the client gives up.
const samplePatience = 2 * time.Second

// samples asks the model with a request of the server, as in the versions up to 2025-11-25.
func samples(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, samplePatience)
	defer cancel()
	//lint:ignore SA1019 the suite scores it for the versions that have it
	got, err := server.ServerFromContext(ctx).RequestSampling(ctx, mcp.CreateMessageRequest{
		Request:             mcp.Request{Method: string(mcp.MethodSamplingCreateMessage)},
		CreateMessageParams: promptOf(req.GetString("prompt", "")),
	})
	if err != nil {
		return nil, fmt.Errorf("ask the client's model: %w", err)
	}
	return mcp.NewToolResultText("LLM response: " + said(got.Content)), nil
}
