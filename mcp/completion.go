package mcp

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
type resourceCompletions []template

// CompleteResourceArgument suggests values for a variable.
func (ts resourceCompletions) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, t := range ts {
		if t.uri == uri {
			return suggest(ctx, t.complete[argument.Name], argument.Value), nil
		}
	}
	return &mcp.Completion{Values: []string{}}, nil
}

// promptCompletions suggest values for the arguments of prompts.
type promptCompletions []prompt

// CompletePromptArgument suggests values for an argument.
func (ps promptCompletions) CompletePromptArgument(ctx context.Context, name string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, p := range ps {
		for _, a := range p.arguments {
			if p.name == name && a.name == argument.Name {
				return suggest(ctx, a.complete, argument.Value), nil
			}
		}
	}
	return &mcp.Completion{Values: []string{}}, nil
}

// maxTyped is the longest beginning of a value that is completed, in bytes.
const maxTyped = 200

func suggest(ctx context.Context, complete completer, typed string) *mcp.Completion {
	if complete == nil || len(typed) > maxTyped || !utf8.ValidString(typed) {
		return &mcp.Completion{Values: []string{}}
	}
	values := complete(ctx, callOf(ctx), strings.TrimSpace(typed))
	n := len(values)
	if values == nil {
		values = []string{}
	}
	return &mcp.Completion{Values: values[:min(n, maxCompletions)], Total: n, HasMore: n > maxCompletions}
}

// maxArgument is the longest argument of a prompt, in code points.
const maxArgument = 5000

// check refuses arguments that a prompt does not have, and those that it lacks.
func (p prompt) check(arguments map[string]string) error {
	known := map[string]bool{}
	names := make([]string, len(p.arguments))
	for i, a := range p.arguments {
		known[a.name], names[i] = true, a.name
		value := arguments[a.name]
		if a.required && strings.TrimSpace(value) == "" {
			return fault.BadParameter(a.name, "%s is required", a.name)
		}
		if n := utf8.RuneCountInString(value); n > maxArgument {
			return fault.BadParameter(a.name, "%s has %d characters, at most %d are allowed", a.name, n, maxArgument)
		}
	}
	for name := range arguments {
		if !known[name] {
			return fault.BadParameter(schema.Shorten(name), "unknown argument %q; the arguments are %s", schema.Shorten(name), strings.Join(names, ", "))
		}
	}
	return nil
}
