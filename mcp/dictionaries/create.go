package dictionaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/mcp/schema"
	"vaak/mcp/tool"
	"vaak/text/respell"
)

// createDictionaryInput holds the arguments of create_pronunciation_dictionary. Their schema is
// that of rules of type ruleInput. They are read with rules of any members, and the tool checks
// each rule itself, so that a wrong type in one rule does not hide the faults of the others.
type createDictionaryInput[R ruleInput | json.RawMessage] struct {
	Name        string `json:"name" minLength:"1" maxLength:"200" doc:"What people call the dictionary."`
	Rules       []R    `json:"rules" minItems:"1" maxItems:"1000" doc:"Rules, of which all are taken, or none."`
	Description string `json:"description,omitempty" maxLength:"1000" doc:"What the dictionary is for."`
}

// ruleInput describes a rule to a model, in fewer words than [lexicon.RuleRequest], which is
// what it stands for. Package respell checks the lengths. The hidden members are accepted
// because models copy them from other services; they lead to a refusal that explains itself.
type ruleInput struct {
	Term           string   `json:"string_to_replace" doc:"A word or phrase as it stands in texts; at most 128 characters."`
	Alias          string   `json:"alias" doc:"How to spell it so that it is read right, in any script: A P I, or ए पी आई. Letters, never IPA or other phonetics. At most 256."`
	CaseSensitive  bool     `json:"case_sensitive,omitempty" doc:"Match the exact casing only." default:"false"`
	WordBoundaries *bool    `json:"word_boundaries,omitempty" doc:"Match whole words only." default:"true"`
	Only           []string `json:"only_languages,omitempty" doc:"Apply in requests of these languages only: codes, tags or names."`
	Except         []string `json:"except_languages,omitempty" doc:"Never in requests of these languages."`
	Type           *string  `json:"type,omitempty" hidden:"true"`
	Phoneme        *string  `json:"phoneme,omitempty" hidden:"true"`
	Alphabet       *string  `json:"alphabet,omitempty" hidden:"true"`
}

// createDictionaryOutput is the structured result of create_pronunciation_dictionary.
type createDictionaryOutput struct {
	ID        string `json:"id"`
	VersionID string `json:"version_id"`
	Rules     int    `json:"rules"`
}

// createTool is the tool create_pronunciation_dictionary.
func (d Dictionaries) createTool() tool.Entry {
	listed, item := schema.Of(reflect.TypeFor[createDictionaryInput[ruleInput]]()), schema.Of(reflect.TypeFor[ruleInput]())
	listed.Close()
	item.Close()
	item.Required = nil // package respell says what is missing, together with all other faults
	e := tool.New(tool.Definition{
		Name:        "create_pronunciation_dictionary",
		Title:       "Make a pronunciation dictionary",
		Description: "Keep, for the organisation, how words that are read wrongly are to be spelled to be read right. The id goes to pronunciation_dictionary_id. Free.",
		Hints:       tool.Hints{},
		Advise:      adviseCreate,
	}, func(ctx context.Context, c tool.Call, in createDictionaryInput[json.RawMessage]) (tool.Answer[createDictionaryOutput], error) {
		rules, err := readRules(item, in.Rules)
		if err != nil {
			return tool.Answer[createDictionaryOutput]{}, err
		}
		made, err := d.Service.Create(ctx, c.OrgID, c.KeyID, dictionary.Draft{Name: in.Name, Description: in.Description, Rules: rules})
		if refused, ok := errors.AsType[*respell.Refusal](err); ok {
			return tool.Answer[createDictionaryOutput]{}, refusedRules(refused, len(rules))
		}
		if err != nil {
			return tool.Answer[createDictionaryOutput]{}, err
		}
		out := createDictionaryOutput{made.ID, made.Latest.ID, made.Latest.Rules}
		return tool.Answer[createDictionaryOutput]{Value: out, Text: fmt.Sprintf(
			"Made %s with %s, version %s. Give the id as pronunciation_dictionary_id to synthesize_speech; preview_spoken_text shows what it changes.",
			out.ID, tool.Plural(int64(out.Rules), "rule"), out.VersionID)}, nil
	})
	// Clients see the schema of ruleInput, although the arguments are read as rules of any members.
	e.Tool.Input = listed.Encode()
	return e
}

// wholeRule matches the name of a rule as a whole, which is at fault when it is no object.
var wholeRule = regexp.MustCompile(`^rules\[\d+\]$`)

// adviseCreate returns what to do next about an error of create_pronunciation_dictionary.
func adviseCreate(f *fault.Error) string {
	if wholeRule.MatchString(f.Field) {
		return "The other rules were not looked at."
	}
	return tool.Advice(f)
}
