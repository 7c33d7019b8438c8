package mcp

import (
	"context"
	"slices"
	"strings"
)

// offer is what the clients of one endpoint find there.
type offer struct {
	title        string
	instructions string
	tools        []entry
	resources    []resource
	templates    []template
	prompts      []prompt
}

// join makes one offer of several, for a client that reaches all of them.
func join(offers ...offer) offer {
	var all offer
	var titles, instructions []string
	for _, o := range offers {
		titles, instructions = append(titles, o.title), append(instructions, o.instructions)
		all.tools = append(all.tools, o.tools...)
		all.resources = append(all.resources, o.resources...)
		all.templates = append(all.templates, o.templates...)
		all.prompts = append(all.prompts, o.prompts...)
	}
	all.title, all.instructions = strings.Join(titles, " and "), strings.Join(instructions, "\n\n")
	slices.SortFunc(all.tools, func(a, b entry) int { return strings.Compare(a.tool.Name, b.tool.Name) })
	return all
}

// resource is something that a client may read at an address that is always
// there.
type resource struct {
	uri, name, title, description, mimeType string
	read                                    func(context.Context, call) (content, error)
}

// template is a family of resources, one for each value of its variables.
type template struct {
	uri, name, title, description, mimeType string // uri as in RFC 6570, such as dataset://{slug}
	read                                    func(context.Context, call, map[string]string) (content, error)
	complete                                map[string]completer // by variable
}

// content is what a resource holds: text, or bytes when blob is not nil.
type content struct {
	mimeType string
	text     string
	blob     []byte
}

// completer suggests values that begin with what was typed, the likeliest
// first. Only the first hundred are sent.
type completer func(ctx context.Context, c call, typed string) []string

// prompt is a task that a person may pick.
type prompt struct {
	name, title, description string
	arguments                []promptArgument
	render                   func(arguments map[string]string) (string, error) // what the person says to the model
}

// promptArgument is a blank of a prompt.
type promptArgument struct {
	name, description string
	required          bool
	complete          completer // nil suggests nothing
}
