package tool

import (
	"context"
	"slices"
	"strings"
)

// Offer holds what the clients of one endpoint find there: tools, resources, templates and prompts.
type Offer struct {
	Title        string
	Instructions string
	Tools        []Entry
	Resources    []Resource
	Templates    []Template
	Prompts      []Prompt
}

// With returns o with the offers of capabilities added.
func (o Offer) With(others ...Offer) Offer {
	for _, other := range others {
		o.Instructions += other.Instructions
		o.Tools = append(o.Tools, other.Tools...)
		o.Resources = append(o.Resources, other.Resources...)
		o.Templates = append(o.Templates, other.Templates...)
		o.Prompts = append(o.Prompts, other.Prompts...)
	}
	return o
}

// Needing returns o with the scopes that a connected application needs: read for what changes
// nothing, change for the other tools.
func (o Offer) Needing(read, change string) Offer {
	for i := range o.Tools {
		if o.Tools[i].Scope = change; o.Tools[i].Tool.Hints.ReadOnly {
			o.Tools[i].Scope = read
		}
	}
	for i := range o.Resources {
		o.Resources[i].Scope = read
	}
	for i := range o.Templates {
		o.Templates[i].Scope = read
	}
	return o
}

// Join makes one offer of the offers of several services, for a client that reaches all of them.
func Join(offers ...Offer) Offer {
	var all Offer
	var titles, instructions []string
	for _, o := range offers {
		titles, instructions = append(titles, o.Title), append(instructions, o.Instructions)
		all.Tools = append(all.Tools, o.Tools...)
		all.Resources = append(all.Resources, o.Resources...)
		all.Templates = append(all.Templates, o.Templates...)
		all.Prompts = append(all.Prompts, o.Prompts...)
	}
	all.Title, all.Instructions = strings.Join(titles, " and "), strings.Join(instructions, "\n\n")
	// Sorted, so that clients see one order whichever services are joined.
	slices.SortFunc(all.Tools, func(a, b Entry) int { return strings.Compare(a.Tool.Name, b.Tool.Name) })
	return all
}

// Resource is something that a client can read at a fixed address.
type Resource struct {
	Uri, Name, Title, Description, MimeType string
	Scope                                   string // that a connected application needs for it
	Read                                    func(context.Context, Call) (Content, error)
}

// Template is a family of resources: one for each value of the variables in its address.
type Template struct {
	Uri, Name, Title, Description, MimeType string // uri as in RFC 6570, such as dataset://{slug}
	Scope                                   string // that a connected application needs for it
	Read                                    func(context.Context, Call, map[string]string) (Content, error)
	Complete                                map[string]Completer // by variable
}

// Content is what a resource holds: text, or bytes when Blob is not nil.
type Content struct {
	MimeType string
	Text     string
	Blob     []byte
}

// Completer suggests values that begin with what a person typed, the likeliest first. Only the
// first hundred are sent.
type Completer func(ctx context.Context, c Call, typed string) []string

// Prompt is a task that a person can choose.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	Render                   func(arguments map[string]string) (string, error) // what the person says to the model
}

// PromptArgument is a value that a person fills in for a prompt.
type PromptArgument struct {
	Name, Description string
	Required          bool
	Complete          Completer // nil suggests nothing
}
