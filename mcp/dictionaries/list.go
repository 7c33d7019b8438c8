package dictionaries

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"vaak/dictionary"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
)

// listDictionariesInput holds the arguments of list_pronunciation_dictionaries.
type listDictionariesInput struct {
	ID     string `json:"id,omitempty" doc:"Dictionary whose rules to show. Default: list the dictionaries." maxLength:"100"`
	Limit  int    `json:"limit,omitempty" doc:"Most dictionaries or rules on a page; fewer when they are long." default:"50" minimum:"1" maximum:"100"`
	Cursor string `json:"cursor,omitempty" doc:"nextCursor of the page before; send its id again." maxLength:"8192"`
}

// listDictionariesOutput is the structured result of list_pronunciation_dictionaries:
// dictionaries, or one with a page of its rules.
type listDictionariesOutput struct {
	Dictionaries []dictionaryBrief `json:"dictionaries" doc:"The newest first"`
	VersionID    string            `json:"version_id,omitempty"`
	Description  string            `json:"description,omitempty"`
	Rules        []ruleBrief       `json:"rules,omitempty"`
	NextCursor   string            `json:"nextCursor,omitempty" doc:"Absent on the last page"`
}

// dictionaryBrief is a dictionary in a list.
type dictionaryBrief struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Rules int    `json:"rules"`
}

func briefDictionary(d dictionary.Dictionary) dictionaryBrief {
	return dictionaryBrief{d.ID, plain.Line(d.Name, maxListedName), d.Latest.Rules}
}

// defaultListed is how many dictionaries or rules a page has by default.
const defaultListed = 50

// Bounds of a page, in bytes of the structured result and the text together. An id takes a
// token for every second byte; text in a script that models hardly know takes one for every
// byte.
const (
	maxDefaultList = 3_600 // when the call names no limit: under 2,000 tokens except in such scripts
	maxNamedList   = 8_000 // when the call names a limit: under 8,000 tokens in any script
)

// listTool is the tool list_pronunciation_dictionaries.
func (d Dictionaries) listTool() tool.Entry {
	return tool.New(tool.Definition{
		Name:        "list_pronunciation_dictionaries",
		Title:       "List pronunciation dictionaries",
		Description: "The organisation's pronunciation dictionaries, or the rules of one. Free.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, c tool.Call, in listDictionariesInput) (tool.Answer[listDictionariesOutput], error) {
		most := maxNamedList
		if in.Limit == 0 {
			in.Limit, most = defaultListed, maxDefaultList
		}
		if in.ID != "" {
			return d.rules(ctx, c, in, most)
		}
		return d.list(ctx, c, in, most)
	})
}

// list answers with a page of dictionaries of at most most bytes, but at least one dictionary.
// It asks for fewer dictionaries until the page is small enough.
func (d Dictionaries) list(ctx context.Context, c tool.Call, in listDictionariesInput, most int) (tool.Answer[listDictionariesOutput], error) {
	for {
		page, err := d.Service.List(ctx, c.OrgID, dictionary.Query{Size: in.Limit, Cursor: in.Cursor})
		if err != nil {
			return tool.Answer[listDictionariesOutput]{}, err
		}
		out := listDictionariesOutput{Dictionaries: make([]dictionaryBrief, len(page.Dictionaries)), NextCursor: page.Next}
		for i, known := range page.Dictionaries {
			out.Dictionaries[i] = briefDictionary(known)
		}
		a, size, err := out.answer(out.listed(in.Cursor == ""))
		if n := len(out.Dictionaries); err != nil || size <= most || n <= 1 {
			return a, err
		}
		// In proportion to the size, and at least one less, so that this ends.
		in.Limit = max(1, min(len(out.Dictionaries)-1, len(out.Dictionaries)*most/size))
	}
}

// answer returns the structured result with its text, and the size of both in bytes.
func (o listDictionariesOutput) answer(text string) (tool.Answer[listDictionariesOutput], int, error) {
	b, err := tool.Encode(o)
	if err != nil {
		return tool.Answer[listDictionariesOutput]{}, 0, fmt.Errorf("encode pronunciation dictionaries: %w", err)
	}
	return tool.Answer[listDictionariesOutput]{Encoded: json.RawMessage(b), Text: text}, len(b) + len(text), nil
}

// listed returns the page as text, a line for each dictionary.
func (o listDictionariesOutput) listed(first bool) string {
	switch {
	case len(o.Dictionaries) > 0:
	case first:
		return "There are no pronunciation dictionaries. create_pronunciation_dictionary makes one."
	default:
		return "There are no more pronunciation dictionaries."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, id|rules|name:", dictionariesOf(len(o.Dictionaries)))
	for _, d := range o.Dictionaries {
		fmt.Fprintf(&b, "\n%s|%d|%s", d.ID, d.Rules, tool.Quoted(d.Name, maxListedName))
	}
	o.next(&b)
	return b.String()
}

func dictionariesOf(n int) string {
	if n == 1 {
		return "1 dictionary"
	}
	return fmt.Sprintf("%d dictionaries", n)
}

// next adds the cursor of the next page, if there is one.
func (o listDictionariesOutput) next(b *strings.Builder) {
	if o.NextCursor != "" {
		b.WriteString("\nnextCursor: " + o.NextCursor)
	}
}

// column returns a text for a line whose columns are separated by "|".
func column(s string) string { return strings.ReplaceAll(s, "|", "/") }
