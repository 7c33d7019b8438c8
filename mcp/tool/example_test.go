package tool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"vaak/internal/fault"
	"vaak/mcp/tool"
)

// An input struct describes the arguments of a tool, and an output struct its result. New makes
// the schemas of both, and the handler gets only arguments that fit.
func ExampleNew() {
	type input struct {
		Text  string `json:"text" doc:"What is repeated." minLength:"1" maxLength:"20"`
		Times int    `json:"times,omitempty" doc:"How often." default:"2" minimum:"1" maximum:"3"`
	}
	type output struct {
		Text string `json:"text"`
	}
	echo := tool.New(tool.Definition{
		Name: "echo", Title: "Repeat a text", Description: "Repeats a text.", Hints: tool.LookUp,
	}, func(_ context.Context, _ tool.Call, in input) (tool.Answer[output], error) {
		out := output{in.Text}
		for range max(in.Times, 2) - 1 {
			out.Text += " " + in.Text
		}
		return tool.Answer[output]{Value: out, Text: out.Text}, nil
	})

	fmt.Println(string(echo.Tool.Input))
	result, err := echo.Run(context.Background(), tool.Call{}, json.RawMessage(`{"text":"namaste"}`))
	fmt.Println(string(result.Structured), err)
	// Output:
	// {"type":"object","properties":{"text":{"type":"string","description":"What is repeated.","minLength":1,"maxLength":20},"times":{"type":"integer","description":"How often.","default":2,"minimum":1,"maximum":3}},"required":["text"],"additionalProperties":false}
	// {"text":"namaste namaste"} <nil>
}

// Wrong arguments never reach the handler. The error has a fault for each of them, so that a
// model can mend all at once.
func ExampleEntry_arguments() {
	type input struct {
		Text  string `json:"text" maxLength:"5"`
		Speed string `json:"speed,omitempty" enum:"slow,fast"`
	}
	speak := tool.New(tool.Definition{Name: "speak"}, func(context.Context, tool.Call, input) (tool.Answer[struct{}], error) {
		panic("not reached")
	})
	_, err := speak.Run(context.Background(), tool.Call{}, json.RawMessage(`{"text":7,"speed":"quick","loud":true}`))
	for _, f := range fault.All(err) {
		fmt.Println(f.Field+":", f.Msg)
	}
	// Output:
	// loud: unknown argument "loud"; the arguments are text, speed
	// speed: speed "quick" is not one of slow, fast
	// text: text must be a string, got 7
}
