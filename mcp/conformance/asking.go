package main

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// inquiry is a tool that asks its client, in one round or several, before it answers. Clients of
// 2026-07-28 get the questions as a result and call again. To older clients mcp-go sends them as
// requests.
type inquiry struct {
	name, description, input string
	// rounds are the questions of each round; they depend on the request alone.
	rounds func(context.Context, mcp.CallToolRequest) [][]question
	// states signs which round was asked, and refuses answers with a state that it did not make.
	// With nil there is no state, and the tool always asks the first round.
	states *states
	finish string // how the answer begins
}

// tool returns the fixture.
func (q inquiry) tool() tool {
	if q.input == "" {
		q.input = noArguments
	}
	return tool{q.name, q.description, q.input, q.run}
}

func (q inquiry) run(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	rounds, round := q.rounds(ctx, req), 0
	if q.states != nil && req.Params.RequestState != "" {
		var err error
		if round, err = q.states.open(q.name, req.Params.RequestState, len(rounds)); err != nil {
			return nil, err
		}
	}
	var answers []string
	for _, one := range rounds[round] {
		a, ok := one.answer(req.Params.InputResponses)
		if !ok {
			return q.ask(rounds, round), nil
		}
		answers = append(answers, a)
	}
	if round+1 < len(rounds) {
		return q.ask(rounds, round+1), nil
	}
	return mcp.NewToolResultText(q.finish + strings.Join(answers, "; ")), nil
}

func (q inquiry) ask(rounds [][]question, round int) *mcp.CallToolResult {
	state := ""
	if q.states != nil {
		state = q.states.seal(q.name, round)
	}
	b := server.NewInputRequestBuilder(state)
	for _, one := range rounds[round] {
		one.put(b)
	}
	return b.ToolResult()
}

// once asks the questions in one round.
func once(questions ...question) func(context.Context, mcp.CallToolRequest) [][]question {
	return inRounds(questions)
}

// inRounds asks the same rounds of every client.
func inRounds(rounds ...[]question) func(context.Context, mcp.CallToolRequest) [][]question {
	return func(context.Context, mcp.CallToolRequest) [][]question { return rounds }
}
