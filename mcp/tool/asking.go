package tool

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/mcp/transport"
)

// Question is what a tool asks a person before it goes on. The tool is then called again with the
// state and the answer, in every version of the protocol.
type Question struct {
	Key     string          // names its answer
	Message string          // what the person reads
	Form    json.RawMessage // JSON Schema of what they fill in: one flat object
	State   string          // comes back with the answer; clients can read it and forge it
}

// maxRounds is how often a tool may ask in one call, of a client that is asked while the call runs.
// Newer clients call again with each answer, as often as they like.
const maxRounds = 3

// cancelled stands for the answer of a person who did not answer.
var cancelled = json.RawMessage(`{"action":"cancel"}`)

// converse runs a tool until it asks no more. For a client that calls again with the answer it
// returns the question instead. The timeout of the tool does not run while a person thinks;
// [transport.Patience] bounds that time.
func (s Runner) converse(ctx context.Context, e Entry, c Call, args json.RawMessage) result {
	for round := 1; ; round++ {
		r := s.run(ctx, e, c, args)
		switch {
		case r.question == nil, c.Client.Retries && c.Client.Asks:
			// Done, or the question travels as the result and the client calls again.
			return r
		case !c.Client.Asks, round > maxRounds: // a mistake in the tool
			s.Log.ErrorContext(ctx, "a tool asks who cannot be asked", "tool", e.Tool.Name, "round", round)
			return FailureBy(e.advise, transport.ErrInternal)
		}
		answer, err := transport.Ask(ctx, r.question.Message, r.question.Form, c.Progress)
		if errors.Is(err, transport.ErrUnanswered) {
			// The tool gets a cancelled answer and sees that it cannot ask again.
			c.Client.Asks, answer, err = false, cancelled, nil
		}
		if err != nil {
			return FailureBy(e.advise, s.settle(ctx, e.Tool.Name, transport.Patience, err))
		}
		// As if the client had called again, so that a tool need not know how it was asked.
		c.State, c.Answers = r.question.State, map[string]json.RawMessage{r.question.Key: answer}
	}
}

// answersOf returns the answers that came with a request, as they were sent.
func answersOf(all mcp.InputResponses) map[string]json.RawMessage {
	answers := make(map[string]json.RawMessage, len(all))
	for key, one := range all {
		if raw, err := json.Marshal(one); err == nil { // it was decoded from JSON, so it cannot fail
			answers[key] = raw
		}
	}
	return answers
}

// wireQuestion returns a question in the form of the protocol.
func wireQuestion(q *Question) *mcp.CallToolResult {
	return server.NewInputRequestBuilder(q.State).Elicit(q.Key, mcp.ElicitationParams{Message: q.Message, RequestedSchema: q.Form}).ToolResult()
}
