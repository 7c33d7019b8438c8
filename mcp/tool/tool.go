// Package tool holds what capabilities need to offer something to agents: tools, resources and
// prompts, and results and errors that a model can act on. A [Runner] serves them over the
// protocol.
//
// A tool is one [Entry], made by [New] of a name, a description, hints, an input struct, an
// output struct and a handler. The rest follows from these: the schemas that clients read, the
// check of arguments, and the errors. The library mcp-go implements the protocol. Its types do
// not appear in what capabilities use.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/mcp/schema"
	"vaak/mcp/transport"
)

// Tool describes a tool as its clients see it.
type Tool struct {
	Name        string
	Title       string
	Description string
	Input       json.RawMessage // JSON Schema of the arguments, closed
	Output      json.RawMessage // JSON Schema of the structured result; results may gain members
	Hints       Hints
}

// Hints say what a call changes, so that a host can decide whether to ask a person first.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may undo or overwrite something
	Idempotent  bool // a second identical call changes nothing more
	OpenWorld   bool // reaches beyond this service
}

// Definition describes a tool, except for its schemas, which [New] makes of types.
type Definition struct {
	Name, Title, Description string
	Hints                    Hints
	Timeout                  time.Duration // of a call; 0 is defaultTimeout
	// Refine adjusts the schemas to the deployment; nil leaves them alone.
	Refine func(in, out *schema.Schema)
	// Advise returns what to do next about an error, "" when its sentence already says that; nil
	// is [Advice].
	Advise func(*fault.Error) string
}

// defaultTimeout is the timeout of a tool that has none of its own.
const defaultTimeout = 30 * time.Second

// Answer is the result of a call: a value that fits the output schema, the same in few words for a
// model that reads only text, and perhaps audio and links. Or it is a question and nothing else.
type Answer[Out any] struct {
	Value Out
	// Encoded is the value in JSON, where the service has that already or it has members that
	// Out does not describe. With nil, Value is encoded.
	Encoded json.RawMessage
	Text    string
	Audio   *Clip
	Links   []Link
	// Question is shown to the person at the client, if the client can ask ([Call.Client]). The
	// tool is called again with the answer.
	Question *Question
}

// Link leads to something that does not fit into a result.
type Link struct {
	Uri, Name, Title, MimeType string
	Size                       int64 // bytes; 0 when not known
}

// Call says who calls a tool, and with which client. It reports progress, and holds the answers to
// questions that the tool has asked.
type Call struct {
	account.Caller // zero where no key is needed and none was sent
	Client         transport.Client
	Progress       *transport.Progress
	// State and Answers are the state of a question that the tool has asked, and the answers by
	// the keys of questions. The client sent them and may have forged them, so the tool must check
	// them.
	State   string
	Answers map[string]json.RawMessage
}

// Clip is audio that travels inside a result.
type Clip struct {
	Bytes    []byte
	MimeType string
}

// result is an answer or an error in the form that is sent to the client.
type result struct {
	Structured json.RawMessage // nil only when failed, or a question
	Text       string
	audio      *Clip
	links      []Link
	failed     bool      // Text is an error
	question   *Question // instead of everything else
}

// Entry is a tool in the registry.
type Entry struct {
	Tool    Tool
	Scope   string // that a connected application needs for it
	Input   *schema.Schema
	timeout time.Duration
	advise  func(*fault.Error) string
	Run     func(ctx context.Context, c Call, args json.RawMessage) (result, error)
}

// New makes a registry entry of a definition and a handler. The handler gets only arguments
// that satisfy the schema of In.
func New[In, Out any](d Definition, handle func(context.Context, Call, In) (Answer[Out], error)) Entry {
	return NewJudged(d, nil, handle)
}

