package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/mcp/transport"
)

// question is what a tool asks a person before it goes on. The tool is called again
// with the state and the answer, whichever version of the protocol carries them.
type question struct {
	key     string          // names its answer
	message string          // what the person reads
	form    json.RawMessage // JSON Schema of what they fill in: one flat object
	state   string          // comes back with the answer; clients can read it, and send any other
}

// maxRounds is how often a tool may ask in one call of a client that is asked while
// the call runs. Others decide themselves how often they call again.
const maxRounds = 3

// cancelled is the answer of a person who was asked and did not answer.
var cancelled = json.RawMessage(`{"action":"cancel"}`)

// converse runs a tool until it no longer asks, or returns its question where the
// client calls again with the answer. The tool's time does not run while a person
// thinks; [transport.Patience] does.
func (s *Server) converse(ctx context.Context, e entry, c call, args json.RawMessage) result {
	for round := 1; ; round++ {
		r := s.run(ctx, e, c, args)
		switch {
		case r.question == nil, c.client.Retries && c.client.Asks:
			return r
		case !c.client.Asks, round > maxRounds:
			s.log.ErrorContext(ctx, "a tool asks who cannot be asked", "tool", e.tool.Name, "round", round)
			return failureBy(e.advise, transport.ErrInternal)
		}
		answer, err := transport.Ask(ctx, r.question.message, r.question.form, c.progress)
		if errors.Is(err, transport.ErrUnanswered) {
			// It is told so, and asks no more.
			c.client.Asks, answer, err = false, cancelled, nil
		}
		if err != nil {
			return failureBy(e.advise, s.settle(ctx, e.tool.Name, transport.Patience, err))
		}
		c.state, c.answers = r.question.state, map[string]json.RawMessage{r.question.key: answer}
	}
}

// answersOf are the answers that came with a request, as they were sent.
func answersOf(all mcp.InputResponses) map[string]json.RawMessage {
	answers := make(map[string]json.RawMessage, len(all))
	for key, one := range all {
		if raw, err := json.Marshal(one); err == nil { // what was not JSON did not come as far
			answers[key] = raw
		}
	}
	return answers
}

// wireQuestion is the protocol's form of a question.
func wireQuestion(q *question) *mcp.CallToolResult {
	return server.NewInputRequestBuilder(q.state).Elicit(q.key, mcp.ElicitationParams{Message: q.message, RequestedSchema: q.form}).ToolResult()
}
