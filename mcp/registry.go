package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
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
	refine func(in, out *schema)
}

// defaultTimeout ends a call that is given no time of its own.
const defaultTimeout = 30 * time.Second

// answer is the result of a call: a value by the output schema, the same in
// few words for a model that reads only text, and perhaps audio.
type answer[Out any] struct {
	value Out
	text  string
	audio *clip
}

// clip is audio that travels inside a result.
type clip struct {
	bytes    []byte
	mimeType string
}

// result is an answer on its way to a client.
type result struct {
	structured json.RawMessage // nil only when failed
	text       string
	audio      *clip
	failed     bool // text says what went wrong
}

// entry is a tool in the registry.
type entry struct {
	tool    Tool
	input   *schema
	timeout time.Duration
	run     func(ctx context.Context, caller account.Caller, args json.RawMessage) (result, error)
}

// tool makes a registry entry of a definition and its handler. The handler
// sees arguments that satisfy the schema of In.
func tool[In, Out any](d definition, handle func(context.Context, account.Caller, In) (answer[Out], error)) entry {
	in, out := schemaOf(reflect.TypeFor[In]()), schemaOf(reflect.TypeFor[Out]())
	in.close()
	if d.refine != nil {
		d.refine(in, out)
	}
	if d.timeout == 0 {
		d.timeout = defaultTimeout
	}
	return entry{
		tool: Tool{
			Name: d.name, Title: d.title, Description: d.description, Hints: d.hints,
			Input: in.encode(), Output: out.encode(),
		},
		input:   in,
		timeout: d.timeout,
		run: func(ctx context.Context, caller account.Caller, args json.RawMessage) (result, error) {
			value, err := decode[In](in, args)
			if err != nil {
				return result{}, err
			}
			a, err := handle(ctx, caller, value)
			if err != nil {
				return result{}, renamed(err)
			}
			structured, err := json.Marshal(a.value)
			if err != nil {
				return result{}, fmt.Errorf("encode result of %s: %w", d.name, err)
			}
			return result{structured: structured, text: a.text, audio: a.audio}, nil
		},
	}
}

// call runs a tool for a caller and turns every error into a result that says
// what to do next. It logs the outcome, never what was said.
func (s *Server) call(ctx context.Context, e entry, caller account.Caller, args json.RawMessage) (r result) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			s.logPanic(ctx, e.tool.Name, p)
			r = failure(errInternal)
		}
	}()
	r, err := e.run(ctx, caller, args)
	if err != nil {
		err = s.settle(ctx, e, err)
		r = failure(err)
	}
	s.log.InfoContext(ctx, "tool called", "tool", e.tool.Name, "outcome", outcome(err), "took", time.Since(start),
		"key", caller.KeyID, "request_id", edge.RequestID(ctx))
	return r
}

// logPanic logs where a panic came from. Its value is logged only when it is
// the runtime's own, as any other may quote what is being spoken.
func (s *Server) logPanic(ctx context.Context, what string, p any) {
	cause := fmt.Sprintf("%T", p)
	if err, ok := p.(runtime.Error); ok {
		cause = err.Error()
	}
	s.log.ErrorContext(ctx, "panic", "in", what, "cause", cause, "stack", string(debug.Stack()))
}

// settle reduces an error to one that a client may see.
func (s *Server) settle(ctx context.Context, e entry, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, codeTimeout, "", "%s did not finish within %s", e.tool.Name, e.timeout)
	}
	if ctx.Err() != nil {
		return fault.New(fault.Cancelled, codeCancelled, "", "the call was cancelled")
	}
	s.log.ErrorContext(ctx, "tool failed", "tool", e.tool.Name, "error", err)
	return errInternal
}

// outcome names a call's end for the log.
func outcome(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return "ok"
}