// NewJudged is [New] with a judge, a function that finds the faults that a schema cannot
// describe. The judge runs only when the schema refuses an argument, so that a caller hears of
// all faults at once. It gets the arguments that the schema accepts. The handler must refuse
// the same faults itself. A nil judge finds nothing.
func NewJudged[In, Out any](d Definition, judge func(context.Context, In) error, handle func(context.Context, Call, In) (Answer[Out], error)) Entry {
	in, out := schema.Of(reflect.TypeFor[In]()), schema.Of(reflect.TypeFor[Out]())
	// Only the input is closed: a misspelt argument is refused, and a result may gain members
	// without breaking clients.
	in.Close()
	if d.Refine != nil {
		d.Refine(in, out)
	}
	if d.Timeout == 0 {
		d.Timeout = defaultTimeout
	}
	if d.Advise == nil {
		d.Advise = Advice
	}
	return Entry{
		Tool: Tool{
			Name: d.Name, Title: d.Title, Description: d.Description, Hints: d.Hints,
			Input: in.Encode(), Output: out.Encode(),
		},
		Input:   in,
		timeout: d.Timeout,
		advise:  d.Advise,
		Run: func(ctx context.Context, c Call, args json.RawMessage) (result, error) {
			value, err := schema.Decode[In](in, args)
			// The schema has refused something, so the handler will not run. The judge says what
			// else would be wrong.
			if err != nil && judge != nil {
				err = joined(err, Renamed(judge(ctx, value)))
			}
			if err != nil {
				return result{}, err
			}
			a, err := handle(ctx, c, value)
			if err != nil {
				return result{}, Renamed(err)
			}
			if a.Question != nil {
				return result{question: a.Question}, nil
			}
			if a.Encoded == nil {
				if a.Encoded, err = json.Marshal(a.Value); err != nil {
					return result{}, fmt.Errorf("encode result of %s: %w", d.Name, err)
				}
			}
			return result{Structured: a.Encoded, Text: a.Text, audio: a.Audio, links: a.Links}, nil
		},
	}
}

// joined returns the faults of the schema, followed by those of the judge about other
// arguments. The judge did not see the arguments that the schema refused, so it may call them
// missing.
func joined(schema, judge error) error {
	all := fault.All(schema)
	for _, f := range fault.All(judge) {
		if !slices.ContainsFunc(all, func(told *fault.Error) bool { return told.Field == f.Field }) {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return schema
	}
	return fault.Join(all...)
}

// Runner serves offers over the protocol.
type Runner struct {
	Version string // of the program, as clients see it
	Log     *slog.Logger
}

// run runs a tool, and turns every error into a result that says what to do next. It logs the
// outcome and never arguments or results.
func (s Runner) run(ctx context.Context, e Entry, c Call, args json.RawMessage) (r result) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	// A panic of a tool must not end the server, which serves other clients.
	defer func() {
		if p := recover(); p != nil {
			transport.LogPanic(ctx, s.Log, e.Tool.Name, p)
			r = FailureBy(e.advise, transport.ErrInternal)
		}
	}()
	var err error
	if edge.From(ctx).May(e.Scope) {
		r, err = e.Run(ctx, c, args)
	} else {
		err = transport.Insufficient(e.Scope)
	}
	if err != nil {
		err = s.settle(ctx, e.Tool.Name, e.timeout, err)
		r = FailureBy(e.advise, err)
	}
	s.Log.InfoContext(ctx, "tool called", "tool", e.Tool.Name, "outcome", outcome(err), "took", time.Since(start),
		"key", c.KeyID, "request_id", edge.RequestID(ctx))
	return r
}

// settle returns the error that a client may see for an error of the tool or resource called name.
func (s Runner) settle(ctx context.Context, name string, timeout time.Duration, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	// The context is asked and not the error: libraries often wrap it beyond recognition.
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, CodeTimeout, "", "%s did not finish within %s", name, timeout)
	}
	if ctx.Err() != nil {
		return fault.New(fault.Cancelled, CodeCancelled, "", "the call was cancelled")
	}
	s.Log.ErrorContext(ctx, "call failed", "name", name, "error", err)
	return transport.ErrInternal
}

// outcome returns the outcome of a call for the log: "ok", or the code of the error.
func outcome(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return "ok"
}
