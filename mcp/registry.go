package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// Hints say what a call does to the world, so that a host can decide whether
// to ask a person first.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may undo or overwrite something
	Idempotent  bool // a second identical call changes nothing more
	OpenWorld   bool // reaches beyond this service
}

// definition is what a tool says of itself; the schemas come from its types.
type definition struct {
	name, title, description string
	hints                    Hints
	timeout                  time.Duration // of a call; 0 is defaultTimeout
	// refine adjusts the schemas to the deployment; nil leaves them alone.
	refine func(in, out *schema.Schema)
	// advise says what to do next about an error, "" when its sentence says it;
	// nil is advice.
	advise func(*fault.Error) string
}

// defaultTimeout ends a call that is given no time of its own.
const defaultTimeout = 30 * time.Second

// answer is the result of a call: a value by the output schema, the same in
// few words for a model that reads only text, and perhaps audio. Or it is a question,
// and then nothing else.
type answer[Out any] struct {
	value Out
	// encoded is the value in JSON where that is there already, or has members
	// that Out leaves to the service; nil encodes value.
	encoded json.RawMessage
	text    string
	audio   *clip
	links   []link
	// question is for the person at a client that asks ([call.client]); the tool is
	// called again with the answer.
	question *question
}

// link leads to something that is too large for a result.
type link struct {
	uri, name, title, mimeType string
	size                       int64 // bytes; 0 when not known
}

// call is who calls, how to reach them meanwhile, and what they answer to a question.
type call struct {
	account.Caller // zero where no key is needed and none was sent
	client         transport.Client
	progress       *transport.Progress
	// Of a question that the tool may have asked: its state, and the answers by their
	// keys. They are what the client sent, and believed in nothing.
	state   string
	answers map[string]json.RawMessage
}

// clip is audio that travels inside a result.
type clip struct {
	bytes    []byte
	mimeType string
}

// result is an answer on its way to a client.
type result struct {
	structured json.RawMessage // nil only when failed, or a question
	text       string
	audio      *clip
	links      []link
	failed     bool      // text says what went wrong
	question   *question // in place of everything else
}

// entry is a tool in the registry.
type entry struct {
	tool    Tool
	input   *schema.Schema
	timeout time.Duration
	advise  func(*fault.Error) string
	run     func(ctx context.Context, c call, args json.RawMessage) (result, error)
}

// tool makes a registry entry of a definition and its handler. The handler
// sees arguments that satisfy the schema of In.
func tool[In, Out any](d definition, handle func(context.Context, call, In) (answer[Out], error)) entry {
	return judgedTool(d, nil, handle)
}

// judgedTool is tool with a judge, who says what is wrong with arguments beside what
// the schema says. The judge is asked when the schema refuses an argument, so that all
// that is wrong is told at once, and is given the arguments that the schema takes; nil
// for none. The handler refuses the same itself.
func judgedTool[In, Out any](d definition, judge func(context.Context, In) error, handle func(context.Context, call, In) (answer[Out], error)) entry {
	in, out := schema.Of(reflect.TypeFor[In]()), schema.Of(reflect.TypeFor[Out]())
	in.Close()
	if d.refine != nil {
		d.refine(in, out)
	}
	if d.timeout == 0 {
		d.timeout = defaultTimeout
	}
	if d.advise == nil {
		d.advise = advice
	}
	return entry{
		tool: Tool{
			Name: d.name, Title: d.title, Description: d.description, Hints: d.hints,
			Input: in.Encode(), Output: out.Encode(),
		},
		input:   in,
		timeout: d.timeout,
		advise:  d.advise,
		run: func(ctx context.Context, c call, args json.RawMessage) (result, error) {
			value, err := schema.Decode[In](in, args)
			if err != nil && judge != nil {
				err = joined(err, renamed(judge(ctx, value)))
			}
			if err != nil {
				return result{}, err
			}
			a, err := handle(ctx, c, value)
			if err != nil {
				return result{}, renamed(err)
			}
			if a.question != nil {
				return result{question: a.question}, nil
			}
			if a.encoded == nil {
				if a.encoded, err = json.Marshal(a.value); err != nil {
					return result{}, fmt.Errorf("encode result of %s: %w", d.name, err)
				}
			}
			return result{structured: a.encoded, text: a.text, audio: a.audio, links: a.links}, nil
		},
	}
}

// joined returns the faults of the schema, followed by those of a judge about other
// arguments: of one that the schema refused the judge saw nothing.
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

// run runs a tool for a caller and turns every error into a result that says
// what to do next. It logs the outcome, never what was said.
func (s *Server) run(ctx context.Context, e entry, c call, args json.RawMessage) (r result) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			transport.LogPanic(ctx, s.log, e.tool.Name, p)
			r = failureBy(e.advise, transport.ErrInternal)
		}
	}()
	r, err := e.run(ctx, c, args)
	if err != nil {
		err = s.settle(ctx, e.tool.Name, e.timeout, err)
		r = failureBy(e.advise, err)
	}
	s.log.InfoContext(ctx, "tool called", "tool", e.tool.Name, "outcome", outcome(err), "took", time.Since(start),
		"key", c.KeyID, "request_id", edge.RequestID(ctx))
	return r
}

// settle reduces the error of what was named to one that a client may see.
func (s *Server) settle(ctx context.Context, name string, timeout time.Duration, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, codeTimeout, "", "%s did not finish within %s", name, timeout)
	}
	if ctx.Err() != nil {
		return fault.New(fault.Cancelled, codeCancelled, "", "the call was cancelled")
	}
	s.log.ErrorContext(ctx, "call failed", "name", name, "error", err)
	return transport.ErrInternal
}

// outcome names a call's end for the log.
func outcome(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return "ok"
}
