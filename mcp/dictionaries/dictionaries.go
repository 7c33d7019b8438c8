// Package dictionaries lets agents list, read and make pronunciation dictionaries.
package dictionaries

import (
	"context"
	"errors"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
	"vaak/text/respell"
)

// Argument is the argument of the tools that use a dictionary.
const Argument = "pronunciation_dictionary_id"

// Dictionaries are the pronunciation dictionaries of the callers' organisations.
type Dictionaries struct {
	Service *dictionary.Service // nil in a deployment without dictionaries
}

// Offer returns the tools that list and make dictionaries.
func (d Dictionaries) Offer() tool.Offer { return tool.Offer{Tools: d.tools()} }

// tools returns the tools; none in a deployment without dictionaries.
func (d Dictionaries) tools() []tool.Entry {
	if d.Service == nil {
		return nil
	}
	return []tool.Entry{d.listTool(), d.createTool()}
}

// Use returns the dictionary with an id, ready to be applied; none for "".
func (d Dictionaries) Use(ctx context.Context, c tool.Call, id string) (respell.Dictionaries, error) {
	if id == "" || d.Service == nil {
		return nil, nil
	}
	return d.Service.Use(ctx, c.OrgID, dictionary.Locator{ID: id})
}

// Lengths of text that strangers wrote, in code points.
const (
	maxListedName  = 60
	maxDescription = 300
)

// ruleBrief is a rule in a list. Options with their default value are left out, to save tokens.
type ruleBrief struct {
	Term           string   `json:"string_to_replace"`
	Alias          string   `json:"alias"`
	CaseSensitive  bool     `json:"case_sensitive,omitempty"`
	WordBoundaries *bool    `json:"word_boundaries,omitempty" doc:"True when absent"`
	Only           []string `json:"only_languages,omitempty"`
	Except         []string `json:"except_languages,omitempty"`
}

// ruleOf returns a rule with its texts made harmless to a model.
func ruleOf(r respell.Rule) ruleBrief {
	b := ruleBrief{
		Term: plain.Line(r.Term, respell.MaxTerm), Alias: plain.Line(r.Respelling, respell.MaxRespelling),
		CaseSensitive: r.CaseSensitive, Only: languages(r.Only), Except: languages(r.Except),
	}
	if r.InWords {
		b.WordBoundaries = new(bool)
	}
	return b
}

// maxLanguage is the longest name of a language that is shown, in code points.
const maxLanguage = 40

// languages returns names of languages made harmless to a model.
func languages(written []string) []string {
	var all []string
	for _, l := range written {
		all = append(all, plain.Line(l, maxLanguage))
	}
	return all
}

// called makes an error about the id of a dictionary name the argument that holds the id in a tool.
func called(name string, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Field != Argument {
		return err
	}
	here := *f
	here.Field = name
	return &here
}
