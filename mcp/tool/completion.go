package tool

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"vaak/internal/fault"
	"vaak/mcp/schema"
)

// maxCompletions is the most suggestions that the protocol allows in an answer.
const maxCompletions = 100

// resourceCompletions suggest values for the variables of templates.
type resourceCompletions []Template

// CompleteResourceArgument suggests values for a variable.
func (ts resourceCompletions) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, t := range ts {
		if t.Uri == uri {
			return suggest(ctx, t.Complete[argument.Name], argument.Value), nil
		}
	}
	return &mcp.Completion{Values: []string{}}, nil
}

// promptCompletions suggest values for the arguments of prompts.
type promptCompletions []Prompt

// CompletePromptArgument suggests values for an argument.
func (ps promptCompletions) CompletePromptArgument(ctx context.Context, name string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, p := range ps {
		for _, a := range p.Arguments {
			if p.Name == name && a.Name == argument.Name {
				return suggest(ctx, a.Complete, argument.Value), nil
			}
		}
	}
	return &mcp.Completion{Values: []string{}}, nil
}

// maxTyped is the longest beginning of a value that is completed, in bytes.
const maxTyped = 200

func suggest(ctx context.Context, complete Completer, typed string) *mcp.Completion {
	if complete == nil || len(typed) > maxTyped || !utf8.ValidString(typed) {
		return &mcp.Completion{Values: []string{}}
	}
	values := complete(ctx, callOf(ctx), strings.TrimSpace(typed))
	// Before the cut, because Total counts what there is and not what is sent.
	n := len(values)
	if values == nil {
		// nil would be null in JSON, where the protocol wants a list.
		values = []string{}
	}
	return &mcp.Completion{Values: values[:min(n, maxCompletions)], Total: n, HasMore: n > maxCompletions}
}

// maxArgument is the longest argument of a prompt, in code points.
const maxArgument = 5000

// check refuses unknown, missing and too long arguments of a prompt.
func (p Prompt) check(arguments map[string]string) error {
	known := map[string]bool{}
	names := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		known[a.Name], names[i] = true, a.Name
		value := arguments[a.Name]
		if a.Required && strings.TrimSpace(value) == "" {
			return fault.BadParameter(a.Name, "%s is required", a.Name)
		}
		if n := utf8.RuneCountInString(value); n > maxArgument {
			return fault.BadParameter(a.Name, "%s has %d characters, at most %d are allowed", a.Name, n, maxArgument)
		}
	}
	for name := range arguments {
		if !known[name] {
			return fault.BadParameter(schema.Shorten(name), "unknown argument %q; the arguments are %s", schema.Shorten(name), strings.Join(names, ", "))
		}
	}
	return nil
}
