package mcp

import (
	"context"
	"errors"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/mcp/plain"
	"vaak/text/respell"
)

// dictionaryArgument is the argument of the tools that use a dictionary.
const dictionaryArgument = "pronunciation_dictionary_id"

// dictionaries are the pronunciation dictionaries of the callers' organisations.
type dictionaries struct {
	service *dictionary.Service // nil: there are none
}

// tools are those that list and make dictionaries.
func (d dictionaries) tools() []entry {
	if d.service == nil {
		return nil
	}
	return []entry{d.listTool(), d.createTool()}
}

// use returns the dictionary that a call names, ready to be applied; none for "".
func (d dictionaries) use(ctx context.Context, c call, id string) (respell.Dictionaries, error) {
	if id == "" || d.service == nil {
		return nil, nil
	}
	return d.service.Use(ctx, c.OrgID, dictionary.Locator{ID: id})
}

// Lengths of text that strangers wrote, in code points.
const (
	maxListedName  = 60
	maxDescription = 300
)

// ruleBrief is a rule in a list. What is absent is the default.
type ruleBrief struct {
	Term           string   `json:"string_to_replace"`
	Alias          string   `json:"alias"`
	CaseSensitive  bool     `json:"case_sensitive,omitempty"`
	WordBoundaries *bool    `json:"word_boundaries,omitempty" doc:"True when absent"`
	Only           []string `json:"only_languages,omitempty"`
	Except         []string `json:"except_languages,omitempty"`
}

// ruleOf is a rule as a model may read it.
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

// languages are names of languages as strangers wrote them.
func languages(written []string) []string {
	var all []string
	for _, l := range written {
		all = append(all, plain.Line(l, maxLanguage))
	}
	return all
}

// called gives an error of dictionaries the name that the argument with the id has
// in a tool.
func called(name string, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Field != dictionaryArgument {
		return err
	}
	here := *f
	here.Field = name
	return &here
}
