package voices

import (
	"context"
	"fmt"
	"strings"

	"vaak/lang"
	"vaak/mcp/tool"
)

// listLanguagesInput are the arguments of list_languages.
type listLanguagesInput struct {
	Query string `json:"query,omitempty" doc:"Part of a name in English or in the language itself, a code or a tag. Default: all." maxLength:"100"`
}

// listLanguagesOutput is the structured result of list_languages.
type listLanguagesOutput struct {
	Languages []languageBrief `json:"languages"`
}

// languageBrief is a language in a list.
type languageBrief struct {
	LanguageID string `json:"language_id"`
	Name       string `json:"name"`
}

// listLanguages is the tool list_languages.
func listLanguages(offered lang.Prior) tool.Entry {
	return tool.New(tool.Definition{
		Name:        "list_languages",
		Title:       "List languages",
		Description: "The languages that can be spoken, as code and name. Free.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, _ tool.Call, in listLanguagesInput) (tool.Answer[listLanguagesOutput], error) {
		out := listLanguagesOutput{Languages: []languageBrief{}}
		var b strings.Builder
		for _, l := range matchLanguages(offered, strings.TrimSpace(in.Query)) {
			out.Languages = append(out.Languages, languageBrief{string(l.Code), l.Name})
			fmt.Fprintf(&b, "\n%s|%s", l.Code, l.Name)
		}
		if len(out.Languages) == 0 {
			return tool.Answer[listLanguagesOutput]{Value: out, Text: "No language matches. Call list_languages without a query to see all."}, nil
		}
		return tool.Answer[listLanguagesOutput]{Value: out, Text: fmt.Sprintf("%d of %d languages, code|name:%s", len(out.Languages), len(offered.Languages()), b.String())}, nil
	})
}

// longestCode is the length of the longest query that may be a code of a language. Such a query
// is not searched for within names, where it would match too much.
const longestCode = 3

// matchLanguages returns the languages that match a query: first the language that it names in any
// form, then those whose name contains it.
func matchLanguages(offered lang.Prior, query string) []lang.Language {
	if query == "" {
		return offered.Languages()
	}
	var found []lang.Language
	if tag, err := lang.Resolve(query); err == nil {
		if l, ok := lang.Lookup(tag.Code); ok && offered.Offers(l.Code) {
			found = append(found, l)
		}
	}
	if len(found) > 0 && len(query) <= longestCode {
		return found
	}
	q := strings.ToLower(query)
	for _, l := range offered.Languages() {
		named := strings.Contains(strings.ToLower(l.Name), q) || strings.Contains(strings.ToLower(l.Native), q)
		if named && (len(found) == 0 || found[0].Code != l.Code) {
			found = append(found, l)
		}
	}
	return found
}
